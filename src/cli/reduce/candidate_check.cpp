// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/reduce/candidate_check.hpp"

#include <string.h>

#include <algorithm>
#include <cctype>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "cli/confine.hpp"
#include "cli/run/job.hpp"
#include "json/document.hpp"
#include "platform/process.hpp"
#include "platform/shell.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kFileName = "{}";

struct FirstError {
  std::string kind, message, file, path, uid;
};

std::string text_in(json::Value object, std::string_view key) {
  return object[key].is(json::Type::String) ? object[key].string() : std::string();
}

FirstError first_error_of(json::Value diagnostics) {
  for (const json::Value one : diagnostics) {
    if (text_in(one, "severity") == "error")
      return {text_in(one, "kind"), text_in(one, "message"), text_in(one, "file"), text_in(one, "path"),
              text_in(one, "uid")};
  }
  return {};
}

// In the report of a run, or in the diagnostics of another verb, which may follow messages of libraries.
FirstError first_error(std::string_view text) {
  const std::size_t begin = text.starts_with('{') ? 0 : text.find("\n{") + 1;
  const auto document = json::parse(make_source("report", std::string(text.substr(begin))));
  if (!document) return {};
  const json::Value root = (*document)->root();
  for (const json::Value file : root["files"]) {
    if (FirstError error = first_error_of(file["diagnostics"]); !error.kind.empty()) return error;
  }
  return first_error_of(root["diagnostics"]);
}

}  // namespace

std::string message_identity(std::string_view message, bool names) {
  std::string identity;
  const std::string_view clause = message.substr(0, message.find("; "));
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = 0; at < clause.size();) {
    std::size_t end = at + 1;
    if (clause[at] == '`') {
      end = std::min(clause.find('`', end), clause.size() - 1) + 1;
      const std::string_view name = clause.substr(at, end - at);
      identity += !names ? "`" : name.contains('/') ? name.substr(name.rfind('/')) : name;
    } else if (clause[at] == '/') {                      // a copy is in another directory
      identity.resize(identity.find_last_of(" (") + 1);  // npos + 1 is 0
    } else if (is_digit(clause[at])) {
      // Of 12, 0x1f, 1.5e-07.
      while (end < clause.size() &&
             (std::isalnum(static_cast<unsigned char>(clause[end])) != 0 ||
              (end + 1 < clause.size() && (clause[end] == '.' || clause[end] == '-') && is_digit(clause[end + 1]))))
        ++end;
      identity += '#';
    } else {
      identity += clause[at];
    }
    at = end;
  }
  return identity;
}

std::string_view last_key(std::string_view pointer) {
  while (!pointer.empty()) {
    const std::size_t slash = pointer.rfind('/');
    const std::string_view key = pointer.substr(slash + 1);  // npos + 1 is 0
    if (key.find_first_not_of("0123456789") != key.npos) return key;
    pointer = pointer.substr(0, slash == pointer.npos ? 0 : slash);
  }
  return pointer;
}

std::string FailureClass::text() const {
  if (verdict.empty()) return "no failure";
  const std::string text = message.empty() ? verdict : formatted("{}: {}", verdict, message);
  return kind.empty() ? text : formatted("{} [{}]", text, kind);
}

Result<FailureClass> CandidateCheck::classify(const std::string& file) const {
  std::vector<std::string> command;
  if (options_.command.empty()) {
    command = command_of_verb(options_.verb);
    command.insert(command.end(), {file, "--json"});
    command.append_range(options_.words);
  } else {
    command = platform::shell_command(command_for(file));
  }
  SLIPWAY_TRY(const ChildEnd end, run_child(command, options_.limit));
  if (end.interrupted) return fail(stopped(StopReason::Interrupted, formatted("`{}`", command_for(file))));
  if (!options_.command.empty()) {
    const bool holds = !end.timed_out && !end.signal && end.status == 0;
    return FailureClass{holds ? "the command returns 0" : "", {}, {}, {}};
  }
  if (end.timed_out) return FailureClass{"timed out", {}, {}, {}};
  if (end.signal)
    return FailureClass{formatted("signal {} ({})", *end.signal, platform::signal_text(*end.signal)), {}, {}, {}};
  if (end.status == 0) return FailureClass{};
  if (end.status == static_cast<int>(ExitClass::Usage)) {
    return fail(DiagnosticKind::Usage, {},
                formatted("`{}` is not a valid command line: {}", command_for(file),
                          end.errors.substr(0, end.errors.find_last_not_of('\n') + 1)));
  }
  constexpr int kMaxStatus = 5;
  if (end.status > kMaxStatus) return FailureClass{formatted("exit status {}", end.status), {}, {}, {}};
  FirstError error = first_error(end.output);
  if (error.kind.empty()) error = first_error(end.errors);
  // Of the machine, at whatever file: a reduced file would show nothing.
  if (error.kind == name_of(DiagnosticKind::SandboxFailed))
    return fail(DiagnosticKind::SandboxFailed, SourceLocation::in_file(file), std::move(error.message));
  FailureClass found{std::string(outcome_word(end.status)), std::move(error.kind), std::move(error.message), {}};
  const bool is_expectation = found.kind == name_of(DiagnosticKind::ExpectationFailed);
  // Without its commands a scenario fails its expectations in another way.
  if (is_expectation && options_.named) found.what = found.message;
  if (is_expectation) return found;
  found.what = message_identity(found.message, options_.named);
  if (options_.named) {
    const Path in = Path(error.file).filename();
    found.what +=
        formatted("\n{}\n{}\n{}", last_key(error.path), error.uid, in == Path(file).filename() ? "" : in.string());
  }
  return found;
}

std::string CandidateCheck::command_for(const std::string& file) const {
  if (options_.command.empty()) {
    std::string text =
        formatted("slipway {}{} {}", options_.verb, is_confined() ? " --confine" : "", platform::shell_word(file));
    for (const std::string& word : options_.words) text += " " + platform::shell_word(word);
    return text;
  }
  std::string text = options_.command;
  const std::string name = platform::shell_word(file);
  for (std::size_t at = text.find(kFileName); at != text.npos; at = text.find(kFileName, at + name.size()))
    text.replace(at, kFileName.size(), name);
  return text;
}

}  // namespace slipway::cli
