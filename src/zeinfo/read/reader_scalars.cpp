// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars and lists of three integers, by the type of their field (docs/spec/zeinfo.md#text-syntax).

#include <cstring>

#include "base/format.hpp"
#include "zeinfo/read/reader.hpp"
#include "zeinfo/read/scalars.hpp"
#include "zeinfo/words.hpp"

namespace slipway::zeinfo {

void Reader::bad_scalar(const FieldInfo& field, const MappingInfo* in, DiagnosticKind kind, Span where,
                        std::string_view message) {
  deviation(DeviationKind::BadScalar, where, in, &field);
  error(kind, where, message);
}

// Long, because it has one case per type.
void Reader::scalar_value(const FieldInfo& field, const MappingInfo* in, std::byte* object, const Scalar& scalar) {
  const std::string_view word = scalar.text;
  const bool quoted = scalar.style != Style::Plain;
  const bool is_null = !quoted && is_null_word(word);
  const std::string_view shown = word.substr(0, 60);
  if (quoted && (field.type == Type::Int32 || field.type == Type::Bool || field.type == Type::Float)) {
    deviation(DeviationKind::QuotedScalar, scalar.span, in, &field);
    problem(Severity::Note, DiagnosticKind::QuotedNumber, scalar.span,
            formatted("`{}` takes {}, here in quotes", field.key, field.type == Type::Bool ? "a boolean" : "a number"));
  }
  switch (field.type) {
    case Type::Int32: {
      const auto value = parse_int32(word);
      if (!value) {
        const bool range = value.error() == DiagnosticKind::IntegerRange;
        bad_scalar(field, in, value.error(), scalar.span,
                   range ? formatted("{} does not fit in 32 bits", shown)
                         : formatted("`{}` takes an integer, not `{}`", field.key, shown));
        return;
      }
      member<std::int32_t>(object, field) = *value;
      if (word.starts_with("-0x") || word.starts_with("+0x")) {
        deviation(DeviationKind::BadScalar, scalar.span, in, &field);
      }
      break;
    }
    case Type::Bool: {
      const auto value = parse_boolean(word);
      if (!value) {
        bad_scalar(field, in, DiagnosticKind::BadBoolean, scalar.span,
                   formatted("`{}` takes `true` or `false`, not `{}`", field.key, shown));
        return;
      }
      member<bool>(object, field) = *value;
      break;
    }
    case Type::Float: {
      const auto value = parse_real(word);
      if (!value) {
        bad_scalar(field, in, DiagnosticKind::BadFloat, scalar.span,
                   formatted("`{}` takes a number, not `{}`", field.key, shown));
        return;
      }
      member<float>(object, field) = *value;
      break;
    }
    case Type::String:
      member<std::string_view>(object, field) = word;
      break;
    case Type::Enum: {
      const std::uint8_t location = words_of(*field.values).find(word);
      if (location == WordTable::kNone) {
        // The severity is determined when the version is known (parse.cpp).
        if (document_.deviations.size() >= Document::kMaxDeviations) {
          error(DiagnosticKind::UnknownValue, scalar.span, formatted("`{}` has no value `{}`", field.key, shown));
        }
        deviation(DeviationKind::UnknownValue, scalar.span, in, &field);
        return;
      }
      if (quoted && field.values == &enum_of<L1CachePolicy>()) {
        deviation(DeviationKind::QuotedScalar, scalar.span, in, &field);
      }
      member<std::uint8_t>(object, field) = static_cast<std::uint8_t>(location + 1);
      break;
    }
    case Type::Version: {
      const auto value = parse_version(word);
      if (!value) {
        bad_scalar(field, in, DiagnosticKind::BadVersion, scalar.span,
                   formatted("`{}` is not a version; expected MAJOR.MINOR, such as 1.73", shown));
        return;
      }
      if (value->major != 1) {
        bad_scalar(field, in, DiagnosticKind::UnsupportedVersion, scalar.span,
                   formatted("version {}: the major version of ZE Info is 1", shown));
        return;
      }
      member<Version>(object, field) = *value;
      break;
    }
    case Type::Mapping:
    case Type::Sequence:
    case Type::Int3:
      if (is_null) {
        no_value(&field, in, object, scalar.span);
      } else {
        wrong_kind(field, in, scalar.span);
      }
      return;
  }
  mark(object, field);
}

void Reader::int3_element(const FieldInfo& field, const MappingInfo* in, const Scalar& scalar, Int3Reading& to) {
  if (scalar.style != Style::Plain) deviation(DeviationKind::QuotedScalar, scalar.span, in, &field);
  const auto value = scalar.ok ? parse_int32(scalar.text) : std::unexpected(DiagnosticKind::BadInteger);
  if (!value) {
    to.ok = false;
    if (scalar.ok) {
      bad_scalar(field, in, value.error(), scalar.span,
                 formatted("`{}` takes integers of 32 bits, not `{}`", field.key, scalar.text.substr(0, 60)));
    }
  } else if (to.count < 3) {
    to.value.values[to.count] = *value;
  }
  ++to.count;
}

void Reader::finish_int3(const FieldInfo& field, const MappingInfo* in, std::byte* object, Int3Reading reading,
                         Span where) {
  if (reading.count != 0 && reading.count != 3) {
    deviation(DeviationKind::WrongListLength, where, in, &field);
    error(DiagnosticKind::ListLength, where, formatted("`{}` has {} elements and takes 3", field.key, reading.count));
    return;
  }
  if (reading.count == 0) deviation(DeviationKind::WrongListLength, where, in, &field);
  if (reading.count == 0 || !reading.ok) return;
  reading.value.present = true;
  member<Int3>(object, field) = reading.value;
  mark(object, field);
}

void Reader::int3_block(const FieldInfo& field, const MappingInfo* in, std::byte* object, int column) {
  const Span where = span(p_, p_ + 1);
  Int3Reading reading;
  while (!at_end() && column_ == column && at_dash()) {
    const std::size_t errors_before = errors_;
    ++p_;
    skip_inline_blanks();
    if (is_line_end(p_) || peek() == '{' || peek() == '[') {
      error(DiagnosticKind::NotAScalar, span(p_ - 1, p_), formatted("an element of `{}` is an integer", field.key));
      reading.ok = false;
      ++reading.count;
      skip_line();
    } else {
      int3_element(field, in, read_scalar(false, false), reading);
    }
    end_line();
    next_token();
    skip_deeper(column, errors_before);
  }
  finish_int3(field, in, object, reading, where);
}

void Reader::int3_flow(const FieldInfo& field, const MappingInfo* in, std::byte* object) {
  const char* open = p_++;
  Int3Reading reading;
  while (!flow_broken_ && next_flow_item(open, ']')) {
    if (peek() == '[' || peek() == '{') {
      break_flow(p_, formatted("an element of `{}` is an integer", field.key));
      break;
    }
    if (peek() == '-') deviation(DeviationKind::NegativeInFlow, span(p_, p_ + 1), in, &field);
    const Scalar element = read_scalar(true, false);
    if (!element.ok) {
      flow_broken_ = true;
      break;
    }
    int3_element(field, in, element, reading);
    end_flow_item(open, ']');
  }
  if (flow_broken_) return;
  ++p_;
  const std::string_view text(open, static_cast<std::size_t>(p_ - open));
  if (text.contains('\n')) deviation(DeviationKind::Unsupported, span(open, p_), in, &field);
  finish_int3(field, in, object, reading, span(open, p_));
}

}  // namespace slipway::zeinfo
