// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of a program as slowly and strictly as the rules of Vulkan permit, and reports what devices hide.
//
// The invocations of a workgroup execute each instruction together. Every byte of memory remembers who wrote and read
// it last, so that results do not depend on an order that the rules do not promise without a report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "lower/program.hpp"

namespace slipway::testing {

enum class KernelError : std::uint8_t {
  TwoWriters,      // two invocations, between which there is no barrier, write different values to one element
  OutsideBuffer,   // an access outside of a buffer, an array or a subgroup, or a store to a constant
  NotWritten,      // a read of memory that nothing wrote, and an output depends on what is there
  MissingBarrier,  // one invocation reads what another one writes, and there is no barrier between them
  WaitsForever,    // a linked kernel waits for more or fewer workgroups than have counted
  NotUniform,      // what a subgroup or a workgroup must do together is done by some of its invocations
};

struct KernelFinding {
  KernelError error = KernelError::TwoWriters;
  std::string text;  // `CONV2D, dispatch 1, workgroup 0, invocation 5: ...`
};

struct Interpreted {
  std::vector<std::vector<std::byte>> outputs;
  std::vector<KernelFinding> findings;  // the first of each kernel, instruction and error
};

// `inputs`: the bytes of the inputs of the graph. Throws std::runtime_error for a kernel with something that the
// interpreter does not know.
Interpreted interpret(const tosa::Graph& graph, const lower::KernelProgram& program, std::span<const Bytes> inputs,
                      std::uint32_t subgroup_size);

// Why the invocations of a workgroup, or of a subgroup, may not execute a barrier or a product of matrices together:
// one line for each such instruction whose conditions may differ between them, whatever the data are.
std::vector<std::string> divergences(const lower::ProgramKernel& kernel);

}  // namespace slipway::testing
