// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The members of a block, which `reflect` lists for push constants only.
#pragma once

#include <vector>

#include "spirv/module.hpp"
#include "spirv/reflect.hpp"

namespace slipway::spirv {

// Of the block of a buffer: `Binding::variable`. Empty for other variables. Errors: unsupported.
Result<std::vector<BlockMember>> block_members(const Module& module, Id variable);

}  // namespace slipway::spirv
