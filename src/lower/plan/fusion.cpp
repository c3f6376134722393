// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/plan/fusion.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <ranges>
#include <set>
#include <span>

#include "lower/operator_traits.hpp"
#include "lower/strategies/attention/attention_match.hpp"
#include "lower/strategies/contraction/contraction.hpp"
#include "lower/strategies/reduction/reduction_fusion.hpp"
#include "lower/strategies/windows/window_match.hpp"
#include "tosa/text.hpp"

namespace slipway::lower {

namespace {

using tosa::Node;
using tosa::Op;
using tosa::ValueId;

class FusionPlan {
 public:
  FusionPlan(const tosa::Graph& graph, const DeviceFacts& device)
      : graph_(graph),
        device_(device),
        max_buffers_(device.addresses ? kMaxAddresses : kMaxDescriptors),
        uses_(graph),
        nodes_(graph.values.size(), 0),
        buffers_(graph.values.size(), 1),
        windows_(graph.values.size(), false),
        stored_(graph.values.size(), true) {}

  std::vector<bool> run(bool fuse_attention) {
    for (const Node& node : graph_.nodes) decide(node);
    join_shared();
    plan_reduction_fusion(graph_, device_, uses_, windows_, stored_);
    // Must come last: it takes the softmax, and what joined the products, out of their groups.
    if (fuse_attention) plan_attention(graph_, device_, uses_, stored_);
    return std::move(stored_);
  }

 private:
  const tensor::Shape& shape(ValueId value) const { return graph_[value].type.shape; }

  void decide(const Node& node) {
    end_at_windows(node);
    limit_buffers(node);
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
        buffer_count > max_buffers_ - 2)
      return;
    const ValueId value = node.outputs[0];
    if (is_view(node.op)) {
      // Its source is stored or is a view, so that nothing expensive is computed twice.
      stored_[index(value)] = false;
      return;
    }
    if (uses_.readers[index(value)].size() != 1 || node.op == Op::CUSTOM) return;
    const Node& reader = graph_.nodes[uses_.readers[index(value)][0]];
    if (windows_[index(value)] && may_compute_image(graph_, stored_, value, reader, device_)) {
      stored_[index(value)] = false;
      return;
    }
    stored_[index(value)] = !reads_each_once(reader, value) && !reads_reshaped(reader, value);
  }

  // A pointwise operator reads the reshaped result of a contraction: a product of all rows of a batch of sequences.
  bool reads_reshaped(const Node& reader, ValueId value) const {
    if (!windows_[index(value)] || !keeps_channels(graph_, reader)) return false;
    const ValueId reshaped = reader.outputs[0];
    return !uses_.is_output[index(reshaped)] && uses_.readers[index(reshaped)].size() == 1 &&
           reads_each_once(graph_.nodes[uses_.readers[index(reshaped)][0]], reshaped) &&
           find_anchor(graph_, stored_, *graph_.producer(value)).has_value();
  }

  // What the inputs read may be too much together; then those that read most are stored.
  void limit_buffers(const Node& node) {
    const auto reads = [&](ValueId input) { return stored_[index(input)] ? 1 : buffers_[index(input)]; };
    std::size_t count = 0;
    for (const ValueId input : node.inputs) count += reads(input);
    if (count <= max_buffers_ - 1) return;
    std::vector<ValueId> inputs = node.inputs;
    std::ranges::stable_sort(inputs, std::greater<>(), reads);
    for (const ValueId most : inputs) {
      if (count <= max_buffers_ - 1) return;
      count -= reads(most) - 1;
      stored_[index(most)] = true;
    }
    // If there are still more, the operator itself has too many inputs: lower_wide_concat.
  }

  // Each element of a value is read exactly once, by a pointwise operator of the same shape.
  bool reads_each_once(const Node& reader, ValueId value) const {
    return is_pointwise(reader.op) && shape(reader.outputs[0]) == shape(value);
  }

