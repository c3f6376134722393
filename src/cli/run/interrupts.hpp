// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What verbs do after Ctrl-C, SIGTERM or SIGHUP. Work that can stop does so (base/interrupt.hpp), and the verb writes
// its reports as after a failure. What cannot stop, such as a device that hangs, is given up after a few seconds: a
// thread that waits for interrupts then calls the emergency report of the verb and ends the process.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace slipway::cli {

// Begins to catch interrupts. `verb` is the name in messages: `slipway run`.
void watch_interrupts(std::string verb);

// What to write, in the life of the object, if the process has to be ended although the verb has not come to an end. It
// is called on another thread, at most once, with a text about what is given up; the process ends after it.
class EmergencyReport {
 public:
  explicit EmergencyReport(std::function<void(const std::string& what)> write);
  EmergencyReport(const EmergencyReport&) = delete;
  EmergencyReport& operator=(const EmergencyReport&) = delete;
  ~EmergencyReport();
};

// Whether there was an interrupt, which is then reported for an input that a verb checks one after another.
bool report_interrupt(const std::string& file, Diagnostics& diagnostics);

// From now on the verb only writes results, which may take as long as it needs. Does not return if the process is
// already being ended.
void begin_results();

// After a verb: its status. Ends the process if it was interrupted.
int end_of_verb(int status);

}  // namespace slipway::cli
