// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes wrong, as values: every function of this interface that can fail gives an `Outcome`, whose error is all the
// problems found, each with its place. Nothing throws but what the standard library throws (std::bad_alloc).
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
  std::string kind;          // stable, to be matched on: "unknown-key", "device-lacks" (docs/diagnostics.md lists them)
  std::string message;       // one line
  std::string file;          // empty when the problem has no file
  std::uint32_t line = 0;    // from 1; 0 when the file is binary or there is no place in it
  std::uint32_t column = 0;  // from 1, in bytes
  std::string path;          // JSON pointer, where the place is in JSON
  std::string uid;           // of the resource concerned, where there is one
  std::string text;          // the whole message as the program prints it, with source line and notes
  int exit_status = 0;       // what the program would exit with because of it: 1, 3, 4 or 5
};

template <class T>
using Outcome = std::expected<T, std::vector<Problem>>;

}  // namespace slipway
