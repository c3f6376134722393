// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/crash_note.hpp"

#include <atomic>
#include <cstdlib>

#include "platform/fault.hpp"
#include "platform/process.hpp"

namespace slipway {
namespace {

std::atomic<bool> reporting = false, with_signal = false;
constinit std::atomic<const std::string*> note_of_devices = nullptr;
constinit thread_local const std::string* note_of_thread = nullptr;

constexpr int kDeviceFailed = 5;

// Only calls that a signal handler may make.
void end_with_note(bool is_sent) {
  const auto put = platform::print_in_handler;
  const std::string* note = note_of_thread;
  if (!note) note = note_of_devices;
  if (note && !note->empty()) {
    put("error: the process crashed while ");
    put(*note);
    put(" [device-failed]\n"
        "  hint: `--validate` reports wrong use of the driver, `--enable-robustness-features` (of scenarios; software "
        "drivers always do) checks accesses to bound buffers, and `--device` selects another device\n");
    // The fault is that of a driver, or of a shader in it: the status of failures of the device.
    // What another process sends is not a crash.
    if (!is_sent && !with_signal) platform::end_now(kDeviceFailed);
  }
}

}  // namespace

void report_crashes() {
  with_signal = std::getenv(kCrashWithSignal) != nullptr;
  reporting = platform::catch_crashes(end_with_note);
}

bool reports_crashes() { return reporting; }

void set_crash_note(const std::string* note) { note_of_devices = note; }

void remove_crash_note(const std::string& note) {
  const std::string* expected = &note;
  note_of_devices.compare_exchange_strong(expected, nullptr);
}

std::string crash_note_of_devices() {
  const std::string* const note = note_of_devices;
  return note ? *note : "";
}

CrashNote::CrashNote(const std::string& note) { note_of_thread = &note; }
CrashNote::~CrashNote() { note_of_thread = nullptr; }

}  // namespace slipway
