// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled kernels: from the cache, and otherwise from the compiler.
//
// An object is in the cache under the key of the kernel's words, or under that of their form, which builds for other
// architectures make as well (spirv/compare/normal_form.hpp). So a machine finds objects that another one compiled for
// it.
#pragma once

#include "base/system/cache.hpp"
#include "cpu/code.hpp"
#include "cpu/target.hpp"
#include "lower/program.hpp"

namespace slipway::cpu {

struct CpuKernelCode {
  Code code;
  bool is_cached = false;
};

// For this machine. Errors: those of the compiler; no-backend, when the kernel is not cached and the compiler is
// missing.
Result<CpuKernelCode> load_kernel(const lower::ProgramKernel& kernel, const Target& target, const Cache& cache);

// Compiles a kernel into the cache, for a machine of any kind that runs this build or one for its architecture. Errors:
// those of the compiler; file-unwritable.
Result<> store_kernel(const lower::ProgramKernel& kernel, const Target& target, const Cache& cache);

}  // namespace slipway::cpu
