// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "base/system/crash_note.hpp"
#include "cli/lab/worker.hpp"
#include "cli/terminal.hpp"
#include "sandbox/sandbox.hpp"

namespace slipway::cli {
namespace {

constexpr std::chrono::seconds kTimeToEnd{5};

// The environment of a worker: it prints into pipes what the supervisor prints on the terminal.
std::vector<std::string> worker_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("CLICOLOR_FORCE=") && !text.starts_with("NO_COLOR=") && !text.starts_with("COLUMNS="))
      variables.emplace_back(text);
  }
  variables.emplace_back(use_colour(stderr) && use_colour(stdout) ? "CLICOLOR_FORCE=1" : "NO_COLOR=1");
  variables.push_back(formatted("COLUMNS={}", text_width()));
  variables.push_back(formatted("{}=1", kCrashWithSignal));
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const std::vector<std::string>& words) {
  const auto failed = [](int error) {
    return fail(DiagnosticKind::DeviceFailed, {}, formatted("cannot start a worker process: {}", std::strerror(error)));
  };
  WorkerProcess worker;
  int socket[2], output[2], errors[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socket) != 0) return failed(errno);
  worker.files_[Socket] = socket[0];
  if (::pipe2(output, O_CLOEXEC) != 0) return ::close(socket[1]), failed(errno);
  worker.files_[Output] = output[0];
  if (::pipe2(errors, O_CLOEXEC) != 0) return ::close(socket[1]), ::close(output[1]), failed(errno);
  worker.files_[Errors] = errors[0];
  for (const int file : worker.files_) ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) | O_NONBLOCK);

  std::vector<std::string> arguments = sandbox::own_command();
  const std::string program = arguments.front();
  arguments.emplace_back(kWorkerVerb);
  arguments.append_range(words);
  std::vector<std::string> environment = worker_environment();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, socket[1], kWorkerSocket);
  // An interrupt of the terminal reaches workers too; the supervisor ends them.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  ::posix_spawnattr_setsigmask(&attributes, &blocked);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int error = ::posix_spawn(&worker.process_, program.c_str(), &actions, &attributes,
                                  pointers_to(arguments).data(), pointers_to(environment).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  for (const int file : {socket[1], output[1], errors[1]}) ::close(file);
  if (error != 0) {
    worker.process_ = -1;
    return failed(error);
  }
  return worker;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      files_(std::exchange(other.files_, {-1, -1, -1})),
      received_(std::move(other.received_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(files_, other.files_);
  std::swap(received_, other.received_);
  return *this;
}

WorkerProcess::~WorkerProcess() {
  if (process_ > 0) {
    kill();
    wait();
  }
  for (const int file : files_) {
    if (file >= 0) ::close(file);
  }
}

void WorkerProcess::send(std::string line) {
  line += '\n';
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t count = ::send(files_[Socket], rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

void WorkerProcess::add_to(std::vector<pollfd>& polled) const {
  for (const int file : files_) polled.push_back({.fd = file, .events = POLLIN, .revents = 0});
}

bool WorkerProcess::read() {
  bool open = true;
  // The socket first: what a case printed is in the pipes before its result.
  for (std::size_t i = 0; i < Count; ++i) {
    char buffer[1 << 16];
    while (files_[i] >= 0) {
      const ssize_t count = ::read(files_[i], buffer, sizeof buffer);
      if (count > 0) {
        received_[i].append(buffer, static_cast<std::size_t>(count));
        continue;
      }
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) break;
      if (i == Socket) open = false;
      ::close(std::exchange(files_[i], -1));
    }
  }
  return open;
}

std::optional<std::string> WorkerProcess::next_line() {
  std::string& received = received_[Socket];
  const std::size_t end = received.find('\n');
  if (end == received.npos) return std::nullopt;
  std::string line = received.substr(0, end);
  received.erase(0, end + 1);
  return line;
}

std::string WorkerProcess::take_output() { return std::exchange(received_[Output], {}); }
std::string WorkerProcess::take_errors() { return std::exchange(received_[Errors], {}); }

void WorkerProcess::kill() {
  if (process_ > 0) ::kill(process_, SIGKILL);
}

std::string WorkerProcess::wait() {
  int status = 0;
  while (process_ > 0 && ::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (WIFSIGNALED(status)) return formatted("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return formatted("exit status {}", WEXITSTATUS(status));
}

void WorkerProcess::close() {
  ::shutdown(files_[Socket], SHUT_WR);
  const auto end = std::chrono::steady_clock::now() + kTimeToEnd;
  int status = 0;
  while (process_ > 0 && ::waitpid(process_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) return;  // the destructor ends it
    read();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  process_ = -1;
}

}  // namespace slipway::cli
