// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/paths/place.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <vector>

#include "platform/file.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway {
namespace {

// Names that lead out of a directory: a root without a drive, too, and on Windows a drive without a root.
std::vector<Path> names_outside() {
  std::vector<Path> names = {"/", "/file", "//host/file", "../file", "a/../../file"};
  if (Path::preferred_separator == '\\') names.insert(names.end(), {"\\file", "C:file", "C:\\file", "\\\\host\\file"});
  return names;
}

TEST(Place, NamesWithARootAreNotBelow) {
  EXPECT_TRUE(is_relative_and_below("a/file"));
  EXPECT_FALSE(is_relative_and_below(""));
  for (const Path& name : names_outside()) EXPECT_FALSE(is_relative_and_below(name)) << name;
}

TEST(Place, WalksOnlyBelow) {
  const testing::ScratchDirectory scratch;
  std::filesystem::create_directories(scratch / "a" / "a");
  std::ofstream(scratch / "file") << "outside";
  std::ofstream(scratch / "a" / "file") << "inside";
  const auto directory = open_directory(scratch / "a");
  ASSERT_TRUE(directory);
  EXPECT_TRUE(walk_beneath(directory->number(), "file", platform::kHandle));
  for (const Path& name : names_outside()) {
    const auto file = walk_beneath(directory->number(), name, platform::kHandle);
    ASSERT_FALSE(file) << name;
    EXPECT_EQ(file.error(), EXDEV) << name;
  }
}

}  // namespace
}  // namespace slipway
