// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace slipway::platform {
namespace {

static_assert(kKilled == SIGKILL && kOutOfTime == SIGXCPU);

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

class Actions {
 public:
  explicit Actions(const StartOptions& options) {
    ::posix_spawn_file_actions_init(&actions_);
    for (const auto& [number, as] : options.files) ::posix_spawn_file_actions_adddup2(&actions_, number, as);
    for (const int stream : options.without_stream)
      ::posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", stream == 0 ? O_RDONLY : O_RDWR, 0);
    if (options.files_end) ::posix_spawn_file_actions_addclosefrom_np(&actions_, *options.files_end);
    ::posix_spawnattr_init(&attributes_);
    short flags = 0;
    if (options.own_group) {
      flags |= POSIX_SPAWN_SETPGROUP;
      ::posix_spawnattr_setpgroup(&attributes_, 0);
    }
    sigset_t blocked, all;
    sigemptyset(&blocked);
    sigfillset(&all);
    if (options.ignores_interrupts) sigaddset(&blocked, SIGINT);
    if (options.ignores_interrupts || options.default_signals) {
      flags |= POSIX_SPAWN_SETSIGMASK;
      ::posix_spawnattr_setsigmask(&attributes_, &blocked);
    }
    if (options.default_signals) {
      flags |= POSIX_SPAWN_SETSIGDEF;
      ::posix_spawnattr_setsigdefault(&attributes_, &all);
    }
    ::posix_spawnattr_setflags(&attributes_, flags);
  }
  Actions(const Actions&) = delete;
  ~Actions() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }

  int start(int& process, const StartOptions& options) const {
    const auto call = options.searches ? ::posix_spawnp : ::posix_spawn;
    return call(&process, options.command.front().c_str(), &actions_, &attributes_, pointers_to(options.command).data(),
                pointers_to(options.environment).data());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

std::expected<int, int> start_process(const StartOptions& options) {
  int process = -1;
  if (const int error = Actions(options).start(process, options); error != 0) return std::unexpected(error);
  return process;
}

std::expected<int, int> fork_process() {
  const int process = ::fork();
  if (process < 0) return std::unexpected(errno);
  return process;
}

bool has_fork() { return true; }

int become(const std::vector<std::string>& command) {
  ::execvp(command.front().c_str(), pointers_to(command).data());
  return errno;
}

std::optional<ProcessEnd> end_of_process(int process, Waiting waiting) {
  int status = 0;
  int ended = 0;
  while ((ended = ::waitpid(process, &status, waiting == Waiting::No ? WNOHANG : 0)) < 0 && errno == EINTR) {
  }
  if (ended == 0) return std::nullopt;
  if (WIFSIGNALED(status)) return ProcessEnd{.signal = WTERMSIG(status), .status = 0};
  return ProcessEnd{.signal = 0, .status = WEXITSTATUS(status)};
}

void kill_process(int process) { ::kill(process, SIGKILL); }
void end_group(int process) { ::kill(-process, SIGKILL); }
std::string signal_text(int signal) { return ::strsignal(signal); }

int process_id() { return ::getpid(); }
int parent_process() { return ::getppid(); }
void end_now(int status) { ::_exit(status); }

std::vector<std::string> environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  return variables;
}

void set_environment(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
void remove_environment(const char* name) { ::unsetenv(name); }

ProcessTimes process_times() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return {.user = seconds(usage.ru_utime),
          .kernel = seconds(usage.ru_stime),
          .peak_memory_mb = static_cast<double>(usage.ru_maxrss) / 1024};
}

}  // namespace slipway::platform
