// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa_cases/predictable.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "reference/bounds.hpp"

namespace slipway::tosa_cases {
namespace {

using tosa::Op;

class Question {
 public:
  explicit Question(const OperatorCase& made) : made_(made), node_(made.node()) {}

  bool answer() const {
    const bool is_i32 = type(0) == DataType::I32;
    switch (node_.op) {
      case Op::ADD:
      case Op::SUB:
        return !is_i32 || size(0) + size(1) < 0x1p31;
      case Op::ABS:
        return !is_i32 || size(0) < 0x1p31;
      case Op::NEGATE:
        return !is_i32 || size(0) < 0x1p31;
      case Op::INTDIV:
        return all(1, [](auto b) { return b != 0; }) && (size(0) < 0x1p31 || all(1, [](auto b) { return b != -1; }));
      case Op::ARITHMETIC_RIGHT_SHIFT:
      case Op::LOGICAL_LEFT_SHIFT:
      case Op::LOGICAL_RIGHT_SHIFT:
        return all(1, [&](auto b) { return b >= 0 && b < std::int64_t{tosa::bits_of(type(1))}; });
      case Op::MUL:
        return product_of_elements();
      case Op::POW:
        return power();
      case Op::TABLE:
        return type(0) != DataType::I16 || slopes();
      case Op::REDUCE_SUM:
        return !is_i32 || size(0) * extent(0, static_cast<std::size_t>(integer("axis"))) < 0x1p31;
      case Op::REDUCE_PRODUCT:
        return !std::ranges::contains(reference::products_without_order(node_, made_.operands[0]), false);
      case Op::CONV2D:
      case Op::CONV3D:
      case Op::DEPTHWISE_CONV2D:
      case Op::TRANSPOSE_CONV2D:
      case Op::MATMUL:
      case Op::MATMUL_T:
        return sums();
      case Op::RESCALE:
        return rescale();
      case Op::CAST:
        return tosa::is_float(result()) ||
               std::ranges::none_of(made_.operands[0].reals, [](double x) { return std::isnan(x); });
      case Op::GATHER:
        return all(1, [&](auto i) { return i >= 0 && static_cast<double>(i) < extent(0, 1); });
      case Op::ROW_GATHER:
        return all(1, [&](auto i) { return i >= 0 && static_cast<double>(i + integer("row_count")) <= extent(0, 1); });
      case Op::SCATTER:
        return scatter();
      case Op::RESIZE:
        return result() != DataType::I32 || size(0) * scale(0) * scale(2) < 0x1p31;
      default:
        return true;
    }
  }

 private:
  DataType type(std::size_t operand) const { return made_.operands[operand].type.data; }
  DataType result() const { return made_.graph[node_.outputs[0]].type.data; }
  double extent(std::size_t operand, std::size_t d) const {
    return static_cast<double>(made_.operands[operand].type.shape[d]);
  }
  std::int64_t integer(std::string_view name) const { return node_.attributes.integer(name); }
  double scale(std::size_t i) const { return static_cast<double>(node_.attributes.list("scale")[i]); }
  // The largest magnitude.
  double size(std::size_t operand) const {
    double largest = 0;
    for (const std::int64_t x : made_.operands[operand].integers)
      largest = std::max(largest, std::fabs(static_cast<double>(x)));
    return largest;
  }
  template <class F>
  bool all(std::size_t operand, F&& f) const {
    return std::ranges::all_of(made_.operands[operand].integers, f);
  }

  bool product_of_elements() const {
    const std::int64_t shift = integer("shift");
    if (type(0) != DataType::I32 || shift == 0) return true;
    return shift < 63 && std::ldexp(size(0) * size(1), -static_cast<int>(shift)) + 1 < 0x1p31;
  }

  bool power() const {
    const auto& base = made_.operands[0].reals;
    const auto& exponent = made_.operands[1].reals;
    const bool zero = std::ranges::any_of(base, [](double a) { return a == 0; });
    return std::ranges::all_of(base,
                               [](double a) { return a >= 0 && std::isfinite(a) && !(a == 0 && std::signbit(a)); }) &&
           std::ranges::all_of(exponent, [&](double b) { return std::isfinite(b) && (!zero || b > 0); });
  }

  bool slopes() const {
    const auto& table = made_.operands[1].integers;
    for (std::size_t i = 1; i < table.size(); ++i) {
      const std::int64_t slope = table[i] - table[i - 1];
      if (slope < -32768 || slope > 32767) return false;
    }
    return true;
  }

  bool sums() const {
    if (tosa::is_float(result())) return true;
    double count = 1, bias = 0;
    const tensor::Shape& weight = made_.operands[1].type.shape;
    const bool is_product = node_.op == Op::MATMUL || node_.op == Op::MATMUL_T;
    if (is_product) {
      count = extent(0, 2);
    } else if (node_.op == Op::DEPTHWISE_CONV2D) {
      count = extent(1, 0) * extent(1, 1);
    } else {
      for (std::size_t d = 1; d < weight.size(); ++d) count *= extent(1, d);
    }
    if (!is_product) bias = size(2);
    // A zero point shifts a value by at most 128.
    const double sum = count * (size(0) + 128) * (size(1) + 128) + bias;
    return sum < (result() == DataType::I48 ? 0x1p47 : 0x1p31);
  }

  bool rescale() const {
    const bool is_unsigned = node_.attributes.flag("input_unsigned"), scale32 = node_.attributes.flag("scale32");
    const double width = std::ldexp(1.0, static_cast<int>(tosa::bits_of(type(0))));
    const double most = (is_unsigned ? width : size(0)) + (type(0) == DataType::I8 || is_unsigned ? width / 2 : 0);
    const auto& multiplier = made_.operands[1].integers;
    const auto& shift = made_.operands[2].integers;
    for (std::size_t c = 0; c < multiplier.size(); ++c) {
      if (multiplier[c] < 0 || shift[c] < 2 || shift[c] > 62) return false;
      if (scale32 && most >= std::ldexp(1.0, static_cast<int>(shift[c]) - 1)) return false;
      const double scaled = std::ldexp(most * static_cast<double>(multiplier[c]), -static_cast<int>(shift[c]));
      if (scaled + 0x1p17 >= 0x1p31) return false;
    }
    return true;
  }

  bool scatter() const {
    const auto& indices = made_.operands[1].integers;
    const auto width = static_cast<std::size_t>(extent(1, 1));
    for (std::size_t batch = 0; batch < indices.size(); batch += width) {
      std::set<std::int64_t> seen;
      for (std::size_t i = batch; i < batch + width; ++i) {
        if (indices[i] < 0 || static_cast<double>(indices[i]) >= extent(0, 1) || !seen.insert(indices[i]).second)
          return false;
      }
    }
    return true;
  }

  const OperatorCase& made_;
  const tosa::Node& node_;
};

}  // namespace

bool is_predictable(const OperatorCase& made) { return Question(made).answer(); }

}  // namespace slipway::tosa_cases
