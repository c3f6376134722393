// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler of kernels, libslipway_cpu.so, which is opened when a kernel is not in the cache.
#pragma once

#include "base/system/files.hpp"
#include "cpu/compiler_table.hpp"

namespace slipway::cpu {

// Where it is installed; empty if it is not.
Path compiler_file();

// Opened once. Errors: no-backend, with the reason: it was not built, or cannot be loaded.
Result<const CompilerTable*> load_compiler();

}  // namespace slipway::cpu
