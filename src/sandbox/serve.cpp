// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The zygote, which reads no input, and the workers that it forks, each for one request.
#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <set>
#include <utility>

#include "base/system/zeroed_memory.hpp"
#include "platform/channel.hpp"
#include "platform/memory.hpp"
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

bool send(Message message, Bytes bytes) {
  const Bytes parts[] = {bytes};
  return send_message(kSocket, {message}, parts);
}

std::vector<std::byte> ask(Bytes question) {
  Header header{};
  std::vector<std::byte> answer;
  if (!send(Message::Ask, question) || !receive_all(kSocket, std::as_writable_bytes(std::span(&header, 1))) ||
      header.message != Message::Answer)
    platform::end_now(1);  // the caller has ended
  answer.resize(header.size);
  if (!receive_all(kSocket, answer)) platform::end_now(1);
  return answer;
}

// Returns the exit status.
int work(Services services, int zygote, const platform::Inherited& inherited, const Order& order) {
  const Hello hello = platform::confine_worker(zygote, inherited, order.memory, order.seconds);
  const Bytes parts[] = {std::as_bytes(std::span(&hello, 1))};
  if (!platform::send_all(kSocket, parts)) return 1;
  Header header{};
  // Without a request the caller is not content with the protections, or has no further call.
  if (!receive_all(kSocket, std::as_writable_bytes(std::span(&header, 1))) || header.message != Message::Request)
    return 1;
  const Service* const service = find(services, header.service);
  // From here on nothing that this process does can be relied on.
  const ZeroedMemory request(header.size);
  if (request.failed()) return send(Message::Failed, bytes_of(kNeedsMemory)) ? 0 : 1;
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
  explicit Zygote(Services services) : services_(services), confined_(platform::confine_zygote()) {}

  int run() {
    const Greeting hello = greeting();
    if (!send_packet(hello)) return 1;
    while (has_order()) {
      Order order{};
      if (!platform::receive_packet(kSocket, std::as_writable_bytes(std::span(&order, 1)))) return 0;
      if (order.kind == Order::Kind::Begin) watch(order.process);
      if (order.kind == Order::Kind::End && !end(order)) return 1;
      if (order.kind == Order::Kind::Fork && !fork_worker(order)) return 1;
    }
    return 0;
  }

 private:
  template <class T>
  static bool send_packet(const T& packet, int file = -1) {
    return platform::send_packet(kSocket, std::as_bytes(std::span(&packet, 1)), file);
  }

  // The end of the caller, of any of its threads but not of one only. Its socket may be open elsewhere: in a fork of
  // it.
  void watch(int caller) {
    caller_ = platform::watch_process(caller);
    // In another process namespace its number means nothing here; then only its socket says that it has ended.
    if (const int parent = platform::parent_process(); parent != 0 && parent != caller) platform::end_now(0);
  }

  // Waits. False: the caller has ended.
  bool has_order() const {
    platform::Watched watched[] = {{.file = kSocket}, {.file = caller_}};
    while (platform::wait_for_any(watched, -1) < 0) {
      if (errno != EINTR) return false;
    }
    return !watched[1].is_ready;
  }

  // Returns false when the caller has ended, and nothing in the worker, which ends without what a program does last.
  bool fork_worker(const Order& order) {
    prepare(order);
    Forked forked;
    const int zygote = platform::process_id();
    auto ends = platform::make_channel(platform::ChannelKind::Stream);
    const std::expected<int, int> process = ends ? platform::fork_process() : std::unexpected(ends.error());
    if (process)
      forked.process = *process;
    else
      forked.error = process.error();
    if (forked.process == 0) {
      platform::close_file(caller_);
      (*ends)[0] = platform::OwnedDescriptor();
      if (platform::duplicate((*ends)[1].number(), kSocket) != 0) platform::end_now(1);
      (*ends)[1] = platform::OwnedDescriptor();
      platform::end_now(work(services_, zygote, confined_, order));
    }
    if (ends) (*ends)[1] = platform::OwnedDescriptor();
    if (process) workers_.insert(forked.process);
    return send_packet(forked, process ? (*ends)[0].number() : -1);
  }

  // What all workers of a service would do first, without any input, is done here once.
  void prepare(const Order& order) {
    const Service* const service = find(services_, order.service);
    if (!service || !service->prepare || prepared_.size() >= kMaxPrepared) return;
    if (!prepared_.emplace(order.service, order.variant).second) return;
    service->prepare(order.variant);
    platform::release_freed_memory();  // each fork would copy the page tables of it
  }

  bool end(const Order& order) {
    Ended ended;
    if (workers_.erase(order.process) != 0) ended = end_worker(order.process, order.patience);
    return !order.answer || send_packet(ended);
  }

  static constexpr std::size_t kMaxPrepared = 32;

  Services services_;
  platform::Inherited confined_;
  int caller_ = -1;
  std::set<int> workers_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> prepared_;
};

}  // namespace

int serve(Services services) {
  if (platform::has_fork()) return Zygote(services).run();
  const Greeting hello = greeting();
  Order order{};
  const Bytes parts[] = {std::as_bytes(std::span(&hello, 1))};
  if (!receive_all(kSocket, std::as_writable_bytes(std::span(&order, 1))) || !platform::send_all(kSocket, parts))
    return 1;
  if (const Service* const service = find(services, order.service); service && service->prepare)
    service->prepare(order.variant);
  return work(services, platform::parent_process(), platform::confine_zygote(), order);
}

}  // namespace slipway::sandbox
