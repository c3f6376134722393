// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls in workers: this test program starts itself as their zygote.
#include "sandbox/sandbox.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/format.hpp"
#include "platform/process.hpp"
#include "sandbox/testing.hpp"

namespace slipway::sandbox {
namespace {

using ::testing::HasSubstr;

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
    const std::vector<char> much(std::size_t{1} << 30);
    const volatile std::size_t last = much.size() - 1;  // an allocation that nothing reads is not made
    return bytes(formatted("{} bytes, the last is {}", much.size(), int{much[last]}));
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
  const rlimit much{1 << 30, 1 << 30};
  if (::setrlimit(RLIMIT_NOFILE, &much) == 0) done += "raise ";
  if (::dup(0) >= 0) done += "duplicate ";
  struct stat file{};
  for (int i = 4; i < 1024; ++i) {
    if (::fstat(i, &file) == 0) done += formatted("file {} ", i);
  }
  return bytes(done);
}
// A file that takes a process over changes the replies for all that come later.
std::vector<std::byte> remember(Bytes request, const Ask&) {
  static bool taken_over = false;
  if (text_of(request) == "take over") taken_over = true;
  return bytes(taken_over ? "what the attacker wants" : "the right reply");
}
// Asks what its number is for, and does not end.
std::vector<std::byte> name_and_spin(Bytes, const Ask& ask) {
  ask(bytes_of(formatted("{}", ::getpid())));
  for (volatile int i = 0;; i = i + 1) {
  }
}
std::vector<std::byte> own_number(Bytes, const Ask&) { return bytes(formatted("{}", ::getpid())); }
int prepared = 0;
std::vector<std::byte> tell_prepared(Bytes, const Ask&) { return bytes(formatted("{}", prepared)); }
void prepare(std::uint32_t variant) { prepared = prepared * 10 + static_cast<int>(variant); }

constexpr Service kEcho = {"echo", "the echo", echo};
constexpr Service kAsk = {"ask", "the asker", ask_twice};
constexpr Service kMisbehave = {"misbehave", "the bad parser", misbehave};
constexpr Service kEscape = {"escape", "the prisoner", escape};
constexpr Service kRemember = {"remember", "the parser", remember};
constexpr Service kSpin = {"spin", "the parser", name_and_spin};
constexpr Service kNumber = {"number", "the parser", own_number};
constexpr Service kPrepared = {"prepared", "the parser", tell_prepared, prepare};

// Before main: the test program as a zygote.
[[maybe_unused]] const bool started = [] {
  std::string line;
  {
    std::ifstream file("/proc/self/cmdline");
    line.assign(std::istreambuf_iterator<char>(file), {});
  }
  if (!line.ends_with(std::string_view("\0sandbox-process\0", 17))) return false;
  const Service* const services[] = {&kEcho, &kAsk, &kMisbehave, &kEscape, &kRemember, &kSpin, &kNumber, &kPrepared};
  ::_exit(serve(services));
}();

const std::vector<std::string> kOwn = {"/proc/self/exe", "sandbox-process"};
constexpr Limits kLimits = {.memory = 256 << 20, .time = std::chrono::seconds(60)};

class Sandbox : public ::testing::Test {
 protected:
  void SetUp() override {
    enable(kOwn);
    set_mode(SandboxMode::Default);
  }

  static std::string run(const Service& service, std::string_view request, const Ask& answer = {},
                         const Limits& limits = kLimits) {
    const auto reply = call(service, {bytes_of(request)}, {.answer = answer, .limits = limits});
    if (reply) return std::string(text_of(*reply));
    return formatted("{}error: {}", reply.error().cause == CallError::Cause::Sandbox ? "sandbox " : "",
                     reply.error().text);
  }
};

// Limits and filters of a process cannot be taken back: the test runs in a fork, which returns the first line that is
// not the expected one.
class SandboxOfFork : public Sandbox {
 protected:
  template <class Test>
  static std::string in_fork(Test test) {
    int ends[2];
    if (::pipe(ends) != 0) return "no pipe";
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string text = test();
      static_cast<void>(!::write(ends[1], text.data(), text.size()));
      ::_exit(0);
    }
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t count = 0; (count = ::read(ends[0], part.data(), part.size())) > 0;)
      text.append(part.data(), static_cast<std::size_t>(count));
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return text;
  }
};

