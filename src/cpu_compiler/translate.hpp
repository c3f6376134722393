// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel as LLVM IR: the invocations of a workgroup become lanes of vectors, and the function loops over workgroups.
//
//   void kernel(const void* const* buffers, std::int32_t begin, std::int32_t end, std::int32_t groups);
//
// It runs the workgroups from `begin` to `end` - 1 of a dispatch of `groups` in one dimension. A workgroup with more
// invocations than lanes is several vectors, one after the other; its invocations cannot communicate.
#pragma once

#include <memory>

#include "base/diagnostic.hpp"
#include "cpu/compiler_table.hpp"
#include "spirv/module.hpp"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace slipway::cpu_compiler {

inline constexpr const char* kFunctionName = "kernel";

// Errors: unsupported, with the name of what the engine does not know.
Result<std::unique_ptr<llvm::Module>> translate(const spirv::Module& module, const cpu::Target& target,
                                                std::uint32_t buffers, llvm::LLVMContext& context);

}  // namespace slipway::cpu_compiler
