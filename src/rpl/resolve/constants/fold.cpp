// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/constants/fold.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "rpl/resolve/constants/constant_arithmetic.hpp"

namespace slipway::rpl {

namespace {

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

bool keep_float(float value, std::uint32_t& result) {
  result = bits_of(value);
  return std::isfinite(value);
}

bool fold_float(BinaryOp op, float a, float b, std::uint32_t& result) {
  switch (op) {
    case BinaryOp::Add:
      return keep_float(a + b, result);
    case BinaryOp::Subtract:
      return keep_float(a - b, result);
    case BinaryOp::Multiply:
      return keep_float(a * b, result);
    case BinaryOp::Divide:
      return keep_float(a / b, result);
    case BinaryOp::Less:
      return result = a < b, true;
    case BinaryOp::Greater:
      return result = a > b, true;
    case BinaryOp::LessEqual:
      return result = a <= b, true;
    case BinaryOp::GreaterEqual:
      return result = a >= b, true;
    case BinaryOp::Equal:
      return result = a == b, true;
    case BinaryOp::NotEqual:
      return result = a != b, true;
    default:
      return false;
  }
}

// Quotient and remainder with the sign rules of the language; the smallest number divided by -1 wraps.
bool divide_signed(BinaryOp op, std::int32_t a, std::int32_t b, std::uint32_t& result) {
  if (b == 0) return false;
  const std::int64_t quotient = std::int64_t{a} / b, rest = std::int64_t{a} % b;
  if (op == BinaryOp::Divide) {
    result = static_cast<std::uint32_t>(quotient);
  } else {
    result = static_cast<std::uint32_t>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
  }
  return true;
}

bool fold_integer(BinaryOp op, bool is_signed_item, std::uint32_t a, std::uint32_t b, std::uint32_t& result) {
  const auto compare = [&](auto less) {
    return is_signed_item ? less(as_signed(a), as_signed(b)) : less(std::int64_t{a}, std::int64_t{b});
  };
  switch (op) {
    case BinaryOp::Add:
      return result = a + b, true;
    case BinaryOp::Subtract:
      return result = a - b, true;
    case BinaryOp::Multiply:
      return result = a * b, true;
    case BinaryOp::Divide:
    case BinaryOp::Modulo:
      if (is_signed_item) return divide_signed(op, as_signed(a), as_signed(b), result);
      if (b == 0) return false;
      return result = op == BinaryOp::Divide ? a / b : a % b, true;
    case BinaryOp::ShiftLeft:
      return result = a << b, true;
    case BinaryOp::ShiftRight:
      return result = is_signed_item ? static_cast<std::uint32_t>(as_signed(a) >> b) : a >> b, true;
    case BinaryOp::BitAnd:
      return result = a & b, true;
    case BinaryOp::BitOr:
      return result = a | b, true;
    case BinaryOp::BitXor:
      return result = a ^ b, true;
    case BinaryOp::Less:
      return result = compare([](auto x, auto y) { return x < y; }), true;
    case BinaryOp::Greater:
      return result = compare([](auto x, auto y) { return x > y; }), true;
    case BinaryOp::LessEqual:
      return result = compare([](auto x, auto y) { return x <= y; }), true;
    case BinaryOp::GreaterEqual:
      return result = compare([](auto x, auto y) { return x >= y; }), true;
    case BinaryOp::Equal:
      return result = a == b, true;
    case BinaryOp::NotEqual:
      return result = a != b, true;
    default:
      return false;
  }
}

// One item of a product: the sum of products, starting with the first.
bool sum_products(std::span<const std::uint32_t> a, std::size_t a_step, std::span<const std::uint32_t> b,
                  std::size_t b_step, std::size_t count, std::vector<std::uint32_t>& result) {
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float product = as_float(a[i * a_step]) * as_float(b[i * b_step]);
    sum = i == 0 ? product : sum + product;
  }
  result.push_back(bits_of(sum));
  return std::isfinite(sum);
}

// Algebraic products; matrices are columns in sequence.
bool fold_product(TypeId left_type, std::span<const std::uint32_t> left, TypeId right_type,
                  std::span<const std::uint32_t> right, std::vector<std::uint32_t>& result) {
  const std::size_t n = item_count(is_matrix(left_type) ? left_type : right_type);
  bool ok = true;
  if (is_matrix(left_type) && is_matrix(right_type)) {
    for (std::size_t column = 0; column < n; ++column) {
      for (std::size_t row = 0; row < n; ++row) {
        ok = sum_products(left.subspan(row), n, right.subspan(column * n), 1, n, result) && ok;
      }
    }
  } else if (is_matrix(left_type)) {
    for (std::size_t row = 0; row < n; ++row) ok = sum_products(left.subspan(row), n, right, 1, n, result) && ok;
  } else {
    for (std::size_t column = 0; column < n; ++column) {
      ok = sum_products(left, 1, right.subspan(column * n), 1, n, result) && ok;
    }
  }
  return ok;
}

}  // namespace