  // A kernel is built around one window operator. Of several, the last one stays and the results of the others are
  // stored; but a depthwise convolution may compute the image that it moves over.
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

  // A value that is read several times, but only on the way to one result, like x in x * sigmoid(x), joins the kernel
  // of that result. From the last node to the first, so that the kernels of all readers are known.
  void join_shared() {
    std::vector<std::optional<std::uint32_t>> kernels(graph_.nodes.size());  // by the node that stores
    for (auto node_index = static_cast<std::uint32_t>(graph_.nodes.size()); node_index-- > 0;) {
      const Node& node = graph_.nodes[node_index];
      if (node.outputs.size() != 1) continue;
      const ValueId value = node.outputs[0];
      const auto kernel = kernel_of_readers(value, kernels);
      if (stored_[index(value)] && !(kernel && may_join(node, *kernel))) {
        kernels[node_index] = node_index;
        continue;
      }
      kernels[node_index] = kernel;
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
    for (const std::uint32_t reader_index : uses_.readers[index(value)]) {
      const Node& reader = graph_.nodes[reader_index];
      const std::span others =
          std::span(reader.inputs).subspan(is_pointwise(reader.op) ? elementwise_inputs(reader) : 0);
      if (!reads_each_once(reader, value) || std::ranges::contains(others, value)) return std::nullopt;
      if (!kernels[reader_index] || (kernel && kernel != kernels[reader_index])) return std::nullopt;
      kernel = kernels[reader_index];
    }
    return kernel;
  }

  bool may_join(const Node& node, std::uint32_t kernel) const {
    const ValueId value = node.outputs[0], result = graph_.nodes[kernel].outputs[0];
    return !is_view(node.op) && node.op != Op::CUSTOM && !uses_.is_output[index(value)] &&
           uses_.readers[index(value)].size() > 1 && !(windows_[index(value)] && windows_[index(result)]) &&
           nodes_[index(value)] + nodes_[index(result)] <= kMaxNodes &&
           buffers_together(value, result) <= max_buffers_ - 2;
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
  const std::size_t max_buffers_;
  const Uses uses_;
  // All by value: how many nodes its kernel computes, how many buffers that kernel reads, whether it has a window
  // operator.
  std::vector<std::size_t> nodes_, buffers_;
  std::vector<bool> windows_;
  std::vector<bool> stored_;
};

}  // namespace

std::vector<bool> plan_fusion(const tosa::Graph& graph, bool fuse, const DeviceFacts& device, bool fuse_attention) {
  if (!fuse) return std::vector<bool>(graph.values.size(), true);
  return FusionPlan(graph, device).run(fuse_attention);
}

namespace {

// What is computed on the way to a result, and the stored values that are read for it, in the order of reading.
struct Group {
  std::set<std::uint32_t> nodes;
  std::vector<ValueId> reads;

  void add(const tosa::Graph& graph, const std::vector<bool>& stored, ValueId result) {
    nodes.insert(graph[result].source);
    for (const ValueId input : graph.producer(result)->inputs) {
      if (!stored[index(input)])
        add(graph, stored, input);
      else if (!std::ranges::contains(reads, input))
        reads.push_back(input);
    }
  }
};

}  // namespace

std::string print_fusion(const tosa::Graph& graph, const std::vector<bool>& stored) {
  const std::vector<std::string> names = tosa::value_names(graph);
  std::string text;
  for (const Node& node : graph.nodes) {
    for (const ValueId result : node.outputs) {
      if (!stored[index(result)]) continue;
      Group group;
      group.add(graph, stored, result);
      text += names[index(result)];
      std::string_view separator = " = ";
      for (const std::uint32_t part : group.nodes) {
        text.append(separator).append(tosa::name_of(graph.nodes[part].op));
        separator = " + ";
      }
      separator = " of ";
      for (const ValueId value : group.reads) {
        text.append(separator).append(names[index(value)]);
        separator = ", ";
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace slipway::lower
