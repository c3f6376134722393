#include "lower/lower.hpp"

#include "base/format.hpp"
#include "lower/families/family.hpp"
#include "lower/fusion.hpp"
#include "tosa/text.hpp"

namespace slipway::lower {
namespace {

// Kernels count elements in 32 bits.
constexpr std::uint64_t kMaxElements = 0x7fffffff;

const tosa::TensorType* too_large(const tosa::Graph& graph, const tosa::Node& node) {
  for (const auto* values : {&node.inputs, &node.outputs}) {
    for (const tosa::ValueId value : *values) {
      const tosa::TensorType& type = graph[value].type;
      if (tensor::element_count(type.shape).value_or(kMaxElements + 1) > kMaxElements) return &type;
    }
  }
  return nullptr;
}

}  // namespace

Result<KernelProgram> lower_graph(const tosa::Graph& graph, const LowerSettings& settings) {
  ProgramBuilder program(graph, settings, plan_fusion(graph, settings.fuse, settings.device));
  for (const tosa::Node& node : graph.nodes) {
    if (node.op == tosa::Op::CUSTOM) {
      return fail(DiagnosticKind::Unsupported, node.location,
                  formatted("the custom operator `{}` of `{}` runs only on a device that knows it", node.custom->name,
                            node.custom->domain));
    }
    if (const tosa::TensorType* type = too_large(graph, node)) {
      return fail(DiagnosticKind::Unsupported, node.location,
                  formatted("{}: the tensor {} is too large for kernels, which take up to {} elements",
                            tosa::name_of(node.op), tosa::text_of(*type), kMaxElements));
    }
    for (std::size_t result = 0; result < node.outputs.size(); ++result) {
      if (!program.stored()[index(node.outputs[result])]) continue;
      // The most special family that can do it.
      if (lower_contraction(program, node, result) || lower_windows(program, node, result) ||
          lower_tiles(program, node, result) || lower_rows(program, node, result) ||
          lower_vectors(program, node, result))
        continue;
      lower_plain(program, node, result);
    }
  }
  program.copy_outputs();
  return program.finish();
}

std::string print(const tosa::Graph& graph, const KernelProgram& program) {
  std::string text = formatted("{} dispatches, {} kernels, arena {} bytes (at least {})\n", program.dispatches.size(),
                               program.kernels.size(), program.arena_size, program.arena_lower_bound);
  const auto buffer_text = [&](std::uint32_t i) {
    const ProgramBuffer& buffer = program.buffers[i];
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
  };
  for (std::size_t i = 0; i < program.dispatches.size(); ++i) {
    const ProgramDispatch& dispatch = program.dispatches[i];
    const ProgramKernel& kernel = program.kernels[dispatch.kernel];
    text += formatted("{}: kernel {} {} [{}, {}, {}]", i, dispatch.kernel, kernel.name, dispatch.groups[0],
                      dispatch.groups[1], dispatch.groups[2]);
    for (std::size_t b = 0; b < dispatch.buffers.size(); ++b)
      text += formatted("{} {}",
                        b + 1 == dispatch.buffers.size() ? " ->"
                        : b                              ? ","
                                                         : "",
                        buffer_text(dispatch.buffers[b]));
    text += formatted(" {}\n", tosa::text_of(graph[program.buffers[dispatch.buffers.back()].value].type));
  }
  return text;
}

}  // namespace slipway::lower