TEST_F(Sandbox, ADeathIsAnErrorAndTheNextCallRuns) {
  EXPECT_EQ(run(kMisbehave, "abort"), "error: the bad parser crashed (signal 6, Aborted); it may use 256 MB of memory");
  EXPECT_EQ(run(kEcho, "a text"), "a text");
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
  EXPECT_THAT(run(kMisbehave, "overflow"), HasSubstr("error: the bad parser crashed (signal 11, Segmentation fault)"));
  // Limits of time do not decide here: an emulator of a CPU needs a hundred times as much.
  EXPECT_EQ(run(kMisbehave, "allocate"), "error: the bad parser needs more memory than it may use");
  EXPECT_EQ(run(kMisbehave, "spin", {}, {.memory = 256 << 20, .time = std::chrono::seconds(1)}),
            "error: the bad parser takes more than 1 s of CPU time");
#endif
  EXPECT_EQ(run(kMisbehave, "exit"), "error: the bad parser ended by itself");
  EXPECT_EQ(run(kMisbehave, "throw"), "error: the bad parser cannot do that");
  EXPECT_EQ(run(kEcho, "a text"), "a text");
}

TEST_F(Sandbox, NothingEscapes) {
  const Protection protected_by = protection();
  EXPECT_TRUE(protected_by.running) << protected_by.failure;
  if (!protected_by.calls) GTEST_SKIP() << "no seccomp";
  // The first worker, one that starts with its call, and some that start in advance.
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run(kEscape, ""), "");
}

TEST_F(Sandbox, ARequestDoesNotChangeTheReplyOfAnotherOne) {
  EXPECT_EQ(run(kRemember, "a shader"), "the right reply");
  EXPECT_EQ(run(kRemember, "take over"), "what the attacker wants");
  EXPECT_EQ(run(kRemember, "a shader"), "the right reply");
}

TEST_F(Sandbox, AServiceIsPreparedOnceForEachVariant) {
  const auto prepared_for = [](std::uint32_t variant) {
    return std::string(text_of(call(kPrepared, {}, {.variant = variant}).value()));
  };
  EXPECT_EQ(prepared_for(3), "3");
  EXPECT_EQ(prepared_for(4), "34");
  EXPECT_EQ(prepared_for(3), "34");
  // The worker that started in advance is from before the preparation.
  EXPECT_EQ(prepared_for(3), "34");
  EXPECT_EQ(prepared_for(5), "345");
}

constexpr int kMaxWaits = 120'000;  // of a millisecond

// Not every kernel lists the children of a process.
bool has_lists_of_children() { return std::filesystem::exists(formatted("/proc/self/task/{}/children", ::getpid())); }

pid_t child_of(pid_t process) {
  for (const auto& thread : std::filesystem::directory_iterator(formatted("/proc/{}/task", process))) {
    std::ifstream children(thread.path() / "children");
    if (pid_t child = 0; children >> child) return child;
  }
  return 0;
}
// Makes two calls. Returns the worker that waits for the next one, of a process with one zygote.
pid_t waiting_worker() {
  std::string last;
  for (int i = 0; i < 2; ++i) last = text_of(call(kNumber, {}, {.limits = kLimits}).value());
  for (int i = 0; i < kMaxWaits; ++i, ::usleep(1000)) {
    const pid_t worker = child_of(child_of(::getpid()));
    if (worker != 0 && formatted("{}", worker) != last) return worker;
  }
  return 0;
}

// Of a process that is not a child of this one.
void wait_for_end(pid_t process) {
  for (int i = 0; i < kMaxWaits; ++i, ::usleep(1000)) {
    std::ifstream file(formatted("/proc/{}/stat", process));
    const std::string line(std::istreambuf_iterator<char>(file), {});
    if (line.empty() || line.contains(") Z ")) return;
  }
}

