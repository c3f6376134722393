// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/run/run_report.hpp"

#include "base/diagnostic.hpp"
#include "base/system/process_usage.hpp"
#include "base/system/utc_time.hpp"
#include "conformance/outcome.hpp"
#include "generated_version.hpp"
#include "json/document.hpp"
#include "launch/report/report_json.hpp"
#include "model/standalone/compare_layers.hpp"
#include "tensor/shape.hpp"

namespace slipway::cli {

namespace {

using json::Boolean, json::Constant, json::Integer, json::List, json::Nested, json::OrNull, json::Real, json::Record,
    json::Text;

const Record<model::ValueComparison>& own_error_record() {
  using V = model::ValueComparison;
  static const auto record =
      Record<V>("own_error", "the error of a layer for the inputs that it had")
          .required("different", &V::different, Integer{}, "elements that are not equal")
          .required("wrong", &V::wrong, Integer{}, "elements that differ by more than allowed")
          .required("max_abs", &V::max_difference, OrNull{Real{}}, "the largest difference; null if it is infinite")
          .required("max_of_allowed", &V::max_of_allowed, OrNull{Real{}},
                    "the largest difference in units of what is allowed; null if it is infinite")
          .required(
              "worst", [](const V& from) { return tensor::coordinates_of(from.type.shape, from.worst); },
              List{Integer{}}, "the coordinates of the element that this is of")
          .required("got", &V::got, OrNull{Real{}}, "its value; null if it is not finite")
          .required("expected", &V::wanted, OrNull{Real{}}, "what it should be; null if that is not finite")
          .required("allowed", &V::allowed, OrNull{Real{}}, "the difference that is allowed for it");
  return record;
}

const Record<model::LayerComparison>& inherited_error_record() {
  using L = model::LayerComparison;
  static const auto record =
      Record<L>("inherited_error", "the error of the layers before a layer in its result")
          .required("different", &L::inherited, Integer{}, "elements that are not equal")
          .required("max_abs", &L::max_inherited, OrNull{Real{}}, "the largest difference; null if it is infinite");
  return record;
}

// The count of one device in a comparison of two.
template <auto kMember>
const std::uint64_t* wrong_on(const LayerReport& from) {
  return from.layer->devices ? &((*from.layer->devices).*kMember) : nullptr;
}

const Record<LayerReport>& layer_record() {
  using L = LayerReport;
  static const auto record =
      Record<L>("layer", "a kernel of a model and what it was compared with")
          .required("segment", &L::segment, Integer{}, "of the model")
          .required("index", &L::index, Integer{}, "of the layer in the segment")
          .required(
              "operators", [](const L& from) { return from.layer->operators; }, Text{},
              "that it computes, with + between them")
          .required(
              "name", [](const L& from) { return from.layer->node->name; }, Text{},
              "of the last operator; empty if it has none")
          .required(
              "shape", [](const L& from) { return from.layer->own.type.shape; }, List{Integer{}}, "of its result")
          .required(
              "elements", [](const L& from) { return from.layer->own.elements; }, Integer{}, "of its result")
          .required(
              "passed", [](const L& from) { return from.layer->own.passed(); }, Boolean{},
              "whether it is right for the inputs that it had")
          .required(
              "own", [](const L& from) { return &from.layer->own; }, Nested(own_error_record()), "its own error")
          .required(
              "inherited", [](const L& from) { return from.layer.get(); }, Nested(inherited_error_record()),
              "the error of the layers before it")
          .optional("wrong_here", wrong_on<&model::DeviceComparison::first_wrong>, Integer{},
                    "elements that this device has wrong by the reference interpreter, in a comparison of devices")
          .optional("wrong_there", wrong_on<&model::DeviceComparison::second_wrong>, Integer{},
                    "the same of the other device");
  return record;
}

const Record<tensor::LeftOutOutput>& left_out_record() {
  using L = tensor::LeftOutOutput;
  static const auto record = Record<L>("left_out", "an output that could not be compared")
                                 .required("output", &L::output, Text{}, "its name")
                                 .required("reason", &L::reason, Text{}, "why");
  return record;
}

const Record<tensor::ComparedOutputs>& compared_record() {
  using C = tensor::ComparedOutputs;
  static const auto record = Record<C>("compared_outputs", "how many outputs were compared with what they should be")
                                 .required("compared", &C::compared, Integer{}, "outputs that were compared")
                                 .required("outputs", &C::total, Integer{}, "outputs that there are")
                                 .required("left_out", &C::left_out, List{Nested(left_out_record())},
                                           "outputs that were to be compared, and could not be");
  return record;
}

const Record<conformance::RowOutcome>& row_record() {
  using R = conformance::RowOutcome;
  static const auto record =
      Record<R>("row", "the cases of a row of `slipway conformance`")
          .required("passed", &R::passed, Integer{}, "cases whose results are right")
          .required("failed", &R::failed, Integer{}, "cases whose results are wrong")
          .required("unsupported", &R::unsupported, Integer{}, "cases that the device cannot run")
          .required("of_bound", &R::of_bound, Real{}, "the largest error of a case that passed, in units of its bound")
          .required("nearest", &R::nearest, Text{}, "that case; empty if no error has a bound");
  return record;
}

const tensor::ComparedOutputs* compared_in(const RunReportEntry& entry) {
  const auto& compared = entry.outcome.report ? entry.outcome.report->compared : entry.compared;
  return compared ? &*compared : nullptr;
}

}  // namespace

const json::Record<RunReportEntry>& report_entry_record() {
  using E = RunReportEntry;
  static const auto record =
      Record<E>("file", "the outcome of a file, or of a job of a script")
          .part(&E::outcome, launch::file_report_record())
          .optional("job", &E::job, Text{}, "the id of the job")
          .part(&E::recipe, recipe::details_record())
          .optional("compared", compared_in, Nested(compared_record()),
                    "of the outputs, if something was to be compared")
          .optional(
              "row", [](const E& from) { return from.row.get(); }, Nested(row_record()), "of `slipway conformance`")
          .optional("layers", &E::layers, List{Nested(layer_record())},
                    "of models with --layers, in the order of execution")
          .written_if([](const E& from) { return !from.layers.empty(); });
  return record;
}

namespace {

struct RunReport {
  std::span<const RunReportEntry> entries;
  ProcessUsage system;

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

std::string write_run_report(std::span<const RunReportEntry> entries, const ProcessUsage& system) {
  return json::object_text(report_record(), {entries, system});
}

std::string write_run_report(std::span<const std::string> entries, int status, const ProcessUsage& system) {
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
