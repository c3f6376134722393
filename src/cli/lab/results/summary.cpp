// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/results/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/paths/confined_file.hpp"
#include "base/text/escape.hpp"
#include "cli/confine.hpp"
#include "json/document.hpp"
#include "json/sarif.hpp"

namespace slipway::cli {
namespace {

constexpr std::size_t kMaxListed = 50;
constexpr std::array kAllVerdicts = {CaseVerdict::Passed,         CaseVerdict::Ran,     CaseVerdict::Failed,
                                     CaseVerdict::PartlyCompared, CaseVerdict::Error,   CaseVerdict::Crashed,
                                     CaseVerdict::TimedOut,       CaseVerdict::Skipped, CaseVerdict::NotRun};

enum class JUnitOutcome : std::uint8_t { Passed, Failure, Error, Skipped };

JUnitOutcome junit_outcome(const CaseResult& result) {
  if (result.expected && result.is_ok && !is_success(result.verdict)) return JUnitOutcome::Skipped;
  if (!result.is_ok && is_success(result.verdict)) return JUnitOutcome::Failure;
  switch (result.verdict) {
    case CaseVerdict::Passed:
    case CaseVerdict::Ran:
      return JUnitOutcome::Passed;
    case CaseVerdict::Failed:
    case CaseVerdict::PartlyCompared:
      return JUnitOutcome::Failure;
    case CaseVerdict::Skipped:
    case CaseVerdict::NotRun:
      return JUnitOutcome::Skipped;
    case CaseVerdict::Error:
    case CaseVerdict::TimedOut:
    case CaseVerdict::Crashed:
      return JUnitOutcome::Error;
  }
  return JUnitOutcome::Error;
}

// Seconds with six digits, in any locale.
std::string decimal_seconds(double seconds) {
  const auto micros = std::llround(std::clamp(seconds, 0.0, 1e9) * 1e6);
  const std::string fraction = std::to_string(micros % 1'000'000);
  return std::to_string(micros / 1'000'000) + "." + std::string(6 - fraction.size(), '0') + fraction;
}

std::string attribute(std::string_view name, std::string_view value) {
  return formatted(" {}=\"{}\"", name, escape_markup(value, "&#10;"));
}

std::string expectation_text(const CaseResult& result) {
  if (!result.expected) return "expected: not in the results";
  return formatted("expected: {}{}{}", *result.expected, result.reason ? ", " : "", result.reason.value_or(""));
}

std::string junit_test_case(const CaseResult& result) {
  std::string text = "    <testcase" + attribute("name", result.key()) +
                     attribute("classname", result.format.empty() ? "slipway" : "slipway." + result.format) +
                     attribute("file", result.file) + attribute("time", decimal_seconds(result.seconds));
  const JUnitOutcome outcome = junit_outcome(result);
  if (outcome == JUnitOutcome::Passed && result.text.empty()) return text + "/>\n";
  text += ">\n";
  std::string messages;
  for (const std::string& message : error_messages(result)) messages += (messages.empty() ? "" : "\n") + message;
  if (result.expected && result.is_ok)
    messages = expectation_text(result);
  else if (!result.is_ok && is_success(result.verdict))
    messages = "the case passes, but another verdict is expected; " + expectation_text(result);
  if (outcome == JUnitOutcome::Skipped) {
    text += "      <skipped" + attribute("message", messages) + "/>\n";
  } else if (outcome != JUnitOutcome::Passed) {
    const std::string element = outcome == JUnitOutcome::Failure ? "failure" : "error";
    text += "      <" + element + attribute("message", messages) + attribute("type", name_of(result.verdict)) + ">" +
            escape_markup(result.text) + "</" + element + ">\n";
  }
  if (!result.text.empty()) text += "      <system-out>" + escape_markup(result.text) + "</system-out>\n";
  return text + "    </testcase>\n";
}

void for_each_diagnostic(const CaseResult& result, const std::function<void(json::Value)>& use) {
  const auto document = json::parse(make_source("files", result.files));
  if (!document) return;
  for (const json::Value file : (*document)->root()) {
    for (const json::Value diagnostic : file["diagnostics"]) use(diagnostic);
  }
}

// Diagnostics of results as SARIF.
class SarifWriter {
 public:
  void add(const CaseResult& result) {
    for_each_diagnostic(result, [&](json::Value diagnostic) {
      json::SarifResult& to = results_.emplace_back();
      to.kind = text_in(diagnostic["kind"]);
      to.message = text_in(diagnostic["message"]);
      const std::string severity = text_in(diagnostic["severity"]);
      to.severity = severity == "error" ? Severity::Error : severity == "warning" ? Severity::Warning : Severity::Note;
      to.location = location(diagnostic);
      to.location.message.clear();
      for (const json::Value note : diagnostic["notes"]) to.related.push_back(location(note));
    });
  }
  std::string text(std::string_view version) const { return json::sarif_text(results_, version); }