TEST_F(SandboxOfFork, TheWorkerOfTheNextCallIsReadyAndServesOne) {
  if (!has_lists_of_children()) GTEST_SKIP() << "no /proc/PID/task/TID/children";
  EXPECT_EQ(in_fork([] {
              const std::string waiting = formatted("{}", waiting_worker());
              const Limits others = {.memory = 300 << 20, .time = std::chrono::seconds(60)};
              const std::string other = run(kNumber, "", {}, others), next = run(kNumber, ""), last = run(kNumber, "");
              return formatted("{}, {}, {}", other == waiting ? "of other limits" : "another one",
                               next == waiting ? "ready" : "another one", last == next ? "twice" : "another one");
            }),
            "another one, ready, another one");
}

TEST_F(SandboxOfFork, TheEndOfAWorkerThatWaitsIsNoErrorOfTheNextCall) {
  if (!has_lists_of_children()) GTEST_SKIP() << "no /proc/PID/task/TID/children";
  EXPECT_EQ(in_fork([] {
              const pid_t worker = waiting_worker();
              if (worker == 0) return std::string("none waits");
              ::kill(worker, SIGKILL);
              wait_for_end(worker);
              return run(kEcho, "third");
            }),
            "third");
  EXPECT_EQ(in_fork([] {
              const pid_t worker = waiting_worker(), zygote = child_of(::getpid());
              if (worker == 0 || zygote == 0) return std::string("none waits");
              ::kill(zygote, SIGKILL), ::waitpid(zygote, nullptr, 0);
              wait_for_end(worker);
              return run(kEcho, "third");
            }),
            "third");
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

// The thread that starts the zygote may end before others call.
TEST_F(SandboxOfFork, TheEndOfAThreadEndsNoWorker) {
  EXPECT_EQ(in_fork([] {
              std::jthread([] { run(kEcho, "first"); }).join();
              return run(kEcho, "second");
            }),
            "second");
}

TEST_F(SandboxOfFork, AForkedProcessStartsItsOwn) {
  EXPECT_EQ(run(kEcho, "parent"), "parent");
  EXPECT_EQ(in_fork([] { return run(kEcho, "child"); }), "child");
  EXPECT_EQ(run(kEcho, "parent"), "parent");
}

// As of a process that the system ends because memory is short.
// In ticks of the clock, while the process runs.
clock_t cpu_time_of(pid_t process) {
  std::ifstream file(formatted("/proc/{}/stat", process));
  const std::string line(std::istreambuf_iterator<char>(file), {});
  // The 14th field; the second one, in parentheses, may contain spaces.
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string field;
  for (int i = 3; i < 14; ++i) fields >> field;
  clock_t ticks = 0;
  fields >> ticks;
  return ticks;
}

TEST_F(SandboxOfFork, TheEndOfTheCallerEndsItsWorker) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t caller = ::fork();
  if (caller == 0) {
    run(kSpin, "",
        [&](Bytes number) {
          static_cast<void>(!::write(ends[1], number.data(), number.size()));
          return std::vector<std::byte>();
        },
        {.memory = 256 << 20, .time = std::chrono::seconds(600)});
    ::_exit(0);
  }
  std::array<char, 32> text{};
  ASSERT_GT(::read(ends[0], text.data(), text.size() - 1), 0);
  const pid_t worker = std::atoi(text.data());
  // Without the answer to its question the worker would end by itself; once it computes, it has the answer.
  for (clock_t first = -1; first < 0 || cpu_time_of(worker) < first + 2;) {
    if (first < 0) first = cpu_time_of(worker);
    ::usleep(1000);
  }
  ::kill(caller, SIGKILL);
  int status = 0;
  pid_t ended = 0;
  // This process becomes the parent of the worker, after its zygote has ended.
  while ((ended = ::wait(&status)) > 0 && ended != worker) {
  }
  EXPECT_EQ(ended, worker);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(SandboxOfFork, WithoutItsZygoteAWorkerEndsAndTheNextCallStartsAnother) {
  EXPECT_EQ(in_fork([] {
              const std::string text = run(kAsk, "first", [](Bytes) {
                for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
                  std::ifstream children(thread.path() / "children");
                  for (pid_t zygote = 0; children >> zygote;) ::kill(zygote, SIGKILL), ::waitpid(zygote, nullptr, 0);
                }
                return std::vector<std::byte>();
              });
              return formatted("{}; {}", text, run(kEcho, "second"));
            }),
            "sandbox error: the asker ended with the process that starts it; second");
}

