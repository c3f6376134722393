// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program.hpp"

#include "base/format.hpp"
#include "tosa/text.hpp"

namespace slipway::lower {
namespace {

std::string text_of(const ProgramBuffer& buffer) {
  switch (buffer.kind) {
    case BufferKind::Input:
      return formatted("input {}", buffer.index);
    case BufferKind::Output:
      return formatted("output {}", buffer.index);
    case BufferKind::Constant:
      return formatted("constant {}", buffer.index);
    case BufferKind::Intermediate:
      break;
  }
  return formatted("arena {:#x}", buffer.offset);
}

}  // namespace

std::string print_program(const tosa::Graph& graph, const KernelProgram& program) {
  std::string text = formatted("{} dispatches, {} kernels, arena {} bytes (at least {})\n", program.dispatches.size(),
                               program.kernels.size(), program.arena_size, program.arena_lower_bound);
  for (std::size_t i = 0; i < program.dispatches.size(); ++i) {
    const ProgramDispatch& dispatch = program.dispatches[i];
    const ProgramKernel& kernel = program.kernels[dispatch.kernel];
    text += formatted("{}: kernel {} {} [{}, {}, {}]", i, dispatch.kernel, kernel.name, dispatch.groups[0],
                      dispatch.groups[1], dispatch.groups[2]);
    for (std::size_t b = 0; b < dispatch.buffers.size(); ++b) {
      const bool is_written = b + 1 == dispatch.buffers.size();
      text += formatted("{} {}", is_written ? " ->" : b ? "," : "", text_of(program.buffers[dispatch.buffers[b]]));
    }
    text += formatted(" {}\n", tosa::text_of(graph[program.buffers[dispatch.buffers.back()].value].type));
  }
  return text;
}

}  // namespace slipway::lower
