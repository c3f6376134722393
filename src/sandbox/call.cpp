// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The side that asks: starts sandbox processes, and keeps them for later calls.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/system/files.hpp"
#include "sandbox/sandbox.hpp"
#include "sandbox/wire.hpp"

namespace slipway::sandbox {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kMegabyte = 1 << 20;
constexpr std::size_t kMaxProcesses = 8;
// Of real time for one second of CPU time: a process that waits, which it has no reason to do, is ended.
constexpr int kPatience = 20;
constexpr seconds kTimeToStart{60};

// What the process gets of the environment: where its libraries are, and options of sanitizers.
std::vector<std::string> environment_of_sandbox() {
  std::vector<std::string> kept;
  for (const char* name : {"LD_LIBRARY_PATH", "LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) kept.push_back(formatted("{}={}", name, value));
  }
  return kept;
}

std::vector<char*> arguments_of(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

class Process {
 public:
  static std::expected<std::unique_ptr<Process>, std::string> start(std::vector<std::string> command) {
    const auto failed = [](int error) {
      return std::unexpected(
          formatted("does not run, because its process cannot be started: {}", std::strerror(error)));
    };
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return failed(errno);
    auto process = std::make_unique<Process>();
    process->socket_ = ends[0];
    const timeval patience{.tv_sec = 120, .tv_usec = 0};
    ::setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    std::vector<std::string> environment = environment_of_sandbox();
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], kSocket);
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, kSocket + 1);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const std::string program = command.front();
    const int error = ::posix_spawn(&process->id_, program.c_str(), &actions, &attributes, arguments_of(command).data(),
                                    arguments_of(environment).data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (error != 0) {
      process->id_ = -1;
      return failed(error);
    }
    return process;
  }

  Process() = default;
  Process(const Process&) = delete;
  ~Process() {
    if (socket_ >= 0) ::close(socket_);
    if (id_ > 0 && ::waitpid(id_, nullptr, WNOHANG) == 0) {
      ::kill(id_, SIGKILL);
      wait();
    }
  }
  // After a fork the process belongs to the parent.
  void abandon() {
    ::close(std::exchange(socket_, -1));
    id_ = -1;
  }

  bool greet() {
    if (greeted_) return true;
    Header header{};
    end_ = std::chrono::steady_clock::now() + kTimeToStart;
    if (!receive(std::as_writable_bytes(std::span(&header, 1))) || header.message != Message::Hello ||
        header.size != sizeof(Greeting))
      return false;
    Greeting given{};
    if (!receive(std::as_writable_bytes(std::span(&given, 1)))) return false;
    const Greeting expected = greeting();
    same_build_ = given.protocol == expected.protocol && std::memcmp(given.version, expected.version, 20) == 0;
    protection_ = {.running = true, .seccomp = given.seccomp != 0, .landlock = given.landlock != 0};
    greeted_ = true;
    return true;
  }
  bool same_build() const { return same_build_; }
  Protection protection() const { return protection_; }
  bool used() const { return used_; }

  // Empty after a death, whose cause `reason` returns.
  std::optional<std::expected<std::vector<std::byte>, std::string>> converse(std::uint32_t service,
                                                                             std::span<const Bytes> parts,
                                                                             const Ask& answer, const Limits& limits) {
    used_ = std::exchange(asked_, true);
    set_limits(limits);
    end_ = std::chrono::steady_clock::now() + limits.time * kPatience + seconds(10);
    if (!send_message(socket_, {Message::Request, service}, parts)) return std::nullopt;
    for (;;) {
      Header header{};
      // A reply that is larger than the memory of the process is not one.
      if (!receive(std::as_writable_bytes(std::span(&header, 1))) || header.size > limits.memory) return std::nullopt;
      std::vector<std::byte> bytes(header.size);
      if (!receive(bytes)) return std::nullopt;
      if (header.message == Message::Reply) return std::expected<std::vector<std::byte>, std::string>(std::move(bytes));
      if (header.message == Message::Failed) return std::unexpected(std::string(text_of(bytes)));
      if (header.message != Message::Ask || !answer) return std::nullopt;
      const std::vector<std::byte> text = answer(bytes);
      const Bytes whole[] = {text};
      if (!send_message(socket_, {Message::Answer}, whole)) return std::nullopt;
    }
  }

  // Ends the process if it has not ended, and reports how it ended.
  std::string reason(const Limits& limits) {
    int status = 0;
    pid_t ended = 0;
    for (int i = 0; !late_ && !interrupted_ && i < 200 && (ended = ::waitpid(id_, &status, WNOHANG)) == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (ended == 0) {
      ::kill(id_, SIGKILL);
      wait();
      return interrupted_ ? "was interrupted" : late_ ? "does not answer" : "sends what is not an answer";
    }
    id_ = -1;
    if (ended > 0 && WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      if (signal == SIGXCPU) return formatted("takes more than {} s of CPU time", limits.time.count());
      return formatted("crashed (signal {}, {}); it may use {} MB of memory", signal, ::strsignal(signal),
                       limits.memory / kMegabyte);
    }
    return "ended by itself";
  }

 private:
  void wait() {
    while (id_ > 0 && ::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
  }

  void set_limits(const Limits& limits) const {
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__  // shadow memory is larger than any limit
    const rlimit memory{limits.memory, RLIM_INFINITY};
    ::prlimit(id_, RLIMIT_AS, &memory, nullptr);
#endif
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(id_, &clock) != 0) return;
    ::clock_gettime(clock, &used);
    const rlimit time{static_cast<rlim_t>(used.tv_sec + limits.time.count()), RLIM_INFINITY};
    ::prlimit(id_, RLIMIT_CPU, &time, nullptr);
  }

  // Until `end_`.
  bool receive(MutableBytes to) {
    while (!to.empty()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
      late_ = left.count() <= 0;
      interrupted_ = is_interrupted();
      if (late_ || interrupted_) return false;
      pollfd polled[] = {{.fd = socket_, .events = POLLIN, .revents = 0},
                         {.fd = interrupt_file(), .events = POLLIN, .revents = 0}};
      const int ready =
          ::poll(polled, std::size(polled), static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
      if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
      const ssize_t count = ready < 0 ? -1 : ::recv(socket_, to.data(), to.size(), MSG_DONTWAIT);
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) return false;
      to = to.subspan(static_cast<std::size_t>(count));
    }
    return true;
  }

  pid_t id_ = -1;
  int socket_ = -1;
  bool greeted_ = false, same_build_ = false, asked_ = false, used_ = false, late_ = false, interrupted_ = false;
  Protection protection_;
  std::chrono::steady_clock::time_point end_;
};

// The program that is installed with this library; empty in other cases.
std::vector<std::string> command_beside_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&environment_of_sandbox), &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  const Path file = std::filesystem::canonical(info.dli_fname, error);
  if (error || !file.filename().native().starts_with("libslipway.so")) return {};
  const Path program = (file.parent_path() / SLIPWAY_PROGRAM_FROM_LIBRARY / "slipway").lexically_normal();
  if (!file_exists(program)) return {};
  return {program.native(), "sandbox-process"};
}

