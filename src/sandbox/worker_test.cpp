// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds on every system: this test program starts itself as what runs the services.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "base/format.hpp"
#include "platform/process.hpp"
#include "sandbox/testing.hpp"

namespace slipway::sandbox::portable {
namespace {

using ::testing::HasSubstr;

int calls = 0;
void prepare(std::uint32_t variant) { calls = static_cast<int>(variant); }
std::vector<std::byte> count(Bytes, const Ask&) { return bytes(formatted("{}", ++calls)); }
std::vector<std::byte> misbehave(Bytes request, const Ask&) {
  if (text_of(request) == "abort") std::abort();
  if (text_of(request) == "exit") platform::end_now(0);
  throw std::runtime_error("cannot do that");
}

constexpr Service kEcho = {"echo", "the echo", echo}, kAsk = {"ask", "the asker", ask_twice};
constexpr Service kCount = {"count", "the counter", count, prepare};
constexpr Service kMisbehave = {"misbehave", "the bad parser", misbehave};

TEST(SandboxPart, DISABLED_Serve) {
  const Service* const services[] = {&kEcho, &kAsk, &kCount, &kMisbehave};
  platform::end_now(serve(services));
}

class SandboxWorker : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<std::string> command = platform::own_command();
    command.emplace_back("--gtest_also_run_disabled_tests");
    command.emplace_back("--gtest_filter=SandboxPart.DISABLED_Serve");
    enable(std::move(command));
    set_mode(SandboxMode::BestEffort);
  }
  static std::string run(const Service& service, std::string_view request, const CallOptions& options = {}) {
    const auto reply = call(service, {bytes_of(request)}, options);
    return reply ? std::string(text_of(*reply)) : "error: " + reply.error().text;
  }
};

TEST_F(SandboxWorker, Replies) {
  EXPECT_EQ(run(kEcho, "a text"), "a text");
  EXPECT_EQ(run(kEcho, ""), "");
  EXPECT_EQ(run(kAsk, "first", {.answer = [](Bytes question) { return bytes(formatted("<{}>", text_of(question))); }}),
            "<first><again>");
  const std::string large(20 << 20, 'x');
  EXPECT_EQ(run(kEcho, large), large);
}

TEST_F(SandboxWorker, SeesOneRequest) {
  EXPECT_EQ(run(kCount, "", {.variant = 5}), "6");
  EXPECT_EQ(run(kCount, "", {.variant = 5}), "6");
}

TEST_F(SandboxWorker, IsNotTheCaller) {
  EXPECT_THAT(run(kMisbehave, "abort"), HasSubstr("error: the bad parser crashed (signal 6, Aborted)"));
  EXPECT_EQ(run(kMisbehave, "exit"), "error: the bad parser ended by itself");
  EXPECT_EQ(run(kMisbehave, "throw"), "error: the bad parser cannot do that");
  EXPECT_EQ(run(kEcho, "a text"), "a text");
}

TEST_F(SandboxWorker, ServesSeveralThreads) {
  std::vector<std::string> replies(6);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < replies.size(); ++i)
      threads.emplace_back([&, i] { replies[i] = run(kEcho, formatted("request {}", i)); });
  }
  for (std::size_t i = 0; i < replies.size(); ++i) EXPECT_EQ(replies[i], formatted("request {}", i));
}

TEST_F(SandboxWorker, RunsInAProcessOfItsOwn) {
  const Protection found = protection();
  EXPECT_TRUE(found.running) << found.failure;
  set_mode(SandboxMode::Off);
  const int before = calls;
  EXPECT_EQ(run(kCount, ""), formatted("{}", before + 1));
  EXPECT_EQ(calls, before + 1);
}

}  // namespace
}  // namespace slipway::sandbox::portable
