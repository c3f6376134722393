// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/report.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/escape.hpp"
#include "json/diagnostics.hpp"
#include "json/writer.hpp"

namespace slipway::launch {
namespace {

std::string_view word_for(int status) {
  switch (status) {
    case 0:
      return "passed";
    case static_cast<int>(ExitClass::CheckFailed):
      return "failed";
    case static_cast<int>(ExitClass::DeviceLacks):
      return "skipped";
    default:
      return "error";
  }
}

bool is_skip_reason(const Diagnostic& diagnostic) {
  return diagnostic.severity == Severity::Error && exit_class_of(diagnostic.kind) == ExitClass::DeviceLacks;
}

void write_expectation(json::Writer& out, const ExpectationOutcome& expectation) {
  const tensor::Comparison& comparison = expectation.comparison;
  out.object([&] {
    out.member("uid", expectation.resource).member("passed", comparison.passed);
    out.member("type", tensor::name_of(comparison.type)).member("count", comparison.count);
    out.member("skipped", comparison.skipped).member("mismatches", comparison.mismatches);
    out.member("max_abs", comparison.max.abs)
        .member("max_rel", comparison.max.rel)
        .member("max_ulp", comparison.max.ulp);
  });
}

void write_timings(json::Writer& out, const Report& report) {
  out.object([&] {
    out.member("unit", "microseconds").member("total", whole_microseconds(total_time(report.counters)));
    out.key("host").array([&] {
      for (const PerfCounter& counter : report.counters) {
        out.object([&] {
          out.member("category", name_of(counter.category)).member("name", counter.name);
          out.member("value", whole_microseconds(counter.time));
        });
      }
    });
    out.key("gpu").array([&] {
      for (const CommandTime& time : report.profile.times) {
        out.object([&] {
          out.member("name", time.name).member("iteration", time.iteration);
          out.member("value", milliseconds(time, report.profile.period) * 1000);
        });
      }
    });
  });
}

void write_file_report(json::Writer& out, const FileReport& file) {
  const std::vector<Diagnostic> diagnostics = file.all_diagnostics();
  out.object([&] {
    out.member("file", file.file).member("status", word_for(file.status())).member("exit_status", file.status());
    out.key("skipped").array([&] {
      for (const Diagnostic& diagnostic : diagnostics) {
        if (is_skip_reason(diagnostic)) out.value(diagnostic.message);
      }
    });
    if (file.report) {
      out.member("device", file.report->device).member("iterations", file.report->iterations);
      out.key("expectations").array([&] {
        for (const ExpectationOutcome& expectation : file.report->expectations) write_expectation(out, expectation);
      });
      out.key("outputs").array([&] {
        for (const Path& output : file.report->outputs) out.value(output.string());
      });
      out.key("timings");
      write_timings(out, *file.report);
    }
    json::write_diagnostics(out, diagnostics);
  });
}

// Seconds with six digits, in any locale.
std::string seconds_text(HostClock::duration time) {
  const std::int64_t total = whole_microseconds(time);
  std::string fraction = std::to_string(total % 1'000'000);
  return std::to_string(total / 1'000'000) + "." + std::string(6 - fraction.size(), '0') + fraction;
}

std::string junit_case(const FileReport& file) {
  const int status = file.status();
  std::string text = "    <testcase name=\"" + escape_markup(file.file, "&#10;") + "\" classname=\"slipway\" time=\"" +
                     seconds_text(file.report ? total_time(file.report->counters) : HostClock::duration{}) + "\"";
  if (status == 0) return text + "/>\n";
  std::string messages;
  for (const Diagnostic& diagnostic : file.all_diagnostics()) {
    if (diagnostic.severity == Severity::Error) messages += (messages.empty() ? "" : "\n") + diagnostic.message;
  }
  const std::string_view word = word_for(status);
  const std::string_view element = word == "failed" ? "failure" : word;
  return text + ">\n      <" + std::string(element) + " message=\"" + escape_markup(messages, "&#10;") +
         "\"/>\n    </testcase>\n";
}

}  // namespace

std::string print_expectations(std::span<const ExpectationOutcome> expectations) {
  std::size_t width = 0;
  for (const ExpectationOutcome& expectation : expectations) width = std::max(width, expectation.resource.size());
  std::string text;
  for (const ExpectationOutcome& expectation : expectations) {
    text += tensor::comparison_text(expectation.resource, expectation.comparison, width);
  }
  return text;
}

std::vector<Diagnostic> FileReport::all_diagnostics() const {
  std::vector<Diagnostic> all = diagnostics;
  if (report) std::ranges::copy(report->diagnostics, std::back_inserter(all));
  return all;
}

int FileReport::status() const { return exit_status(all_diagnostics()); }

std::string write_report(std::span<const FileReport> files) {
  int status = 0;
  for (const FileReport& file : files) status = worst_status(status, file.status());
  json::Writer out;
  out.object([&] {
    out.member("exit_status", status);
    out.key("files").array([&] {
      for (const FileReport& file : files) write_file_report(out, file);
    });
  });
  return out.text();
}

std::string write_junit(std::span<const FileReport> files) {
  const auto count = [&](std::string_view word) {
    return std::to_string(
        std::ranges::count(files, word, [](const FileReport& file) { return word_for(file.status()); }));
  };
  const std::string counts = " tests=\"" + std::to_string(files.size()) + "\" failures=\"" + count("failed") +
                             "\" errors=\"" + count("error") + "\" skipped=\"" + count("skipped") + "\"";
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts +
                     ">\n  <testsuite name=\"slipway\"" + counts + ">\n";
  for (const FileReport& file : files) text += junit_case(file);
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace slipway::launch
