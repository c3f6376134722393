// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/run/interrupts.hpp"

#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/system/crash_note.hpp"
#include "cli/run/progress.hpp"
#include "cli/terminal.hpp"
#include "platform/channel.hpp"

namespace slipway::cli {
namespace {

// After an interrupt: until what does not end is named, and until it is given up.
constexpr std::chrono::seconds kUntilNotice{1}, kUntilEnd{5};

// Of this process. Never destroyed: the thread may outlive main.
struct Watch {
  std::string verb;
  std::mutex mutex;  // kept by the thread that ends the process
  bool writes_results = false;
  std::function<void(const std::string&)> emergency;
};
Watch& watch() {
  static Watch& one = *new Watch;
  return one;
}

// What the process does; the verb is stuck in it.
std::string activity() {
  if (std::string note = crash_note_of_devices(); !note.empty()) return note;
  return current_stage();
}

[[noreturn]] void end_now() {
  static_cast<void>(finish_sarif(0));
  std::fflush(nullptr);
  end_by_interrupt();
}

void wait_for_interrupt() {
  platform::Watched watched[] = {{.file = interrupt_file()}};
  while (platform::wait_for_any(watched, -1) <= 0) {
  }
  std::this_thread::sleep_for(kUntilNotice);
  Watch& one = watch();
  {
    const std::scoped_lock lock(one.mutex);
    if (one.writes_results) return;
    const std::string what = activity();
    print_error(formatted("{}: interrupted{}{}; it is given up in {} s, and a second interrupt ends at once\n",
                          one.verb, what.empty() ? "" : ", but this has not ended: ", what,
                          (kUntilEnd - kUntilNotice).count()));
  }
  std::this_thread::sleep_for(kUntilEnd - kUntilNotice);
  one.mutex.lock();
  if (one.writes_results) return one.mutex.unlock();
  const std::string what = activity();
  if (one.emergency)
    one.emergency(what);
  else
    print_error(formatted("{}: interrupted{}{}\n", one.verb, what.empty() ? "" : ": ", what));
  end_now();
}

}  // namespace

void watch_interrupts(std::string verb) {
  watch().verb = std::move(verb);
  catch_interrupts();
  if (interrupt_file() >= 0) std::thread(wait_for_interrupt).detach();
}

EmergencyReport::EmergencyReport(std::function<void(const std::string&)> write) {
  const std::scoped_lock lock(watch().mutex);
  watch().emergency = std::move(write);
}

EmergencyReport::~EmergencyReport() {
  const std::scoped_lock lock(watch().mutex);
  watch().emergency = nullptr;
}

bool report_interrupt(const std::string& file, Diagnostics& diagnostics) {
  if (!is_interrupted()) return false;
  diagnostics.error(DiagnosticKind::Interrupted, SourceLocation::in_file(file),
                    "interrupted before the check of the file had ended");
  return true;
}

void begin_results() {
  const std::scoped_lock lock(watch().mutex);
  watch().writes_results = true;
}

int end_of_verb(int status) {
  if (!is_interrupted()) return status;
  begin_results();
  print_error(formatted("{}: interrupted\n", watch().verb));
  end_now();
}

}  // namespace slipway::cli
