// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels of a program need that a device does not have.
#pragma once

#include <string>
#include <vector>

#include "lower/program.hpp"
#include "vk/snapshot.hpp"

namespace slipway::testing {

// Reads the modules: capabilities, workgroup sizes, shared memory, buffers and push constants. A capability that this
// function does not know counts as missing. So do subgroups, except on CPUs and with cooperative matrices: the other
// kernels must not depend on the subgroup size.
std::vector<std::string> beyond_device(const lower::KernelProgram& program, const vk::Snapshot& device);

}  // namespace slipway::testing
