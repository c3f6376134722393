// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/analyse.hpp"

#include "base/format.hpp"
#include "convert/segments/partition.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"
#include "tosa/write/write_mlir.hpp"

namespace slipway::convert {
namespace {

constexpr std::uint64_t kMaxDumped = 16;  // elements of a constant that dump_text shows

}  // namespace

std::vector<OperatorAnalysis> analyse(tosa::Graph& graph, const ConvertOptions& settings, Diagnostics& diagnostics) {
  Diagnostics problems;
  tosa::verify(graph, problems);
  std::vector<OperatorAnalysis> operators;
  for (const tosa::Node& node : graph.nodes) {
    std::string reason;
    for (const Diagnostic& problem : problems.all()) {
      if (problem.severity == Severity::Error && problem.location.file == node.location.file &&
          problem.location.span == node.location.span)
        reason = problem.message;
    }
    const bool is_custom = node.op == tosa::Op::CUSTOM;
    if (is_custom && !is_shader(node) && !settings.spirv.custom_opcodes.contains(node.custom->domain))
      reason = formatted("failed to legalize operation 'tosa.custom': no opcode is given for the domain `{}`",
                         node.custom->domain);
    if (is_custom && !reason.empty()) problems.error(DiagnosticKind::Unsupported, node.location, reason);
    operators.push_back({&node, std::move(reason)});
  }
  diagnostics.add(problems.release());
  return operators;
}

bool keeps_graphs(const ConvertOptions& settings) {
  return !settings.require_static_shape && settings.narrow.mode == TypeNarrowing::None &&
         !settings.rematerialize_rescale && settings.order == PartitionOrder::BreadthFirst &&
         settings.shader.given.empty() && !settings.spirv.debug_info && settings.spirv.replicate &&
         settings.simplify.fold;
}

std::string dump_text(const tosa::Graph& graph) {
  const auto text = tosa::write_mlir({.graph = graph}, {.max_elements = kMaxDumped});
  return text ? *text : tosa::print(graph);
}

}  // namespace slipway::convert
