// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program_layout.hpp"

#include <algorithm>
#include <memory>

#include "base/checked.hpp"

namespace slipway::lower {

void write_constant(const tosa::Graph& graph, const ProgramBuffer& buffer, ConstantMemory memory, MutableBytes to) {
  const tosa::Constant& constant = graph.constants[buffer.index];
  const Bytes data = constant.data;
  if (buffer.packing) {
    if (memory == ConstantMemory::Host) return pack(*buffer.packing, data, constant.splat, to);
    const auto packed = std::make_unique_for_overwrite<std::byte[]>(to.size());
    pack(*buffer.packing, data, constant.splat, {packed.get(), to.size()});
    std::memcpy(to.data(), packed.get(), to.size());
    return;
  }
  for (std::size_t at = 0; at < to.size() && !data.empty(); at += data.size())
    std::memcpy(to.data() + at, data.data(), std::min(data.size(), to.size() - at));
}

Bytes readable_constant(const tosa::Graph& graph, const ProgramBuffer& buffer) {
  if (buffer.kind != BufferKind::Constant || buffer.packing) return {};
  const Bytes data = graph.constants[buffer.index].data;
  const bool aligned = reinterpret_cast<std::uintptr_t>(data.data()) % sizeof(std::uint64_t) == 0;
  return aligned && data.size() >= buffer.size ? data.first(buffer.size) : Bytes();
}

ConstantLayout layout_of_constants(const tosa::Graph& graph, const KernelProgram& program, ConstantMemory memory,
                                   std::uint64_t alignment) {
  ConstantLayout layout;
  for (std::uint32_t i = 0; i < program.buffers.size(); ++i) {
    const ProgramBuffer& buffer = program.buffers[i];
    if (buffer.kind != BufferKind::Constant) continue;
    if (memory == ConstantMemory::Host && !readable_constant(graph, buffer).empty()) continue;
    layout.ranges.push_back({i, layout.size});
    layout.size += round_up(buffer.size, alignment);
  }
  return layout;
}

bool ends_stage(const KernelProgram& program, std::size_t dispatch) {
  const std::span at = std::span(program.dispatches).subspan(dispatch);
  return at.size() == 1 || at[0].stage != at[1].stage;
}

std::vector<ProgramStage> stages_of(const KernelProgram& program) {
  std::vector<ProgramStage> stages;
  for (std::uint32_t i = 0; i < program.dispatches.size(); ++i) {
    if (i == 0 || ends_stage(program, i - 1)) stages.push_back({i, i});
    stages.back().end = i + 1;
  }
  return stages;
}

std::uint32_t address_offset(const ProgramKernel& kernel, std::uint32_t binding) {
  constexpr std::uint32_t kAddressSize = 8;
  return (binding + (kernel.linked ? 1 : 0)) * kAddressSize;
}

std::uint32_t push_constant_size(const ProgramKernel& kernel) {
  return kernel.addresses ? address_offset(kernel, kernel.bindings) : 0;
}

}  // namespace slipway::lower
