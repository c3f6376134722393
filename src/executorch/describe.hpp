// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `slipway inspect` shows of an ExecuTorch program.
#pragma once

#include <string>

#include "executorch/program.hpp"

namespace slipway::executorch {

std::string describe(const Program& program);  // for people
std::string program_json(const Program& program);
std::string program_schema();  // of program_json

}  // namespace slipway::executorch