// --- closed on failure -----------------------------------------------------------------------------------------------

TEST_F(Sandbox, AStartThatFailsIsAnErrorAndNotACallInThisProcess) {
  enable({"/nowhere/slipway", "sandbox-process"});
  // The first command has a process, which is not used for the second one.
  EXPECT_EQ(run(kNumber, ""),
            "sandbox error: the parser does not run, because its process cannot be started: No such file or directory; "
            "SLIPWAY_SANDBOX=off lets it run in the calling process, for trusted files");
  EXPECT_EQ(protection().failure,
            "a parser does not run, because its process cannot be started: No such file or directory; "
            "SLIPWAY_SANDBOX=off lets it run in the calling process, for trusted files");
  enable({"/bin/false", "sandbox-process"});
  EXPECT_EQ(run(kNumber, ""),
            "sandbox error: the parser does not run, because its process does not start: it ended with status 1; "
            "SLIPWAY_SANDBOX=off lets it run in the calling process, for trusted files");
  set_mode(SandboxMode::Off);
  EXPECT_EQ(run(kNumber, ""), formatted("{}", ::getpid()));
}

TEST_F(SandboxOfFork, AnEnvironmentThatNamesNoModeIsAnError) {
  const auto with_variable = [](const char* value) {
    return in_fork([value] {
      platform::set_environment("SLIPWAY_SANDBOX", value);
      set_mode(std::nullopt);
      const std::string number = run(kNumber, "");
      return number == formatted("{}", ::getpid()) ? "here" : number.contains(' ') ? number : "in a worker";
    });
  };
  EXPECT_EQ(with_variable("off"), "here");
  EXPECT_EQ(with_variable("best-effort"), "in a worker");
  EXPECT_EQ(
      with_variable("0"),
      "sandbox error: the parser does not run, because SLIPWAY_SANDBOX is `0`, but not off, best-effort or required");
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__

// (With few descriptors the sanitizers end the process.)
TEST_F(SandboxOfFork, AfterAStartThatFailedCallsRunInWorkersAgain) {
  EXPECT_EQ(in_fork([] {
              rlimit files{};
              ::getrlimit(RLIMIT_NOFILE, &files);
              const rlimit none{3, files.rlim_max};
              ::setrlimit(RLIMIT_NOFILE, &none);
              const std::string failed = run(kNumber, "");
              ::setrlimit(RLIMIT_NOFILE, &files);
              const std::string number = run(kNumber, "");
              return formatted("{}; {}", failed, number == formatted("{}", ::getpid()) ? "here" : "in a worker");
            }),
            "sandbox error: the parser does not run, because its process cannot be started: Too many open files; "
            "SLIPWAY_SANDBOX=off lets it run in the calling process, for trusted files; in a "
            "worker");
}

std::string lines(std::initializer_list<std::string> texts) {  // which are made in this order
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

void set_hard_limit(__rlimit_resource which, rlim_t value) {
  const rlimit both{value, value};
  ::setrlimit(which, &both);
}

TEST_F(SandboxOfFork, AHardLimitOfTheUserLeavesLowerLimitsInPlace) {
  EXPECT_EQ(in_fork([] {
              set_hard_limit(RLIMIT_AS, std::uint64_t{7} << 30);
              set_hard_limit(RLIMIT_CPU, 600);
              return lines({run(kMisbehave, "allocate"),
                            run(kMisbehave, "spin", {}, {.memory = 256 << 20, .time = std::chrono::seconds(1)})});
            }),
            "error: the bad parser needs more memory than it may use\n"
            "error: the bad parser takes more than 1 s of CPU time\n");
}

TEST_F(SandboxOfFork, AHardLimitOfTheUserLowersOurs) {
  EXPECT_EQ(
      in_fork([] {
        set_hard_limit(RLIMIT_AS, std::uint64_t{1000} << 20);
        set_hard_limit(RLIMIT_CPU, 10);
        const Limits limits = {.memory = std::uint64_t{4} << 30, .time = std::chrono::seconds(60)};
        return lines({run(kMisbehave, "allocate", {}, limits), run(kEcho, "a text", {}, limits)});
      }),
      "sandbox error: the bad parser needs more memory than it may use: the limit of the user is 1000 MB\na text\n");
}

// As `ulimit -t` sets it.
TEST_F(SandboxOfFork, AHardLimitOfCpuTimeIsNotTheFilesFault) {
  EXPECT_EQ(in_fork([] {
              set_hard_limit(RLIMIT_CPU, 2);
              return lines({run(kMisbehave, "spin", {}, {.memory = 256 << 20, .time = std::chrono::seconds(60)})});
            }),
            "sandbox error: the bad parser takes more than 2 s of CPU time, the limit of the user\n");
}

// Makes a system call fail in this process and all that it starts, if its argument 1 is `resource` or that is -1.
void refuse(int number, int error, int resource = -1) {
  const sock_filter code[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, static_cast<std::uint32_t>(number)},
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, args) + 8},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, static_cast<std::uint8_t>(resource == -1 ? 0 : 1),
       static_cast<std::uint32_t>(resource)},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog program{std::size(code), const_cast<sock_filter*>(code)};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

