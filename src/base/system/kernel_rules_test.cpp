// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/confine.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "base/system/files.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway {
namespace {

using platform::FileRules, platform::forbid_network, platform::restrict_files;

// What the function returns in a process of its own, whose rules end with it.
int in_child(const std::function<int()>& function) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(function());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int error_of(const Path& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  return file < 0 ? errno : 0;
}

struct KernelRules : ::testing::Test {
  testing::ScratchDirectory scratch;
  Path in = scratch / "in", out = scratch / "out", other = scratch / "other";

  void SetUp() override {
    if (in_child([] { return restrict_files({}) ? 0 : 1; }) != 0) GTEST_SKIP() << "the kernel has no landlock";
    for (const Path& directory : {in, out, other})
      ASSERT_TRUE(write_file(directory / "file", std::string_view("text")));
  }
  int error_with_rules(const Path& path, int flags) {
    return in_child([&] { return restrict_files({.read = {in}, .write = {out}}) ? error_of(path, flags) : -1; });
  }
};

TEST_F(KernelRules, OnlyNamedDirectoriesAreReadAndWritten) {
  EXPECT_EQ(error_with_rules(in / "file", O_RDONLY), 0);
  EXPECT_EQ(error_with_rules(in / "file", O_WRONLY), EACCES);
  EXPECT_EQ(error_with_rules(in / "new", O_CREAT | O_WRONLY), EACCES);
  EXPECT_EQ(error_with_rules(out / "file", O_RDWR), 0);
  EXPECT_EQ(error_with_rules(out / "new", O_CREAT | O_WRONLY), 0);
  EXPECT_EQ(error_with_rules(other / "file", O_RDONLY), EACCES);
  EXPECT_EQ(error_with_rules("/etc/passwd", O_RDONLY), EACCES);
}

// The way in which all outputs are written: a nameless file, a hidden name, a rename.
TEST_F(KernelRules, OutputsAreWrittenAsAWhole) {
  const auto write = [&](const Path& path) {
    return in_child([&] {
      if (!restrict_files({.read = {in}, .write = {out}})) return -1;
      return write_file(path, std::string_view("new")) ? 0 : 1;
    });
  };
  EXPECT_EQ(write(out / "file"), 0);
  EXPECT_EQ(write(out / "deep" / "er" / "file"), 0);
  EXPECT_EQ(write(other / "file"), 1);
  EXPECT_EQ(read_text(out / "file").value(), "new");
  EXPECT_EQ(read_text(other / "file").value(), "text");
}

TEST_F(KernelRules, ProgramsNeedARule) {
  const auto run = [](const FileRules& rules) {
    return in_child([&] {
      if (!restrict_files(rules)) return -1;
      ::execl("/bin/true", "true", nullptr);
      return errno;
    });
  };
  EXPECT_EQ(run({.read = {"/"}}), EACCES);
  EXPECT_EQ(run({.execute = {"/"}}), 0);
}

TEST(NetworkRules, OnlyLocalSocketsAreMade) {
  const auto error_of_socket = [](int domain) {
    return in_child([&] {
      if (!forbid_network()) return -1;
      return ::socket(domain, SOCK_DGRAM, 0) < 0 ? errno : 0;
    });
  };
  if (error_of_socket(AF_UNIX) == -1) GTEST_SKIP() << "the kernel has no filters";
  EXPECT_EQ(error_of_socket(AF_UNIX), 0);
  EXPECT_EQ(error_of_socket(AF_INET), EACCES);
  EXPECT_EQ(error_of_socket(AF_INET6), EACCES);
}

}  // namespace
}  // namespace slipway