bool fold_unary(UnaryOp op, TypeId type, std::span<const std::uint32_t> operand, std::vector<std::uint32_t>& result) {
  for (const std::uint32_t word : operand) {
    switch (op) {
      case UnaryOp::Minus:
        result.push_back(is_signed(type) ? 0u - word : word ^ 0x80000000u);
        break;
      case UnaryOp::Not:
        result.push_back(word ^ 1u);
        break;
      case UnaryOp::Complement:
        result.push_back(~word);
        break;
      case UnaryOp::Plus:
        result.push_back(word);
        break;
    }
  }
  return true;
}

bool fold_binary(BinaryOp op, TypeId left_type, std::span<const std::uint32_t> left, TypeId right_type,
                 std::span<const std::uint32_t> right, std::vector<std::uint32_t>& result) {
  const bool algebra = op == BinaryOp::Multiply && left_type != right_type && left.size() > 1 && right.size() > 1;
  if (algebra || (op == BinaryOp::Multiply && is_matrix(left_type) && is_matrix(right_type))) {
    return fold_product(left_type, left, right_type, right, result);
  }
  const bool floats = is_float(left_type) || is_matrix(left_type);
  const std::size_t count = std::max(left.size(), right.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t a = left[left.size() == 1 ? 0 : i], b = right[right.size() == 1 ? 0 : i];
    std::uint32_t word = 0;
    if (!(floats ? fold_float(op, as_float(a), as_float(b), word)
                 : fold_integer(op, is_signed(left_type), a, b, word))) {
      return false;
    }
    result.push_back(word);
  }
  // Vectors are equal when all items are, and different when any is.
  if (op == BinaryOp::Equal || op == BinaryOp::NotEqual) {
    const bool all = std::ranges::all_of(result, [](std::uint32_t word) { return word != 0; });
    const bool any = std::ranges::any_of(result, [](std::uint32_t word) { return word != 0; });
    result.assign(1, op == BinaryOp::Equal ? all : any);
  }
  return true;
}

bool fold_convert(TypeId from, TypeId to, std::span<const std::uint32_t> operand, std::vector<std::uint32_t>& result) {
  for (const std::uint32_t word : operand) {
    if (is_float(to)) {
      result.push_back(bits_of(is_signed(from) ? static_cast<float>(as_signed(word)) : static_cast<float>(word)));
    } else if (is_float(from)) {
      const double whole = std::trunc(static_cast<double>(as_float(word)));
      const bool fits =
          is_unsigned(to) ? whole >= 0 && whole <= 4294967295.0 : whole >= -2147483648.0 && whole <= 2147483647.0;
      if (!fits) return false;
      result.push_back(static_cast<std::uint32_t>(static_cast<std::int64_t>(whole)));
    } else {
      result.push_back(word);
    }
  }
  return true;
}

}  // namespace slipway::rpl
