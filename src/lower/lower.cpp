// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/lower.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "lower/plan/fusion.hpp"
#include "lower/strategies/strategy.hpp"
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

// Linked kernels may read a little slower, and what they gain is the barrier before them: most of them must not have
// one.
bool links_pay_off(const KernelProgram& program) {
  const auto linked = std::ranges::count_if(
      program.dispatches, [&](const ProgramDispatch& one) { return program.kernels[one.kernel].linked; });
  const auto waiting =
      std::ranges::count_if(program.dispatches, [](const ProgramDispatch& one) { return one.link.workgroups > 0; });
  return 3 * waiting >= 2 * linked;
}

Result<KernelProgram> lower_once(const tosa::Graph& graph, const LowerOptions& options) {
  for (const tosa::Value& value : graph.values) {
    if (!is_block_scaled(value.type.data)) continue;
    return fail(DiagnosticKind::Unsupported, {},
                formatted("a tensor has the type {}; kernels have no block-scaled tensors", tosa::text_of(value.type)));
  }
  // Must come first: every later stage depends on which values are stored. The builder plans widening from it.
  ProgramBuilder program(graph, options, plan_fusion(graph, options.fuse, options.device, options.fuse_attention));
  for (const tosa::Node& node : graph.nodes) {
    if (node.op == tosa::Op::CUSTOM) {
      return fail(DiagnosticKind::Unsupported, node.location,
                  formatted("the custom operator `{}` of `{}` runs only on a device that supports it",
                            node.custom->name, node.custom->domain));
    }
    if (const tosa::TensorType* type = too_large(graph, node)) {
      return fail(DiagnosticKind::Unsupported, node.location,
                  formatted("{}: the tensor {} is too large for kernels, which take up to {} elements",
                            tosa::name_of(node.op), tosa::text_of(*type), kMaxElements));
    }
    for (std::size_t result = 0; result < node.outputs.size(); ++result) {
      if (!program.stored()[index(node.outputs[result])]) continue;
      // The most specialised strategies come first: the later ones apply to their groups too, but are slower.
      if (lower_attention(program, node, result) || lower_contraction(program, node, result) ||
          lower_windows(program, node, result) || lower_tiles(program, node, result) ||
          lower_reductions(program, node, result) || lower_wide_concat(program, node, result) ||
          lower_vectors(program, node, result))
        continue;
      lower_plain(program, node, result);
    }
  }
  // Must follow the strategies: only then is it known which outputs have no kernel of their own.
  program.copy_outputs();
  return program.finish();
}

}  // namespace

Result<KernelProgram> lower_graph(const tosa::Graph& graph, const LowerOptions& options) {
  Result<KernelProgram> program = lower_once(graph, options);
  if (!program || links_pay_off(*program)) return program;
  LowerOptions without_links = options;
  without_links.device.starts_in_order = false;
  return lower_once(graph, without_links);
}

}  // namespace slipway::lower
