// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors and warnings as values. Every function of this interface that can fail returns an `Outcome`, whose error is a
// list of all problems that were found. No exceptions are thrown except those of the standard library (std::bad_alloc).
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#if defined(__GNUC__)
#define SLIPWAY_API __attribute__((visibility("default")))
#else
#define SLIPWAY_API
#endif

namespace slipway {

struct Problem {
  enum class Severity { Note, Warning, Error };

  Severity severity = Severity::Error;
  std::string kind;          // stable, so programs can match on it: "unknown-key", "device-lacks" (docs/diagnostics.md)
  std::string message;       // one line
  std::string file;          // empty if the problem has no file
  std::uint32_t line = 0;    // from 1; 0 if the file is binary or the line is unknown
  std::uint32_t column = 0;  // from 1, in bytes
  std::string path;          // JSON pointer, for JSON files
  std::string uid;           // of the resource, for scenarios
  std::string text;          // the whole message as the program prints it, with the source line and notes
  int exit_status = 0;       // of the program, for an error of this kind: 1, 3, 4 or 5
};

template <class T>
using Outcome = std::expected<T, std::vector<Problem>>;

}  // namespace slipway
