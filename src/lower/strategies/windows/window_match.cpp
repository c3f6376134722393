// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/windows/window_match.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace slipway::lower {

using tosa::DataType;
using tosa::Node;
using tosa::Op;

namespace {

constexpr std::int64_t kMaxColumns = 16;  // of a strip of the inner image

bool is_wide_float(DataType type) { return tensor::size_of(tosa::storage_of(type)) > 1; }

}  // namespace

std::uint32_t bits_of_sum(const Node& window, const std::array<Taps, 2>& taps) {
  const auto largest = [&](std::string_view zero) { return 128 + std::abs(window.attributes.integer(zero)); };
  return static_cast<std::uint32_t>(std::bit_width(
      static_cast<std::uint64_t>(taps[0].count * taps[1].count * largest("input_zp") * largest("weight_zp"))));
}

std::array<Taps, 2> taps_of(const tosa::Graph& graph, const Node& window) {
  const tensor::Shape &in = graph[window.inputs[0]].type.shape, &out = graph[window.outputs[0]].type.shape;
  const auto pad = window.attributes.list("pad"), stride = window.attributes.list("stride");
  const bool convolves = window.op == Op::DEPTHWISE_CONV2D;
  std::array<Taps, 2> taps;
  for (std::size_t d = 0; d < 2; ++d)
    taps[d] = {.count = convolves ? graph[window.inputs[1]].type.shape[d] : window.attributes.list("kernel")[d],
               .extent = in[1 + d],
               .before = pad[2 * d],
               .after = pad[2 * d + 1],
               .stride = stride[d],
               .dilation = convolves ? window.attributes.list("dilation")[d] : 1,
               .results = out[1 + d]};
  return taps;
}

bool is_channelwise_window(Op op) { return op == Op::DEPTHWISE_CONV2D || op == Op::MAX_POOL2D || op == Op::AVG_POOL2D; }

bool is_vector_window(const tosa::Graph& graph, const std::vector<bool>& stored, const Node& window,
                      const DeviceFacts& device) {
  const tosa::TensorType& image = graph[window.inputs[0]].type;
  if (!device.addresses || !device.lanes || image.shape[3] < device.lanes) return false;
  if (tosa::is_float(image.data) && !is_wide_float(image.data)) return false;
  if (window.op != Op::DEPTHWISE_CONV2D) return true;
  const tosa::TensorType& weights = graph[window.inputs[1]].type;
  if (weights.shape[3] != 1 || !stored[index(window.inputs[1])]) return false;
  if (tosa::is_float(image.data)) return is_wide_float(weights.data);
  return graph[window.outputs[0]].type.data == DataType::I32 && bits_of_sum(window, taps_of(graph, window)) <= kSumBits;
}

bool may_compute_image(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId image,
                       const Node& reader, const DeviceFacts& device) {
  if (reader.op != tosa::Op::DEPTHWISE_CONV2D || reader.inputs[0] != image || reader.inputs[1] == image ||
      !is_vector_window(graph, stored, reader, device))
    return false;
  const auto [down, across] = taps_of(graph, reader);
  // Windows must use every row, and strips must consist mostly of results.
  if (down.count * across.count > kMaxTaps || down.dilation != 1 || across.dilation != 1 || across.count > 5 ||
      down.stride > down.count || across.stride > 2)
    return false;
  // A strip needs enough sums to keep the CPU busy, and the panel that all its rows read must stay in the cache.
  constexpr std::int64_t kMinColumns = 7, kMaxProducts = 160;
  if (std::min(across.extent, (results_of_strip(across) - 1) * across.stride + across.count) < kMinColumns)
    return false;
  const auto pointwise = match_pointwise(graph, stored, image);
  return pointwise && pointwise->k() <= kMaxProducts && pointwise->flat_m && pointwise->n % device.lanes == 0 &&
         sums_exactly(graph, *pointwise);
}

std::optional<Contraction> match_pointwise(const tosa::Graph& graph, const std::vector<bool>& stored,
                                           tosa::ValueId image) {
  const Node* producer = graph.producer(image);
  if (!producer || producer->outputs.size() != 1) return std::nullopt;
  const auto anchor = find_anchor(graph, stored, *producer);
  if (!anchor || anchor->node->op != tosa::Op::CONV2D || !anchor->reads_by_row_and_channel || anchor->is_reshaped)
    return std::nullopt;
  return contraction_of(graph, *anchor->node);
}

std::int64_t results_of_strip(const Taps& across) { return (kMaxColumns - across.count) / across.stride + 1; }

}  // namespace slipway::lower
