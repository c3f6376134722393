// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The output of `slipway inspect` for an xclbin (docs/spec/recipe.md#inspect-output).
#pragma once

#include <string>

#include "json/writer.hpp"
#include "recipe/xclbin/xclbin.hpp"

namespace slipway::recipe::xclbin {

std::string print_xclbin(const Xclbin& file);
// One JSON object, as schema/xclbin.schema.json describes it.
void write_xclbin(const Xclbin& file, json::Writer& out);
std::string xclbin_schema();

}  // namespace slipway::recipe::xclbin
