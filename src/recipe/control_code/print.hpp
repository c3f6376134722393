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

}  // namespace slipway::recipe::control_code
