// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the process does while a driver or another library may crash. The program prints it and ends with the status of
// failures, 5. Without a note the signal ends it. Other programs that use the library keep their own handlers.
#pragma once

#include <string>

namespace slipway {

// Once, at the start of the program.
void report_crashes();
// For processes whose parent reports the signal.
void end_crashes_by_signal();
// Whether notes are printed, so that making them is worthwhile.
bool reports_crashes();

// What devices do, which threads of the driver may execute; null: nothing. The text lives until it is replaced.
void set_crash_note(const std::string* note);
// The same, if it is `note`.
void remove_crash_note(const std::string& note);
// A copy of that text; empty: nothing. For threads that wait for what the note says: it must not be replaced meanwhile.
std::string crash_note_of_devices();

// What this thread does, in the life of the object.
class CrashNote {
 public:
  explicit CrashNote(const std::string& note);
  CrashNote(const CrashNote&) = delete;
  CrashNote& operator=(const CrashNote&) = delete;
  ~CrashNote();
};

}  // namespace slipway
