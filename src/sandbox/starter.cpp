// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sandbox/starter.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"

namespace slipway::sandbox {
namespace {

constexpr std::chrono::seconds kTimeOfZygote{60};  // to start, or to prepare a service and fork

// What the zygote gets of the environment: where its libraries are, and options of sanitizers.
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

// The process that has `file` as its socket; or the error number.
std::expected<pid_t, int> spawn(std::vector<std::string> command, int file) {
  std::vector<std::string> environment = environment_of_sandbox();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, file, kSocket);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0);
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
  pid_t process = -1;
  const int error = ::posix_spawn(&process, program.c_str(), &actions, &attributes, arguments_of(command).data(),
                                  arguments_of(environment).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::unexpected(error);
  return process;
}

std::string cannot_start(int error) { return formatted("its process cannot be started: {}", std::strerror(error)); }

// A packet, and the descriptor that comes with it.
template <class T>
bool receive_packet(int socket, T& packet, int* file = nullptr) {
  if (wait_for(socket, Clock::now() + kTimeOfZygote) != Wait::Ready) return false;
  iovec piece{&packet, sizeof packet};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  ssize_t count = 0;
  while ((count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each)) {
    if (file && each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_RIGHTS)
      std::memcpy(file, CMSG_DATA(each), sizeof *file);
  }
  return count == sizeof packet;
}

}  // namespace

Wait wait_for(int socket, Clock::time_point end) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (is_interrupted()) return Wait::Interrupted;
    if (left.count() <= 0) return Wait::Late;
    pollfd polled[] = {{.fd = socket, .events = POLLIN, .revents = 0},
                       {.fd = interrupt_file(), .events = POLLIN, .revents = 0}};
    const int ready =
        ::poll(polled, std::size(polled), static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
    if (ready > 0 && polled[0].revents != 0) return Wait::Ready;
  }
}

bool Starter::send(const Order& order) const {
  return ::send(socket_, &order, sizeof order, MSG_NOSIGNAL) == sizeof order;
}

std::optional<std::string> Starter::start(const std::vector<std::string>& command) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return cannot_start(errno);
  const auto process = spawn(command, ends[1]);
  ::close(ends[1]);
  if (!process) {
    ::close(ends[0]);
    return cannot_start(process.error());
  }
  socket_ = ends[0];
  process_ = *process;
  command_ = command;
  ++count_;
  Greeting given{};
  const Greeting expected = greeting();
  if (!send({.kind = Order::Kind::Begin, .process = ::getpid()}) || !receive_packet(socket_, given))
    return formatted("its process does not start: {}", stop());
  if (given.protocol == expected.protocol && std::memcmp(given.version, expected.version, sizeof given.version) == 0)
    return std::nullopt;
  stop();
  return formatted("the program `{}` is of another version than this library", command.front());
}

std::string Starter::stop() {
  ::close(std::exchange(socket_, -1));
  const pid_t process = std::exchange(process_, -1);
  int status = 0;
  // It ends when its socket is closed, unless it does not get that far.
  bool killed = false;
  for (int i = 0; ::waitpid(process, &status, WNOHANG) == 0; ++i) {
    if (i == 200 || is_interrupted()) killed = ::kill(process, SIGKILL) == 0;
    ::usleep(1000);
  }
  if (killed) return is_interrupted() ? "it was interrupted" : "it does not answer";
  if (WIFSIGNALED(status))
    return formatted("it ended by signal {}, {}", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return formatted("it ended with status {}", WEXITSTATUS(status));
}

// After a fork the zygote belongs to the parent.
void Starter::forget_of_parent() {
  const pid_t self = ::getpid();
  if (std::exchange(owner_, self) == self) return;
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  process_ = -1;
}

std::expected<Worker, std::string> Starter::fork(const std::vector<std::string>& command, const Order& order) {
  const std::scoped_lock lock(mutex_);
  forget_of_parent();
  if (socket_ >= 0 && command != command_) stop();
  const bool old = socket_ >= 0;
  auto worker = fork_once(command, order);
  // A zygote that something else has ended is started again.
  if (!worker && old && socket_ < 0 && !is_interrupted()) worker = fork_once(command, order);
  return worker;
}

std::expected<Worker, std::string> Starter::fork_once(const std::vector<std::string>& command, const Order& order) {
  if (socket_ < 0) {
    if (std::optional<std::string> error = start(command)) return std::unexpected(std::move(*error));
  }
  Forked forked;
  Worker worker{.zygote = count_};
  if (!send(order) || !receive_packet(socket_, forked, &worker.socket)) {
    if (worker.socket >= 0) ::close(worker.socket);
    return std::unexpected(formatted("the process that starts it has ended: {}", stop()));
  }
  if (forked.error != 0) return std::unexpected(cannot_start(forked.error));
  worker.process = forked.process;
  // The zygote forks more processes than this one can open sockets.
  if (worker.socket < 0) {
    static_cast<void>(send({.kind = Order::Kind::End, .process = worker.process}));
    return std::unexpected(cannot_start(EMFILE));
  }
  return worker;
}

void Starter::end(const Worker& worker) {
  ::close(worker.socket);
  const std::scoped_lock lock(mutex_);
  if (worker.zygote == count_ && socket_ >= 0 && owner_ == ::getpid())
    static_cast<void>(send({.kind = Order::Kind::End, .process = worker.process}));
}

std::optional<Ended> Starter::report_end(const Worker& worker, bool patience) {
  ::close(worker.socket);
  const std::scoped_lock lock(mutex_);
  if (worker.zygote != count_ || socket_ < 0 || owner_ != ::getpid()) return std::nullopt;
  Ended ended;
  // A worker that ends while the zygote does has not ended by itself.
  if (send({.kind = Order::Kind::End, .process = worker.process, .answer = true, .patience = patience}) &&
      receive_packet(socket_, ended))
    return ended;
  stop();
  return std::nullopt;
}

}  // namespace slipway::sandbox
