// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/write/write.hpp"

#include <gtest/gtest.h>

#include "testing/zeinfo_texts.hpp"
#include "zeinfo/schema.hpp"
#include "zeinfo/write/json.hpp"

namespace slipway::zeinfo {
namespace {

using namespace std::string_literals;
using testing::Reading;

struct Quoting {
  std::string text;
  std::string written;
};

TEST(Write, QuotesAsTheCompilerDoes) {
  const Quoting cases[] = {// words that other readers take for something else stay plain
                           {"y", "y"},
                           {"n", "n"},
                           {"yes", "yes"},
                           {"no", "no"},
                           {"on", "on"},
                           {"off", "off"},
                           {"e1", "e1"},
                           {"inf", "inf"},
                           {"NaN", "NaN"},
                           {"...", "..."},
                           {"1_0", "1_0"},
                           {"0b1", "0b1"},
                           {"0xZ", "0xZ"},
                           {"1.2.3", "1.2.3"},
                           {"2001-01-01", "2001-01-01"},
                           {"1e", "1e"},
                           {".5e", ".5e"},
                           {"a b", "a b"},
                           {"a\tb", "a\tb"},
                           {"a,b.c^d-e_f", "a,b.c^d-e_f"},
                           // single quotes
                           {"", "''"},
                           {" a", "' a'"},
                           {"a ", "'a '"},
                           {"\ta", "'\ta'"},
                           {"null", "'null'"},
                           {"Null", "'Null'"},
                           {"NULL", "'NULL'"},
                           {"~", "'~'"},
                           {"true", "'true'"},
                           {"True", "'True'"},
                           {"FALSE", "'FALSE'"},
                           {"1", "'1'"},
                           {"-1.5", "'-1.5'"},
                           {"+.5e3", "'+.5e3'"},
                           {"1.", "'1.'"},
                           {"0x1F", "'0x1F'"},
                           {"0o17", "'0o17'"},
                           {".nan", "'.nan'"},
                           {"-.inf", "'-.inf'"},
                           {"-a", "'-a'"},
                           {"?a", "'?a'"},
                           {":a", "':a'"},
                           {",a", "',a'"},
                           {"[a", "'[a'"},
                           {"a:b", "'a:b'"},
                           {"float*;8", "'float*;8'"},
                           {"a/b", "'a/b'"},
                           {"a=b", "'a=b'"},
                           {"a#b", "'a#b'"},
                           {"it's", "'it''s'"},
                           {"a\"b", "'a\"b'"},
                           {"1.73", "'1.73'"},
                           // double quotes
                           {"a\nb", "\"a\\nb\""},
                           {"\x01", "\"\\x01\""},
                           {"\0"s, "\"\\0\""},
                           {"\a\b\v\f\r\x1b", "\"\\a\\b\\v\\f\\r\\e\""},
                           {"\x7f", "\"\x7f\""},
                           {"tab\tand \xc3\xa9", "\"tab\\tand \xc3\xa9\""},
                           {"\xc2\x85", "\"\\N\""},
                           {"\xc2\xa0", "\"\\_\""},
                           {"\xe2\x80\xa8\xe2\x80\xa9", "\"\\L\\P\""},
                           {"\xc2\xad", "\"\xc2\xad\""},
                           {"\xc2\x80", "\"\\x80\""},
                           {"\xe2\x80\x8b", "\"\\u200B\""},
                           {"\xf3\xa0\x80\x81", "\"\\U000E0001\""},
                           {"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},
                           {"\xc3\xa9\\\"", "\"\xc3\xa9\\\\\\\"\""}};
  for (const Quoting& one : cases) {
    EXPECT_EQ(write_string(one.text).value(), one.written) << one.text;
    // The written text reads back as the same name.
    Reading reading("version: 1.73\nkernels:\n  - name: " + one.written +
                    "\n    execution_env: { grf_count: 1, simd_size: 8 }\n");
    ASSERT_FALSE(reading.document.has_errors) << reading.text << reading.messages();
    EXPECT_EQ(reading.document.kernels[0].name, one.text);
  }
}

TEST(Write, RejectsInvalidUtf8) {
  for (const std::string_view bad : {"\xff", "a\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"}) {
    const auto written = write_string(bad);
    ASSERT_FALSE(written) << bad;
    EXPECT_EQ(written.error()[0].kind, DiagnosticKind::InvalidUtf8);
  }
}

TEST(Write, LeavesOutDefaultsButNotAnInt3) {
  Reading reading(
      "version: 1.73\nkernels:\n- { name: k, execution_env: { grf_count: 128, simd_size: 8, slm_size: 0, has_dpas: "
      "no,\n"
      "  work_group_walk_order_dimensions: [0, 1, 2], require_iab: false }, debug_env: { sip_surface_bti: -1 } }\n");
  EXPECT_EQ(
      write(reading.document).value(),
      "---\nversion:         '1.73'\nkernels:\n  - name:            k\n    execution_env:\n      grf_count:       128\n"
      "      simd_size:       8\n      work_group_walk_order_dimensions: [ 0, 1, 2 ]\n...\n");
}

TEST(Write, WritesSequenceFormsBefore1_7) {
  const std::string before =
      "---\nversion:         '1.6'\nkernels:\n  - name:            k\n    execution_env:\n      grf_count:       128\n"
      "      simd_size:       8\n    experimental_properties:\n      - has_non_kernel_arg_load: 1\n"
      "        has_non_kernel_arg_store: 0\n...\n";
  Reading reading(before);
  EXPECT_EQ(write(reading.document).value(), before);
  std::string after = before;
  after.replace(after.find("1.6"), 3, "1.7");
  Reading newer(after);
  EXPECT_EQ(
      write(newer.document).value(),
      "---\nversion:         '1.7'\nkernels:\n  - name:            k\n    execution_env:\n      grf_count:       128\n"
      "      simd_size:       8\n    experimental_properties:\n      has_non_kernel_arg_load: 1\n"
      "      has_non_kernel_arg_store: 0\n...\n");
}

TEST(Write, WritesEmptyListsThatAreRequiredAndFloats) {
  Reading reading(
      "version: 1.73\nkernels: []\nkernels_cost_info:\n- { name: k, kcm_loop_count_exps: [ { factor: 0.1, "
      "argsym_index: 0, C: 1e20 } ],"
      " Kcm_loop_costs: [] }\n");
  EXPECT_EQ(write(reading.document).value(),
            "---\nversion:         '1.73'\nkernels:         []\nkernels_cost_info:\n  - name:            k\n"
            "    kcm_loop_count_exps:\n      - factor:          0.1\n        argsym_index:    0\n        C:            "
            "   1e+20\n"
            "    Kcm_loop_costs:  []\n...\n");
}

// A text of a newer version may have unknown content: it is read with a warning, but never written without it.
TEST(Write, UnknownContentIsNotLost) {
  const Reading key(
      "version: 1.74\nkernels:\n  - name: k\n    wings: 2\n    execution_env: { grf_count: 128, simd_size: 16 }\n");
  EXPECT_FALSE(key.document.has_errors);
  EXPECT_EQ(not_understood(key.document), "wings");
  const Result<std::string> text = write(key.document);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error()[0].message,
            "the text has `wings`, which this program does not know; writing the text would lose it");
  EXPECT_EQ(text.error()[0].kind, DiagnosticKind::VersionNewer);
  EXPECT_FALSE(to_json(key.document));
  const Reading value(
      "version: 1.74\nkernels:\n  - name: k\n    execution_env: { grf_count: 128, simd_size: 16, "
      "thread_scheduling_mode: lazy }\n");
  EXPECT_EQ(not_understood(value.document), "lazy");
  EXPECT_FALSE(write(value.document));
}

}  // namespace
}  // namespace slipway::zeinfo
