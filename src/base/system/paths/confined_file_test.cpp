// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/paths/confined_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
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
    for (const Path& location : {Path(""), Path("/etc/passwd"), Path(".."), Path("../other/secret"),
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

TEST_F(ConfinedFileTest, ReadsPathsBelow) {
  EXPECT_EQ(read_text_below(model, model / "data" / "b.bin").value(), "b.bin");
  EXPECT_EQ(read_text_below(model, model / "data" / ".." / "a.bin").value(), "a.bin");
  fs::create_symlink("../other/secret", model / "outside");
  for (const Path& path : {model / "outside", model / ".." / "other" / "secret", other / "secret"}) {
    const auto text = read_text_below(model, path);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().front().kind, DiagnosticKind::PathOutside) << path;
  }
  EXPECT_EQ(read_text_below(model, model / "none").error().front().kind, DiagnosticKind::FileNotFound);
}

// With openat2, and without it.
TEST_F(ConfinedFileTest, BothWaysToOpenAgree) {
  fs::create_symlink("data/b.bin", model / "inside");
  fs::create_symlink("../model/a.bin", model / "around");  // leaves the directory and comes back
  fs::create_symlink("data", model / "directory");
  fs::create_symlink("../../model/a.bin", model / "data" / "deep");
  fs::create_symlink("../a.bin", model / "data" / "up");
  fs::create_symlink("../other/new", model / "dangling");
  fs::create_symlink("dangling", model / "twice");
  fs::create_symlink(model / "a.bin", model / "absolute");
  fs::create_symlink("loop", model / "loop");
  const OwnedDescriptor root = open_directory(model).value();
  const std::pair<const char*, int> cases[] = {{"a.bin", 0},
                                               {"data/b.bin", 0},
                                               {"./data/../a.bin", 0},
                                               {"inside", 0},
                                               {"directory/b.bin", 0},
                                               {"data/up", 0},
                                               {"data", 0},
                                               {".", 0},
                                               {"..", EXDEV},
                                               {"data/../../model", EXDEV},
                                               {"around", EXDEV},
                                               {"data/deep", EXDEV},
                                               {"dangling", EXDEV},
                                               {"twice", EXDEV},
                                               {"absolute", EXDEV},
                                               {"/etc", EXDEV},
                                               {"loop", ELOOP},
                                               {"none", ENOENT},
                                               {"a.bin/x", ENOTDIR}};
  for (const auto& [name, expected] : cases) {
    const auto opened = open_beneath(root.number(), name, platform::kHandle);
    const auto walked = walk_beneath(root.number(), name, platform::kHandle);
    EXPECT_EQ(opened ? 0 : opened.error(), expected) << name;
    EXPECT_EQ(walked ? 0 : walked.error(), expected) << name;
    if (!opened || !walked) continue;
    EXPECT_TRUE(platform::status_of(opened->number())->is_same_file(*platform::status_of(walked->number()))) << name;
  }
}

TEST_F(ConfinedFileTest, WritesOnlyBelow) {
  const auto write = [&](const Path& name) {
    auto file = OutputFile::create_below(model, model / name);
    if (!file) return std::string(name_of(file.error().front().kind));
    return std::string(file->write("new") && file->commit() ? "written" : "failed");
  };
  fs::create_symlink("../other/new", model / "dangling");
  fs::create_symlink("dangling", model / "twice");
  fs::create_symlink("../new", model / "directory");
  fs::create_symlink("a.bin", model / "link");
  EXPECT_EQ(write("a.bin"), "written");
  EXPECT_EQ(write("made/here/c.bin"), "written");
  EXPECT_EQ(write("dangling"), "path-outside");
  EXPECT_EQ(write("twice"), "path-outside");
  EXPECT_EQ(write("link"), "path-outside");
  EXPECT_EQ(write("directory/x"), "path-outside");
  EXPECT_EQ(write("../other/new"), "path-outside");
  EXPECT_EQ(write("data"), "file-unwritable");
  EXPECT_EQ(read_text(model / "made" / "here" / "c.bin").value(), "new");
  EXPECT_FALSE(fs::exists(other / "new"));
  EXPECT_FALSE(fs::exists(scratch / "new"));
  EXPECT_EQ(fault_of_output(model, model / "dangling"), ConfinedFault::Link);
  EXPECT_EQ(fault_of_output(model, model / "link"), ConfinedFault::Link);
  EXPECT_EQ(fault_of_output(model, model / "fresh" / "x"), std::nullopt);
  EXPECT_EQ(fault_of_input(model, model / "link"), std::nullopt);
  EXPECT_EQ(fault_of_input(model, other / "secret"), ConfinedFault::Outside);
}

// A directory like /tmp with files of another user; only root can make them.
TEST(StickyDirectory, FilesOfOtherUsersAreNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs files of another user";
  const testing::ScratchDirectory scratch;
  const Path shared = scratch / "shared", own = scratch / "own";
  fs::create_directories(shared);
  ASSERT_EQ(::chmod(shared.c_str(), 01777), 0);
  ASSERT_TRUE(write_file(own, std::string_view("precious")));
  constexpr uid_t kOther = 65534;
  const auto plant = [&](const char* name, const Path& target) {
    fs::create_symlink(target, shared / name);
    ASSERT_EQ(::lchown((shared / name).c_str(), kOther, kOther), 0);
  };
  plant("link", own);
  plant("fresh", scratch / "new");
  fs::create_symlink("link", shared / "mine");  // leads to theirs
  ASSERT_TRUE(write_file(shared / "file", std::string_view("theirs")));
  ASSERT_EQ(::chown((shared / "file").c_str(), kOther, kOther), 0);
  ASSERT_EQ(::mkfifo((shared / "pipe").c_str(), 0666), 0);
  ASSERT_EQ(::chown((shared / "pipe").c_str(), kOther, kOther), 0);

  // On the way, too: a link to a directory, and one to it; what is this user's or the owner's is followed.
  fs::create_directories(scratch / "directory");
  plant("away", scratch / "directory");
  fs::create_symlink("away", shared / "way");
  for (const char* name : {"away/x", "way/x", "away/../own", "away/new/x"}) {
    const Result<> written = write_file(shared / name, std::string_view("x"));
    ASSERT_FALSE(written) << name;
    EXPECT_THAT(written.error().front().message, ::testing::HasSubstr("it is a link of another user")) << name;
    EXPECT_FALSE(LineFile::open(shared / name, false)) << name;
  }
  EXPECT_TRUE(fs::is_empty(scratch / "directory"));
  fs::create_symlink(scratch / "directory", shared / "ours");
  EXPECT_TRUE(write_file(shared / "ours" / "made" / ".." / "x", std::string_view("x")));
  EXPECT_EQ(read_text(scratch / "directory" / "x").value(), "x");

  for (const char* name : {"link", "fresh", "mine", "pipe"}) {
    const Result<> written = write_file(shared / name, std::string_view("x"));
    ASSERT_FALSE(written) << name;
    EXPECT_THAT(written.error().front().message, ::testing::HasSubstr("of another user")) << name;
  }
  EXPECT_FALSE(read_text(shared / "link"));
  EXPECT_FALSE(map_file(shared / "mine"));
  EXPECT_FALSE(LineFile::open(shared / "link", false));
  EXPECT_FALSE(LineFile::open(shared / "file", true));
  EXPECT_EQ(read_text(own).value(), "precious");
  EXPECT_EQ(read_text(shared / "file").value(), "theirs");
  EXPECT_FALSE(fs::exists(scratch / "new"));
  ASSERT_EQ(::chmod(shared.c_str(), 0755), 0);  // no other user writes there
  EXPECT_TRUE(write_file(shared / "link", std::string_view("new")));
  EXPECT_EQ(read_text(own).value(), "new");
}

}  // namespace
}  // namespace slipway
