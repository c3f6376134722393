// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json/sarif.hpp"

#include <gtest/gtest.h>

#include "json/document.hpp"

namespace slipway::json {
namespace {

TEST(Sarif, LocationsRulesAndLevels) {
  const SourcePtr source = make_source("k.txt", "first\nmärz: x\n");
  Diagnostics diagnostics;
  diagnostics.error(DiagnosticKind::UnknownKey, SourceLocation::in_text(source, {13, 14}), "unknown key `x`")
      .note("in section 3", SourceLocation::in_bytes("k.bin", {16, 20}))
      .note("in section 3", SourceLocation::in_bytes("k.bin", {16, 20}));
  diagnostics.warning(DiagnosticKind::UnknownKey, SourceLocation::in_bytes("k.bin", {64, 72}), "another");
  diagnostics.remark(DiagnosticKind::Usage, {}, "nowhere");
  const auto document = parse(make_source("sarif", sarif_text(diagnostics.all(), "1.2.3")));
  ASSERT_TRUE(document);
  const Value root = (*document)->root();
  EXPECT_EQ(root["version"].string(), "2.1.0");
  const Value run = root["runs"][0];
  const Value driver = run["tool"]["driver"];
  EXPECT_EQ(driver["semanticVersion"].string(), "1.2.3");
  ASSERT_EQ(driver["rules"].size(), 2);  // each kind once
  EXPECT_EQ(driver["rules"][0]["id"].string(), "unknown-key");
  ASSERT_EQ(run["results"].size(), 3);
  const Value first = run["results"][0];
  EXPECT_EQ(first["level"].string(), "error");
  EXPECT_EQ(first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].string(), "k.txt");
  const Value region = first["locations"][0]["physicalLocation"]["region"];
  EXPECT_EQ(region["startLine"].integer(), 2);
  EXPECT_EQ(region["startColumn"].integer(), 7);  // in characters: ä is one
  EXPECT_EQ(region["endColumn"].integer(), 8);
  ASSERT_EQ(first["relatedLocations"].size(), 1);  // each once
  const Value related = first["relatedLocations"][0];
  EXPECT_EQ(related["message"]["text"].string(), "in section 3");
  EXPECT_EQ(related["physicalLocation"]["region"]["byteOffset"].integer(), 16);
  EXPECT_EQ(run["results"][1]["locations"][0]["physicalLocation"]["region"]["byteLength"].integer(), 8);
  EXPECT_EQ(run["results"][1]["level"].string(), "warning");
  EXPECT_EQ(run["results"][2]["level"].string(), "note");
  EXPECT_FALSE(run["results"][2]["locations"]);
}

TEST(Sarif, NamesOfFilesAreUris) {
  Diagnostics diagnostics;
  diagnostics.error(DiagnosticKind::Usage, SourceLocation::in_file("dir with space/br\xc3\xb6ken:1#2%.ze_info"), "m");
  diagnostics.error(DiagnosticKind::Usage, SourceLocation::in_file("<stdin>"), "m");
  diagnostics.error(DiagnosticKind::Usage, SourceLocation::in_file("/tmp/k .bin"), "m");
  const auto document = parse(make_source("sarif", sarif_text(diagnostics.all(), "1.2.3")));
  ASSERT_TRUE(document);
  const Value results = (*document)->root()["runs"][0]["results"];
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].string(),
            "dir%20with%20space/br%C3%B6ken%3A1%232%25.ze_info");
  EXPECT_FALSE(results[1]["locations"]);
  EXPECT_EQ(results[2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].string(), "file:///tmp/k%20.bin");
}

}  // namespace
}  // namespace slipway::json
