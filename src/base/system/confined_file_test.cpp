// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/confined_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/scratch_directory.hpp"

namespace slipway {
namespace {

namespace fs = std::filesystem;

// A directory `model` with a file and a directory, beside a directory `other`.
struct ConfinedFileTest : ::testing::Test {
  testing::ScratchDirectory scratch;
  Path model = scratch / "model", other = scratch / "other";

  void SetUp() override {
    fs::create_directories(model / "data");
    fs::create_directories(other);
    for (const Path& path : {model / "a.bin", model / "data" / "b.bin", other / "secret"})
      ASSERT_TRUE(write_file(path, path.filename().string()));
  }

  std::string read(const Path& location, bool follow_links = false) {
    const auto file = map_confined_file(model, location, follow_links);
    if (file) return std::string(text_of(file->bytes));
    switch (file.error().fault) {
      case ConfinedFault::Outside:
        return "outside";
      case ConfinedFault::Link:
        return "link";
      case ConfinedFault::NotRegular:
        return "not regular";
      case ConfinedFault::System:
        return std::strerror(file.error().error);
    }
    return "?";
  }
};

TEST_F(ConfinedFileTest, MapsFilesInTheDirectoryAndBelow) {
  EXPECT_EQ(read("a.bin"), "a.bin");
  EXPECT_EQ(read("./a.bin"), "a.bin");
  EXPECT_EQ(read("data/b.bin"), "b.bin");
  EXPECT_EQ(read("data/c.bin"), "No such file or directory");
  EXPECT_EQ(read("a.bin/b"), "Not a directory");
  ASSERT_TRUE(write_file(model / "empty", ""));
  EXPECT_EQ(read("empty"), "");
}

TEST_F(ConfinedFileTest, RefusesLocationsOutside) {
  for (const bool follow_links : {false, true}) {
    for (const Path location : {Path(""), Path("/etc/passwd"), Path(".."), Path("../other/secret"),
                                Path("data/../a.bin"), model / "a.bin", Path(std::string("a.bin\0x", 7))})
      EXPECT_EQ(read(location, follow_links), "outside") << location;
  }
}

TEST_F(ConfinedFileTest, FollowsOnlyLinksThatStayInside) {
  fs::create_symlink("data/b.bin", model / "inside");
  fs::create_symlink("data", model / "directory");
  fs::create_symlink("../other/secret", model / "outside");
  fs::create_symlink(other / "secret", model / "absolute");
  fs::create_symlink(other, model / "out");
  fs::create_symlink("/proc/self/mem", model / "memory");
  fs::create_symlink("loop", model / "loop");
  EXPECT_EQ(read("inside"), "b.bin");
  EXPECT_EQ(read("directory/b.bin"), "b.bin");
  EXPECT_EQ(read("outside"), "link");
  EXPECT_EQ(read("absolute"), "link");
  EXPECT_EQ(read("out/secret"), "link");
  EXPECT_EQ(read("memory"), "link");
  EXPECT_EQ(read("loop"), "Too many levels of symbolic links");
  EXPECT_EQ(read("outside", true), "secret");
  EXPECT_EQ(read("out/secret", true), "secret");
}

TEST_F(ConfinedFileTest, OpensRegularFilesOnly) {
  ASSERT_EQ(::mkfifo((model / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read("pipe"), "not regular");
  EXPECT_EQ(read("data"), "not regular");
  fs::create_symlink("/dev/zero", model / "zero");
  EXPECT_EQ(read("zero", true), "not regular");
}

TEST_F(ConfinedFileTest, NoticesHardLinks) {
  EXPECT_FALSE(map_confined_file(model, "a.bin", false)->has_other_names);
  fs::create_hard_link(other / "secret", model / "hard");
  EXPECT_TRUE(map_confined_file(model, "hard", false)->has_other_names);
}

}  // namespace
}  // namespace slipway
