// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A line on the terminal that says what takes long, such as `compiling kernels: 3 of 12, 4 s`.
//
// It appears after two seconds, is renewed while the work goes on, and is erased before anything else is printed and at
// the end. It does not appear without a terminal, on a dumb one, or if quiet.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace slipway::cli {

inline constexpr std::chrono::seconds kProgressDelay{2};

// The text of the line after some time: empty before the delay or without a stage. `width` is that of the terminal.
std::string progress_text(const std::string& stage, std::chrono::steady_clock::duration elapsed, std::size_t width);
// A stage whose items are counted: `compiling kernels: 3 of 12`.
std::string counted_text(std::string_view what, std::size_t done, std::size_t total);

// What the process does at the moment, as the last call of Progress::stage says.
std::string current_stage();

class Progress {
 public:
  explicit Progress(std::string stage);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // What is done now; empty: nothing that takes long. The time counts from the beginning of the whole work.
  void stage(std::string what);

 private:
  void show_until_stopped();

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string stage_;
  bool stopped_ = false;
  std::thread thread_;  // not started without a terminal
};

}  // namespace slipway::cli
