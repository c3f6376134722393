// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/passes/fold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/run.hpp"

namespace slipway::convert {
namespace {

using reference::Tensor;
using tosa::index;
using tosa::Node;
using tosa::Op;
using tosa::ValueId;
using tosa::ValueKind;

// The interpreter is slow, and a constant that is larger than what it is made of enlarges the file.
constexpr std::size_t kMaxElements = 65536;
constexpr std::size_t kAlwaysSmall = 1024;  // bytes

class Folding {
 public:
  explicit Folding(tosa::Graph& graph)
      : graph_(graph), replacement_(graph.values.size()), is_output_(graph.values.size()) {
    for (std::size_t i = 0; i < replacement_.size(); ++i) replacement_[i] = static_cast<ValueId>(i);
    for (const ValueId output : graph.outputs) is_output_[index(output)] = true;
  }

  void run() {
    std::vector<bool> gone(graph_.nodes.size());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      Node& node = graph_.nodes[i];
      for (ValueId& input : node.inputs) input = replacement_[index(input)];
      if (node.op == Op::CUSTOM || node.outputs.size() != 1) continue;
      if (!graph_[node.outputs[0]].type.is_static()) continue;
      merge_clamp(node);
      merge_pad(node);
      gone[i] = skip(node) || evaluate(node);
    }
    for (ValueId& output : graph_.outputs) output = replacement_[index(output)];
    // Sources of values are numbers of nodes.
    std::vector<std::uint32_t> moved(gone.size());
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < gone.size(); ++i) moved[i] = gone[i] ? count : count++;
    for (tosa::Value& value : graph_.values) {
      if (value.kind == ValueKind::Result) value.source = moved[value.source];
    }
    std::size_t i = 0;
    std::erase_if(graph_.nodes, [&](const Node&) { return gone[i++]; });
  }

 private:
  // A constant with data.
  const tosa::Constant* constant(ValueId value) const {
    const tosa::Constant* found = graph_.constant(value);
    return found && !found->data.empty() && graph_[value].type.is_static() ? found : nullptr;
  }

  // Zeros have a sign.
  bool is_all(ValueId value, double wanted) const {
    const tosa::Constant* found = constant(value);
    if (!found) return false;
    const tosa::TensorType& type = graph_[value].type;
    const tosa::TensorType one{type.data, {1}};
    const Tensor tensor = found->splat ? Tensor::from_bytes(one, found->data) : Tensor::from_bytes(type, found->data);
    return std::ranges::all_of(tensor.reals,
                               [&](double x) { return x == wanted && std::signbit(x) == std::signbit(wanted); }) &&
           std::ranges::all_of(tensor.integers, [&](std::int64_t x) { return static_cast<double>(x) == wanted; });
  }

  // Whether no element is -0, whose sum with +0 is +0.
  bool has_no_negative_zero(ValueId value) const {
    if (!tosa::is_float(graph_[value].type.data)) return true;
    const Node* node = graph_.producer(value);
    return node && (node->op == Op::ABS || node->op == Op::EXP || node->op == Op::SIGMOID);
  }

  // The other operand of a sum, when one is the zero that leaves it as it is: -0 for all floats, +0 for those without
  // -0.
  std::optional<std::size_t> summand(const Node& node) const {
    for (const std::size_t other : {0, 1}) {
      const ValueId zero = node.inputs[1 - other];
      if (is_all(zero, -0.0) || (is_all(zero, 0.0) && has_no_negative_zero(node.inputs[other]))) return other;
    }
    return std::nullopt;
  }

