// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/worker_process.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "base/system/crash_note.hpp"
#include "cli/lab/worker.hpp"
#include "cli/terminal.hpp"
#include "platform/process.hpp"

namespace slipway::cli {
namespace {

constexpr std::chrono::seconds kTimeToEnd{5};

// The environment of a worker: it prints into pipes what the supervisor prints on the terminal.
std::vector<std::string> worker_environment() {
  std::vector<std::string> variables = platform::environment();
  std::erase_if(variables, [](const std::string& text) {
    return text.starts_with("CLICOLOR_FORCE=") || text.starts_with("NO_COLOR=") || text.starts_with("COLUMNS=");
  });
  variables.emplace_back(use_colour(stderr) && use_colour(stdout) ? "CLICOLOR_FORCE=1" : "NO_COLOR=1");
  variables.push_back(formatted("COLUMNS={}", text_width()));
  variables.push_back(formatted("{}=1", kCrashWithSignal));
  return variables;
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const std::vector<std::string>& words) {
  const auto failed = [](int error) {
    return fail(DiagnosticKind::DeviceFailed, {}, formatted("cannot start a worker process: {}", std::strerror(error)));
  };
  auto socket = platform::make_channel(platform::ChannelKind::Stream);
  if (!socket) return failed(socket.error());
  auto output = platform::make_pipe();
  if (!output) return failed(output.error());
  auto errors = platform::make_pipe();
  if (!errors) return failed(errors.error());
  WorkerProcess worker;
  worker.files_ = {std::move((*socket)[0]), std::move((*output)[0]), std::move((*errors)[0])};
  for (const platform::OwnedDescriptor& file : worker.files_) platform::do_not_wait(file.number());

  std::vector<std::string> command = platform::own_command();
  command.emplace_back(kWorkerVerb);
  command.append_range(words);
  const auto process = platform::start_process({.command = std::move(command),
                                                .environment = worker_environment(),
                                                .files = {{(*output)[1].number(), platform::kStandardOutput},
                                                          {(*errors)[1].number(), platform::kStandardError},
                                                          {(*socket)[1].number(), kWorkerSocket}},
                                                // The supervisor ends workers.
                                                .ignores_interrupts = true});
  if (!process) return failed(process.error());
  worker.process_ = *process;
  return worker;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      files_(std::move(other.files_)),
      received_(std::move(other.received_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(files_, other.files_);
  std::swap(received_, other.received_);
  return *this;
}

WorkerProcess::~WorkerProcess() {
  if (process_ <= 0) return;
  kill();
  wait();
}

void WorkerProcess::send(std::string line) {
  line += '\n';
  const Bytes whole[] = {bytes_of(line)};
  static_cast<void>(platform::send_all(files_[Socket].number(), whole));
}

void WorkerProcess::add_to(std::vector<platform::Watched>& watched) const {
  for (const platform::OwnedDescriptor& file : files_) watched.push_back({.file = file.number()});
}

bool WorkerProcess::read() {
  bool open = true;
  // The socket first: what a case printed is in the pipes before its result.
  for (std::size_t i = 0; i < Count; ++i) {
    std::byte buffer[1 << 16];
    while (files_[i].number() >= 0) {
      const auto count = platform::read_some(files_[i].number(), buffer);
      if (count && *count > 0) {
        received_[i].append(reinterpret_cast<const char*>(buffer), *count);
        continue;
      }
      if (!count && count.error() == EAGAIN) break;
      if (i == Socket) open = false;
      files_[i] = platform::OwnedDescriptor();
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
  if (process_ > 0) platform::kill_process(process_);
}

std::string WorkerProcess::wait() {
  platform::ProcessEnd end;
  if (process_ > 0) end = *platform::end_of_process(process_, platform::Waiting::Yes);
  process_ = -1;
  if (end.signal != 0) return formatted("signal {} ({})", end.signal, platform::signal_text(end.signal));
  return formatted("exit status {}", end.status);
}

void WorkerProcess::close() {
  platform::end_sending(files_[Socket].number());
  const auto end = std::chrono::steady_clock::now() + kTimeToEnd;
  while (process_ > 0 && !platform::end_of_process(process_, platform::Waiting::No)) {
    if (std::chrono::steady_clock::now() > end) return;  // the destructor ends it
    read();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  process_ = -1;
}

}  // namespace slipway::cli
