// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a file fails as the original does. Each file runs in a process of its own, so that crashes and hangs are
// failures like others.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/child_process.hpp"

namespace slipway::cli {

// What two files have in common that fail in the same way.
struct FailureClass {
  std::string verdict;  // "failed", "bad input", "timed out", "signal 11 (Segmentation fault)"...; empty: no failure
  std::string kind;     // of the first error; may be empty
  std::string message;  // of it, for people
  std::string what;     // what has to be the same in its message and its location

  bool operator==(const FailureClass& other) const {
    return verdict == other.verdict && kind == other.kind && what == other.what;
  }
  std::string text() const;
};

// The names in backticks, and the words, of the first clause of a message, without the directories of files. Numbers,
// and the hints after the clause, may change when a file gets smaller. Without `names` names may change, too.
std::string message_identity(std::string_view message, bool names);
// The last key of a JSON pointer: indices change when elements are left out.
std::string_view last_key(std::string_view pointer);

struct CandidateCheckOptions {
  std::string verb;                // `run` or `compile`, without a command
  std::vector<std::string> words;  // its further arguments
  bool named = true;               // what a file contains keeps its name when the file gets smaller
  std::string command;             // a program for the shell, in which `{}` is the file; 0: it fails
  std::chrono::duration<double> limit{60};
};

class CandidateCheck {
 public:
  explicit CandidateCheck(CandidateCheckOptions options) : options_(std::move(options)) {}

  // Errors: device-failed (no process can be started), usage (the arguments of the verb).
  Result<FailureClass> classify(const std::string& file) const;
  // The command line for people.
  std::string command_for(const std::string& file) const;

 private:
  CandidateCheckOptions options_;
};

}  // namespace slipway::cli
