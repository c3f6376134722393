// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>
#include "base/print_diagnostic.hpp"

#include "tensor/element.hpp"

namespace slipway::tensor {
namespace {

using enum ElementType;

std::vector<std::byte> elements(ElementType type, std::initializer_list<double> values) {
  std::vector<std::byte> bytes(values.size() * size_of(type));
  std::byte* to = bytes.data();
  for (const double value : values) {
    if (is_float(type))
      store_rounded(type, value, to);
    else
      EXPECT_TRUE(store_number(type, value, to));
    to += size_of(type);
  }
  return bytes;
}

std::string verdict(ElementType type, std::initializer_list<double> got, std::initializer_list<double> expected,
                    const Tolerance& tolerance = {}) {
  const Shape shape{static_cast<std::int64_t>(got.size())};
  return comparison_text("x", compare(type, elements(type, got), elements(type, expected), shape, tolerance));
}

TEST(Compare, TheReport) {
  const Shape shape{2, 2};
  const Comparison failed =
      compare(F32, elements(F32, {1, 2, 1.25, 4}), elements(F32, {1, 2, 0.75, 4.004}), shape, {.show = 1});
  EXPECT_FALSE(failed.passed);
  EXPECT_EQ(comparison_text("out", failed, 4),
            "expect 'out' : FAILED 2 of 4 elements differ (max abs 0.5, max rel 0.667, max ulp 6291456)\n"
            "  [1, 0] got 1.25 expected 0.75 (abs 0.5, rel 0.667, ulp 6291456)\n");
  const Comparison passed = compare(F32, elements(F32, {1, 2}), elements(F32, {1, 2}), Shape{2});
  EXPECT_TRUE(passed.passed);
  EXPECT_EQ(comparison_text("out2", passed, 4), "expect 'out2': ok (2 elements, max abs 0)\n");
  EXPECT_EQ(comparison_text("out2", passed), "expect 'out2': ok (2 elements, max abs 0)\n");
  const Comparison scalar = compare(F32, elements(F32, {1}), elements(F32, {0}), Shape{});
  EXPECT_EQ(comparison_text("s", scalar),
            "expect 's': FAILED 1 of 1 elements differ (max abs 1, max rel inf, max ulp 1065353216)\n"
            "  [] got 1 expected 0 (abs 1, rel inf, ulp 1065353216)\n");
}

TEST(Compare, NumbersAreShortInReports) {
  const auto max_abs = [](double difference) {
    const std::string text = verdict(F64, {difference}, {0}, {.abs = 1e300});
    return text.substr(text.find("max abs ") + 8, text.find(')') - text.find("max abs ") - 8);
  };
  EXPECT_EQ(max_abs(0.0012), "1.2e-3");
  EXPECT_EQ(max_abs(0.0099999), "0.01");
  EXPECT_EQ(max_abs(0.01), "0.01");
  EXPECT_EQ(max_abs(0.66666), "0.667");
  EXPECT_EQ(max_abs(12.345), "12.3");
  EXPECT_EQ(max_abs(1234.5), "1234");
  EXPECT_EQ(max_abs(123456), "123456");
  EXPECT_EQ(max_abs(1234567), "1.23e6");
  EXPECT_EQ(max_abs(1e-7), "1e-7");
  EXPECT_EQ(max_abs(1.05e-7), "1.05e-7");
}

TEST(Compare, AbsoluteAndRelativeTolerance) {
  EXPECT_EQ(verdict(F32, {1.5}, {1}, {.abs = 0.5}), "expect 'x': ok (1 elements, max abs 0.5)\n");
  EXPECT_EQ(verdict(F32, {1.5}, {1}, {.abs = 0.49}),
            "expect 'x': FAILED 1 of 1 elements differ (max abs 0.5, max rel 0.5, max ulp 4194304)\n"
            "  [0] got 1.5 expected 1 (abs 0.5, rel 0.5, ulp 4194304)\n");
  EXPECT_EQ(verdict(F32, {110}, {100}, {.rel = 0.1}), "expect 'x': ok (1 elements, max abs 10)\n");
  // Relative to the expected value, not to the other.
  EXPECT_TRUE(verdict(F32, {100}, {111}, {.rel = 0.1}).starts_with("expect 'x': ok"));
  EXPECT_TRUE(verdict(F32, {111}, {100}, {.rel = 0.1}).starts_with("expect 'x': FAILED"));
  EXPECT_TRUE(verdict(F32, {112}, {100}, {.abs = 2, .rel = 0.1}).starts_with("expect 'x': ok"));
}

TEST(Compare, UnitsInTheLastPlace) {
  const double next = std::nextafterf(1.0F, 2.0F);
  EXPECT_TRUE(verdict(F32, {next}, {1}, {.ulp = 1}).starts_with("expect 'x': ok"));
  EXPECT_TRUE(verdict(F32, {next}, {1}).starts_with("expect 'x': FAILED"));
  // Across zero the smallest values are two apart, and both zeros are one.
  EXPECT_TRUE(verdict(F16, {0x1p-24}, {-0x1p-24}, {.ulp = 2}).starts_with("expect 'x': ok"));
  EXPECT_TRUE(verdict(F16, {0x1p-24}, {-0x1p-24}, {.ulp = 1}).starts_with("expect 'x': FAILED"));
  EXPECT_EQ(verdict(F8E4M3, {448}, {416}),
            "expect 'x': FAILED 1 of 1 elements differ (max abs 32, max rel 0.0769, max ulp 1)\n"
            "  [0] got 448 expected 416 (abs 32, rel 0.0769, ulp 1)\n");
  EXPECT_EQ(compare(F64, elements(F64, {HUGE_VAL}), elements(F64, {-HUGE_VAL}), Shape{1}).max.ulp, 0xffe0000000000000u);
  EXPECT_TRUE(verdict(F8E5M2, {HUGE_VAL}, {57344}, {.ulp = 1}).starts_with("expect 'x': ok"));
}

TEST(Compare, ZerosAndInfinities) {
  EXPECT_EQ(verdict(F32, {0.0, HUGE_VAL, -HUGE_VAL}, {-0.0, HUGE_VAL, -HUGE_VAL}),
            "expect 'x': ok (3 elements, max abs 0)\n");
  EXPECT_EQ(verdict(F32, {1, HUGE_VAL, HUGE_VAL}, {HUGE_VAL, 1, -HUGE_VAL}, {.abs = 1e30, .rel = 0.5, .show = 0}),
            "expect 'x': FAILED 3 of 3 elements differ (max abs inf, max rel inf, max ulp 4278190080)\n");
}

TEST(Compare, NanPolicies) {
  EXPECT_EQ(verdict(F16, {NAN, 1}, {NAN, 1}), "expect 'x': ok (2 elements, max abs 0)\n");
  EXPECT_EQ(verdict(F16, {NAN, 1, 2}, {1, NAN, 2}),
            "expect 'x': FAILED 2 of 3 elements differ (max abs 0, max rel 0, max ulp 0)\n"
            "  [0] got nan expected 1 (abs nan, rel nan, ulp 0)\n"
            "  [1] got 1 expected nan (abs nan, rel nan, ulp 0)\n");
  EXPECT_EQ(verdict(F16, {NAN, 1}, {NAN, 1}, {.nan = NanPolicy::Fail}),
            "expect 'x': FAILED 1 of 2 elements differ (max abs 0, max rel 0, max ulp 0)\n"
            "  [0] got nan expected nan (abs nan, rel nan, ulp 0)\n");
  EXPECT_EQ(verdict(F16, {5, NAN, 1}, {NAN, NAN, 1}, {.nan = NanPolicy::Ignore}),
            "expect 'x': ok (3 elements, max abs 0, 2 ignored)\n");
  EXPECT_EQ(verdict(F16, {5, NAN}, {NAN, 1}, {.nan = NanPolicy::Ignore}),
            "expect 'x': FAILED 1 of 2 elements differ (max abs 0, max rel 0, max ulp 0, 1 ignored)\n"
            "  [1] got nan expected 1 (abs nan, rel nan, ulp 0)\n");
  EXPECT_TRUE(verdict(F8E4M3, {NAN}, {1}).starts_with("expect 'x': FAILED"));
}

TEST(Compare, IntegersAreExact) {
  const auto big = std::numeric_limits<std::int64_t>::max();
  const std::int64_t got[] = {big, std::numeric_limits<std::int64_t>::min()};
  const std::int64_t expected[] = {big - 1, big};
  const auto compare_big = [&](const Tolerance& tolerance) {
    return comparison_text(
        "x", compare(I64, std::as_bytes(std::span(got)), std::as_bytes(std::span(expected)), Shape{2}, tolerance));
  };
  EXPECT_EQ(compare_big({}),
            "expect 'x': FAILED 2 of 2 elements differ (max abs 18446744073709551615, max rel 2, max ulp "
            "18446744073709551615)\n"
            "  [0] got 9223372036854775807 expected 9223372036854775806 (abs 1, rel 1.08e-19, ulp 1)\n"
            "  [1] got -9223372036854775808 expected 9223372036854775807 (abs 18446744073709551615, rel 2, "
            "ulp 18446744073709551615)\n");
  EXPECT_EQ(compare_big({.abs = 1}).substr(0, 31), "expect 'x': FAILED 1 of 2 eleme");
  EXPECT_EQ(compare_big({.abs = 0x1p64}), "expect 'x': ok (2 elements, max abs 18446744073709551615)\n");
  EXPECT_EQ(verdict(U8, {3}, {250}, {.ulp = 247}), "expect 'x': ok (1 elements, max abs 247)\n");
  EXPECT_TRUE(verdict(I8, {-128}, {127}, {.abs = 254.9}).starts_with("expect 'x': FAILED"));
  EXPECT_TRUE(verdict(I8, {-128}, {127}, {.abs = 255}).starts_with("expect 'x': ok"));
}

TEST(Compare, BoolsCompareAsTruth) {
  const std::byte got[] = {std::byte{1}, std::byte{0}, std::byte{0xff}};
  const std::byte expected[] = {std::byte{0xff}, std::byte{0}, std::byte{0}};
  EXPECT_EQ(comparison_text("x", compare(Bool, got, expected, Shape{3})),
            "expect 'x': FAILED 1 of 3 elements differ (max abs 1, max rel inf, max ulp 1)\n"
            "  [2] got true expected false (abs 1, rel inf, ulp 1)\n");
}

TEST(Compare, SomeMismatchesMayBeAllowed) {
  EXPECT_EQ(verdict(I32, {1, 2, 3}, {1, 2, 4}, {.max_mismatches = 1}),
            "expect 'x': ok (3 elements, 1 differ, max abs 1)\n");
  EXPECT_TRUE(verdict(I32, {0, 2, 3}, {1, 2, 4}, {.max_mismatches = 1}).starts_with("expect 'x': FAILED 2 of 3"));
}

TEST(Compare, LargeArraysCountEveryMismatch) {
  std::vector<float> expected(100'000, 1.0F);
  std::vector<float> got = expected;
  got[4095] = got[4096] = got[99'999] = 2;
  const Comparison result =
      compare(F32, std::as_bytes(std::span(got)), std::as_bytes(std::span(expected)), Shape{100, 1000}, {.show = 2});
  EXPECT_EQ(result.mismatches, 3u);
  ASSERT_EQ(result.examples.size(), 2u);
  EXPECT_EQ(result.examples[1].coordinates, (Shape{4, 96}));
}

TEST(Compare, NothingIsEqualToNothing) {
  EXPECT_EQ(comparison_text("x", compare(F32, {}, {}, Shape{0})), "expect 'x': ok (0 elements, max abs 0)\n");
}

TEST(ComparedOutputs, OutputsThatWereLeftOutMakeAnError) {
  const ComparedOutputs all{.compared = 1, .total = 1};
  EXPECT_FALSE(all.is_partial());
  EXPECT_EQ(compared_text(all), "1 of 1 output");
  const ComparedOutputs some{.compared = 1, .total = 3, .left_out = {{"y", "it is an image"}, {"z", "no array"}}};
  EXPECT_TRUE(some.is_partial());
  const Diagnostic error = partly_compared(some, false, SourceLocation::in_file("m.vgf"));
  EXPECT_EQ(format_diagnostic(error),
            "m.vgf: error: only 1 of 3 outputs could be compared; `--allow-uncompared` accepts it [partly-compared]\n"
            "  note: `y` was not compared: it is an image\n"
            "  note: `z` was not compared: no array\n");
  EXPECT_EQ(exit_status(std::vector{error}), 1);
  const Diagnostic accepted = partly_compared(some, true, {});
  EXPECT_EQ(accepted.severity, Severity::Note);
  EXPECT_EQ(exit_status(std::vector{accepted}), 0);
}

TEST(ComparedOutputs, AnotherErrorDecidesTheVerdict) {
  const Diagnostic partly = partly_compared({.total = 1, .left_out = {{"y", "it is an image"}}}, false, {});
  const Diagnostic wrong{.kind = DiagnosticKind::ExpectationFailed, .message = "differs"};
  const Diagnostic warning{.severity = Severity::Warning, .kind = DiagnosticKind::Unsupported, .message = "slow"};
  EXPECT_TRUE(is_only_partly_compared(std::vector{warning, partly}));
  EXPECT_FALSE(is_only_partly_compared(std::vector{partly, wrong}));
  EXPECT_FALSE(is_only_partly_compared(std::vector{warning}));
}

}  // namespace
}  // namespace slipway::tensor
