// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/child_process.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <expected>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/system/crash_note.hpp"
#include "platform/channel.hpp"
#include "platform/process.hpp"

namespace slipway {
namespace {

constexpr std::size_t kMaxOutput = std::size_t{16} << 20;

// The reading ends of the pipes for standard output and standard error.
class ChildPipes {
 public:
  int open() {
    for (auto& pipe : pipes_) {
      auto made = platform::make_pipe();
      if (!made) return made.error();
      pipe = *std::move(made);
    }
    return 0;
  }
  int writer(std::size_t i) const { return pipes_[i][1].number(); }
  void close_writers() {
    for (auto& pipe : pipes_) pipe[1] = platform::OwnedDescriptor();
  }
  bool is_open() const {
    return std::ranges::any_of(pipes_, [](const auto& pipe) { return pipe[0].number() >= 0; });
  }

  // Waits for at most this time, and reads what has arrived. Returns whether there was something, or an end.
  bool read(int milliseconds, ChildEnd& end) {
    std::array<platform::Watched, 2> watched{};
    for (std::size_t i = 0; i < watched.size(); ++i) watched[i].file = pipes_[i][0].number();
    if (platform::wait_for_any(watched, milliseconds) <= 0) return false;
    for (std::size_t i = 0; i < watched.size(); ++i) {
      if (!watched[i].is_ready) continue;
      std::byte buffer[1 << 16];
      const std::size_t count = platform::read_some(watched[i].file, buffer).value_or(0);
      std::string& text = i == 0 ? end.output : end.errors;
      if (count > 0)
        text.append(reinterpret_cast<const char*>(buffer),
                    std::min(count, kMaxOutput - std::min(kMaxOutput, text.size())));
      else
        pipes_[i][0] = platform::OwnedDescriptor();
    }
    return true;
  }

 private:
  std::array<std::array<platform::OwnedDescriptor, 2>, 2> pipes_;
};

// In a group of its own, so that what the command starts is ended with it.
std::expected<int, int> start(const std::vector<std::string>& command, const ChildPipes& pipes) {
  std::vector<std::string> environment = platform::environment();
  std::erase_if(environment, [](const std::string& variable) { return variable.starts_with("CLICOLOR_FORCE="); });
  environment.emplace_back("NO_COLOR=1");
  environment.push_back(formatted("{}=1", kCrashWithSignal));
  return platform::start_process(
      {.command = command,
       .searches = true,
       .environment = std::move(environment),
       .files = {{pipes.writer(0), platform::kStandardOutput}, {pipes.writer(1), platform::kStandardError}},
       .without_stream = {platform::kStandardInput},
       .own_group = true});
}

}  // namespace

Result<ChildEnd> run_child(const std::vector<std::string>& command, std::chrono::duration<double> limit) {
  using Clock = std::chrono::steady_clock;
  constexpr int kPeriod = 20;  // milliseconds
  ChildPipes pipes;
  const int failed = pipes.open();
  const std::expected<int, int> process = failed == 0 ? start(command, pipes) : std::unexpected(failed);
  if (!process) {
    return fail(DiagnosticKind::DeviceFailed, {},
                formatted("cannot start `{}`: {}", command.front(), std::strerror(process.error())));
  }
  pipes.close_writers();
  ChildEnd end;
  const auto start = Clock::now();
  const bool ends_by_interrupt = !is_interrupted();
  std::optional<platform::ProcessEnd> ended;
  // A process that the command leaves running may keep the pipes open.
  while (!(ended = platform::end_of_process(*process, platform::Waiting::No))) {
    if (pipes.is_open())
      pipes.read(kPeriod, end);
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!end.timed_out && !end.interrupted) {
      end.interrupted = ends_by_interrupt && is_interrupted();
      end.timed_out = !end.interrupted && Clock::now() - start >= limit;
    }
    if (!end.timed_out && !end.interrupted) continue;
    platform::end_group(*process);  // again until it has ended: its group may not exist yet
    platform::kill_process(*process);
  }
  platform::end_group(*process);
  while (pipes.is_open() && pipes.read(0, end)) {
  }
  if (ended->signal != 0 && !end.timed_out && !end.interrupted) end.signal = ended->signal;
  end.status = ended->status;
  return end;
}

}  // namespace slipway
