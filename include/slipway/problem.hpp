// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors and warnings as values. Every function of this interface that can fail returns an `Outcome`, whose error is a
// list of all problems that were found. Only `Outcome::value` and the standard library (std::bad_alloc) throw; without
// exceptions (-fno-exceptions) it ends the process, as the standard library does.
//
//   auto scenario = slipway::Scenario::load("blur.json");
//   if (!scenario) for (const slipway::Problem& problem : scenario.error()) std::puts(problem.text.c_str());
//   slipway::Scenario same = slipway::Scenario::load("blur.json").value();  // throws slipway::Error
//
// C++17. `Outcome` is the same class in all versions of the language, so that programs and the library may be compiled
// with different ones; with C++23 it converts to std::expected.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_expected)
#include <expected>
#endif

#if defined(__GNUC__)
#define SLIPWAY_API __attribute__((visibility("default")))
#else
#define SLIPWAY_API
#endif

namespace slipway {

// An error, a warning or a note. It is plain data, as all structs of this interface are.
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
  int exit_status = 0;       // of the program, for an error of this kind: 1 to 5; 2: a wrong call
};

using Problems = std::vector<Problem>;

// Problems as an exception. `what()` is the first error. Several threads may read it.
class Error : public std::runtime_error {
 public:
  explicit Error(Problems problems) : std::runtime_error(first_error(problems)), problems_(std::move(problems)) {}
  const Problems& problems() const noexcept { return problems_; }

 private:
  static std::string first_error(const Problems& problems) {
    for (const Problem& problem : problems) {
      if (problem.severity == Problem::Severity::Error) return problem.message;
    }
    return problems.empty() ? "unknown error" : problems.front().message;
  }

  Problems problems_;
};

// A failure, which converts to an Outcome of any type.
struct Failed {
  Problems problems;
};

// A value or problems, with the members of std::expected. `operator*`, `operator->` and `error` require that there is a
// value or an error; `value` checks it and throws Error. Several threads may read one; one that changes it must be
// alone.
template <class T>
class [[nodiscard]] Outcome {
 public:
  using value_type = T;
  using error_type = Problems;

  Outcome(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Outcome(Failed failed) : content_(std::in_place_index<1>, std::move(failed.problems)) {}
#if defined(__cpp_lib_expected)
  Outcome(std::unexpected<Problems> failed) : content_(std::in_place_index<1>, std::move(failed).error()) {}
  operator std::expected<T, Problems>() && {
    if (!has_value()) return std::unexpected(std::move(error()));
    return *std::move(*this);
  }
#endif

  bool has_value() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& operator*() & { return *std::get_if<0>(&content_); }
  const T& operator*() const& { return *std::get_if<0>(&content_); }
  // A value and no reference, so that `for (auto& each : *call())` is safe before C++23.
  T operator*() && { return std::move(*std::get_if<0>(&content_)); }
  T* operator->() { return std::get_if<0>(&content_); }
  const T* operator->() const { return std::get_if<0>(&content_); }

  T& value() & { return check(), **this; }
  const T& value() const& { return check(), **this; }
  T value() && { return check(), *std::move(*this); }
  template <class U>
  T value_or(U&& other) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }
  template <class U>
  T value_or(U&& other) && {
    return has_value() ? std::move(**this) : static_cast<T>(std::forward<U>(other));
  }

  Problems& error() & { return *std::get_if<1>(&content_); }
  const Problems& error() const& { return *std::get_if<1>(&content_); }
  Problems&& error() && { return std::move(*std::get_if<1>(&content_)); }

 private:
  void check() const {
    if (has_value()) return;
#if defined(__cpp_exceptions)
    throw Error(error());
#else
    std::abort();
#endif
  }

  std::variant<T, Problems> content_;
};

}  // namespace slipway
