// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The zygote, which reads no input, and the workers that it forks, each for one request.
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <set>
#include <utility>

#include "sandbox/sandbox.hpp"
#include "sandbox/wire.hpp"

namespace slipway::sandbox {
namespace {

using Services = std::span<const Service* const>;

const Service* find(Services services, std::uint32_t number) {
  const auto found = std::ranges::find(services, number, [](const Service* each) { return number_of(each->id); });
  return found == services.end() ? nullptr : *found;
}

// --- a worker --------------------------------------------------------------------------------------------------------

// The bytes of a request: at a page boundary.
class Received {
 public:
  explicit Received(std::uint64_t size) : size_(size) {
    if (size == 0) return;
    void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address != MAP_FAILED) data_ = static_cast<std::byte*>(address);
  }
  Received(const Received&) = delete;
  ~Received() {
    if (data_) ::munmap(data_, size_);
  }
  bool ok() const { return size_ == 0 || data_; }
  MutableBytes bytes() const { return data_ ? MutableBytes(data_, size_) : MutableBytes(); }

 private:
  std::uint64_t size_;
  std::byte* data_ = nullptr;
};

bool send(Message message, Bytes bytes) {
  const Bytes parts[] = {bytes};
  return send_message(kSocket, {message}, parts);
}

std::vector<std::byte> ask(Bytes question) {
  Header header{};
  std::vector<std::byte> answer;
  if (!send(Message::Ask, question) || !receive_all(kSocket, std::as_writable_bytes(std::span(&header, 1))) ||
      header.message != Message::Answer)
    ::_exit(1);  // the caller has ended
  answer.resize(header.size);
  if (!receive_all(kSocket, answer)) ::_exit(1);
  return answer;
}

// Returns the exit status.
int work(Services services, pid_t zygote, const Inherited& inherited, const Order& order) {
  const Hello hello = confine_worker(zygote, inherited, order.memory, order.seconds);
  const Bytes parts[] = {std::as_bytes(std::span(&hello, 1))};
  if (!send_all(kSocket, parts)) return 1;
  const Service* const service = find(services, order.service);
  Header header{};
  // Without a request the caller is not content with the protections.
  if (!receive_all(kSocket, std::as_writable_bytes(std::span(&header, 1))) || header.message != Message::Request)
    return 1;
  // From here on nothing that this process does can be relied on.
  const Received request(header.size);
  if (!request.ok()) return send(Message::Failed, bytes_of(kNeedsMemory)) ? 0 : 1;
  if (!receive_all(kSocket, request.bytes()) || !service) return 1;
  try {
    return send(Message::Reply, service->run(request.bytes(), ask)) ? 0 : 1;
  } catch (const std::bad_alloc&) {
    return send(Message::Failed, bytes_of(kNeedsMemory)) ? 0 : 1;
  } catch (const std::exception& exception) {
    return send(Message::Failed, bytes_of(exception.what())) ? 0 : 1;
  }
}

// --- the zygote ------------------------------------------------------------------------------------------------------

class Zygote {
 public:
  explicit Zygote(Services services) : services_(services), confined_(confine_zygote()) {}

  int run() {
    const Greeting hello = greeting();
    if (!send_packet(hello)) return 1;
    while (has_order()) {
      Order order{};
      if (::recv(kSocket, &order, sizeof order, 0) != sizeof order) return 0;
      if (order.kind == Order::Kind::Begin) watch(order.process);
      if (order.kind == Order::Kind::End && !end(order)) return 1;
      if (order.kind == Order::Kind::Fork) {
        if (const std::optional<int> status = fork_worker(order)) return *status;
      }
    }
    return 0;
  }

 private:
  template <class T>
  static bool send_packet(const T& packet) {
    return ::send(kSocket, &packet, sizeof packet, MSG_NOSIGNAL) == sizeof packet;
  }

  // The end of the caller, of any of its threads but not of one only. Its socket may be open elsewhere: in a fork of
  // it.
  void watch(pid_t caller) {
#ifdef SYS_pidfd_open
    caller_ = static_cast<int>(::syscall(SYS_pidfd_open, caller, 0));
    // In another process namespace its number means nothing here; then only its socket says that it has ended.
    if (const pid_t parent = ::getppid(); parent != 0 && parent != caller) ::_exit(0);
#endif
  }

  // Waits. False: the caller has ended.
  bool has_order() const {
    pollfd polled[] = {{.fd = kSocket, .events = POLLIN, .revents = 0},
                       {.fd = caller_, .events = POLLIN, .revents = 0}};
    while (::poll(polled, std::size(polled), -1) < 0) {
      if (errno != EINTR) return false;
    }
    return polled[1].revents == 0;
  }

  // The exit status, in the worker.
  std::optional<int> fork_worker(const Order& order) {
    prepare(order);
    Forked forked;
    int ends[2] = {-1, -1};
    const pid_t zygote = ::getpid();
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      forked.error = errno;
    else if ((forked.process = ::fork()) < 0)
      forked.error = errno;
    if (forked.process == 0) {
      ::close(caller_);
      ::close(ends[0]);
      if (::dup2(ends[1], kSocket) < 0) return 1;
      ::close(ends[1]);
      return work(services_, zygote, confined_, order);
    }
    if (ends[1] >= 0) ::close(ends[1]);
    if (forked.process > 0) workers_.insert(forked.process);
    const bool sent = send_forked(forked, forked.error == 0 ? ends[0] : -1);
    if (ends[0] >= 0) ::close(ends[0]);
    if (!sent) return 1;
    return std::nullopt;
  }

  static bool send_forked(Forked forked, int file) {
    iovec piece{&forked, sizeof forked};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof file)] = {};
    if (file >= 0) {
      message.msg_control = space;
      message.msg_controllen = sizeof space;
      cmsghdr* const header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof file);
      std::memcpy(CMSG_DATA(header), &file, sizeof file);
    }
    return ::sendmsg(kSocket, &message, MSG_NOSIGNAL) == sizeof forked;
  }

  // What all workers of a service would do first, without any input, is done here once.
  void prepare(const Order& order) {
    const Service* const service = find(services_, order.service);
    if (!service || !service->prepare || prepared_.size() >= kMaxPrepared) return;
    if (prepared_.emplace(order.service, order.variant).second) service->prepare(order.variant);
  }

  bool end(const Order& order) {
    Ended ended;
    if (workers_.erase(order.process) != 0) {
      pid_t gone = 0;
      for (int i = 0; order.patience && i < kPatience && gone == 0; ++i) {
        gone = ::waitpid(order.process, &ended.status, WNOHANG);
        if (gone == 0) ::usleep(1000);
      }
      ended.killed = gone == 0;
      if (gone == 0) {
        ::kill(order.process, SIGKILL);
        while (::waitpid(order.process, &ended.status, 0) < 0 && errno == EINTR) {
        }
      }
    }
    return !order.answer || send_packet(ended);
  }

  static constexpr std::size_t kMaxPrepared = 32;
  static constexpr int kPatience = 200;  // milliseconds

  Services services_;
  Inherited confined_;
  int caller_ = -1;
  std::set<pid_t> workers_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> prepared_;
};

}  // namespace

int serve(Services services) { return Zygote(services).run(); }

}  // namespace slipway::sandbox
