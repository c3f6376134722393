// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's description of the machine that kernels are compiled for.
#pragma once

#include <memory>

#include "cpu/compiler_table.hpp"

namespace llvm {
class TargetMachine;
}

namespace slipway::cpu_compiler {

// Null for an architecture whose code generator this build lacks.
std::unique_ptr<llvm::TargetMachine> machine_for(const cpu::Target& target);

}  // namespace slipway::cpu_compiler
