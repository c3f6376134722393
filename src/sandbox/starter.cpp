// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sandbox/starter.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "platform/channel.hpp"

namespace slipway::sandbox {
namespace {

constexpr std::chrono::seconds kTimeOfZygote{60};  // to start, or to prepare a service and fork

// What the zygote gets of the environment: where its libraries are, and options of sanitizers. What each worker would
// otherwise do after its fork, or each fork again, is done once: symbols are bound at the start, and the heap is in
// large pages, whose page tables are short.
std::vector<std::string> environment_of_sandbox() {
  std::vector<std::string> kept = {"LD_BIND_NOW=1", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"};
  for (const char* name :
       {"LD_LIBRARY_PATH", "LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "SystemRoot"}) {
    if (const char* value = std::getenv(name)) kept.push_back(formatted("{}={}", name, value));
  }
  return kept;
}

// The process that has `file` as its socket; or the error number.
std::expected<int, int> start_zygote(const std::vector<std::string>& command, int file) {
  return platform::start_process(
      {.command = command,
       .environment = environment_of_sandbox(),
       .files = {{file, kSocket}},
       .without_stream = {platform::kStandardInput, platform::kStandardOutput, platform::kStandardError},
       .files_end = kSocket + 1,
       .default_signals = true});
}

bool has_limits_of(const Order& a, const Order& b) { return a.memory == b.memory && a.seconds == b.seconds; }

std::string cannot_start(int error) { return formatted("its process cannot be started: {}", std::strerror(error)); }

// A packet, and the descriptor that comes with it.
template <class T>
bool receive_packet(int socket, T& packet, int* file = nullptr) {
  if (wait_for(socket, Clock::now() + kTimeOfZygote) != Wait::Ready) return false;
  return platform::receive_packet(socket, std::as_writable_bytes(std::span(&packet, 1)), file);
}

}  // namespace

Wait wait_for(int socket, Clock::time_point end) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (is_interrupted()) return Wait::Interrupted;
    if (left.count() <= 0) return Wait::Late;
    platform::Watched watched[] = {{.file = socket}, {.file = interrupt_file()}};
    platform::wait_for_any(watched, static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
    if (watched[0].is_ready) return Wait::Ready;
  }
}

bool Starter::send(const Order& order) const {
  return platform::send_packet(socket_, std::as_bytes(std::span(&order, 1)));
}

std::optional<std::string> Starter::start(const std::vector<std::string>& command) {
  auto ends = platform::make_channel(platform::ChannelKind::Packets);
  if (!ends) return cannot_start(ends.error());
  const auto process = start_zygote(command, (*ends)[1].number());
  if (!process) return cannot_start(process.error());
  (*ends)[1] = platform::OwnedDescriptor();
  socket_ = (*ends)[0].release();
  process_ = *process;
  command_ = command;
  prepared_.clear();
  ++count_;
  Greeting given{};
  const Greeting expected = greeting();
  if (!send({.kind = Order::Kind::Begin, .process = platform::process_id()}) || !receive_packet(socket_, given))
    return formatted("its process does not start: {}", stop());
  if (given.protocol == expected.protocol && std::memcmp(given.version, expected.version, sizeof given.version) == 0)
    return std::nullopt;
  stop();
  return formatted("the program `{}` is of another version than this library", command.front());
}

std::string Starter::stop() {
  end_spare();
  spare_ordered_ = false;
  platform::close_file(std::exchange(socket_, -1));
  const int process = std::exchange(process_, -1);
  std::optional<platform::ProcessEnd> end;
  // It ends when its socket is closed, unless it does not get that far.
  bool killed = false;
  for (int i = 0; !(end = platform::end_of_process(process, platform::Waiting::No)); ++i) {
    if (i == 200 || is_interrupted()) {
      platform::kill_process(process);
      killed = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (killed) return is_interrupted() ? "it was interrupted" : "it does not answer";
  if (end->signal != 0) return formatted("it ended by signal {}, {}", end->signal, platform::signal_text(end->signal));
  return formatted("it ended with status {}", end->status);
}

// After a fork the zygote belongs to the parent.
void Starter::forget_of_parent() {
  const int self = platform::process_id();
  if (std::exchange(owner_, self) == self) return;
  if (socket_ >= 0) platform::close_file(std::exchange(socket_, -1));
  if (spare_) platform::close_file(std::exchange(spare_, std::nullopt)->socket);
  spare_ordered_ = false;
  process_ = -1;
}

std::expected<Worker, std::string> Starter::fork(const std::vector<std::string>& command, const Order& order,
                                                 bool takes_spare) {
  if (!platform::has_fork()) return start_worker(command, order);
  const std::scoped_lock lock(mutex_);
  forget_of_parent();
  if (socket_ >= 0 && command != command_) stop();
  repeats_ = has_limits_of(order, last_);
  last_ = order;
  collect_spare();
  if (const std::optional<Worker> spare = takes_spare ? take_spare(order) : std::nullopt) {
    order_spare();
    return *spare;
  }
  const bool old = socket_ >= 0;
  auto worker = fork_once(command, order);
  // A zygote that something else has ended is started again.
  if (!worker && old && socket_ < 0 && !is_interrupted()) worker = fork_once(command, order);
  if (worker) order_spare();
  return worker;
}

std::expected<Worker, std::string> Starter::fork_once(const std::vector<std::string>& command, const Order& order) {
  if (socket_ < 0) {
    if (std::optional<std::string> error = start(command)) return std::unexpected(std::move(*error));
  }
  // A worker that has started before lacks what is prepared now.
  if (order.service != 0 && prepared_.emplace(order.service, order.variant).second) end_spare();
  if (!send(order)) return std::unexpected(formatted("the process that starts it has ended: {}", stop()));
  return receive_worker();
}

std::expected<Worker, std::string> Starter::receive_worker() {
  Forked forked;
  Worker worker{.zygote = count_};
  if (!receive_packet(socket_, forked, &worker.socket)) {
    if (worker.socket >= 0) platform::close_file(worker.socket);
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

std::optional<Worker> Starter::take_spare(const Order& order) {
  const bool is_prepared = order.service == 0 || prepared_.contains({order.service, order.variant});
  if (!spare_ || !is_prepared || !has_limits_of(order, spare_order_)) return std::nullopt;
  Worker spare = *std::exchange(spare_, std::nullopt);
  spare.is_spare = true;
  return spare;
}

// The first calls need none: programs often make no further ones.
void Starter::order_spare() {
  if (!repeats_ || spare_ordered_ || (spare_ && has_limits_of(spare_order_, last_))) return;
  end_spare();
  spare_order_ = last_;
  spare_ordered_ = send(spare_order_);
}

// Its packet comes before what is ordered next.
void Starter::collect_spare() {
  if (!std::exchange(spare_ordered_, false)) return;
  if (const auto spare = receive_worker()) spare_ = *spare;
}

void Starter::end_spare() {
  if (!spare_) return;
  platform::close_file(spare_->socket);
  static_cast<void>(send({.kind = Order::Kind::End, .process = spare_->process}));
  spare_.reset();
}

std::expected<Worker, std::string> Starter::start_worker(const std::vector<std::string>& command, const Order& order) {
  auto ends = platform::make_channel(platform::ChannelKind::Stream);
  if (!ends) return std::unexpected(cannot_start(ends.error()));
  const auto process = start_zygote(command, (*ends)[1].number());
  if (!process) return std::unexpected(cannot_start(process.error()));
  (*ends)[1] = platform::OwnedDescriptor();
  const int socket = (*ends)[0].number();
  const Bytes parts[] = {std::as_bytes(std::span(&order, 1))};
  Greeting given{};
  const Greeting expected = greeting();
  const bool answers = platform::send_all(socket, parts) &&
                       wait_for(socket, Clock::now() + kTimeOfZygote) == Wait::Ready &&
                       receive_all(socket, std::as_writable_bytes(std::span(&given, 1)));
  if (answers && given.protocol == expected.protocol &&
      std::memcmp(given.version, expected.version, sizeof given.version) == 0)
    return Worker{.socket = (*ends)[0].release(), .process = *process, .zygote = 0};
  end_worker(*process, !answers);
  return std::unexpected(answers
                             ? formatted("the program `{}` is of another version than this library", command.front())
                             : std::string("its process ends before it answers"));
}

void Starter::end(const Worker& worker) {
  platform::close_file(worker.socket);
  if (worker.zygote == 0) {
    end_worker(worker.process, false);
    return;
  }
  const std::scoped_lock lock(mutex_);
  if (worker.zygote != count_ || socket_ < 0 || owner_ != platform::process_id()) return;
  static_cast<void>(send({.kind = Order::Kind::End, .process = worker.process}));
}

std::optional<Ended> Starter::report_end(const Worker& worker, bool patience) {
  platform::close_file(worker.socket);
  if (worker.zygote == 0) return end_worker(worker.process, patience);
  const std::scoped_lock lock(mutex_);
  if (worker.zygote != count_ || socket_ < 0 || owner_ != platform::process_id()) return std::nullopt;
  collect_spare();
  if (socket_ < 0) return std::nullopt;
  Ended ended;
  // A worker that ends while the zygote does has not ended by itself.
  if (send({.kind = Order::Kind::End, .process = worker.process, .answer = true, .patience = patience}) &&
      receive_packet(socket_, ended))
    return ended;
  stop();
  return std::nullopt;
}

}  // namespace slipway::sandbox
