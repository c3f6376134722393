// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calling side of the zygote: starts it, and has it fork and end workers. Inside this module only.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/wire.hpp"

namespace slipway::sandbox {

using Clock = std::chrono::steady_clock;
enum class Wait : std::uint8_t { Ready, Late, Interrupted };
// For bytes or the end of a socket.
Wait wait_for(int socket, Clock::time_point end);

struct Worker {
  int socket = -1, process = -1;
  std::uint64_t zygote = 0;  // which one; 0: it is a child of this process
  bool is_spare = false;     // it has been waiting for a request; something may have ended it
};

// Safe for several threads. A fork of the process starts a zygote of its own. Where one call follows another one, the
// worker of the next one starts while this one works.
class Starter {
 public:
  // `takes_spare`: it may be the worker that started in advance. The error is a clause: "its process cannot be started:
  // Resource temporarily unavailable".
  std::expected<Worker, std::string> fork(const std::vector<std::string>& command, const Order& order,
                                          bool takes_spare);
  // Ends the worker if it has not ended, and closes its socket.
  void end(const Worker& worker);
  // The same, and reports how it ended; nothing if the zygote has ended too. `patience`: it may be about to end.
  std::optional<Ended> report_end(const Worker& worker, bool patience);

 private:
  std::optional<std::string> start(const std::vector<std::string>& command);  // an error
  std::string stop();                                                         // how the zygote ended
  void forget_of_parent();
  std::expected<Worker, std::string> fork_once(const std::vector<std::string>& command, const Order& order);
  static std::expected<Worker, std::string> start_worker(const std::vector<std::string>& command, const Order& order);
  bool send(const Order& order) const;
  std::expected<Worker, std::string> receive_worker();
  std::optional<Worker> take_spare(const Order& order);
  void order_spare();
  void collect_spare();
  void end_spare();

  std::mutex mutex_;
  std::vector<std::string> command_;  // of the zygote
  int owner_ = -1, process_ = -1;
  int socket_ = -1;
  std::uint64_t count_ = 0;                                     // of zygotes
  std::set<std::pair<std::uint32_t, std::uint32_t>> prepared_;  // what the zygote has prepared: service, variant
  Order last_{.kind = Order::Kind::Fork};                       // of the last call
  bool repeats_ = false;                                        // it had the limits of the one before
  bool spare_ordered_ = false;                                  // its `Forked` comes next
  std::optional<Worker> spare_;
  Order spare_order_{.kind = Order::Kind::Fork};
};

}  // namespace slipway::sandbox
