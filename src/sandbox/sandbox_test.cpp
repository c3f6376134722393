// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls in sandbox processes: this test program starts itself as one.
#include "sandbox/sandbox.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/format.hpp"

namespace slipway::sandbox {
namespace {

using ::testing::HasSubstr;

std::vector<std::byte> bytes(std::string_view text) {
  const Bytes view = bytes_of(text);
  return {view.begin(), view.end()};
}

std::vector<std::byte> echo(Bytes request, const Ask&) { return {request.begin(), request.end()}; }
std::vector<std::byte> ask_twice(Bytes request, const Ask& ask) {
  std::vector<std::byte> first = ask(request);
  first.append_range(ask(bytes_of("again")));
  return first;
}
int overflow(volatile int* depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(*depth);
  *depth = *depth + 1;
  return *depth == 0 ? 0 : overflow(depth) + frame[0];
}
// What the request names, from which a sandbox process does not return.
std::vector<std::byte> misbehave(Bytes request, const Ask&) {
  const std::string_view what = text_of(request);
  if (what == "abort") std::abort();
  if (what == "overflow") {
    volatile int depth = 0;
    overflow(&depth);
  }
  if (what == "spin") {
    for (volatile int i = 0;; i = i + 1) {
    }
  }
  if (what == "exit") ::_exit(0);
  if (what == "throw") throw std::runtime_error("cannot do that");
  if (what == "allocate") {
    const std::vector<char> much(std::size_t{8} << 30);
    return bytes(formatted("{} bytes", much.size()));
  }
  return bytes("nothing");
}
// What the process is refused; empty if that is everything it tries.
std::vector<std::byte> escape(Bytes, const Ask&) {
  std::string done;
  if (::open("/etc/passwd", O_RDONLY) >= 0) done += "open ";
  if (::open("/tmp/sandbox-test", O_CREAT | O_WRONLY, 0600) >= 0) done += "create ";
  if (::socket(AF_INET, SOCK_STREAM, 0) >= 0) done += "socket ";
  if (::fork() == 0) ::_exit(0);
  if (errno == 0) done += "fork ";
  if (::kill(::getppid(), 0) == 0) done += "signal ";
  if (::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
    done += "execute ";
  if (std::getenv("PATH")) done += "environment ";
  return bytes(done);
}

constexpr Service kEcho = {"echo", "the echo", echo};
constexpr Service kAsk = {"ask", "the asker", ask_twice};
constexpr Service kMisbehave = {"misbehave", "the bad parser", misbehave};
constexpr Service kEscape = {"escape", "the prisoner", escape};

// Before main: the test program as a sandbox process.
[[maybe_unused]] const bool started = [] {
  std::ifstream file("/proc/self/cmdline");
  const std::string line(std::istreambuf_iterator<char>(file), {});
  if (!line.ends_with(std::string_view("\0sandbox-process\0", 17))) return false;
  const Service* const services[] = {&kEcho, &kAsk, &kMisbehave, &kEscape};
  ::_exit(serve(services));
}();

class Sandbox : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { enable({"/proc/self/exe", "sandbox-process"}); }

  static std::string run(const Service& service, std::string_view request, const Ask& answer = {}) {
    const auto reply =
        call(service, {bytes_of(request)}, answer, {.memory = 256 << 20, .time = std::chrono::seconds(1)});
    return reply ? std::string(text_of(*reply)) : formatted("error: {}", reply.error());
  }
};

TEST_F(Sandbox, Replies) {
  EXPECT_EQ(run(kEcho, "a text"), "a text");
  EXPECT_EQ(run(kEcho, ""), "");
  EXPECT_EQ(run(kAsk, "first", [](Bytes question) { return bytes(formatted("<{}>", text_of(question))); }),
            "<first><again>");
  const std::string large(20 << 20, 'x');
  EXPECT_EQ(run(kEcho, large), large);
}

TEST_F(Sandbox, ADeathIsAnErrorAndTheNextCallRuns) {
  EXPECT_THAT(run(kMisbehave, "abort"), HasSubstr("error: the bad parser crashed (signal 6, Aborted)"));
  EXPECT_EQ(run(kEcho, "a text"), "a text");
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
  EXPECT_THAT(run(kMisbehave, "overflow"), HasSubstr("error: the bad parser crashed (signal 11, Segmentation fault)"));
  EXPECT_EQ(run(kMisbehave, "allocate"), "error: the bad parser needs more memory than it may use");
#endif
  EXPECT_EQ(run(kMisbehave, "spin"), "error: the bad parser takes more than 1 s of CPU time");
  EXPECT_EQ(run(kMisbehave, "exit"), "error: the bad parser ended by itself");
  EXPECT_EQ(run(kMisbehave, "throw"), "error: the bad parser cannot do that");
  EXPECT_EQ(run(kEcho, "a text"), "a text");
}

TEST_F(Sandbox, NothingEscapes) {
  const Protection protected_by = protection();
  EXPECT_TRUE(protected_by.running);
  if (!protected_by.seccomp) GTEST_SKIP() << "no seccomp";
  EXPECT_EQ(run(kEscape, ""), "");
}

TEST_F(Sandbox, ThreadsCallAtOnce) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 50; ++i) {
        const std::string text = formatted("{} {}", t, i);
        EXPECT_EQ(run(kEcho, text), text);
        if (i == 25) {
          EXPECT_THAT(run(kMisbehave, "abort"), HasSubstr("crashed"));
        }
      }
    });
  }
}

TEST_F(Sandbox, AForkedProcessStartsItsOwn) {
  EXPECT_EQ(run(kEcho, "parent"), "parent");
  const pid_t child = ::fork();
  if (child == 0) ::_exit(run(kEcho, "child") == "child" ? 0 : 1);
  EXPECT_EQ(run(kEcho, "parent"), "parent");
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace slipway::sandbox
