// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/system/crash_note.hpp"

namespace slipway {
namespace {

constexpr std::size_t kMaxOutput = std::size_t{16} << 20;

// The reading ends of the pipes for standard output and standard error.
class ChildPipes {
 public:
  ~ChildPipes() {
    for (const auto& pipe : files_) {
      for (const int file : pipe) {
        if (file >= 0) ::close(file);
      }
    }
  }
  bool open() {
    return std::ranges::all_of(files_, [](auto& pipe) { return ::pipe2(pipe.data(), O_CLOEXEC) == 0; });
  }
  int writer(std::size_t i) const { return files_[i][1]; }
  void close_writers() {
    for (auto& pipe : files_) ::close(std::exchange(pipe[1], -1));
  }
  bool is_open() const {
    return std::ranges::any_of(files_, [](const auto& pipe) { return pipe[0] >= 0; });
  }

  // Waits for at most this time, and reads what has arrived. Returns whether there was something, or an end.
  bool read(int milliseconds, ChildEnd& end) {
    std::array<pollfd, 2> polled{};
    for (std::size_t i = 0; i < polled.size(); ++i) polled[i] = {.fd = files_[i][0], .events = POLLIN, .revents = 0};
    if (::poll(polled.data(), polled.size(), milliseconds) <= 0) return false;
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].revents == 0) continue;
      char buffer[1 << 16];
      const ssize_t count = ::read(files_[i][0], buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      std::string& text = i == 0 ? end.output : end.errors;
      if (count > 0)
        text.append(buffer, std::min(static_cast<std::size_t>(count), kMaxOutput - std::min(kMaxOutput, text.size())));
      else
        ::close(std::exchange(files_[i][0], -1));
    }
    return true;
  }

 private:
  std::array<std::array<int, 2>, 2> files_ = {{{-1, -1}, {-1, -1}}};
};

std::vector<char*> words_of(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// In a process group of its own, so that what the command starts is ended with it.
int spawn(pid_t& process, const std::vector<std::string>& command, const ChildPipes& pipes) {
  std::vector<std::string> arguments = command, environment;
  for (char** variable = environ; *variable; ++variable) {
    if (!std::string_view(*variable).starts_with("CLICOLOR_FORCE=")) environment.emplace_back(*variable);
  }
  environment.emplace_back("NO_COLOR=1");
  environment.push_back(formatted("{}=1", kCrashWithSignal));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipes.writer(0), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, pipes.writer(1), STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  const int error = ::posix_spawnp(&process, arguments.front().c_str(), &actions, &attributes,
                                   words_of(arguments).data(), words_of(environment).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Result<ChildEnd> run_child(const std::vector<std::string>& command, std::chrono::duration<double> limit) {
  using Clock = std::chrono::steady_clock;
  constexpr int kPeriod = 20;  // milliseconds
  ChildPipes pipes;
  pid_t process = -1;
  const int error = pipes.open() ? spawn(process, command, pipes) : errno;
  if (error != 0) {
    return fail(DiagnosticKind::DeviceFailed, {},
                formatted("cannot start `{}`: {}", command.front(), std::strerror(error)));
  }
  pipes.close_writers();
  ChildEnd end;
  const auto start = Clock::now();
  const bool ends_by_interrupt = !is_interrupted();
  int status = 0;
  // A process that the command leaves running may keep the pipes open.
  while (::waitpid(process, &status, WNOHANG) == 0) {
    if (pipes.is_open())
      pipes.read(kPeriod, end);
    else
      ::poll(nullptr, 0, 1);
    if (end.timed_out || end.interrupted) continue;
    end.interrupted = ends_by_interrupt && is_interrupted();
    end.timed_out = !end.interrupted && Clock::now() - start >= limit;
    if (end.interrupted || end.timed_out) ::kill(-process, SIGKILL);
  }
  ::kill(-process, SIGKILL);
  while (pipes.is_open() && pipes.read(0, end)) {
  }
  if (WIFSIGNALED(status) && !end.timed_out && !end.interrupted) end.signal = WTERMSIG(status);
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return end;
}

}  // namespace slipway
