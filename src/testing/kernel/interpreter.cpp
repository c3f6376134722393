// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "testing/kernel/interpreter.hpp"

#include <algorithm>
#include <deque>

#include "base/format.hpp"
#include "lower/program_layout.hpp"
#include "testing/kernel/memory.hpp"
#include "testing/kernel/workgroup.hpp"

namespace slipway::testing {
namespace {

using lower::BufferKind;

constexpr std::size_t kPadding = 4;  // words at the ends of buffers are whole ones

class ProgramRun {
 public:
  // `fill`: what memory has that nothing wrote.
  ProgramRun(const tosa::Graph& graph, const lower::KernelProgram& program, std::span<const Bytes> inputs,
             std::byte fill)
      : program_(program), fill_(fill) {
    std::vector<std::byte>& arena = add(program.arena_size);
    std::vector<Trace>& arena_traces = traces_.emplace_back(program.arena_size);
    for (const lower::ProgramBuffer& buffer : program.buffers) {
      if (buffer.kind == BufferKind::Intermediate) {
        regions_.push_back({arena.data() + buffer.offset, arena_traces.data() + buffer.offset, buffer.size});
        continue;
      }
      std::vector<std::byte>& memory = add(buffer.size);
      regions_.push_back({memory.data(), nullptr, buffer.size});
      if (buffer.kind == BufferKind::Output)
        regions_.back().traces = traces_.emplace_back(buffer.size).data();
      else if (buffer.kind == BufferKind::Input)
        std::ranges::copy(inputs[buffer.index], memory.begin());
      else
        lower::write_constant(graph, buffer, lower::ConstantMemory::Host, std::span(memory).first(buffer.size));
    }
  }

  Interpreted run(std::uint32_t subgroup_size) {
    Interpreted result;
    std::deque<KernelCode> codes;
    for (const lower::ProgramKernel& kernel : program_.kernels) codes.emplace_back(kernel);
    std::uint32_t first_actor = 0;
    for (std::size_t i = 0; i < program_.dispatches.size(); ++i) {
      const lower::ProgramDispatch& dispatch = program_.dispatches[i];
      const lower::ProgramKernel& kernel = program_.kernels[dispatch.kernel];
      const DispatchContext context{.code = codes[dispatch.kernel],
                                    .kernel = kernel,
                                    .dispatch = dispatch,
                                    .regions = regions_,
                                    .subgroup_size = subgroup_size,
                                    .time = dispatch.stage + 1,
                                    .first_actor = first_actor,
                                    .fill = fill_,
                                    .name = formatted("{}, dispatch {}", kernel.name, i)};
      Workgroup workgroup(context, result.findings);
      const auto [x, y, z] = dispatch.groups;
      for (std::uint32_t group = 0; group < x * y * z; ++group)
        workgroup.run({group % x, group / x % y, group / x / y});
      first_actor += x * y * z * codes[dispatch.kernel].tree.local_size;
    }
    read_outputs(result);
    return result;
  }

 private:
  std::vector<std::byte>& add(std::uint64_t size) { return memory_.emplace_back(size + kPadding, fill_); }

  void read_outputs(Interpreted& result) const {
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      const lower::ProgramBuffer& buffer = program_.buffers[i];
      if (buffer.kind != BufferKind::Output) continue;
      const Region& region = regions_[i];
      if (result.outputs.size() <= buffer.index) result.outputs.resize(buffer.index + 1);
      result.outputs[buffer.index].assign(region.bytes, region.bytes + region.size);
      const std::span traces(region.traces, region.size);
      const auto missing = std::ranges::find(traces, 0U, [](const Trace& trace) { return trace.write.moment.time; });
      if (missing == traces.end()) continue;
      result.findings.push_back({KernelError::NotWritten, formatted("nothing wrote offset {} of output {}",
                                                                    missing - traces.begin(), buffer.index)});
    }
  }

  const lower::KernelProgram& program_;
  std::byte fill_;
  std::deque<std::vector<std::byte>> memory_;
  std::deque<std::vector<Trace>> traces_;
  std::vector<Region> regions_;  // by buffer
};

}  // namespace

Interpreted interpret(const tosa::Graph& graph, const lower::KernelProgram& program, std::span<const Bytes> inputs,
                      std::uint32_t subgroup_size) {
  Interpreted result = ProgramRun(graph, program, inputs, std::byte{0xff}).run(subgroup_size);
  const auto is_unwritten = [](const KernelFinding& finding) { return finding.error == KernelError::NotWritten; };
  if (std::ranges::none_of(result.findings, is_unwritten)) return result;
  // Kernels may read whole words at the end of a row and multiply what is there by zero.
  const Interpreted other = ProgramRun(graph, program, inputs, std::byte{0x55}).run(subgroup_size);
  if (other.outputs == result.outputs) std::erase_if(result.findings, is_unwritten);
  return result;
}

}  // namespace slipway::testing
