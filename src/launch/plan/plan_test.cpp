// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/plan/plan.hpp"

#include <gtest/gtest.h>

#include "base/text/source.hpp"

namespace slipway::launch {
namespace {

TEST(Origin, IsAPlaceInJson) {
  const auto parsed =
      json::parse(make_source("a.json", R"({"list": [{"uid": "x", "use": {"of": "y", "all": ["z", "w"]}}]})"));
  ASSERT_TRUE(parsed);
  const json::Value use = (*parsed)->root()["list"][0]["use"];
  const Origin around(use), named = Origin::of_reference(use["of"]), element = Origin::of_reference(use["all"][1]);
  EXPECT_EQ(around.path(), "/list/0/use");
  EXPECT_EQ(around.uid(), "x");
  EXPECT_EQ(named.uid(), "y");
  EXPECT_EQ(named.path(), "/list/0/use");
  EXPECT_EQ(named.location().file, "a.json");
  EXPECT_EQ(element.uid(), "w");
  EXPECT_EQ(element.path(), "/list/0/use");
}

TEST(Origin, IsAnyOtherPlace) {
  const Origin none, binary(SourceLocation::in_file("a.vgf"), "/0", "z");
  EXPECT_EQ(none.location().kind, SourceLocation::Kind::None);
  EXPECT_EQ(none.path() + none.uid(), "");
  const Origin copy = binary;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.location().file, "a.vgf");
  EXPECT_EQ(copy.path() + copy.uid(), "/0z");
}

// A plan has a million of them.
TEST(Plan, StepsAndBindingsAreSmall) {
  EXPECT_LE(sizeof(Step), 136u);
  EXPECT_LE(sizeof(Binding), 112u);
}

}  // namespace
}  // namespace slipway::launch
