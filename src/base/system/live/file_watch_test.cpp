// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/live/file_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/live/local_server.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway {
namespace {

using ::testing::ElementsAre;

TEST(FileWatch, SeesFilesThatAreWrittenReplacedAndRemoved) {
  if (Path::preferred_separator != '/') GTEST_SKIP() << "not implemented for Windows";
  const testing::ScratchDirectory scratch;
  const Path a = scratch / "a.rpl", b = scratch / "b.rpl", other = scratch / "other.rpl";
  ASSERT_TRUE(write_file(a, std::string_view("1")));
  Result<FileWatch> watch = FileWatch::open();
  ASSERT_TRUE(watch);
  ASSERT_TRUE(watch->watch({a, b, scratch / "missing" / "c.rpl"}));
  EXPECT_THAT(watch->take(), ElementsAre());
  ASSERT_TRUE(write_file(a, std::string_view("2")));  // gives the name to another file
  ASSERT_TRUE(write_file(other, std::string_view("2")));
  EXPECT_THAT(watch->take(), ElementsAre(a));
  EXPECT_THAT(watch->take(), ElementsAre());
  std::filesystem::copy_file(other, b);
  EXPECT_THAT(watch->take(), ElementsAre(b)) << "one that is new";
  std::filesystem::remove(a);
  std::filesystem::rename(other, b);
  EXPECT_THAT(watch->take(), ElementsAre(a, b));
}

TEST(FileWatch, SeesWhatALinkLeadsTo) {
  if (Path::preferred_separator != '/') GTEST_SKIP() << "not implemented for Windows";
  const testing::ScratchDirectory scratch;
  std::filesystem::create_directory(scratch / "shared");
  ASSERT_TRUE(write_file(scratch / "shared" / "a.rpl", std::string_view("1")));
  std::filesystem::create_symlink(scratch / "shared" / "a.rpl", scratch / "a.rpl");
  Result<FileWatch> watch = FileWatch::open();
  ASSERT_TRUE(watch);
  ASSERT_TRUE(watch->watch({scratch / "a.rpl"}));
  ASSERT_TRUE(write_file(scratch / "shared" / "a.rpl", std::string_view("2")));
  EXPECT_THAT(watch->take(), ElementsAre(scratch / "a.rpl"));
}

TEST(LocalServer, KeepsItsSocketFromOthers) {
  if (Path::preferred_separator != '/') GTEST_SKIP() << "not implemented for Windows";
  const testing::ScratchDirectory scratch;
  const Path path = scratch / "socket";
  {
    const Result<LocalServer> server = LocalServer::open(path);
    ASSERT_TRUE(server);
    constexpr auto kOwner = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
    EXPECT_EQ(std::filesystem::status(path).permissions(), kOwner);
    const auto second = LocalServer::open(path);
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().front().message, ::testing::HasSubstr("another program serves it"));
  }
  EXPECT_FALSE(file_exists(path));
  ASSERT_TRUE(write_file(path, std::string_view("data")));
  const auto over_a_file = LocalServer::open(path);
  ASSERT_FALSE(over_a_file);
  EXPECT_EQ(over_a_file.error().front().kind, DiagnosticKind::FileUnwritable);
  EXPECT_FALSE(LocalServer::open(scratch / std::string(200, 'a')));
  EXPECT_FALSE(LocalServer::open(scratch / "missing" / "socket"));
}

}  // namespace
}  // namespace slipway
