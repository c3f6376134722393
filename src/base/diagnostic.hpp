// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics: each has a kind, a source location and a message.
//
// Readers and checkers take a `Diagnostics` and continue after an error, so that a user sees all errors at once:
//
//   diagnostics.error(DiagnosticKind::UnknownKey, location, "unknown key `dimz` in image `input`")
//       .hint("did you mean `dims`?");
//
// Functions that cannot continue return `Result<T>`, whose failure is one or more diagnostics. The exit class
// of a kind is the exit status of the program, the same for every verb. SLIPWAY_TRY passes failures on:
//
//   Result<Model> read_model(const std::string& path) {
//     SLIPWAY_TRY(const std::string text, read_file(path));   // returns the failure, or declares `text`
//     SLIPWAY_TRY_VOID(check_text(text));                     // for Result<>, and for values that are not needed
//     return parse_model(text);
//   }
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/source.hpp"

namespace slipway {

enum class Severity { Note, Warning, Error };

enum class DiagnosticKind {
#define DIAGNOSTIC(identifier, name, exit_class, acceptance, meaning) identifier,
#include "base/diagnostic_kinds.def"
#undef DIAGNOSTIC
};

// What an error means for the exit status of the program; the number is that status.
enum class ExitClass { CheckFailed = 1, Usage = 2, BadInput = 3, DeviceLacks = 4, Failed = 5 };

// What `run` does with a kind (docs/acceptance.md).
enum class Acceptance {
  Refused,    // an error everywhere: the file cannot run, or the tool that Slipway replaces refuses it too
  Checked,    // a rule of Slipway: a warning in `run`, an error in `check` and under --strict
  Mixed,      // some cases are refused, others are rules of Slipway; the severity says which
  Advice,     // a warning or a note everywhere; an error under --strict only
  CheckOnly,  // of a format that is never run
};

struct DiagnosticKindInfo {
  DiagnosticKind kind;
  std::string_view name;
  ExitClass exit_class;
  Acceptance acceptance;
  std::string_view meaning;
};
const std::vector<DiagnosticKindInfo>& diagnostic_kinds();
std::string_view name_of(DiagnosticKind kind);
ExitClass exit_class_of(DiagnosticKind kind);

// What happened, where a caller may treat it: never read from a message.
enum class Cause { None, DeviceLost, OutOfDeviceMemory, OutOfHostMemory, NoDeviceOfKind };

struct DiagnosticNote {
  std::string message;
  SourceLocation location;
};

// Replacing the text at `location` by `text` corrects the error.
struct Suggestion {
  std::string message;
  SourceLocation location;
  std::string text;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  DiagnosticKind kind = DiagnosticKind::Usage;
  std::string message;  // lower case, no full stop, code in backticks
  SourceLocation location;
  std::string path;  // JSON pointer, if the location is in JSON
  std::string uid;   // of the resource concerned, if there is one
  std::vector<DiagnosticNote> notes;
  std::vector<Suggestion> suggestions;
  // In runs over many variants: the options, with their values as JSON, of a variant that has this diagnostic.
  std::vector<std::pair<std::string, std::string>> assignment;
  bool is_rule = false;         // see Diagnostics::rule
  bool names_operator = false;  // the message begins with the operator of a graph that it is about
  Cause cause = Cause::None;

  // Each returns the diagnostic.
  Diagnostic& as_rule();  // see Diagnostics::rule
  Diagnostic& note(std::string text, SourceLocation where = {});
  Diagnostic& hint(std::string text);  // appends "; text" to the message
  Diagnostic& suggest(SourceLocation where,
                      std::string text);  // adds "did you mean `text`?" as a hint, and the suggestion
  Diagnostic& at(std::string json_path, std::string of_uid = {});
};

using Failure = std::vector<Diagnostic>;

template <class T = void>
using Result = std::expected<T, Failure>;

// return fail(DiagnosticKind::FileFormat, location, "...");
std::unexpected<Failure> fail(DiagnosticKind kind, SourceLocation location, std::string message);
std::unexpected<Failure> fail(Diagnostic diagnostic);
// Returns a failure to the caller. A `note` that is not empty is added to each of its diagnostics.
std::unexpected<Failure> fail(Failure failure, std::string_view note = {}, const SourceLocation& location = {});

// Declares a variable with the value of a Result, or returns the Result's failure: two statements, so that it must not
// be the branch of an `if` without braces. The first argument declares the variable (`const auto x`, `std::string x`)
// or names one to assign to; it contains no comma.
#define SLIPWAY_TRY(declaration, ...) \
  SLIPWAY_TRY_WITH(SLIPWAY_TRY_NAME(slipway_result_, __LINE__), declaration, __VA_ARGS__)
// Returns the failure of a Result, whose value is not used.
#define SLIPWAY_TRY_VOID(...)                                                        \
  do {                                                                               \
    if (auto slipway_result = (__VA_ARGS__); !slipway_result)                        \
      return std::unexpected<::slipway::Failure>(std::move(slipway_result).error()); \
  } while (false)
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot be in parentheses.
#define SLIPWAY_TRY_WITH(result, declaration, ...)                                    \
  auto result = (__VA_ARGS__);                                                        \
  if (!result) return std::unexpected<::slipway::Failure>(std::move(result).error()); \
  declaration = *std::move(result)
// NOLINTEND(bugprone-macro-parentheses)
#define SLIPWAY_TRY_NAME(prefix, line) SLIPWAY_TRY_PASTE(prefix, line)
#define SLIPWAY_TRY_PASTE(prefix, line) prefix##line

// Collects diagnostics. The returned references are valid until the next call.
class Diagnostics {
 public:
  Diagnostic& error(DiagnosticKind kind, SourceLocation location, std::string message);
  Diagnostic& warning(DiagnosticKind kind, SourceLocation location, std::string message);
  Diagnostic& remark(DiagnosticKind kind, SourceLocation location, std::string message);
  // Something that can run, and that the tool that Slipway replaces accepts, but that Slipway does not allow: a warning
  // that `check` and --strict make an error.
  Diagnostic& rule(DiagnosticKind kind, SourceLocation location, std::string message);
  Diagnostic& add(Diagnostic diagnostic);
  void add(Failure failure);

  // Returns the value of a result, or adds its diagnostics and returns nothing.
  template <class T>
  std::optional<T> take(Result<T> result) {
    if (result) return std::move(*result);
    add(std::move(result.error()));
    return std::nullopt;
  }

  const std::vector<Diagnostic>& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  bool has_errors() const { return errors() != 0; }
  std::size_t errors() const;
  std::size_t warnings() const;

  // `check`: rules become errors.
  void enforce_rules();
  // --strict: warnings become errors.
  void make_strict();
  // By file, then by offset; stable.
  void sort();
  Failure release() { return std::move(all_); }

 private:
  std::vector<Diagnostic> all_;
};

// 0 without errors, otherwise the first of these that an error has: 3, 5, 1, 4, 2.
int exit_status(const std::vector<Diagnostic>& diagnostics);
// The more severe of two exit statuses: the one that is first in the order 3, 5, 1, 4, 2, 0.
int worst_status(int a, int b);

}  // namespace slipway
