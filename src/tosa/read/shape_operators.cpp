// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/read/shape_operators.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/format.hpp"

namespace slipway::tosa {
namespace {

using Dimension = std::expected<std::int64_t, std::string>;
constexpr std::size_t kMaxValues = 1 << 16;

Dimension checked(bool overflow, std::int64_t value) {
  return overflow ? Dimension(std::unexpected("a value does not fit in 64 bits")) : Dimension(value);
}
Dimension add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  const bool overflow = __builtin_add_overflow(a, b, &sum);
  return checked(overflow, sum);
}
Dimension subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  const bool overflow = __builtin_sub_overflow(a, b, &difference);
  return checked(overflow, difference);
}
Dimension multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  const bool overflow = __builtin_mul_overflow(a, b, &product);
  return checked(overflow, product);
}
// Shapes must not be negative, and divisors must not be 0.
Dimension divided(std::int64_t a, std::int64_t b, std::int64_t (*operation)(std::int64_t, std::int64_t)) {
  if (a < 0 || b <= 0) return std::unexpected(formatted("{} cannot be divided by {}", a, b));
  return operation(a, b);
}

struct Binary {
  std::string_view name;
  Dimension (*operation)(std::int64_t, std::int64_t);
};
constexpr Binary kBinary[] = {
    {"ADD_SHAPE", add},
    {"SUB_SHAPE", subtract},
    {"MUL_SHAPE", multiply},
    {"MAX_SHAPE", [](std::int64_t a, std::int64_t b) { return Dimension(std::max(a, b)); }},
    {"MIN_SHAPE", [](std::int64_t a, std::int64_t b) { return Dimension(std::min(a, b)); }},
    {"MOD_SHAPE", [](std::int64_t a, std::int64_t b) { return divided(a, b, [](auto x, auto y) { return x % y; }); }},
    {"DIV_FLOOR_SHAPE",
     [](std::int64_t a, std::int64_t b) { return divided(a, b, [](auto x, auto y) { return x / y; }); }},
    {"DIV_CEIL_SHAPE",
     [](std::int64_t a, std::int64_t b) { return divided(a, b, [](auto x, auto y) { return x / y + (x % y != 0); }); }},
};

struct Unary {
  std::string_view name;
  Dimension (*operation)(std::int64_t);
};
constexpr Unary kUnary[] = {
    {"EXP2_SHAPE",
     [](std::int64_t a) {
       return a < 0 || a > 62 ? Dimension(std::unexpected("a value does not fit in 64 bits"))
                              : Dimension(std::int64_t{1} << a);
     }},
    {"LOG2_FLOOR_SHAPE",
     [](std::int64_t a) {
       return a < 1 ? Dimension(std::unexpected(formatted("{} has no logarithm", a)))
                    : Dimension(std::bit_width(static_cast<std::uint64_t>(a)) - 1);
     }},
    {"LOG2_CEIL_SHAPE",
     [](std::int64_t a) {
       return a < 1 ? Dimension(std::unexpected(formatted("{} has no logarithm", a)))
                    : Dimension(std::bit_width(static_cast<std::uint64_t>(a) - 1));
     }},
};

std::expected<ShapeValues, std::string> slice(std::span<const ShapeValues> operands) {
  if (operands.size() != 3 || operands[1].size() != 1 || operands[2].size() != 1)
    return std::unexpected("it takes a shape, a start and a size");
  const std::int64_t start = operands[1][0], size = operands[2][0], count = std::ssize(operands[0]);
  if (start < 0 || size < 0 || start > count || size > count - start)
    return std::unexpected(formatted("{} values from {} on are not among {}", size, start, count));
  return ShapeValues(operands[0].begin() + start, operands[0].begin() + start + size);
}

}  // namespace

bool is_shape_operator(std::string_view name) {
  return name == "CONCAT_SHAPE" || name == "SLICE_SHAPE" || name == "ASSERT_EQUAL_SHAPE" ||
         std::ranges::contains(kBinary, name, &Binary::name) || std::ranges::contains(kUnary, name, &Unary::name);
}

std::expected<ShapeValues, std::string> fold_shape_operator(std::string_view name,
                                                            std::span<const ShapeValues> operands) {
  ShapeValues values;
  if (name == "SLICE_SHAPE") return slice(operands);
  if (name == "CONCAT_SHAPE") {
    for (const ShapeValues& each : operands) values.insert(values.end(), each.begin(), each.end());
    if (values.size() > kMaxValues) return std::unexpected(formatted("a shape has {} values", values.size()));
    return values;
  }
  if (const auto unary = std::ranges::find(kUnary, name, &Unary::name); unary != std::end(kUnary)) {
    if (operands.size() != 1) return std::unexpected("it takes one shape");
    for (const std::int64_t value : operands[0]) {
      const Dimension result = unary->operation(value);
      if (!result) return std::unexpected(result.error());
      values.push_back(*result);
    }
    return values;
  }
  const auto binary = std::ranges::find(kBinary, name, &Binary::name);
  if (operands.size() != 2 || operands[0].size() != operands[1].size())
    return std::unexpected("it takes two shapes of equal rank");
  if (name == "ASSERT_EQUAL_SHAPE") {
    if (operands[0] != operands[1]) return std::unexpected("the shapes differ");
    return values;
  }
  if (binary == std::end(kBinary)) return std::unexpected("it is not known");
  for (std::size_t i = 0; i < operands[0].size(); ++i) {
    const Dimension result = binary->operation(operands[0][i], operands[1][i]);
    if (!result) return std::unexpected(result.error());
    values.push_back(*result);
  }
  return values;
}

}  // namespace slipway::tosa
