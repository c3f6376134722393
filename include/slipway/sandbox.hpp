// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How parsers and compilers of other projects (MLIR, glslang, SPIRV-Tools) are kept away from the process that uses the
// library. They run in processes of their own, which the program `slipway` that is installed with the library becomes;
// posix_spawn starts them at the first use. A process that waits for any child (`wait(-1)`) sees them.
//
//   slipway::set_sandbox(slipway::SandboxMode::Required);   // a service that reads files of strangers
//
// C++17.
#pragma once

#include "slipway/problem.hpp"

namespace slipway {

enum class SandboxMode {
  // A protection that the kernel has is required; without one that it does not have the parsers run.
  Default,
  // They run in this process, which an invalid file may then crash or take over: for trusted files.
  Off,
  // They run in a process with the protections that can be had.
  BestEffort,
  // They run with all protections: limits of memory and time, seccomp, landlock.
  Required,
};

// For all later calls of the library in this process; else the environment variable SLIPWAY_SANDBOX, which is `off`,
// `best-effort` or `required`, else Default. Several threads may call it. Where the parsers must not run, calls fail
// with the exit status 5; they never run in this process because another process cannot be started.
SLIPWAY_API void set_sandbox(SandboxMode mode) noexcept;

}  // namespace slipway
