// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/crash_note.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "platform/process.hpp"

namespace slipway {
namespace {

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__

struct End {
  int status;
  std::string text;
};

// How a process ends in which `crash` is called while a device works.
template <class Crash>
End end_of(Crash crash) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    report_crashes();
    static const std::string note = "the device ran `spin`";
    set_crash_note(&note);
    crash();
    ::_exit(0);
  }
  ::close(ends[1]);
  End end{};
  std::array<char, 4096> part;
  for (ssize_t count = 0; (count = ::read(ends[0], part.data(), part.size())) > 0;)
    end.text.append(part.data(), static_cast<std::size_t>(count));
  ::close(ends[0]);
  ::waitpid(child, &end.status, 0);
  return end;
}

void read_null() {
  const volatile int* volatile nowhere = nullptr;
  static_cast<void>(*nowhere);
}

TEST(CrashNote, ACrashOfADriverIsAFailure) {
  for (void (*crash)() : {read_null, +[] { ::abort(); }}) {
    const End end = end_of(crash);
    EXPECT_TRUE(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 5) << end.status;
    EXPECT_TRUE(end.text.starts_with("error: the process crashed while the device ran `spin` [device-failed]"))
        << end.text;
  }
}

TEST(CrashNote, ASignalOfAnotherProcessStaysOne) {
  const End end = end_of([] {
    const pid_t victim = ::getpid();
    if (::fork() == 0) {
      ::kill(victim, SIGSEGV);
      ::_exit(0);
    }
    ::pause();
  });
  EXPECT_TRUE(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGSEGV) << end.status;
}

TEST(CrashNote, AWorkerEndsByTheSignal) {
  const End end = end_of([] {
    platform::set_environment(kCrashWithSignal, "1");
    report_crashes();
    read_null();
  });
  EXPECT_TRUE(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGSEGV) << end.status;
}

#endif

}  // namespace
}  // namespace slipway