  // The operand whose value the result has, or nothing.
  // Long, because it has one case per operator.
  std::optional<ValueId> unchanged(const Node& node) const {
    const tosa::TensorType& type = graph_[node.outputs[0]].type;
    const auto same = [&](std::size_t operand) {
      return graph_[node.inputs[operand]].type == type ? std::optional(node.inputs[operand]) : std::nullopt;
    };
    const auto either = [&](double neutral) -> std::optional<ValueId> {
      if (is_all(node.inputs[1], neutral) && same(0)) return same(0);
      if (is_all(node.inputs[0], neutral) && same(1)) return same(1);
      return std::nullopt;
    };
    switch (node.op) {
      case Op::ADD: {
        const std::optional<std::size_t> other = summand(node);
        return other ? same(*other) : std::nullopt;
      }
      case Op::SUB:
        return is_all(node.inputs[1], 0.0) ? same(0) : std::nullopt;
      case Op::MUL:
        return node.attributes.integer("shift") == 0 ? either(1) : std::nullopt;
      case Op::CLAMP:
        return clamps_nothing(node) ? same(0) : std::nullopt;
      case Op::RESHAPE:
      case Op::CAST:
      case Op::SLICE:
      case Op::PAD:
      case Op::TILE:
        return same(0);
      case Op::CONCAT:
        return node.inputs.size() == 1 ? same(0) : std::nullopt;
      case Op::TRANSPOSE:
        return moves_nothing(node) ? same(0) : std::nullopt;
      case Op::MAX_POOL2D:
        return is_of_one_element(node) ? same(0) : std::nullopt;
      case Op::AVG_POOL2D:
        return is_of_one_element(node) && same_zero_points(node) && has_no_negative_zero(node.inputs[0]) ? same(0)
                                                                                                         : std::nullopt;
      case Op::RESIZE:
        return resizes_nothing(node) ? same(0) : std::nullopt;
      case Op::RESCALE:
        return rescales_by_one(node) ? same(0) : std::nullopt;
      case Op::REVERSE:
      case Op::REDUCE_ALL:
      case Op::REDUCE_ANY:
      case Op::REDUCE_MAX:
      case Op::REDUCE_MIN:
      case Op::REDUCE_PRODUCT:
        return extent_of_axis(node) == 1 ? same(0) : std::nullopt;
      case Op::REDUCE_SUM:
        return extent_of_axis(node) == 1 && has_no_negative_zero(node.inputs[0]) ? same(0) : std::nullopt;
      case Op::ARITHMETIC_RIGHT_SHIFT:
      case Op::LOGICAL_LEFT_SHIFT:
      case Op::LOGICAL_RIGHT_SHIFT:
        return is_all(node.inputs[1], 0) ? same(0) : std::nullopt;
      case Op::BITWISE_AND:
        return either(-1);
      case Op::BITWISE_OR:
      case Op::BITWISE_XOR:
      case Op::LOGICAL_OR:
      case Op::LOGICAL_XOR:
        return either(0);
      case Op::LOGICAL_AND:
        return either(1);
      case Op::SELECT:
        return node.inputs[1] == node.inputs[2] ? same(1) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  // Whether only dimensions of one element change their position.
  bool moves_nothing(const Node& node) const {
    std::vector<std::int64_t> moved;
    const tensor::Shape& shape = graph_[node.inputs[0]].type.shape;
    for (const std::int64_t dimension : node.attributes.list("perms")) {
      if (shape[static_cast<std::size_t>(dimension)] != 1) moved.push_back(dimension);
    }
    return std::ranges::is_sorted(moved);
  }

  // A pool whose windows are the elements of its input.
  static bool is_of_one_element(const Node& node) {
    const auto all = [&](std::string_view list, std::int64_t wanted) {
      return std::ranges::all_of(node.attributes.list(list), [&](std::int64_t each) { return each == wanted; });
    };
    return all("kernel", 1) && all("stride", 1) && all("pad", 0);
  }

  static bool same_zero_points(const Node& node) {
    return node.attributes.integer("input_zp") == node.attributes.integer("output_zp");
  }

  static bool resizes_nothing(const Node& node) {
    const std::span<const std::int64_t> scale = node.attributes.list("scale");
    return node.attributes.enumerant<tosa::ResizeMode>("mode") == tosa::ResizeMode::NearestNeighbor &&
           scale.size() == 4 && scale[0] == scale[1] && scale[2] == scale[3] &&
           std::ranges::all_of(node.attributes.list("offset"), [](std::int64_t each) { return each == 0; }) &&
           std::ranges::all_of(node.attributes.list("border"), [](std::int64_t each) { return each == 0; });
  }

  bool rescales_by_one(const Node& node) const {
    const bool scale32 = node.attributes.integer("scale32") != 0;
    const int shift = scale32 ? 30 : 14;
    return is_all(node.inputs[1], static_cast<double>(1 << shift)) && is_all(node.inputs[2], shift) &&
           same_zero_points(node) && node.attributes.integer("input_unsigned") == 0 &&
           node.attributes.integer("output_unsigned") == 0;
  }

  std::int64_t extent_of_axis(const Node& node) const {
    return graph_[node.inputs[0]].type.shape[static_cast<std::size_t>(node.attributes.integer("axis"))];
  }

  bool clamps_nothing(const Node& node) const {
    const tosa::DataType type = graph_[node.outputs[0]].type.data;
    if (tosa::is_float(type)) {
      return std::isinf(node.attributes.real("min_val")) && node.attributes.real("min_val") < 0 &&
             std::isinf(node.attributes.real("max_val")) && node.attributes.real("max_val") > 0 && !ignores_nan(node);
    }
    return node.attributes.integer("min_val") <= reference::min_integer(type) &&
           node.attributes.integer("max_val") >= reference::max_integer(type);
  }
  static bool ignores_nan(const Node& node) {
    return node.attributes.enumerant<tosa::NanMode>("nan_mode") == tosa::NanMode::Ignore;
  }

  bool skip(const Node& node) {
    const std::optional<ValueId> source = unchanged(node);
    if (!source) return false;
    const ValueId result = node.outputs[0];
    if (is_output_[index(result)]) {
      // Each output of a graph is a result of its own.
      if (graph_[*source].kind != ValueKind::Result || is_output_[index(*source)]) return false;
      is_output_[index(*source)] = true;
      if (!graph_[result].name.empty()) graph_[*source].name = graph_[result].name;
    }
    replacement_[index(result)] = *source;
    return true;
  }

  bool evaluate(const Node& node) {
    const ValueId result = node.outputs[0];
    if (is_output_[index(result)] || node.inputs.empty()) return false;
    const auto elements = tensor::element_count(graph_[result].type.shape);
    if (!elements || *elements > kMaxElements) return false;
    std::size_t total = 0, bytes = 0;
    for (const ValueId input : node.inputs) {
      const tosa::Constant* data = constant(input);
      const auto count = tensor::element_count(graph_[input].type.shape);
      if (!data || !count || *count > kMaxElements) return false;
      total += *count;
      bytes += data->data.size();
    }
    if (total > kMaxElements) return false;
    const std::size_t size = *elements * tensor::size_of(storage_of(graph_[result].type.data));
    if (size > std::max(kAlwaysSmall, bytes)) return false;
    std::vector<Tensor> inputs;
    for (const ValueId input : node.inputs) {
      const tosa::Constant* data = constant(input);
      inputs.push_back(Tensor::from_bytes(graph_[input].type, data->data, data->splat));
    }
    std::vector<const Tensor*> pointers;
    for (const Tensor& tensor : inputs) pointers.push_back(&tensor);
    const Result<reference::NodeResults> computed = reference::run_node(graph_, node, pointers);
    if (!computed) return false;
    graph_.storage.push_back(std::make_shared<const std::vector<std::byte>>(computed->values.front().to_bytes()));
    graph_[result].kind = ValueKind::Constant;
    graph_[result].source = static_cast<std::uint32_t>(graph_.constants.size());
    graph_.constants.push_back({.data = *graph_.storage.back(), .value = result});
    return true;
  }

  // The second bounds are inside the first ones, or the first ones are moved to them; disjoint bounds stay.
  void merge_clamp(Node& node) const {
    if (node.op != Op::CLAMP) return;
    const Node* first = graph_.producer(node.inputs[0]);
    if (!first || first->op != Op::CLAMP || ignores_nan(*first) != ignores_nan(node)) return;
    if (tosa::is_float(graph_[node.outputs[0]].type.data)) {
      const double low = std::max(first->attributes.real("min_val"), node.attributes.real("min_val"));
      const double high = std::min(first->attributes.real("max_val"), node.attributes.real("max_val"));
      if (!(low <= high)) return;
      // A bound that was written as an integer would hide the real number.
      node.attributes.set("min_val", std::vector<std::int64_t>());
      node.attributes.set("max_val", std::vector<std::int64_t>());
      node.attributes.set_real("min_val", low);
      node.attributes.set_real("max_val", high);
    } else {
      const std::int64_t low = std::max(first->attributes.integer("min_val"), node.attributes.integer("min_val"));
      const std::int64_t high = std::min(first->attributes.integer("max_val"), node.attributes.integer("max_val"));
      if (low > high) return;
      node.attributes.set("min_val", low);
      node.attributes.set("max_val", high);
    }
    node.inputs[0] = first->inputs[0];
  }

  // Whether the elements that a PAD adds are those that a window takes for elements outside of its input.
  bool pads_neutral(const Node& pad, const Node& window) const {
    const bool real = tosa::is_float(graph_[pad.outputs[0]].type.data);
    if (window.op == Op::MAX_POOL2D) {
      const tosa::DataType type = graph_[pad.outputs[0]].type.data;
      return real ? pad.attributes.real("pad_const") == -std::numeric_limits<double>::infinity() && !ignores_nan(window)
                  : pad.attributes.integer("pad_const") == reference::min_integer(type);
    }
    const double pad_const = real ? pad.attributes.real("pad_const") : 0;
    return real ? pad_const == 0 && !std::signbit(pad_const)
                : pad.attributes.integer("pad_const") == window.attributes.integer("input_zp");
  }

  void merge_pad(Node& node) const {
    if (node.op != Op::CONV2D && node.op != Op::DEPTHWISE_CONV2D && node.op != Op::MAX_POOL2D) return;
    const Node* pad = graph_.producer(node.inputs[0]);
    if (!pad || pad->op != Op::PAD || !pads_neutral(*pad, node)) return;
    const std::span<const std::int64_t> added = pad->attributes.list("padding");  // before and after, by dimension
    const std::span<const std::int64_t> old = node.attributes.list("pad");        // top, bottom, left, right
    if (added.size() != 8 || old.size() != 4) return;
    if (added[0] != 0 || added[1] != 0 || added[6] != 0 || added[7] != 0) return;
    std::vector<std::int64_t> sum(old.begin(), old.end());
    for (std::size_t i = 0; i < 4; ++i) sum[i] += added[2 + i];
    if (node.op == Op::MAX_POOL2D) {
      // Padding is smaller than the kernel.
      const std::span<const std::int64_t> kernel = node.attributes.list("kernel");
      for (std::size_t i = 0; i < 4; ++i) {
        if (sum[i] >= kernel[i / 2]) return;
      }
    }
    node.inputs[0] = pad->inputs[0];
    node.attributes.set("pad", std::move(sum));
  }

  tosa::Graph& graph_;
  std::vector<ValueId> replacement_;
  std::vector<bool> is_output_;
};

}  // namespace

void fold(tosa::Graph& graph) { Folding(graph).run(); }

}  // namespace slipway::convert
