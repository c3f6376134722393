// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a file fails as the original does. Each file runs in a process of its own, so that crashes and hangs are
// failures like others.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/reduce/child.hpp"

namespace slipway::cli {

// What two files have in common that fail in the same way.
struct FailureClass {
  std::string verdict;  // "failed", "bad input", "timed out", "signal 11 (Segmentation fault)"...; empty: no failure
  std::string kind;     // of the first error; may be empty
  std::string message;  // of it, if the check compares messages
  bool operator==(const FailureClass&) const = default;

  std::string text() const;
};

struct CandidateCheckOptions {
  std::string verb;                      // `run` or `compile`, without a command
  std::vector<std::string> words;        // its further arguments
  bool expectations_by_message = false;  // a failed expectation is the same only with the same message
  std::string command;                   // a program for the shell, in which `{}` is the file; 0: it fails
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
