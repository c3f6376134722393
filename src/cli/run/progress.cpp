// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/run/progress.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "cli/terminal.hpp"

namespace slipway::cli {
namespace {

constexpr std::chrono::milliseconds kPeriod{250};  // between two renewals

std::mutex stage_mutex;
std::string stage_of_process;

bool has_progress() {
  const char* type = std::getenv("TERM");
  return is_terminal(stderr) && output_level() != OutputLevel::Quiet && type != nullptr &&
         std::string_view(type) != "dumb";
}

}  // namespace

std::string progress_text(const std::string& stage, std::chrono::steady_clock::duration elapsed, std::size_t width) {
  if (stage.empty() || elapsed < kProgressDelay) return "";
  std::string text = formatted("{}, {} s", stage, std::chrono::duration_cast<std::chrono::seconds>(elapsed).count());
  if (text.size() >= width) text.resize(width - 1);  // a wrapped line could not be erased
  return text;
}

std::string counted_text(std::string_view what, std::size_t done, std::size_t total) {
  return formatted("{}: {} of {}", what, done, total);
}

std::string current_stage() {
  const std::scoped_lock lock(stage_mutex);
  return stage_of_process;
}

Progress::Progress(std::string stage) : stage_(std::move(stage)) {
  if (has_progress()) thread_ = std::thread([this] { show_until_stopped(); });
}

Progress::~Progress() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  erase_progress();
}

void Progress::stage(std::string what) {
  const bool ended = what.empty();
  {
    const std::scoped_lock lock(stage_mutex);
    stage_of_process = what;
  }
  {
    const std::scoped_lock lock(mutex_);
    stage_ = std::move(what);
  }
  if (ended) erase_progress();
}

void Progress::show_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kPeriod, [this] { return stopped_; })) {
    const std::string text = progress_text(stage_, std::chrono::steady_clock::now() - start_, text_width());
    if (!text.empty()) show_progress(text);
  }
}

}  // namespace slipway::cli
