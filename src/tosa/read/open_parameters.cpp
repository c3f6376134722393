// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/read/open_parameters.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/format.hpp"

namespace slipway::tosa {
namespace {

constexpr std::int64_t kPropagate = 1;                               // nan_mode
constexpr std::int64_t kMinRescaleShift = 2, kMaxRescaleShift = 62;  // of RESCALE
constexpr std::int64_t kMaxProductShift = 63;                        // of MUL
constexpr std::string_view kMultiplier = "multiplier", kShift = "shift";

struct Range {
  std::int64_t low, high;
};
Range range_of(DataType type, bool is_unsigned) {
  const int bits = type == DataType::I8 ? 8 : 16;
  if (is_unsigned) return {0, (std::int64_t{1} << bits) - 1};
  return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

// The names of the zero points of the two factors.
struct Factors {
  std::string_view first, second;
};
std::optional<Factors> factors_of(Op op) {
  switch (op) {
    case Op::CONV2D:
    case Op::CONV3D:
    case Op::DEPTHWISE_CONV2D:
    case Op::TRANSPOSE_CONV2D:
      return Factors{"input_zp", "weight_zp"};
    case Op::MATMUL:
      return Factors{"A_zp", "B_zp"};
    default:
      return std::nullopt;
  }
}

class Closing {
 public:
  Closing(Graph& graph, const OpenOperator& of) : graph_(graph), of_(of) {}

  std::expected<ClosedOperator, std::string> run() {
    for (const OpenParameter& each : of_.open) {
      if (graph_[each.value].type.shape != tensor::Shape{1})
        return std::unexpected(formatted("`{}` has not one element", each.name));
    }
    drop_zeros();
    const auto result = replaced();
    if (!result) return std::unexpected(result.error());
    for (const OpenParameter& each : of_.open) warn(each.name, "it is computed by operators of its own");
    made_.result = *result;
    return std::move(made_);
  }

 private:
  using Made = std::expected<ValueId, std::string>;

  void warn(std::string_view name, std::string_view what) {
    made_.warnings.push_back(formatted("`{}` is not constant, as TOSA requires; {}", name, what));
  }

  // Types other than i8 have no zero point but 0, and types other than i32 no shift but 0.
  void drop_zeros() {
    std::erase_if(of_.open, [&](const OpenParameter& each) {
      if (of_.op == Op::MUL) {
        const DataType factor = graph_[of_.inputs[0]].type.data;
        if (factor == DataType::I32) return false;
        warn(each.name, formatted("it is taken as 0, the only value for {}", name_of(factor)));
        return true;
      }
      const OperandInfo* operand = info_of(of_.op).operand(each.name);
      const DataType type = graph_[each.value].type.data;
      if (operand->kind != OperandKind::ZeroPoint || type == DataType::I8) return false;
      const bool is_input = each.name == "input_zp";
      if (of_.op == Op::RESCALE && type == DataType::I16 &&
          of_.attributes.flag(is_input ? "input_unsigned" : "output_unsigned"))
        return false;
      warn(each.name, formatted("it is taken as 0, the only value for {}", name_of(type)));
      return true;
    });
  }

  Made replaced() {
    if (of_.op == Op::RESCALE) return rescale();
    if (of_.open.empty()) return graph_.add(of_.op, of_.inputs, of_.attributes, of_.result);
    if (const auto factors = factors_of(of_.op)) return product(*factors);
    switch (of_.op) {
      case Op::NEGATE:
        return negate();
      case Op::AVG_POOL2D:
        return average();
      case Op::MUL:
        return shifted_product(of_.inputs[0], of_.inputs[1], ones_like(open(kShift)), shifts(0, kMaxProductShift));
      case Op::PAD:
        return pad();
      default:
        return std::unexpected(formatted("`{}` is not constant", of_.open.front().name));
    }
  }

  const ValueId* find(std::string_view name) const {
    const auto found = std::ranges::find(of_.open, name, &OpenParameter::name);
    return found == of_.open.end() ? nullptr : &found->value;
  }
  ValueId open(std::string_view name) const { return *find(name); }

  // --- single operators ---

  std::size_t rank() const { return of_.result.shape.size(); }
  tensor::Shape ones() const { return tensor::Shape(rank(), 1); }

  ValueId cast(ValueId value, DataType type) {
    if (graph_[value].type.data == type) return value;
    return graph_.add(Op::CAST, {value}, {}, {type, graph_[value].type.shape});
  }
  ValueId reshape(ValueId value, tensor::Shape shape) {
    if (graph_[value].type.shape == shape) return value;
    Attributes attributes;
    attributes.set("shape", std::vector<std::int64_t>(shape.begin(), shape.end()));
    return graph_.add(Op::RESHAPE, {value}, std::move(attributes), {graph_[value].type.data, std::move(shape)});
  }
  // An open parameter for operators on the result.
  ValueId ones_like(ValueId value) { return reshape(cast(value, DataType::I32), ones()); }

  ValueId number(std::int64_t value) {
    const auto narrow = static_cast<std::int32_t>(value);
    std::vector<std::byte> bytes(sizeof narrow);
    std::memcpy(bytes.data(), &narrow, sizeof narrow);
    return graph_.add_constant({DataType::I32, ones()}, std::move(bytes), true);
  }

  ValueId binary(Op op, ValueId a, ValueId b, Attributes attributes = {}, std::optional<DataType> type = {}) {
    tensor::Shape shape = graph_[a].type.shape;
    const tensor::Shape& other = graph_[b].type.shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 1) shape[d] = other[d];
    }
    const DataType result = type.value_or(graph_[a].type.data);
    return graph_.add(op, {a, b}, std::move(attributes), {result, std::move(shape)});
  }
  ValueId multiply(ValueId a, ValueId b, std::int64_t shift = 0) {
    Attributes attributes;
    attributes.set(kShift, shift);
    return binary(Op::MUL, a, b, std::move(attributes));
  }
  ValueId select(ValueId condition, ValueId yes, ValueId no) {
    return graph_.add(Op::SELECT, {condition, yes, no}, {}, graph_[yes].type);
  }

