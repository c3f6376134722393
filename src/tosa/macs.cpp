#include "tosa/macs.hpp"

namespace slipway::tosa {
namespace {

std::optional<std::uint64_t> product(std::initializer_list<std::optional<std::uint64_t>> factors) {
  std::optional<std::uint64_t> all = 1;
  for (const auto& factor : factors) all = all && factor ? std::optional(*all * *factor) : std::nullopt;
  return all;
}

std::optional<std::uint64_t> extent(const Graph& graph, ValueId value, std::size_t dimension) {
  const std::int64_t of = graph[value].type.shape[dimension];
  return of < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(of));
}

}  // namespace

std::optional<std::uint64_t> macs_of(const Graph& graph, const Node& node) {
  const auto elements = [&](ValueId value) -> std::optional<std::uint64_t> {
    return tensor::element_count(graph[value].type.shape);
  };
  const auto weight = [&](std::size_t dimension) { return extent(graph, node.inputs[1], dimension); };
  switch (node.op) {
    case Op::CONV2D:  // [OC, KH, KW, IC]: each element of the result is a sum over a window
      return product({elements(node.outputs[0]), weight(1), weight(2), weight(3)});
    case Op::CONV3D:
      return product({elements(node.outputs[0]), weight(1), weight(2), weight(3), weight(4)});
    case Op::DEPTHWISE_CONV2D:  // [KH, KW, C, M]
      return product({elements(node.outputs[0]), weight(0), weight(1)});
    case Op::TRANSPOSE_CONV2D:  // each element of the input goes to a window of each output channel
      return product({elements(node.inputs[0]), weight(0), weight(1), weight(2)});
    case Op::MATMUL:
      return product({elements(node.outputs[0]), extent(graph, node.inputs[0], 2)});
    default:
      return 0;
  }
}

}  // namespace slipway::tosa
