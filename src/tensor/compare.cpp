// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/compare.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/format.hpp"
#include "tensor/element.hpp"

namespace slipway::tensor {
namespace {

template <std::size_t size>
using Unsigned = std::conditional_t<
    size == 1, std::uint8_t,
    std::conditional_t<size == 2, std::uint16_t, std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;

// The position of a float in the order of all values except NaN. Both zeros have the same position.
template <class T>
std::uint64_t rank_of(T element) {
  using Bits = Unsigned<sizeof(T)>;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
  const Bits bits = std::bit_cast<Bits>(element);
  constexpr std::uint64_t kZero = std::uint64_t{1} << 63;
  return bits & kSign ? kZero - (bits & ~kSign) : kZero + bits;
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

double relative(double abs, double expected) {
  if (abs == 0) return 0;
  return expected == 0 ? std::numeric_limits<double>::infinity() : abs / std::fabs(expected);
}

enum class Verdict { Pass, Skip, Fail };

// Integers and bool: the difference is exact in 64 bits, and it is also the distance in representable values.
template <std::integral T>
Verdict judge(T got, T expected, const Tolerance& tolerance, Difference& difference) {
  const bool below = got < expected;
  difference.ulp = below ? static_cast<std::uint64_t>(expected) - static_cast<std::uint64_t>(got)
                         : static_cast<std::uint64_t>(got) - static_cast<std::uint64_t>(expected);
  difference.abs = static_cast<double>(difference.ulp);
  difference.rel = relative(difference.abs, static_cast<double>(expected));
  const double bound = tolerance.abs + tolerance.rel * std::fabs(static_cast<double>(expected));
  const bool near = bound >= 0x1p64 || difference.ulp <= static_cast<std::uint64_t>(std::max(bound, 0.0));
  return near || difference.ulp <= tolerance.ulp ? Verdict::Pass : Verdict::Fail;
}

template <class T>
Verdict judge(T got_element, T expected_element, const Tolerance& tolerance, Difference& difference) {
  const auto got = static_cast<double>(got_element);
  const auto expected = static_cast<double>(expected_element);
  if (std::isnan(got) || std::isnan(expected)) {
    if (tolerance.nan == NanPolicy::Ignore && std::isnan(expected)) return Verdict::Skip;
    const bool both = std::isnan(got) && std::isnan(expected);
    if (both && tolerance.nan == NanPolicy::Equal) return Verdict::Pass;
    difference = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(), 0};
    return Verdict::Fail;
  }
  if (got == expected) return Verdict::Pass;
  difference.abs = std::fabs(got - expected);
  difference.rel = relative(difference.abs, expected);
  difference.ulp = distance(rank_of(got_element), rank_of(expected_element));
  if (difference.ulp <= tolerance.ulp) return Verdict::Pass;
  // An infinity is only equal to itself, although inf <= rel * inf holds.
  if (!std::isfinite(got) || !std::isfinite(expected)) return Verdict::Fail;
  return difference.abs <= tolerance.abs + tolerance.rel * std::fabs(expected) ? Verdict::Pass : Verdict::Fail;
}

void raise(Difference& max, const Difference& difference) {
  // std::max with the old value first keeps it when the new one is NaN.
  max.abs = std::max(max.abs, difference.abs);
  max.rel = std::max(max.rel, difference.rel);
  max.ulp = std::max(max.ulp, difference.ulp);
}

template <class T>
void compare_elements(Bytes got, Bytes expected, ShapeView shape, const Tolerance& tolerance, Comparison& comparison) {
  // Equal bytes are equal elements unless the policy treats NaN specially. Large arrays are mostly equal, so compare
  // blocks first.
  const bool bytes_decide = !is_float(comparison.type) || tolerance.nan == NanPolicy::Equal;
  constexpr std::uint64_t kBlock = 4096;
  for (std::uint64_t begin = 0; begin < comparison.count; begin += kBlock) {
    const std::uint64_t end = std::min(begin + kBlock, comparison.count);
    const std::size_t offset = begin * sizeof(T);
    if (bytes_decide && std::memcmp(got.data() + offset, expected.data() + offset, (end - begin) * sizeof(T)) == 0) {
      continue;
    }
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::byte* a = got.data() + i * sizeof(T);
      const std::byte* e = expected.data() + i * sizeof(T);
      Difference difference;
      Verdict verdict;
      if (comparison.type == ElementType::Bool) {
        verdict = judge(*a != std::byte{0}, *e != std::byte{0}, tolerance, difference);
      } else {
        verdict = judge(load<T>(a), load<T>(e), tolerance, difference);
      }
      raise(comparison.max, difference);
      comparison.skipped += verdict == Verdict::Skip;
      if (verdict != Verdict::Fail) continue;
      if (comparison.mismatches++ < tolerance.show) {
        comparison.examples.push_back(
            {coordinates_of(shape, i), text_of(comparison.type, a), text_of(comparison.type, e), difference});
      }
    }
  }
}

// Three significant digits, but whole numbers up to a million: 0.5, 0.667, 1.2e-3, 1234, 1.23e6.
std::string rounded_text(double value) {
  if (!std::isfinite(value) || value == 0) return shortest_text(value);
  char buffer[32];
  double rounded = 0;
  const auto* end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, 2).ptr;
  std::from_chars(buffer, end, rounded);
  const double magnitude = std::fabs(rounded);
  if (magnitude >= 1e6 || magnitude < 1e-2) {
    // The digits without trailing zeros, then the exponent.
    const std::string text(static_cast<const char*>(buffer), end);
    const int exponent = std::atoi(text.c_str() + text.find('e') + 1);
    std::string digits = text.substr(0, text.find('e'));
    digits.erase(digits.find_last_not_of("0.") + 1);
    return formatted("{}e{}", digits, exponent);
  }
  return shortest_text(magnitude >= 100 ? std::nearbyint(value) : rounded);
}

