// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/element.hpp"

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>

#include "base/format.hpp"

namespace slipway::tensor {
namespace {

template <class T>
T float_from(double value) {
  return static_cast<T>(value);
}

// The smallest value of an integer type and the number of steps to the largest, both in two's complement.
std::uint64_t all_ones(std::uint32_t bits) { return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

// An integral double as an integer; empty for fractions and for values that do not fit in 64 bits.
std::optional<Number> whole(double value) {
  if (std::trunc(value) != value) return std::nullopt;
  if (value >= -0x1p63 && value < 0x1p63) return Number(static_cast<std::int64_t>(value));
  if (value >= 0 && value < 0x1p64) return Number(static_cast<std::uint64_t>(value));
  return std::nullopt;
}

// A double that rounds to every type narrower than double as the number itself does. For a number of more than 53 bits,
// the lowest bit that is kept is a sticky bit, so that the value is not rounded twice.
double sticky_double(Number value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  const auto* signed_value = std::get_if<std::int64_t>(&value);
  const bool negative = signed_value && *signed_value < 0;
  std::uint64_t magnitude = signed_value ? static_cast<std::uint64_t>(*signed_value) : std::get<std::uint64_t>(value);
  if (negative) magnitude = 0 - magnitude;
  if (magnitude >> 53) {
    constexpr std::uint64_t kDropped = 0x7ff;
    magnitude = (magnitude & ~kDropped) | ((magnitude & kDropped) ? kDropped + 1 : 0);
  }
  return negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
}

void store_bits(ElementType type, std::uint64_t bits, std::byte* to) { std::memcpy(to, &bits, size_of(type)); }

std::string quoted_name(ElementType type) { return formatted("`{}`", name_of(type)); }

double largest_of(ElementType type) {
  switch (type) {
    case ElementType::F8E4M3:
      return largest_value(kE4M3);
    case ElementType::F8E5M2:
      return largest_value(kE5M2);
    case ElementType::F16:
      return largest_value(kF16);
    case ElementType::BF16:
      return largest_value(kBF16);
    case ElementType::F32:
      return std::numeric_limits<float>::max();
    case ElementType::F4E2M1:
      return largest_value(kE2M1);
    case ElementType::F6E2M3:
      return largest_value(kE2M3);
    case ElementType::F6E3M2:
      return largest_value(kE3M2);
    case ElementType::F8E8M0:
      return 0x1p127;
    case ElementType::MXI8:
      return 127.0 / 64;
    default:
      return std::numeric_limits<double>::max();
  }
}

// The shortest decimal that converts to the same T: a decimal with few digits is the shortest text of its double.
template <class T>
std::string shortest_of(T element) {
  const auto value = static_cast<double>(element);
  const bool full = std::trunc(value) == value && std::fabs(value) < 1e6;
  if constexpr (!std::same_as<T, double>) {
    for (int digits = 0; !full && digits < std::numeric_limits<float>::max_digits10; ++digits) {
      char buffer[32];
      const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, digits).ptr;
      double candidate = 0;
      std::from_chars(buffer, end, candidate);
      if (static_cast<double>(float_from<T>(candidate)) == value) return shortest_text(candidate);
    }
  }
  return shortest_text(value);
}

}  // namespace

std::string shortest_text(double value) {
  if (std::isnan(value)) return "nan";
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  // to_chars pads exponents to two digits and writes a plus sign.
  if (const std::size_t e = text.find('e'); e != text.npos) {
    std::size_t digits = e + 1;
    if (text[digits] == '+') text.erase(digits, 1);
    if (text[digits] == '-') ++digits;
    if (text[digits] == '0') text.erase(digits, 1);
  }
  return text;
}

std::string text_of(Number value) {
  return std::visit(
      [](auto number) {
        if constexpr (std::same_as<decltype(number), double>)
          return shortest_text(number);
        else
          return std::to_string(number);
      },
      value);
}

std::string text_of(ElementType type, const std::byte* from) {
  if (type == ElementType::Bool) return *from == std::byte{0} ? "false" : "true";
  return visit_type(type, [&]<class T>() {
    const T element = load<T>(from);
    if constexpr (std::integral<T>)
      return std::to_string(element);
    else
      return shortest_of(element);
  });
}

std::string out_of_range_text(Number value, std::string_view what, std::string_view low, std::string_view high) {
  return formatted("`{}` is out of range for {} ({} to {})", text_of(value), what, low, high);
}

std::expected<std::uint64_t, std::string> integer_bits(Number value, bool is_signed, std::uint32_t bits,
                                                       std::string_view what) {
  const std::uint64_t mask = all_ones(bits);
  const auto high = mask >> (is_signed ? 1 : 0);
  const auto low = is_signed ? -static_cast<std::int64_t>(high) - 1 : 0;
  const auto refuse = [&] {
    return std::unexpected(out_of_range_text(value, what, std::to_string(low), std::to_string(high)));
  };

  Number integer = value;
  if (const auto* real = std::get_if<double>(&value)) {
    if (std::isfinite(*real) && std::trunc(*real) != *real) {
      return std::unexpected(formatted("`{}` is not a whole number, which {} needs", text_of(value), what));
    }
    const auto exact = whole(*real);
    if (!exact) return refuse();
    integer = *exact;
  }
  return std::visit(
      [&](auto number) -> std::expected<std::uint64_t, std::string> {
        if constexpr (std::integral<decltype(number)>) {
          if (std::cmp_greater_equal(number, low) && std::cmp_less_equal(number, high)) {
            return static_cast<std::uint64_t>(number) & mask;
          }
        }
        return refuse();
      },
      integer);
}

std::expected<std::uint64_t, std::string> raw_bits(std::string_view word, std::uint32_t bits, std::string_view what) {
  const std::string_view digits = word.substr(std::min<std::size_t>(2, word.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    return std::unexpected(formatted("`{}` is not a hexadecimal number", word));
  }
  if (error == std::errc::result_out_of_range || (value & ~all_ones(bits))) {
    return std::unexpected(formatted("`{}` has more than the {} bits of {}", word, bits, what));
  }
  return value;
}

Stored store_number(ElementType type, Number value, std::byte* to) {
  const ElementTypeInfo& info = info_of(type);
  const std::string what = quoted_name(type);
  if (info.kind == ElementKind::Float) {
    const double real = type == ElementType::F64 ? double_of(value) : sticky_double(value);
    store_rounded(type, real, to);
    if (std::isfinite(real) && std::isfinite(double_of(type, to))) return {};
    const double largest = largest_of(type);
    return std::unexpected(out_of_range_text(value, what, shortest_text(-largest), shortest_text(largest)));
  }
  if (info.kind == ElementKind::Bool) {
    if (double_of(value) != 0 && double_of(value) != 1) {
      return std::unexpected(formatted("`{}` is neither 0 nor 1, which {} needs", text_of(value), what));
    }
    store_bits(type, double_of(value) == 1, to);
    return {};
  }
  return integer_bits(value, info.kind == ElementKind::Signed, info.bits, what).transform([&](std::uint64_t bits) {
    store_bits(type, bits, to);
  });
}

Stored store_word(ElementType type, std::string_view word, std::byte* to) {
  if (word.starts_with("0x")) {
    return raw_bits(word, 8 * size_of(type), quoted_name(type)).transform([&](std::uint64_t bits) {
      store_bits(type, bits, to);
    });
  }
  if (word != "nan" && word != "inf" && word != "-inf") {
    return std::unexpected(formatted("`{}` is not one of `nan`, `inf`, `-inf` and `0x...`", word));
  }
  if (!is_float(type)) return std::unexpected(formatted("`{}` needs a float type, not `{}`", word, name_of(type)));
  if (word == "nan") {
    store_rounded(type, std::numeric_limits<double>::quiet_NaN(), to);
  } else {
    store_rounded(type, word == "inf" ? HUGE_VAL : -HUGE_VAL, to);
    if (!std::isinf(double_of(type, to))) {
      return std::unexpected(formatted("`{}` has no infinity", name_of(type)));
    }
  }
  return {};
}

void store_rounded(ElementType type, double value, std::byte* to) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  visit_type(type, [&]<class T>() {
    if constexpr (!std::integral<T>) store(to, float_from<T>(value));
  });
}

Number number_of(ElementType type, const std::byte* from) {
  if (type == ElementType::Bool) return std::uint64_t{*from != std::byte{0}};
  return visit_type(type, [&]<class T>() -> Number {
    const T element = load<T>(from);
    if constexpr (std::unsigned_integral<T>)
      return std::uint64_t{element};
    else if constexpr (std::integral<T>)
      return std::int64_t{element};
    else
      return static_cast<double>(element);
  });
}

double double_of(ElementType type, const std::byte* from) { return double_of(number_of(type, from)); }

double double_of(Number value) {
  return std::visit([](auto number) { return static_cast<double>(number); }, value);
}

}  // namespace slipway::tensor
