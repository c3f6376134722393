// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/operators/value_range.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "tensor/element.hpp"

namespace slipway::lower {
namespace {

using tosa::DataType;
using tosa::Node;
using tosa::Op;
using tosa::ValueId;

constexpr int kMaxDepth = 8;                   // of operators
constexpr std::size_t kMaxElements = 1 << 12;  // of constants that are read
constexpr double kSlack = 1 + 0x1p-22;         // for the rounding of a result of 32 bits
constexpr double kMaxFloat = 0x1p127;

// All numbers of an integer type.
std::optional<ValueRange> range_of(DataType type) {
  if (type == DataType::Bool) return ValueRange{0, 1};
  if (tosa::is_float(type) || tosa::bits_of(type) > 48) return std::nullopt;
  const double high = std::ldexp(1, static_cast<int>(tosa::bits_of(type)) - 1);
  return ValueRange{-high, high - 1};
}

bool contains(const ValueRange& outer, const ValueRange& inner) {
  return inner.low >= outer.low && inner.high <= outer.high;
}

ValueRange hull(std::initializer_list<double> numbers) {
  const auto [low, high] = std::minmax(numbers);
  return {low, high};
}

std::optional<ValueRange> range_of_constant(const tosa::Constant& constant, DataType type) {
  const tensor::ElementType storage = tosa::storage_of(type);
  const std::size_t size = tensor::size_of(storage), count = constant.data.size() / size;
  if (count == 0 || count > kMaxElements || tosa::bits_of(type) % 8 != 0) return range_of(type);
  ValueRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < count; ++i) {
    const double number = tensor::double_of(storage, constant.data.data() + i * size);
    if (!std::isfinite(number)) return std::nullopt;
    range = {std::min(range.low, number), std::max(range.high, number)};
  }
  return range;
}

class Ranges {
 public:
  explicit Ranges(const tosa::Graph& graph) : graph_(graph) {}

  std::optional<ValueRange> of(ValueId value, int depth) const {
    const DataType type = graph_[value].type.data;
    if (const tosa::Constant* constant = graph_.constant(value)) return range_of_constant(*constant, type);
    const Node* node = graph_.producer(value);
    const auto computed = node && depth < kMaxDepth ? result_of(*node, depth + 1) : std::nullopt;
    if (!computed) return range_of(type);
    if (tosa::is_float(type)) return type == DataType::F32 ? computed : std::nullopt;
    // Integers beyond their type wrap.
    const auto all = range_of(type);
    return all && contains(*all, *computed) ? computed : all;
  }

 private:
  std::optional<ValueRange> operand(const Node& node, std::size_t i, int depth) const {
    return of(node.inputs[i], depth);
  }

  // The sum or product of floats.
  std::optional<ValueRange> rounded(const Node& node, const ValueRange& range) const {
    if (!tosa::is_float(graph_[node.outputs[0]].type.data)) return range;
    if (std::max(-range.low, range.high) > kMaxFloat) return std::nullopt;
    return ValueRange{range.low < 0 ? range.low * kSlack : range.low / kSlack,
                      range.high > 0 ? range.high * kSlack : range.high / kSlack};
  }

  std::optional<ValueRange> result_of(const Node& node, int depth) const {
    switch (node.op) {
      case Op::CAST:
        return cast(node, depth);
      case Op::CLAMP:
        return clamp(node, depth);
      case Op::ADD:
      case Op::SUB:
      case Op::MUL:
        return arithmetic(node, depth);
      case Op::RESHAPE:
      case Op::TRANSPOSE:
        return operand(node, 0, depth);
      default:
        return std::nullopt;
    }
  }

  std::optional<ValueRange> cast(const Node& node, int depth) const {
    const DataType to = graph_[node.outputs[0]].type.data;
    const auto from = operand(node, 0, depth);
    if (!from || to == DataType::Bool || node.attributes.flag("input_unsigned")) return std::nullopt;
    if (tosa::is_float(to)) return rounded(node, *from);
    return ValueRange{std::nearbyint(from->low), std::nearbyint(from->high)};
  }

  std::optional<ValueRange> clamp(const Node& node, int depth) const {
    const bool is_float = tosa::is_float(graph_[node.inputs[0]].type.data);
    const auto limit = [&](std::string_view name) {
      return is_float ? node.attributes.real(name) : static_cast<double>(node.attributes.integer(name));
    };
    const ValueRange limits{limit("min_val"), limit("max_val")};
    if (!std::isfinite(limits.low) || !std::isfinite(limits.high) || limits.low > limits.high) return std::nullopt;
    if (const auto from = operand(node, 0, depth))
      return ValueRange{std::clamp(from->low, limits.low, limits.high),
                        std::clamp(from->high, limits.low, limits.high)};
    if (node.attributes.enumerant<tosa::NanMode>("nan_mode") == tosa::NanMode::Ignore) return limits;
    return std::nullopt;
  }

  std::optional<ValueRange> arithmetic(const Node& node, int depth) const {
    if (node.op == Op::MUL && node.attributes.integer("shift") != 0) return std::nullopt;
    const auto a = operand(node, 0, depth), b = a ? operand(node, 1, depth) : std::nullopt;
    if (!b) return std::nullopt;
    if (node.op == Op::ADD) return rounded(node, {a->low + b->low, a->high + b->high});
    if (node.op == Op::SUB) return rounded(node, {a->low - b->high, a->high - b->low});
    return rounded(node, hull({a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high}));
  }

  const tosa::Graph& graph_;
};

}  // namespace

std::optional<ValueRange> range_of(const tosa::Graph& graph, ValueId value) { return Ranges(graph).of(value, 0); }

std::uint32_t bits_of_cast(const tosa::Graph& graph, const Node& node) {
  if (node.op != Op::CAST) return 0;
  const DataType to = graph[node.outputs[0]].type.data;
  if (to == DataType::Bool || tosa::is_float(to) || node.attributes.flag("input_unsigned")) return 0;
  const auto from = range_of(graph, node.inputs[0]), all = range_of(to);
  if (!from || !all) return 0;
  const ValueRange whole{std::nearbyint(from->low), std::nearbyint(from->high)};
  if (!contains(*all, whole)) return 0;
  return static_cast<std::uint32_t>(std::ilogb(std::max({-whole.low, whole.high, 1.0}))) + 1;
}

}  // namespace slipway::lower
