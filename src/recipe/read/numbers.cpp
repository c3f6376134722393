// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/read/numbers.hpp"

#include <charconv>
#include <cmath>

#include "base/format.hpp"

namespace slipway::recipe {
namespace {

std::string range_text(std::int64_t min, std::uint64_t max) {
  return max == std::numeric_limits<std::uint64_t>::max() ? formatted("at least {}", min)
                                                          : formatted("{} to {}", min, max);
}

std::string subject(json::Value value) {
  const std::string key = json::key_above(value);
  return key.empty() ? "this number" : formatted("`{}`", key);
}

std::optional<WholeNumber> parse_whole_number(std::string_view text) {
  WholeNumber number;
  number.negative = text.starts_with('-');
  if (number.negative) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number.magnitude, base);
  if (error != std::errc() || last != end || text.empty()) return std::nullopt;
  constexpr std::uint64_t kLowest = std::uint64_t{1} << 63;
  if (number.negative && number.magnitude > kLowest) return std::nullopt;
  return number;
}

}  // namespace

bool WholeNumber::fits(std::int64_t min, std::uint64_t max) const {
  if (!negative || magnitude == 0)
    return (min <= 0 || magnitude >= static_cast<std::uint64_t>(min)) && magnitude <= max;
  return min < 0 && magnitude <= 0 - static_cast<std::uint64_t>(min);
}

tensor::Number WholeNumber::number() const {
  return negative ? tensor::Number(static_cast<std::int64_t>(bits())) : tensor::Number(magnitude);
}

std::expected<WholeNumber, NotWhole> whole_number(json::Value value) {
  if (value.is(json::Type::String)) {
    if (const auto number = parse_whole_number(value.string())) return *number;
    return std::unexpected(NotWhole::Text);
  }
  if (!value.is(json::Type::Number)) return std::unexpected(NotWhole::Type);
  if (const auto number = value.unsigned_integer()) return WholeNumber{false, *number};
  if (const auto number = value.integer()) return WholeNumber{true, 0 - static_cast<std::uint64_t>(*number)};
  const double number = value.number();
  return std::unexpected(std::trunc(number) == number ? NotWhole::TooLarge : NotWhole::Fraction);
}

std::optional<WholeNumber> Whole::check(json::Decoder& decoder, json::Value value) const {
  const auto refuse = [&](DiagnosticKind kind, std::string why) {
    decoder.error(value, kind,
                  formatted("{} takes a whole number ({}), but {}", subject(value), range_text(min, max), why));
    return std::nullopt;
  };
  const std::expected<WholeNumber, NotWhole> number = whole_number(value);
  if (number && number->fits(min, max)) return *number;
  if (number) return refuse(DiagnosticKind::OutOfRange, formatted("here is {}", value.text()));
  switch (number.error()) {
    case NotWhole::Type:
      return refuse(DiagnosticKind::WrongType, formatted("here is {}", json::name_of(value.type())));
    case NotWhole::Text:
      return refuse(DiagnosticKind::WrongType, formatted("the string {} is not one", value.text()));
    case NotWhole::Fraction:
      return refuse(DiagnosticKind::OutOfRange, formatted("{} is not one", value.text()));
    case NotWhole::TooLarge:
      return refuse(DiagnosticKind::OutOfRange, formatted("{} does not fit in 64 bits", value.text()));
  }
  return std::nullopt;
}

void Whole::schema(json::Schema& schema) const {
  json::Writer& out = schema.out();
  out.object([&] {
    out.key("anyOf").array([&] {
      out.object([&] {
        out.member("type", "integer").member("minimum", min);
        out.member("maximum", max);
      });
      // A pattern cannot express the range of a number that is written as a string; the reader checks it.
      out.object([&] {
        out.member("type", "string")
            .member("pattern", min < 0 ? "^-?([0-9]+|0[xX][0-9a-fA-F]+)$" : "^([0-9]+|0[xX][0-9a-fA-F]+)$");
      });
    });
  });
}

bool Bits64::read(json::Decoder& decoder, json::Value value, std::uint64_t& to) const {
  const auto number = Whole{.min = INT64_MIN}.check(decoder, value);
  if (number) to = number->bits();
  return number.has_value();
}

void Bits64::schema(json::Schema& schema) const { Whole{.min = INT64_MIN}.schema(schema); }

std::optional<double> decimal_number(json::Value value) {
  if (value.is(json::Type::Number)) return value.number();
  if (!value.is(json::Type::String)) return std::nullopt;
  const std::string& text = value.string();
  if (const auto whole = parse_whole_number(text)) return tensor::double_of(whole->number());
  double number = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || last != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

bool Decimal::read(json::Decoder& decoder, json::Value value, double& to) const {
  const std::optional<double> number = decimal_number(value);
  if (!number) return decoder.wrong_type(value, "a number");
  if (*number < min) {
    return decoder.error(value, DiagnosticKind::OutOfRange,
                         formatted("{} must be at least {}, but here is {}", subject(value), min, value.text()));
  }
  to = *number;
  return true;
}

void Decimal::schema(json::Schema& schema) const {
  json::Writer& out = schema.out();
  out.object([&] {
    out.key("anyOf").array([&] {
      out.object([&] {
        out.member("type", "number");
        if (std::isfinite(min)) out.member("minimum", min);
      });
      out.object([&] { out.member("type", "string").member("pattern", "^-?[0-9]"); });
    });
  });
}

}  // namespace slipway::recipe