std::string warnings;
std::string with_mode(SandboxMode mode) {
  set_mode(mode);
  warnings.clear();
  set_warning_handler([](const std::string& text) { warnings += formatted("warning: {}; ", text); });
  const auto reply = call(kEcho, {bytes_of("a text")});
  return warnings + (reply ? std::string(text_of(*reply)) : reply.error().text);
}

TEST_F(SandboxOfFork, AKernelThatLacksAProtectionIsAWarningOnceOrAnError) {
  if (!protection().calls || !protection().files) GTEST_SKIP() << "no seccomp or landlock";
  EXPECT_EQ(
      in_fork([] {
        refuse(SYS_landlock_create_ruleset, ENOSYS);
        return lines({with_mode(SandboxMode::Default), with_mode(SandboxMode::Default),
                      with_mode(SandboxMode::Required), with_mode(SandboxMode::BestEffort)});
      }),
      "warning: parsers of other projects run without landlock (Function not implemented), which this machine does not "
      "offer; do not open files of unknown origin; a text\n"
      "a text\n"
      "the echo does not run, because its sandbox lacks landlock (Function not implemented); "
      "SLIPWAY_SANDBOX=best-effort does without\n"
      "a text\n");
}

TEST_F(SandboxOfFork, AProtectionThatFailsIsAnErrorUnlessBestEffortIsWanted) {
  if (!protection().calls) GTEST_SKIP() << "no seccomp";
  EXPECT_EQ(
      in_fork([] {
        refuse(SYS_prlimit64, EPERM, RLIMIT_CPU);
        return lines(
            {with_mode(SandboxMode::Default), with_mode(SandboxMode::Required), with_mode(SandboxMode::BestEffort)});
      }),
      "the echo does not run, because its sandbox lacks limits of memory and time (Operation not permitted); "
      "SLIPWAY_SANDBOX=best-effort does without\n"
      "the echo does not run, because its sandbox lacks limits of memory and time (Operation not permitted); "
      "SLIPWAY_SANDBOX=best-effort does without\n"
      "warning: parsers of other projects run without limits of memory and time (Operation not permitted), which this "
      "machine does not offer; do not open files of unknown origin; a text\n");
}

#endif

}  // namespace
}  // namespace slipway::sandbox
