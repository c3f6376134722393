// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/reduce/candidate_check.hpp"

#include <string.h>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "cli/job.hpp"
#include "json/document.hpp"
#include "sandbox/sandbox.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kFileName = "{}";

// For the shell.
std::string quoted_word(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%") == word.npos &&
      !word.empty())
    return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

struct FirstError {
  std::string kind, message;
};

FirstError first_error_of(json::Value diagnostics) {
  for (const json::Value one : diagnostics) {
    if (one["severity"].is(json::Type::String) && one["severity"].string() == "error" &&
        one["kind"].is(json::Type::String) && one["message"].is(json::Type::String))
      return {one["kind"].string(), one["message"].string()};
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

std::string FailureClass::text() const {
  if (verdict.empty()) return "no failure";
  const std::string text = message.empty() ? verdict : formatted("{}: {}", verdict, message);
  return kind.empty() ? text : formatted("{} [{}]", text, kind);
}

Result<FailureClass> CandidateCheck::classify(const std::string& file) const {
  std::vector<std::string> command;
  if (options_.command.empty()) {
    command = sandbox::own_command();
    command.insert(command.end(), {options_.verb, file, "--json"});
    command.append_range(options_.words);
  } else {
    command = {"/bin/sh", "-c", command_for(file)};
  }
  SLIPWAY_TRY(const ChildEnd end, run_child(command, options_.limit));
  if (end.interrupted) return fail(stopped(StopReason::Interrupted, formatted("`{}`", command_for(file))));
  if (!options_.command.empty()) {
    const bool holds = !end.timed_out && !end.signal && end.status == 0;
    return FailureClass{holds ? "the command returns 0" : "", {}, {}};
  }
  if (end.timed_out) return FailureClass{"timed out", {}, {}};
  if (end.signal) return FailureClass{formatted("signal {} ({})", *end.signal, ::strsignal(*end.signal)), {}, {}};
  if (end.status == 0) return FailureClass{};
  if (end.status == static_cast<int>(ExitClass::Usage)) {
    return fail(DiagnosticKind::Usage, {},
                formatted("`{}` is not a valid command line: {}", command_for(file),
                          end.errors.substr(0, end.errors.find_last_not_of('\n') + 1)));
  }
  constexpr int kMaxStatus = 5;
  if (end.status > kMaxStatus) return FailureClass{formatted("exit status {}", end.status), {}, {}};
  FirstError error = first_error(end.output);
  if (error.kind.empty()) error = first_error(end.errors);
  FailureClass found{std::string(outcome_word(end.status)), std::move(error.kind), {}};
  if (options_.expectations_by_message && found.kind == name_of(DiagnosticKind::ExpectationFailed))
    found.message = std::move(error.message);
  return found;
}

std::string CandidateCheck::command_for(const std::string& file) const {
  if (options_.command.empty()) {
    std::string text = formatted("slipway {} {}", options_.verb, quoted_word(file));
    for (const std::string& word : options_.words) text += " " + quoted_word(word);
    return text;
  }
  std::string text = options_.command;
  const std::string name = quoted_word(file);
  for (std::size_t at = text.find(kFileName); at != text.npos; at = text.find(kFileName, at + name.size()))
    text.replace(at, kFileName.size(), name);
  return text;
}

}  // namespace slipway::cli