 private:
  json::SarifLocation location(json::Value from) {
    json::SarifLocation to{.file = text_in(from["file"]), .text = {}, .bytes = {}, .message = text_in(from["message"])};
    if (const json::Value bytes = from["bytes"]) {
      const std::uint64_t begin = count_in(bytes["start"]), end = count_in(bytes["end"]);
      to.bytes = {begin, std::max(begin, end) - begin};
    }
    if (const json::Value span = from["span"]) {
      const json::Value start = span["start"], end = span["end"];
      const auto line = [](json::Value at) { return static_cast<std::uint32_t>(count_in(at["line"])); };
      const Span bytes{count_in(start["offset"]), count_in(end["offset"])};
      if (const SourcePtr source = source_of(to.file)) {
        const Position position = source->position(bytes.begin);
        if (position.line == line(start) && position.column == count_in(start["column"]))
          return json::sarif_location(SourceLocation::in_text(source, bytes), to.message);
      }
      if (line(start) != 0) to.text = {line(start), 0, std::max(line(start), line(end)), 0};
    }
    return to;
  }

  static std::uint64_t count_in(json::Value value) {
    return static_cast<std::uint64_t>(std::clamp(number_in(value), 0.0, 1e9));
  }

  SourcePtr source_of(const std::string& file) {
    const auto [at, is_new] = sources_.try_emplace(file);
    std::error_code ignored;
    if (is_new && std::filesystem::is_regular_file(file, ignored)) {
      // A results file of a stranger may name any file.
      if (Result<std::string> text = is_confined() ? read_text_below(".", Path(".") / file) : read_text(file))
        at->second = make_source(file, std::move(*text));
    }
    return at->second;
  }

  std::vector<json::SarifResult> results_;
  std::map<std::string, SourcePtr> sources_;
};

}  // namespace

std::string text_in(json::Value value) { return value.is(json::Type::String) ? value.string() : ""; }
double number_in(json::Value value) { return value.is(json::Type::Number) ? value.number() : 0; }

std::vector<std::string> error_messages(const CaseResult& result) {
  std::vector<std::string> messages;
  for_each_diagnostic(result, [&](json::Value diagnostic) {
    if (text_in(diagnostic["severity"]) == "error") messages.push_back(text_in(diagnostic["message"]));
  });
  return messages;
}

std::vector<std::string> diagnostic_kinds_of(const CaseResult& result) {
  std::vector<std::string> kinds;
  for_each_diagnostic(result, [&](json::Value diagnostic) { kinds.push_back(text_in(diagnostic["kind"])); });
  return kinds;
}

std::string write_lab_sarif(const LabResults& results, std::string_view version) {
  SarifWriter writer;
  for (const CaseResult& result : results.cases) writer.add(result);
  return writer.text(version);
}

std::string print_summary(std::span<const CaseResult> cases, bool with_list) {
  std::string counts;
  for (const CaseVerdict verdict : kAllVerdicts) {
    const auto count = std::ranges::count(cases, verdict, &CaseResult::verdict);
    if (count == 0) continue;
    counts += formatted("{} {} {}", counts.empty() ? "" : ",", count, name_of(verdict));
    const auto expected = std::ranges::count_if(cases, [&](const CaseResult& one) {
      return one.verdict == verdict && one.expected && one.is_ok && !is_success(verdict);
    });
    if (expected != 0) counts += formatted(" ({} expected)", expected);
  }
  std::string text = formatted("{} case{}:{}\n", cases.size(), cases.size() == 1 ? "" : "s", counts);
  std::size_t listed = 0, left_out = 0;
  for (const CaseResult& one : cases) {
    const bool is_flaky = one.attempts > 1 && is_success(one.verdict);
    if (is_flaky) text += formatted("  flaky: {}, passed in attempt {}\n", one.key(), one.attempts);
    const bool is_silent = one.verdict == CaseVerdict::NotRun || (one.verdict == CaseVerdict::Skipped && one.is_ok);
    if (one.final_status() == 0 || is_silent || !with_list) continue;
    if (listed++ < kMaxListed)
      text += formatted("  {}: {}\n",
                        !one.expected ? name_of(one.verdict) : "unexpected " + std::string(name_of(one.verdict)),
                        one.key());
    else
      ++left_out;
  }
  if (left_out != 0) text += formatted("  and {} more\n", left_out);
  return text;
}

std::string write_lab_junit(const LabResults& results) {
  const auto count = [&](JUnitOutcome outcome) { return std::ranges::count(results.cases, outcome, junit_outcome); };
  double seconds = 0;
  for (const CaseResult& one : results.cases) seconds += one.seconds;
  const std::string counts =
      formatted(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", results.cases.size(),
                count(JUnitOutcome::Failure), count(JUnitOutcome::Error), count(JUnitOutcome::Skipped)) +
      attribute("time", decimal_seconds(seconds));
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts + ">\n  <testsuite name=\"slipway\"" + counts;
  if (!results.runs.empty()) {
    const RunInfo& run = results.runs.back();
    // The schema of JUnit has times without a zone.
    std::string started = run.started;
    if (started.ends_with('Z')) started.pop_back();
    text += attribute("timestamp", started) + attribute("hostname", run.host);
  }
  text += ">\n    <properties>\n";
  const auto property = [&](std::string_view name, const std::string& value) {
    text += "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
  };
  for (const RunInfo& run : results.runs) {
    std::string command;
    for (const std::string& word : run.command) command += (command.empty() ? "" : " ") + word;
    property("slipway", run.version);
    property("command", command);
  }
  std::vector<DeviceIdentity> devices;
  for (const CaseResult& one : results.cases) {
    if (one.device.name.empty() || std::ranges::contains(devices, one.device)) continue;
    devices.push_back(one.device);
    property("device", one.device.name);
    property("driver", one.device.driver);
  }
  text += "    </properties>\n";
  for (const CaseResult& one : results.cases) text += junit_test_case(one);
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace slipway::cli
