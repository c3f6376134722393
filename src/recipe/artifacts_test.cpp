// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/artifacts.hpp"

#include <gtest/gtest.h>

#include "testing/scratch_directory.hpp"

namespace slipway::recipe {
namespace {

TEST(ProfileBeside, PrefersTheNameOfTheRecipe) {
  const testing::ScratchDirectory scratch;
  const auto make = [&](const char* name) { ASSERT_TRUE(write_file(scratch / name, std::string_view("{}"))); };
  EXPECT_EQ(profile_beside("-"), Path());
  EXPECT_EQ(profile_beside(scratch / "blur.json"), Path());
  make("profile.json");
  EXPECT_EQ(profile_beside(scratch / "blur.json"), scratch / "profile.json");
  EXPECT_EQ(profile_beside(scratch / "profile.json"), Path());
  make("blur.profile.json");
  EXPECT_EQ(profile_beside(scratch / "blur.json"), scratch / "blur.profile.json");
}

}  // namespace
}  // namespace slipway::recipe