  // As i32.
  ValueId wide(ValueId value, bool is_unsigned) {
    const DataType type = graph_[value].type.data;
    const ValueId made = cast(value, DataType::I32);
    if (!is_unsigned) return made;
    return binary(Op::BITWISE_AND, made, number(range_of(type, true).high));
  }
  // CLAMP has no form for i32.
  ValueId narrow(ValueId value, bool is_unsigned) {
    if (of_.result.data == DataType::I32) return value;
    const Range range = range_of(of_.result.data, is_unsigned);
    Attributes attributes;
    attributes.set("nan_mode", kPropagate);
    const ValueId above = binary(Op::MAXIMUM, value, number(range.low), attributes);
    return cast(binary(Op::MINIMUM, above, number(range.high), attributes), of_.result.data);
  }
  // A zero point as i32; nothing for one that is 0.
  std::optional<ValueId> zero_point(std::string_view name, bool is_unsigned = false) {
    if (const ValueId* given = find(name)) return wide(reshape(*given, ones()), is_unsigned);
    std::int64_t value = of_.attributes.integer(name);
    // The attribute has the bits of the type.
    const DataType type = name == "output_zp" ? of_.result.data : graph_[of_.inputs[0]].type.data;
    if (is_unsigned) value &= range_of(type, true).high;
    return value == 0 ? std::nullopt : std::optional(number(value));
  }
  ValueId add(ValueId value, std::optional<ValueId> other) { return other ? binary(Op::ADD, value, *other) : value; }
  ValueId subtract(ValueId value, std::optional<ValueId> other) {
    return other ? binary(Op::SUB, value, *other) : value;
  }

  // --- operators ---

