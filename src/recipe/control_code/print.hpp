// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The output of `slipway inspect` for a control-code ELF (docs/spec/recipe.md#inspect-output).
#pragma once

#include <string>

#include "json/writer.hpp"
#include "recipe/control_code/control_code.hpp"

namespace slipway::recipe::control_code {

std::string print_control_code(const ControlCode& file);
// One JSON object, as schema/control-code.schema.json describes it.
void write_control_code(const ControlCode& file, json::Writer& out);
std::string control_code_schema();

std::string abi_text(const ControlCode& file);  // "0.1"
std::string scheme_text(std::uint32_t scheme);  // the name, or the number

}  // namespace slipway::recipe::control_code
