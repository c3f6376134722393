// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metadata as readable tables.
#pragma once

#include <string>

#include "rpl/metadata/metadata.hpp"

namespace slipway::rpl {

std::string print_metadata(const Metadata& metadata);

}  // namespace slipway::rpl
