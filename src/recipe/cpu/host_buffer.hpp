// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A zeroed buffer in host memory.
#pragma once

#include <cstddef>
#include <memory>

#include "base/diagnostic.hpp"
#include "slipway/buffer_storage.hpp"

namespace slipway::recipe::cpu {

// The alignment of the first byte: a cache line, which is also what SIMD code asks for.
inline constexpr std::size_t kHostAlignment = 64;

// Errors: device-lacks if there is not enough memory.
Result<std::shared_ptr<buffer_storage>> make_host_buffer(std::size_t size, const SourceLocation& location = {});

// Whether make_host_buffer made it.
bool is_host_buffer(const buffer_storage& buffer);

}  // namespace slipway::recipe::cpu