class Pool {
 public:
  void enable(std::vector<std::string> command) {
    const std::scoped_lock lock(mutex_);
    command_ = std::move(command);
    searched_ = true;
    set_off();
  }

  // Empty: the service runs in this process.
  std::vector<std::string> command() {
    const std::scoped_lock lock(mutex_);
    if (!std::exchange(searched_, true)) {
      command_ = command_beside_library();
      of_library_ = true;
      set_off();
    }
    return command_;
  }
  // A program that may start no process can still use the library.
  bool may_do_without() {
    const std::scoped_lock lock(mutex_);
    return of_library_;
  }
  void disable() {
    const std::scoped_lock lock(mutex_);
    command_.clear();
  }

  std::expected<std::unique_ptr<Process>, std::string> take(const std::vector<std::string>& command) {
    std::unique_lock lock(mutex_);
    if (const pid_t self = ::getpid(); owner_ != self) {
      for (auto& process : idle_) process->abandon();
      idle_.clear();
      running_ = 0;
      owner_ = self;
    }
    const std::size_t most = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMaxProcesses);
    freed_.wait(lock, [&] { return !idle_.empty() || running_ < most; });
    ++running_;
    if (!idle_.empty()) {
      auto process = std::move(idle_.back());
      idle_.pop_back();
      return process;
    }
    lock.unlock();
    auto started = Process::start(command);
    if (!started) gone();
    return started;
  }
  void give_back(std::unique_ptr<Process> process) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(process));
    --running_;
    freed_.notify_one();
  }
  void gone() {
    const std::scoped_lock lock(mutex_);
    --running_;
    freed_.notify_one();
  }

 private:
  void set_off() {
    const char* setting = std::getenv("SLIPWAY_SANDBOX");
    if (setting && std::string_view(setting) == "off") command_.clear();
  }

  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::string> command_;
  bool searched_ = false, of_library_ = false;
  pid_t owner_ = ::getpid();
  std::vector<std::unique_ptr<Process>> idle_;
  std::size_t running_ = 0;
};

