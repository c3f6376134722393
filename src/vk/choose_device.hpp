// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which device is used (docs/spec/scenario.md#decision-23).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/diagnostic.hpp"
#include "vk/snapshot.hpp"

namespace slipway::vk {

// The selector is an index, a UUID, or a part of a name in any case; empty means the first by type: discrete,
// integrated, virtual, CPU, other. The result is an index into `devices`. Errors (no-device) list what there is.
Result<std::size_t> choose_device(std::span<const Snapshot> devices, std::string_view selector);

}  // namespace slipway::vk
