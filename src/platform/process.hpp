// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processes, by their numbers. Failures are numbers of <cerrno>.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace slipway::platform {

struct StartOptions {
  std::vector<std::string> command;
  bool searches = false;                 // for the program, in PATH
  std::vector<std::string> environment;  // NAME=VALUE
  struct File {
    int number, as;
  };
  std::vector<File> files = {};          // what it gets, beside the standard streams
  std::vector<int> without_stream = {};  // standard streams that are the null device
  std::optional<int> files_end = {};     // it gets no files from this number on
  bool own_group = false;                // `end_group` ends what it starts, too
  bool default_signals = false;          // none ignored or blocked
  bool ignores_interrupts = false;       // of the terminal; this process ends it
};
std::expected<int, int> start_process(const StartOptions& options);
// A copy of this process: 0 in it.
std::expected<int, int> fork_process();
bool has_fork();
// Becomes the command, which is searched in PATH. Returns only if that fails.
int become(const std::vector<std::string>& command);

struct ProcessEnd {
  std::int32_t signal = 0, status = 0;  // the status without a signal
};
enum class Waiting : std::uint8_t { No, Yes };
// Nothing while it runs.
std::optional<ProcessEnd> end_of_process(int process, Waiting waiting);
void kill_process(int process);
void end_group(int process);
std::string signal_text(int signal);
inline constexpr std::int32_t kKilled = 9, kOutOfTime = 24;  // signals

int process_id();
int parent_process();
[[noreturn]] void end_now(int status);  // without handlers of the end, and without flushing
std::vector<std::string> environment();
void set_environment(const char* name, const std::string& value);
void remove_environment(const char* name);

// The command that starts this program again: its path or, in a bundle, its loader and options, then the path.
std::vector<std::string> own_command();
// A file that becomes readable when a process ends, or -1.
int watch_process(int process);
// The system ends this process with its parent. The number of an error, or 0.
int end_with_parent();

struct ProcessTimes {
  double user = 0, kernel = 0;  // seconds
  double peak_memory_mb = 0;    // MiB
};
ProcessTimes process_times();

}  // namespace slipway::platform
