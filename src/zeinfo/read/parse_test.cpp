// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/read/parse.hpp"

#include <gtest/gtest.h>

#include "testing/zeinfo_texts.hpp"
#include "zeinfo/read/locate.hpp"
#include "zeinfo/read/scalars.hpp"
#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {
namespace {

using testing::Reading;

constexpr std::string_view kKernel = "kernels:\n  - name: k\n    execution_env: { grf_count: 128, simd_size: 8 }\n";

TEST(Parse, AcceptsLineEndsPaddingAndByteOrderMarks) {
  std::string text = "version: 1.73\n" + std::string(kKernel);
  Reading plain(text);
  ASSERT_EQ(plain.messages(), "");
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::string variants[] = {crlf,
                                  text.substr(0, text.size() - 1),
                                  text + std::string(7, '\0'),
                                  text + "...\n" + std::string(3, '\0'),
                                  "---\r\n" + crlf + "...\r\n",
                                  "\n\n  \n# c\n" + text + "   \n#\xc3\xa9\n"};
  for (const std::string& variant : variants) {
    Reading reading(variant);
    EXPECT_EQ(reading.messages(), "") << variant;
    EXPECT_TRUE(same_values(plain.document, reading.document)) << variant;
  }
  Reading mark("\xef\xbb\xbf" + text);
  EXPECT_EQ(mark.messages(), "note 1:1 byte-order-mark\n");
  EXPECT_TRUE(mark.reports(DiagnosticKind::ByteOrderMark));
  EXPECT_TRUE(same_values(plain.document, mark.document));
}

TEST(Parse, RejectsControlsNulsAndBadUtf8) {
  const std::string head = "version: 1.73\nkernels:\n  - name: ";
  const std::string tail = "\n    execution_env: { grf_count: 128, simd_size: 8 }\n";
  EXPECT_EQ(Reading(head +
                    "a\x01"
                    "b" +
                    tail)
                .messages(),
            "error 3:12 bad-token\n");
  EXPECT_EQ(Reading(head + std::string("a\0b", 3) + tail).messages(), "error 3:12 bad-token\n");
  EXPECT_EQ(Reading(head +
                    "a\xff"
                    "b" +
                    tail)
                .messages(),
            "error 3:12 invalid-utf8\n");
  EXPECT_EQ(Reading(head +
                    "'a\xff"
                    "b'" +
                    tail)
                .messages(),
            "error 3:13 invalid-utf8\n");
  EXPECT_EQ(Reading(head + "k # \xff" + tail).messages(), "error 3:15 invalid-utf8\n");
  EXPECT_EQ(Reading(head + "a\rb" + tail).messages(), "error 3:12 bad-token\n");
}

TEST(Parse, StopsReportingAtTheLimitButCounts) {
  std::string text = "version: 1.73\nkernels:\n";
  for (int i = 0; i < 100000; ++i) text += "  - x\n";
  Diagnostics diagnostics;
  TextDiagnostics problems("t", text, diagnostics);
  const Document document = parse(text, problems);
  EXPECT_EQ(problems.errors(), 100000u);
  EXPECT_EQ(diagnostics.all().size(), 100u);
  EXPECT_EQ(problems.dropped(), 99900u);
  EXPECT_TRUE(document.has_errors);
}

// Hostile texts are read in linear time and without deep recursion.
TEST(Parse, SurvivesDepth) {
  for (const std::string_view piece : {"[", "{a: ", "- ", "a:\n", "'", "\"\\", "# "}) {
    std::string deep = "version: 1.73\nkernels: ";
    for (int i = 0; i < 100000; ++i) deep += piece;
    EXPECT_TRUE(Reading(deep).document.has_errors || piece == "# ") << piece;
    std::string bare;
    for (int i = 0; i < 100000; ++i) bare += piece;
    Reading reading(bare);
  }
  std::string steps = "version: 1.73\nkernels: []\nfunctions:\n";
  for (int i = 1; i < 2000; ++i) steps += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_TRUE(Reading(steps).reports(DiagnosticKind::NestingTooDeep));
}

TEST(Parse, LongNamesAreViewsOfTheText) {
  const std::string name(380, 'x');
  Reading reading("version: 1.73\nkernels:\n  - name:            " + name +
                  "\n    execution_env:\n      grf_count:       128\n      simd_size:       8\n" +
                  std::string(400, '\n'));
  ASSERT_EQ(reading.messages(), "");
  const std::string_view read = reading.document.kernels[0].name;
  EXPECT_EQ(read, name);
  EXPECT_TRUE(read.data() > reading.text.data() && read.data() < reading.text.data() + reading.text.size());
}

TEST(Parse, EffectiveVersion) {
  EXPECT_EQ(effective_version(Reading("version: 1.9\n" + std::string(kKernel)).document), (Version{1, 9}));
  EXPECT_EQ(effective_version(Reading(std::string(kKernel)).document, Version{1, 20}), (Version{1, 20}));
  EXPECT_TRUE(effective_version(Reading(std::string(kKernel)).document).is_pre());
  EXPECT_EQ(effective_version(Reading(std::string(kKernel) + "    inline_samplers: []\n").document), (Version{1, 20}));
}

TEST(Parse, LooksLikeText) {
  EXPECT_TRUE(looks_like_text("---\nversion: 1.73\n"));
  EXPECT_TRUE(looks_like_text("# c\n\n\"kernels\" : \n"));
  EXPECT_FALSE(looks_like_text("name: x\n"));
  EXPECT_FALSE(looks_like_text("{\"kernels\": 1}"));
  EXPECT_FALSE(looks_like_text(""));
}

TEST(Locate, FindsKeysAndValues) {
  Reading reading(
      "version: 1.73\nkernels:\n  - name: k\n    execution_env: { grf_count: 128, \"simd_size\" : 8 }\n    "
      "payload_arguments:\n"
      "      - arg_type: local_size\n        offset: 0 # here\n        size: 12\n");
  const Kernel& kernel = reading.document.kernels[0];
  const auto text_of = [&](Span span) { return reading.text.substr(span.begin, span.end - span.begin); };
  const EntryLocation simd = locate(reading.document, kernel.execution_env, ExecutionEnvKey::simd_size);
  EXPECT_EQ(text_of(simd.key), "\"simd_size\"");
  EXPECT_EQ(text_of(simd.value), "8");
  const EntryLocation offset = locate(reading.document, kernel.payload_arguments[0], PayloadArgumentKey::offset);
  EXPECT_EQ(text_of(offset.key), "offset");
  EXPECT_EQ(text_of(offset.value), "0");
  // Missing keys are reported at the first key.
  EXPECT_EQ(text_of(locate(reading.document, kernel.payload_arguments[0], PayloadArgumentKey::arg_index).value),
            "arg_type");
  EXPECT_EQ(text_of(locate(reading.document, kernel, KernelKey::payload_arguments).key), "payload_arguments");
}

TEST(Scalars, Integers) {
  EXPECT_EQ(parse_int32("-2147483648").value(), -2147483647 - 1);
  EXPECT_EQ(parse_int32("0x7fffffff").value(), 2147483647);
  EXPECT_EQ(parse_int32("-0x10").value(), -16);
  for (const std::string_view bad : {"", "-", "+", "0x", "1 2", "00", "1e3", "0X1", "--1"}) {
    EXPECT_EQ(parse_int32(bad).error(), DiagnosticKind::BadInteger) << bad;
  }
  EXPECT_EQ(parse_int32("2147483648").error(), DiagnosticKind::IntegerRange);
  EXPECT_EQ(parse_int32("99999999999999999999999").error(), DiagnosticKind::IntegerRange);
}

// Both readers report the same for a changed text, and a text without errors has a stable canonical form.
void expect_stable(const std::string& changed) {
  Reading quick(changed);
  Reading slow(changed, {.quick = false});
  EXPECT_EQ(quick.messages(), slow.messages()) << changed;
  EXPECT_TRUE(same_values(quick.document, slow.document)) << changed;
  EXPECT_EQ(quick.document.has_errors, quick.diagnostics.has_errors()) << changed;
  quick.check(Level::Runtime);
  if (quick.document.has_errors) return;
  const std::string canonical = write(quick.document).value();
  Reading again(canonical);
  EXPECT_TRUE(same_values(quick.document, again.document)) << changed << canonical;
  EXPECT_EQ(write(again.document).value(), canonical);
}

// Every line of every sample deleted, and its value replaced.
TEST(Mutation, Samples) {
  const auto samples = testing::samples("-1.9");
  ASSERT_FALSE(samples.empty());
  for (const testing::Sample& sample : samples) {
    const std::string& text = sample.text;
    for (std::size_t at = 0, line = 0; at < text.size(); ++line) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      expect_stable(text.substr(0, at) + text.substr(end));
      const std::size_t colon = text.find(": ", at);
      if (colon < end) {
        constexpr std::string_view kBad[] = {"", "-1", "x: y", "[", "'"};
        expect_stable(text.substr(0, colon + 2) + std::string(kBad[line % std::size(kBad)]) + text.substr(end - 1));
      }
      at = end;
    }
  }
}

