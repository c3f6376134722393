// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The supervisor's side of a worker: its process, the socket, and the pipes of what it prints.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "platform/channel.hpp"

namespace slipway::cli {

class WorkerProcess {
 public:
  // `words`: the arguments of the worker. Errors: device-failed, if the system starts no process.
  static Result<WorkerProcess> start(const std::vector<std::string>& words);

  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  ~WorkerProcess();  // ends the process

  // Sends a line; a worker that has ended is noticed by `read`.
  void send(std::string line);
  // What to wait for: the socket and the two pipes.
  void add_to(std::vector<platform::Watched>& watched) const;
  // Reads what has arrived. Returns false once the worker has closed its socket, which is when it ends.
  bool read();
  // The next complete line of the socket.
  std::optional<std::string> next_line();
  // What the worker printed since the last call, to standard output and to standard error.
  std::string take_output();
  std::string take_errors();

  // Ends the process at once.
  void kill();
  // After the end of the process: how it ended, such as "signal 11 (Segmentation fault)".
  std::string wait();
  // Lets the process end by itself within a few seconds.
  void close();

 private:
  WorkerProcess() = default;
  enum Stream : std::size_t { Socket, Output, Errors, Count };

  int process_ = -1;
  std::array<platform::OwnedDescriptor, Count> files_;
  std::array<std::string, Count> received_;
};

}  // namespace slipway::cli