  // (x - a)(w - b) is xw - a(1w) - b(x1) + ab(11), for sums of products over any windows.
  Made product(const Factors& factors) {
    const bool first = find(factors.first), second = find(factors.second);
    for (const std::size_t i : {0, 1}) {
      if (!graph_[of_.inputs[i]].type.is_static())
        return std::unexpected(
            formatted("`{}` is not constant, and the shape of the operator is not known", of_.open.front().name));
    }
    const auto of = [&](bool ones_first, bool ones_second) {
      std::vector<ValueId> inputs = of_.inputs;
      if (ones_first) inputs[0] = constant_like(inputs[0], std::byte{1});
      if (ones_second) inputs[1] = constant_like(inputs[1], std::byte{1});
      if ((ones_first || ones_second) && inputs.size() > 2) inputs[2] = constant_like(inputs[2], std::byte{0});
      Attributes attributes = of_.attributes;
      // The elements of the constants are ones, and those of the other factor keep a constant zero point.
      if (ones_first) attributes.set(factors.first, std::int64_t{0});
      if (ones_second) attributes.set(factors.second, std::int64_t{0});
      return graph_.add(of_.op, std::move(inputs), std::move(attributes), of_.result);
    };
    ValueId sum = of(false, false);
    if (first) sum = binary(Op::SUB, sum, multiply(of(true, false), ones_like(open(factors.first))));
    if (second) sum = binary(Op::SUB, sum, multiply(of(false, true), ones_like(open(factors.second))));
    if (first && second) {
      const ValueId both = multiply(ones_like(open(factors.first)), ones_like(open(factors.second)));
      sum = binary(Op::ADD, sum, multiply(of(true, true), both));
    }
    return sum;
  }
  ValueId constant_like(ValueId value, std::byte low) {
    const TensorType& type = graph_[value].type;
    std::vector<std::byte> bytes(tensor::size_of(storage_of(type.data)));
    bytes[0] = low;
    return graph_.add_constant(type, std::move(bytes), true);
  }

  ValueId negate() {
    const ValueId input = wide(of_.inputs[0], false);
    const ValueId from = add(zero_point("input1_zp").value_or(number(0)), zero_point("output_zp"));
    return narrow(binary(Op::SUB, from, input), false);
  }

  // The differences have 9 bits, so that they are averaged as i16, with the same accumulator and rounding.
  ValueId average() {
    const auto as_i16 = [&](ValueId value) { return cast(value, DataType::I16); };
    const ValueId input = as_i16(subtract(wide(of_.inputs[0], false), zero_point("input_zp")));
    Attributes attributes = of_.attributes;
    attributes.set("input_zp", std::int64_t{0});
    attributes.set("output_zp", std::int64_t{0});
    const ValueId result = graph_.add(of_.op, {input}, std::move(attributes), {DataType::I16, of_.result.shape});
    return narrow(add(wide(result, false), zero_point("output_zp")), false);
  }

  Made pad() {
    const TensorType input = graph_[of_.inputs[0]].type;
    if (!input.is_static()) return std::unexpected("`pad_const` is not constant, and the shape is not known");
    const ValueId padded = graph_.add(Op::PAD, of_.inputs, of_.attributes, of_.result);
    Attributes attributes;
    const std::span<const std::int64_t> padding = of_.attributes.list("padding");
    attributes.set("padding", std::vector(padding.begin(), padding.end()));
    attributes.set("pad_const", std::int64_t{0});
    const ValueId all = graph_.add_constant({DataType::Bool, input.shape}, std::vector{std::byte{1}}, true);
    const ValueId inside = graph_.add(Op::PAD, {all}, std::move(attributes), {DataType::Bool, of_.result.shape});
    return graph_.add(Op::SELECT, {inside, padded, reshape(open("pad_const"), ones())}, {}, of_.result);
  }

  static std::vector<std::int64_t> shifts(std::int64_t low, std::int64_t high) {
    std::vector<std::int64_t> all;
    for (std::int64_t k = low; k <= high; ++k) all.push_back(k);
    return all;
  }