// Every line deleted and every value replaced by bad ones: never a crash, and both readers agree.
TEST(Mutation, LinesAndValues) {
  const std::vector<std::string> bad = {"",   "-1",  "99999999999", "0x",   "'",    "\"",  "[",   "{",
                                        "}",  "- x", "\t",          "null", "true", "a b", "1.5", "[1]",
                                        "&a", "*",   "!",           "|",    "a: b", "...", "\xff"};
  const std::string text =
      "---\nversion:         '1.73'\nkernels:\n  - name:            k\n    user_attributes:\n      vec_type_hint:   "
      "int\n"
      "    execution_env:\n      grf_count:       128\n      required_work_group_size: [ 8, 8, 1 ]\n      simd_size:   "
      "    16\n"
      "      thread_scheduling_mode: age_based\n    payload_arguments:\n      - arg_type:        arg_bypointer\n"
      "        offset:          0\n        size:            8\n        arg_index:       0\n        addrmode:        "
      "stateless\n"
      "        addrspace:       global\n        access_type:     readwrite\n      - arg_type:        arg_byvalue\n"
      "        offset:          8\n        size:            4\n        arg_index:       1\n    "
      "per_thread_payload_arguments:\n"
      "      - arg_type:        local_id\n        offset:          0\n        size:            96\n    debug_env:\n"
      "      sip_surface_bti: 1\nkernels_misc_info:\n  - name:            k\n    args_info:\n      - index:           "
      "0\n"
      "        address_qualifier: __global\n        access_qualifier: NONE\n        type_name:       'int*;8'\n"
      "        type_qualifiers: NONE\n...\n";
  ASSERT_EQ(Reading(text).messages(), "");
  int tried = 0;
  const auto try_one = [&](std::string changed) {
    changed += std::string(200, '\n');  // enough slack for the quick path
    expect_stable(changed);
    ++tried;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    try_one(text.substr(0, at) + text.substr(end));
    try_one(text.substr(0, end) + text.substr(at));       // doubled
    try_one(text.substr(0, at) + " " + text.substr(at));  // indented
    try_one(text.substr(0, at));                          // ended
    const std::size_t colon = text.find(": ", at);
    if (colon < end) {
      const std::size_t value = text.find_first_not_of(' ', colon + 1);
      for (const std::string& one : bad) try_one(text.substr(0, value) + one + text.substr(end - 1));
    }
    at = end;
  }
  EXPECT_GT(tried, 700);
}

}  // namespace
}  // namespace slipway::zeinfo
