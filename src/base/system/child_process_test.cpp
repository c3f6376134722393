// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/child_process.hpp"

#include <gtest/gtest.h>
#include <csignal>

#include <stdexcept>

#include "base/system/files.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway {
namespace {

TEST(RunChild, ReportsHowACommandEnds) {
  if (Path::preferred_separator != '/') GTEST_SKIP() << "the system has no shell of POSIX";
  const auto run = [](const std::string& script, double seconds = 60) {
    const auto end = run_child({"/bin/sh", "-c", script}, std::chrono::duration<double>(seconds));
    if (!end) throw std::runtime_error(end.error()[0].message);
    return *end;
  };
  const ChildEnd normal = run("echo out; echo err >&2; exit 3");
  EXPECT_EQ(normal.status, 3);
  EXPECT_EQ(normal.output, "out\n");
  EXPECT_EQ(normal.errors, "err\n");
  EXPECT_FALSE(normal.timed_out || normal.signal);
  EXPECT_EQ(run("kill -SEGV $$").signal, SIGSEGV);
  EXPECT_TRUE(run("ulimit -t 60; while :; do :; done", 0.1).timed_out);
  // A process that stays ends too.
  EXPECT_EQ(run("sleep 1000 & exit 1").status, 1);
  // One that has left the group is not waited for, although it has the pipes.
  const testing::ScratchDirectory directory;
  EXPECT_EQ(run("setsid sh -c 'sleep 9; echo >" + (directory / "late").string() + "' & exit 1").status, 1);
  EXPECT_FALSE(file_exists(directory / "late"));
}

TEST(RunChild, AMissingProgramIsNotStarted) {
  EXPECT_FALSE(run_child({"/nonexistent/program"}, std::chrono::seconds(1)));
}

}  // namespace
}  // namespace slipway
