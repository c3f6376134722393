// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All sample texts: read without a false error, written byte for byte.

#include <gtest/gtest.h>

#include "testing/zeinfo_texts.hpp"
#include "zeinfo/schema.hpp"
#include "zeinfo/write/json.hpp"

namespace slipway::zeinfo {
namespace {

using testing::Reading;
using testing::Sample;

TEST(Samples, AreReadAndWrittenByteForByte) {
  const auto samples = testing::samples();
  ASSERT_GE(samples.size(), 40u);
  for (const Sample& sample : samples) {
    Reading reading(sample.text);
    EXPECT_FALSE(reading.diagnostics.has_errors()) << sample.name << "\n" << reading.messages();
    EXPECT_FALSE(reading.document.has_errors) << sample.name;
    std::string expected = sample.text;
    if (sample.name.starts_with("texts-style") && !sample.name.contains("canonical")) {
      const std::string canonical = sample.name.substr(0, sample.name.rfind('.')) + ".canonical.ze_info";
      const auto other = testing::samples(canonical);
      if (other.empty()) continue;  // jit-pre1.0 has no canonical form of its own
      expected = other[0].text;
    }
    EXPECT_EQ(write(reading.document).value(), expected) << sample.name;
  }
}

TEST(Samples, QuickPathMakesNoDifference) {
  const auto samples = testing::samples();
  ASSERT_FALSE(samples.empty());
  for (const Sample& sample : samples) {
    Reading quick(sample.text);
    Reading slow(sample.text, {.quick = false});
    EXPECT_TRUE(same_values(quick.document, slow.document)) << sample.name;
    EXPECT_EQ(quick.messages(), slow.messages()) << sample.name;
  }
}

TEST(Samples, SurviveJson) {
  const auto samples = testing::samples();
  ASSERT_FALSE(samples.empty());
  for (const Sample& sample : samples) {
    Reading reading(sample.text);
    const std::string json = to_json(reading.document).value();
    Diagnostics diagnostics;
    const SourcePtr source = make_source("t.json", json);
    const Document back = read_json(source, diagnostics);
    EXPECT_TRUE(diagnostics.empty()) << sample.name << (diagnostics.empty() ? "" : diagnostics.all()[0].message);
    EXPECT_TRUE(same_values(reading.document, back)) << sample.name;
    EXPECT_EQ(write(back).value(), write(reading.document).value()) << sample.name;
  }
}

TEST(Samples, HaveNoErrorAtTheDefaultLevel) {
  const auto samples = testing::samples();
  ASSERT_FALSE(samples.empty());
  for (const Sample& sample : samples) {
    Reading reading(sample.text);
    reading.check();
    EXPECT_FALSE(reading.diagnostics.has_errors()) << sample.name << "\n" << reading.messages();
  }
}

}  // namespace
}  // namespace slipway::zeinfo
