// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/interrupt.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

namespace slipway {
namespace {

TEST(Interrupt, LimitsNest) {
  using std::chrono::hours, std::chrono::nanoseconds;
  EXPECT_EQ(stop_reason(), StopReason::None);
  {
    const TimeLimit later{std::optional<nanoseconds>(hours(1))};
    EXPECT_EQ(stop_reason(), StopReason::None);
    {
      const TimeLimit now{std::optional<nanoseconds>(nanoseconds(0))};
      EXPECT_EQ(stop_reason(), StopReason::TimedOut);
      const TimeLimit none{std::optional<nanoseconds>()}, longer{std::optional<nanoseconds>(hours(2))};
      EXPECT_EQ(stop_reason(), StopReason::TimedOut);
      std::thread([] { EXPECT_EQ(stop_reason(), StopReason::None); }).join();  // each thread has its own
    }
    EXPECT_EQ(stop_reason(), StopReason::None);
  }
  const TimeLimit endless{std::optional<nanoseconds>(nanoseconds::max())};
  EXPECT_EQ(stop_reason(), StopReason::None);
}

[[noreturn]] void end_after_one() {
  catch_interrupts();
  if (is_interrupted() || stop_reason() != StopReason::None) ::_exit(1);
  ::raise(SIGTERM);
  const TimeLimit over{std::optional<std::chrono::nanoseconds>(std::chrono::nanoseconds(0))};
  pollfd polled{.fd = interrupt_file(), .events = POLLIN, .revents = 0};
  if (interrupt_number() != SIGTERM || stop_reason() != StopReason::Interrupted || ::poll(&polled, 1, 0) != 1)
    ::_exit(2);
  end_by_interrupt();
}

[[noreturn]] void be_ended_by_the_second() {
  catch_interrupts();
  ::raise(SIGTERM);
  ::raise(SIGINT);
  ::_exit(1);
}

[[noreturn]] void ignore_one() {
  ::signal(SIGHUP, SIG_IGN);
  catch_interrupts();
  ::raise(SIGHUP);
  ::_exit(is_interrupted() ? 1 : 0);
}

TEST(Interrupt, TheFirstOneIsCaught) {
  EXPECT_EQ(interrupt_file(), -1);
  EXPECT_EXIT(end_after_one(), ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(be_ended_by_the_second(), ::testing::KilledBySignal(SIGINT), "");
}

TEST(Interrupt, IgnoredSignalsStayIgnored) { EXPECT_EXIT(ignore_one(), ::testing::ExitedWithCode(0), ""); }

}  // namespace
}  // namespace slipway