std::string abs_text(ElementType type, const Difference& difference) {
  return is_float(type) ? rounded_text(difference.abs) : std::to_string(difference.ulp);
}

}  // namespace

Comparison compare(ElementType type, Bytes got, Bytes expected, ShapeView shape, const Tolerance& tolerance) {
  Comparison comparison{.type = type, .count = element_count(shape).value_or(0)};
  visit_type(type, [&]<class T>() { compare_elements<T>(got, expected, shape, tolerance, comparison); });
  comparison.passed = comparison.mismatches <= tolerance.max_mismatches;
  return comparison;
}

std::string comparison_text(std::string_view uid, const Comparison& comparison, std::size_t uid_width) {
  const Difference& max = comparison.max;
  std::string text = formatted("expect '{}'{:{}}: ", uid, "", uid_width > uid.size() ? uid_width - uid.size() : 0);
  const std::string ignored = comparison.skipped ? formatted(", {} ignored", comparison.skipped) : "";
  if (comparison.passed) {
    const std::string differ = comparison.mismatches ? formatted(", {} differ", comparison.mismatches) : "";
    return text + formatted("ok ({} elements{}, max abs {}{})\n", comparison.count, differ,
                            abs_text(comparison.type, max), ignored);
  }
  text += formatted("FAILED {} of {} elements differ (max abs {}, max rel {}, max ulp {}{})\n", comparison.mismatches,
                    comparison.count, abs_text(comparison.type, max), rounded_text(max.rel), max.ulp, ignored);
  for (const Mismatch& mismatch : comparison.examples) {
    text += formatted("  {} got {} expected {} (abs {}, rel {}, ulp {})\n", shape_text(mismatch.coordinates),
                      mismatch.got, mismatch.expected, abs_text(comparison.type, mismatch.difference),
                      rounded_text(mismatch.difference.rel), mismatch.difference.ulp);
  }
  return text;
}

std::string compared_text(const ComparedOutputs& outputs) {
  return formatted("{} of {} output{}", outputs.compared, outputs.total, outputs.total == 1 ? "" : "s");
}

Diagnostic partly_compared(const ComparedOutputs& outputs, bool is_accepted, SourceLocation location) {
  Diagnostic diagnostic{.severity = is_accepted ? Severity::Note : Severity::Error,
                        .kind = DiagnosticKind::PartlyCompared,
                        .message = formatted("only {} could be compared", compared_text(outputs)),
                        .location = std::move(location)};
  if (!is_accepted) diagnostic.hint("`--allow-uncompared` accepts it");
  for (const LeftOutOutput& one : outputs.left_out)
    diagnostic.note(formatted("`{}` was not compared: {}", one.output, one.reason));
  return diagnostic;
}

bool is_only_partly_compared(std::span<const Diagnostic> diagnostics) {
  bool found = false;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::Error) continue;
    if (diagnostic.kind != DiagnosticKind::PartlyCompared) return false;
    found = true;
  }
  return found;
}

}  // namespace slipway::tensor
