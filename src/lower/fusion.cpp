#include "lower/fusion.hpp"

#include <ranges>

#include "lower/families/rows.hpp"
#include "lower/families/windows.hpp"

namespace slipway::lower {

using tosa::Op;

bool is_pointwise(Op op) { return (op >= Op::CLAMP && op <= Op::GREATER_EQUAL) || op == Op::CAST || op == Op::RESCALE; }

std::size_t elementwise_inputs(const tosa::Node& node) {
  return node.op == Op::RESCALE || node.op == Op::TABLE ? 1 : node.inputs.size();
}

bool is_view(Op op) {
  return op == Op::RESHAPE || op == Op::REVERSE || op == Op::SLICE || op == Op::TRANSPOSE || op == Op::TILE;
}

bool is_window(Op op) {
  return op == Op::CONV2D || op == Op::CONV3D || op == Op::DEPTHWISE_CONV2D || op == Op::TRANSPOSE_CONV2D ||
         op == Op::MATMUL || op == Op::AVG_POOL2D || op == Op::MAX_POOL2D;
}

std::vector<bool> plan_fusion(const tosa::Graph& graph, bool fuse, const DeviceFacts& device) {
  std::vector<std::uint32_t> uses(graph.values.size(), 0);
  std::vector<const tosa::Node*> user(graph.values.size(), nullptr);
  for (const tosa::Node& node : graph.nodes) {
    for (const tosa::ValueId input : node.inputs) {
      ++uses[index(input)];
      user[index(input)] = &node;
    }
  }
  std::vector<bool> stored(graph.values.size(), true);
  std::vector<bool> is_output(graph.values.size(), false);
  for (const tosa::ValueId output : graph.outputs) is_output[index(output)] = true;
  if (!fuse) return stored;

  // How much is computed on the way to a value, and how many buffers are read.
  const std::uint32_t most_buffers = device.addresses ? kMostAddresses : kMostDescriptors;
  std::vector<std::uint32_t> nodes(graph.values.size(), 0), buffers(graph.values.size(), 1);
  // Whether a value that is not stored has a window operator in it.
  std::vector<bool> windows(graph.values.size(), false);
  for (const tosa::Node& node : graph.nodes) {
    // A kernel is built around one window operator: of several the last one keeps its place, the others are stored.
    // But a depthwise convolution may compute the image that it moves over.
    const bool computes_image =
        node.op == Op::DEPTHWISE_CONV2D && !stored[index(node.inputs[0])] && windows[index(node.inputs[0])];
    bool has_window = is_window(node.op) && !computes_image;
    for (const tosa::ValueId input : std::views::reverse(node.inputs)) {
      if (stored[index(input)] || !windows[index(input)]) continue;
      if (has_window) stored[index(input)] = true;
      has_window = true;
    }
    for (const tosa::ValueId output : node.outputs) windows[index(output)] = has_window;
    std::uint32_t node_count = 1, buffer_count = 0;
    for (const tosa::ValueId input : node.inputs) {
      node_count += stored[index(input)] ? 0 : nodes[index(input)];
      buffer_count += stored[index(input)] ? 1 : buffers[index(input)];
    }
    for (const tosa::ValueId output : node.outputs) {
      nodes[index(output)] = node_count;
      buffers[index(output)] = buffer_count;
    }
    if (node.outputs.size() != 1 || is_output[index(node.outputs[0])] || node_count >= kMostNodes ||
        buffer_count > most_buffers - 2)
      continue;
    const std::size_t value = index(node.outputs[0]);
    if (is_view(node.op)) {
      // Its source is stored, or is a view: nothing that costs is computed twice.
      stored[value] = false;
      continue;
    }
    if (uses[value] != 1 || node.op == Op::CUSTOM) continue;
    // Each element of the result is read exactly once by a pointwise operator of the same shape.
    const tosa::Node* reader = user[value];
    if (windows[value] && may_compute_image(graph, stored, node.outputs[0], *reader, device)) {
      stored[value] = false;
      continue;
    }
    stored[value] = !is_pointwise(reader->op) || graph[reader->outputs[0]].type.shape != graph.values[value].type.shape;
  }
  plan_rows(graph, device, windows, stored);
  return stored;
}

}  // namespace slipway::lower
