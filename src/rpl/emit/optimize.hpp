// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizer of SPIRV-Tools, for CompileOptions::optimize. It is apart from the compiler, which does without
// SPIRV-Tools otherwise.
#pragma once

#include <span>

#include "rpl/emit/emit_spirv.hpp"

namespace slipway::rpl {

// What `--optimize` does to a module: inlining, propagation and dead code elimination. The interface and the bindings
// stay. Takes several hundred times as long as emission.
Result<spirv::Words> optimize_spirv(const SpirvModule& module, Target target);
// Replaces each module by the result of optimize_spirv.
Result<> optimize_modules(std::span<SpirvModule> modules, Target target);

}  // namespace slipway::rpl
