// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of kernels in configuration ELFs: `_Z4CONVPcPcPc` is CONV(char*, char*, char*)
// (docs/spec/recipe.md#control-code-elf-files).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::recipe::control_code {

struct KernelSignature {
  std::string name;
  std::vector<std::string> arguments;  // "char*"; scalar parameters as "char" and "int"
};

// Nothing for other names.
std::optional<KernelSignature> demangle(std::string_view symbol);

}  // namespace slipway::recipe::control_code