  // A product is shifted and rounded by a constant, so that each shift that is possible has a product of its own.
  ValueId shifted_product(ValueId a, ValueId b, ValueId shift, const std::vector<std::int64_t>& possible) {
    ValueId result = multiply(a, b, possible.front());
    for (std::size_t i = 1; i < possible.size(); ++i) {
      const ValueId is_this = binary(Op::EQUAL, shift, number(possible[i]), {}, DataType::Bool);
      result = select(is_this, multiply(a, b, possible[i]), result);
    }
    return result;
  }

  Made rescale() {
    const bool multiplier_is_open = !graph_.constant(of_.inputs[1]), shift_is_open = !graph_.constant(of_.inputs[2]);
    const DataType type = graph_[of_.inputs[0]].type.data;
    if (multiplier_is_open) warn(kMultiplier, "the product is computed by operators of its own");
    if (shift_is_open) warn(kShift, "the product is computed by operators of its own");
    const bool by_product = multiplier_is_open || shift_is_open;
    if (by_product && type == DataType::I48)
      return std::unexpected("the multiplier or the shift of a tensor of i48 is not constant");
    if (by_product && of_.attributes.enumerant<RoundingMode>("rounding_mode") == RoundingMode::DoubleRound)
      return std::unexpected("the multiplier or the shift is not constant, and the rounding is DOUBLE_ROUND");
    ValueId value = of_.inputs[0];
    Attributes attributes = of_.attributes;
    const bool widened = by_product || find("input_zp");
    if (widened) {
      const bool is_unsigned = attributes.flag("input_unsigned");
      value = subtract(wide(value, is_unsigned), zero_point("input_zp", is_unsigned));
      attributes.set("input_unsigned", std::int64_t{0});
      attributes.set("input_zp", std::int64_t{0});
    }
    // There is no form for i32 to unsigned results.
    if (!by_product && !find("output_zp") && !(widened && attributes.flag("output_unsigned")))
      return graph_.add(Op::RESCALE, {value, of_.inputs[1], of_.inputs[2]}, std::move(attributes), of_.result);
    const bool is_unsigned = attributes.flag("output_unsigned");
    if (by_product) {
      value = product_with_multiplier(value);
    } else {
      attributes.set("output_unsigned", std::int64_t{0});
      attributes.set("output_zp", std::int64_t{0});
      value = graph_.add(Op::RESCALE, {value, of_.inputs[1], of_.inputs[2]}, std::move(attributes),
                         {DataType::I32, of_.result.shape});
    }
    return narrow(add(value, zero_point("output_zp", is_unsigned)), is_unsigned);
  }

  ValueId product_with_multiplier(ValueId value) {
    tensor::Shape shape = ones();
    if (of_.attributes.flag("per_channel") && !shape.empty()) shape.back() = graph_[of_.inputs[1]].type.shape[0];
    const ValueId multiplier = reshape(cast(of_.inputs[1], DataType::I32), shape);
    const std::vector<std::int64_t> given = integers_of(graph_, of_.inputs[2]);
    const std::set<std::int64_t> different(given.begin(), given.end());
    const std::vector<std::int64_t> possible =
        given.empty() ? shifts(kMinRescaleShift, kMaxRescaleShift) : std::vector(different.begin(), different.end());
    return shifted_product(value, multiplier, reshape(cast(of_.inputs[2], DataType::I32), shape), possible);
  }

  Graph& graph_;
  OpenOperator of_;
  ClosedOperator made_;
};

}  // namespace

bool is_open(const Graph& graph, const OpenOperator& of) {
  return !of.open.empty() || (of.op == Op::RESCALE && of.inputs.size() == 3 &&
                              (!graph.constant(of.inputs[1]) || !graph.constant(of.inputs[2])));
}

std::expected<ClosedOperator, std::string> close_operator(Graph& graph, const OpenOperator& of) {
  return Closing(graph, of).run();
}

}  // namespace slipway::tosa
