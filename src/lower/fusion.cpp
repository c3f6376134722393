#include "lower/fusion.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>

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

namespace {

using tosa::Node;
using tosa::ValueId;

class FusionPlan {
 public:
  FusionPlan(const tosa::Graph& graph, const DeviceFacts& device)
      : graph_(graph),
        device_(device),
        most_buffers_(device.addresses ? kMaxAddresses : kMaxDescriptors),
        uses_(graph),
        nodes_(graph.values.size(), 0),
        buffers_(graph.values.size(), 1),
        windows_(graph.values.size(), false),
        stored_(graph.values.size(), true) {}

  std::vector<bool> run() {
    for (const Node& node : graph_.nodes) decide(node);
    join_shared();
    plan_rows(graph_, device_, uses_, windows_, stored_);
    return std::move(stored_);
  }

 private:
  const tensor::Shape& shape(ValueId value) const { return graph_[value].type.shape; }

  void decide(const Node& node) {
    end_at_windows(node);
    std::size_t node_count = 1, buffer_count = 0;
    for (const ValueId input : node.inputs) {
      node_count += stored_[index(input)] ? 0 : nodes_[index(input)];
      buffer_count += stored_[index(input)] ? 1 : buffers_[index(input)];
    }
    for (const ValueId output : node.outputs) {
      nodes_[index(output)] = node_count;
      buffers_[index(output)] = buffer_count;
    }
    if (node.outputs.size() != 1 || uses_.is_output[index(node.outputs[0])] || node_count >= kMaxNodes ||
        buffer_count > most_buffers_ - 2)
      return;
    const ValueId value = node.outputs[0];
    if (is_view(node.op)) {
      // Its source is stored, or is a view: nothing that costs is computed twice.
      stored_[index(value)] = false;
      return;
    }
    if (uses_.readers[index(value)].size() != 1 || node.op == Op::CUSTOM) return;
    const Node& reader = graph_.nodes[uses_.readers[index(value)][0]];
    if (windows_[index(value)] && may_compute_image(graph_, stored_, value, reader, device_)) {
      stored_[index(value)] = false;
      return;
    }
    stored_[index(value)] = !reads_each_once(reader, value);
  }

  // Each element of a value is read exactly once, by a pointwise operator of the same shape.
  bool reads_each_once(const Node& reader, ValueId value) const {
    return is_pointwise(reader.op) && shape(reader.outputs[0]) == shape(value);
  }

  // A kernel is built around one window operator: of several the last one keeps its place, the others are stored. But a
  // depthwise convolution may compute the image that it moves over.
  void end_at_windows(const Node& node) {
    const bool computes_image =
        node.op == Op::DEPTHWISE_CONV2D && !stored_[index(node.inputs[0])] && windows_[index(node.inputs[0])];
    bool has_window = is_window(node.op) && !computes_image;
    for (const ValueId input : std::views::reverse(node.inputs)) {
      if (stored_[index(input)] || !windows_[index(input)]) continue;
      if (has_window) stored_[index(input)] = true;
      has_window = true;
    }
    for (const ValueId output : node.outputs) windows_[index(output)] = has_window;
  }

  // A value that is read several times, but only on the way to one result, as x is in x * sigmoid(x), joins the kernel
  // of that result. From the last node to the first, so that the kernels of all readers are known.
  void join_shared() {
    std::vector<std::optional<std::uint32_t>> kernels(graph_.nodes.size());  // by the node that stores
    for (auto number = static_cast<std::uint32_t>(graph_.nodes.size()); number-- > 0;) {
      const Node& node = graph_.nodes[number];
      if (node.outputs.size() != 1) continue;
      const ValueId value = node.outputs[0];
      const auto kernel = kernel_of_readers(value, kernels);
      if (stored_[index(value)] && !(kernel && may_join(node, *kernel))) {
        kernels[number] = number;
        continue;
      }
      kernels[number] = kernel;
      if (stored_[index(value)]) join(value, graph_.nodes[*kernel].outputs[0]);
    }
    for (const Node& node : graph_.nodes) {
      for (const ValueId input : node.inputs) {
        if (stored_[index(input)] || !windows_[index(input)]) continue;
        for (const ValueId output : node.outputs) windows_[index(output)] = true;
      }
    }
  }

  // The one kernel in which all readers of a value read each element, if there is one.
  std::optional<std::uint32_t> kernel_of_readers(ValueId value,
                                                 std::span<const std::optional<std::uint32_t>> kernels) const {
    std::optional<std::uint32_t> kernel;
    for (const std::uint32_t number : uses_.readers[index(value)]) {
      const Node& reader = graph_.nodes[number];
      const std::span others =
          std::span(reader.inputs).subspan(is_pointwise(reader.op) ? elementwise_inputs(reader) : 0);
      if (!reads_each_once(reader, value) || std::ranges::contains(others, value)) return std::nullopt;
      if (!kernels[number] || (kernel && kernel != kernels[number])) return std::nullopt;
      kernel = kernels[number];
    }
    return kernel;
  }

  bool may_join(const Node& node, std::uint32_t kernel) const {
    const ValueId value = node.outputs[0], result = graph_.nodes[kernel].outputs[0];
    return !is_view(node.op) && node.op != Op::CUSTOM && !uses_.is_output[index(value)] &&
           uses_.readers[index(value)].size() > 1 && !(windows_[index(value)] && windows_[index(result)]) &&
           nodes_[index(value)] + nodes_[index(result)] <= kMaxNodes &&
           buffers_together(value, result) <= most_buffers_ - 2;
  }

  // Each reader of the value has counted it as a buffer.
  std::size_t buffers_together(ValueId value, ValueId result) const {
    return buffers_[index(result)] - uses_.readers[index(value)].size() + buffers_[index(value)];
  }

  void join(ValueId value, ValueId result) {
    stored_[index(value)] = false;
    nodes_[index(result)] += nodes_[index(value)];
    buffers_[index(result)] = buffers_together(value, result);
    windows_[index(result)] = windows_[index(result)] || windows_[index(value)];
  }

  const tosa::Graph& graph_;
  const DeviceFacts& device_;
  const std::size_t most_buffers_;
  const Uses uses_;
  // All by value.
  std::vector<std::size_t> nodes_, buffers_;  // that a kernel computes on the way to it, and reads
  std::vector<bool> windows_;                 // whether that kernel has a window operator in it
  std::vector<bool> stored_;
};

}  // namespace

std::vector<bool> plan_fusion(const tosa::Graph& graph, bool fuse, const DeviceFacts& device) {
  if (!fuse) return std::vector<bool>(graph.values.size(), true);
  return FusionPlan(graph, device).run();
}

}  // namespace slipway::lower