// Never destroyed: other threads may still call when main returns. Sandbox processes end with their sockets.
Pool& pool() {
  static Pool& one = *new Pool;
  return one;
}

// A process that was taken from the pool, and is gone unless it is given back.
class Taken {
 public:
  Taken() = default;
  Taken(const Taken&) = delete;
  ~Taken() {
    if (!given_back_) pool().gone();
  }
  void give_back(std::unique_ptr<Process> process) {
    given_back_ = true;
    pool().give_back(std::move(process));
  }

 private:
  bool given_back_ = false;
};

}  // namespace

Limits default_limits(std::size_t request_size) {
  return {.memory = 1024 * kMegabyte + 64 * std::uint64_t{request_size},
          .time = seconds(20) + seconds(10 * request_size / kMegabyte)};
}

void enable(std::vector<std::string> command) { pool().enable(std::move(command)); }

std::expected<std::vector<std::byte>, std::string> call(const Service& service, std::initializer_list<Bytes> parts,
                                                        const Ask& answer) {
  std::size_t size = 0;
  for (const Bytes part : parts) size += part.size();
  return call(service, parts, answer, default_limits(size));
}

std::expected<std::vector<std::byte>, std::string> call(const Service& service, std::initializer_list<Bytes> parts,
                                                        const Ask& answer, const Limits& limits) {
  const auto of_service = [&](std::string_view reason) {
    return std::unexpected(formatted("{} {}", service.name, reason));
  };
  for (const std::vector<std::string> command = pool().command(); !command.empty();) {
    auto process = pool().take(command);
    if (!process && pool().may_do_without()) {
      pool().disable();
      break;
    }
    if (!process) return of_service(process.error());
    Taken taken;
    const bool greeted = (*process)->greet();
    if (greeted ? !(*process)->same_build() : pool().may_do_without()) {
      pool().disable();
      break;
    }
    auto reply =
        greeted ? (*process)->converse(number_of(service.id), std::span(parts.begin(), parts.size()), answer, limits)
                : std::nullopt;
    if (reply && *reply) {
      taken.give_back(std::move(*process));
      return std::move(**reply);
    }
    // Not kept after an exception either, which may leave less memory than the next request needs.
    if (reply) return of_service(reply->error());
    const std::string reason = (*process)->reason(limits);
    // What an earlier request damaged is not the fault of this one.
    if (!(*process)->used() || is_interrupted()) return of_service(reason);
  }
  ByteWriter request;
  for (const Bytes part : parts) request.append(part);
  return service.run(request.bytes(), answer);
}

Protection protection() {
  const std::vector<std::string> command = pool().command();
  if (command.empty()) return {};
  auto process = pool().take(command);
  if (!process) return {};
  Taken taken;
  if (!(*process)->greet() || !(*process)->same_build()) return {};
  const Protection found = (*process)->protection();
  taken.give_back(std::move(*process));
  return found;
}

}  // namespace slipway::sandbox
