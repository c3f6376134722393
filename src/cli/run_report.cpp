// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/run_report.hpp"

#include "base/diagnostic.hpp"
#include "cli/lab/supervisor.hpp"
#include "generated_version.hpp"
#include "json/document.hpp"
#include "launch/report/report_json.hpp"

namespace slipway::cli {

const json::Record<RunReportEntry>& report_entry_record() {
  using json::Record, json::Text;
  using E = RunReportEntry;
  static const auto record = Record<E>("file", "the outcome of a file, or of a job of a script")
                                 .part(&E::outcome, launch::file_report_record())
                                 .optional("job", &E::job, Text{}, "the id of the job")
                                 .part(&E::recipe, recipe::details_record());
  return record;
}

namespace {

using json::Constant, json::Integer, json::List, json::Nested, json::Record, json::Text;

struct RunReport {
  std::span<const RunReportEntry> entries;
  recipe::Session::System system;

  int status() const {
    int status = 0;
    for (const RunReportEntry& entry : entries) status = worst_status(status, entry.outcome.status());
    return status;
  }
};

// Distinguishes reports. Empty in tests, which note no command.
struct Command {
  std::vector<std::string> words;
  std::string date;
};
Command& this_command() {
  static Command one;
  return one;
}

const Record<RunReport>& program_record() {
  static const auto record =
      Record<RunReport>("program", "the program that wrote the report")
          .required(
              "version", [](const RunReport&) { return std::string_view(kVersion); }, Text{}, "of the program")
          .required(
              "revision", [](const RunReport&) { return std::string_view(kRevision); }, Text{},
              "of its sources; empty if it is not known")
          .required(
              "command", [](const RunReport&) { return this_command().words; }, List{Text{}},
              "the command line, with seeds and all other options")
          .required(
              "date", [](const RunReport&) { return std::string_view(this_command().date); }, Text{},
              "when the program was started, UTC")
          .required("report_schema", Constant{"2"}, "version of this format");
  return record;
}

const Record<RunReport>& report_record() {
  using R = RunReport;
  static const auto record =
      Record<R>("report", "what ran, with its results and times")
          .required("exit_status", &R::status, Integer{.max = 5}, "of all files")
          .required("files", &R::entries, List{Nested(report_entry_record())},
                    "the files, or the jobs of a script, in order")
          .required(
              "slipway", [](const R& from) { return &from; }, Nested(program_record()), "the program")
          .required("system", &R::system, Nested(recipe::system_record()), "resources of the process");
  return record;
}

void write_value(json::Writer& out, json::Value value) {
  if (value.is(json::Type::Object)) {
    out.object([&] {
      for (const json::Value member : value) write_value(out.key(member.key()), member);
    });
  } else if (value.is(json::Type::Array)) {
    out.array([&] {
      for (const json::Value element : value) write_value(out, element);
    });
  } else {
    out.raw(value.text());
  }
}

}  // namespace

void note_command(std::vector<std::string> words) { this_command() = {std::move(words), utc_now()}; }

std::string write_run_report(std::span<const RunReportEntry> entries, const recipe::Session::System& system) {
  return json::object_text(report_record(), {entries, system});
}

std::string write_run_report(std::span<const std::string> entries, int status, const recipe::Session::System& system) {
  const RunReport empty{{}, system};
  json::Writer out;
  out.object([&] {
    out.member("exit_status", status);
    out.key("files").array([&] {
      for (const std::string& text : entries) {
        const auto document = json::parse(make_source("entries", text));
        if (!document) continue;
        for (const json::Value entry : (*document)->root()) write_value(out, entry);
      }
    });
    report_record().write_member(out, "slipway", empty);
    report_record().write_member(out, "system", empty);
  });
  return out.text();
}

std::string run_report_schema() {
  return json::schema_text("report",
                           "what `slipway run --report` writes of scenarios, models, recipes and scripts of jobs",
                           {&report_record().table()});
}

}  // namespace slipway::cli
