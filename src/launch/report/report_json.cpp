// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/report_json.hpp"

#include <algorithm>
#include <string_view>

#include "base/text/base64.hpp"
#include "json/diagnostics.hpp"
#include "launch/report/difference_view.hpp"
#include "launch/report/iteration_times.hpp"

namespace slipway::launch {
namespace {

using json::Boolean, json::Constant, json::Integer, json::List, json::Nested, json::OrNull, json::Real, json::Record,
    json::Text;

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

std::int64_t count_of(const FileReport& file, Severity severity) {
  return std::ranges::count(file.all_diagnostics(), severity, &Diagnostic::severity);
}

std::string_view status_word(const FileReport& file) {
  const int status = file.status();
  if (tensor::is_only_partly_compared(file.all_diagnostics())) return "partly-compared";
  return status == 0 && !file.is_checked && file.report ? "ran" : word_for(status);
}

bool is_skip_reason(const Diagnostic& diagnostic) {
  return diagnostic.severity == Severity::Error && exit_class_of(diagnostic.kind) == ExitClass::DeviceLacks;
}

struct ElementTypeName {
  void write(json::Writer& out, tensor::ElementType from) const { out.value(tensor::name_of(from)); }
  void schema(json::Schema& schema) const { json::Text{}.schema(schema); }
};

const Record<WorstElement>& worst_record() {
  using W = WorstElement;
  static const auto record =
      Record<W>("worst", "an element with a large difference")
          .required("index", &W::index, List{Integer{}}, "its coordinates")
          .required("got", &W::got, Text{}, "its value")
          .required("expected", &W::expected, Text{}, "the expected value")
          .required("difference", &W::difference, OrNull{Real{}}, "absolute; null where one of the values is NaN");
  return record;
}

const Record<DifferenceDecade>& decade_record() {
  using D = DifferenceDecade;
  static const auto record =
      Record<D>("decade", "how many differences have a magnitude")
          .required("exponent", &D::exponent, Integer{.min = -12, .max = 12},
                    "they are at least 10 to this power, and less than 10 times that; -12 and 12 have all beyond")
          .required("count", &D::count, Integer{}, "elements");
  return record;
}

const Record<DifferenceView>& view_record() {
  using V = DifferenceView;
  static const auto record =
      Record<V>("difference_view",
                "small pictures of two arrays: of a grid of the last dimension by all others, or of an "
                "image; a cell shows its element with the largest difference")
          .required("width", &V::width, Integer{}, "cells")
          .required("height", &V::height, Integer{}, "cells")
          .required("columns", &V::columns, Integer{}, "of the grid")
          .required("rows", &V::rows, Integer{}, "of the grid")
          .required("channels", &V::channels, Integer{.min = 1, .max = 3}, "3: red, green, blue")
          .required("low", &V::low, Real{}, "the value of the byte 0")
          .required("high", &V::high, Real{}, "the value of the byte 255")
          .required(
              "expected", [](const V& from) { return to_base64(from.expected); }, Text{},
              "base64, a byte for each channel")
          .required(
              "actual", [](const V& from) { return to_base64(from.actual); }, Text{}, "the same of what came out")
          .required(
              "difference", [](const V& from) { return to_base64(from.difference); }, Text{},
              "base64, a byte for each cell; 255 is the largest difference")
          .required("decades", &V::decades, List{Nested(decade_record())}, "the histogram of the differences")
          .required("worst", &V::worst, List{Nested(worst_record())}, "the largest differences first");
  return record;
}

const Record<ExpectationOutcome>& expectation_record() {
  using E = ExpectationOutcome;
  using tensor::Comparison;
  static const auto comparison =
      Record<Comparison>("comparison", "the comparison of two arrays")
          .required("passed", &Comparison::passed, Boolean{}, "whether it is within the tolerance")
          .required("type", &Comparison::type, ElementTypeName{}, "of the elements")
          .required("count", &Comparison::count, Integer{}, "elements")
          .required("skipped", &Comparison::skipped, Integer{}, "elements that were not compared")
          .required("mismatches", &Comparison::mismatches, Integer{}, "elements that differ")
          .required(
              "max_abs", [](const Comparison& from) { return from.max.abs; }, OrNull{Real{}}, "difference")
          .required(
              "max_rel", [](const Comparison& from) { return from.max.rel; }, OrNull{Real{}},
              "difference divided by the expected value; null if that is 0")
          .required(
              "max_ulp", [](const Comparison& from) { return from.max.ulp; }, Integer{},
              "difference in units of the last place");
  static const auto record = Record<E>("expectation", "the outcome of an expectation")
                                 .required("uid", &E::resource, Text{}, "the resource")
                                 .part(&E::comparison, comparison)
                                 .optional(
                                     "view", [](const E& from) { return from.view.get(); }, Nested(view_record()),
                                     "of an expectation that failed");
  return record;
}

const Record<PerfCounter>& host_time_record() {
  using P = PerfCounter;
  static const auto record =
      Record<P>("host_time", "the time of a stage on the CPU")
          .required(
              "category", [](const P& from) { return name_of(from.category); }, Text{}, "group of stages")
          .required("name", &P::name, Text{}, "the stage")
          .required("value", [](const P& from) { return whole_microseconds(from.time); }, Integer{}, "microseconds");
  return record;
}

// The time of a command, with the unit that it is counted in.
struct GpuTime {
  const CommandTime* time;
  float period;
};

const Record<GpuTime>& gpu_time_record() {
  using G = GpuTime;
  static const auto record =
      Record<G>("gpu_time", "the time of a command on the device")
          .required(
              "name", [](const G& from) { return std::string_view(from.time->name); }, Text{}, "the command")
          .required(
              "iteration", [](const G& from) { return from.time->iteration; }, Integer{.min = 1}, "from 1")
          .required(
              "value", [](const G& from) { return milliseconds(*from.time, from.period) * 1000; }, Real{},
              "microseconds");
  return record;
}

std::vector<GpuTime> gpu_times(const Report& report) {
  std::vector<GpuTime> times;
  for (const CommandTime& time : report.profile.times) times.push_back({&time, report.profile.period});
  return times;
}

const Record<Report>& timings_record() {
  using R = Report;
  static const auto record =
      Record<R>("timings", "times on the CPU and on the device")
          .required("unit", Constant{R"("microseconds")"}, "of all times")
          .required(
              "total", [](const R& from) { return whole_microseconds(total_time(from.counters)); }, Integer{},
              "of all stages on the CPU")
          .required("host", &R::counters, List{Nested(host_time_record())}, "stages on the CPU")
          .required("gpu", gpu_times, List{Nested(gpu_time_record())}, "commands, if their times were measured")
          .optional("warmup", &R::warmup, Integer{}, "the first runs, which `samples` leaves out; 0 when absent")
          .written_if([](const R& from) { return from.warmup != 0; })
          .optional("samples", measured_summary, Nested(samples_record()),
                    "times of single runs on the CPU, with waiting for the device, if there were several");
  return record;
}

std::vector<std::string> skip_reasons(const FileReport& file) {
  std::vector<std::string> reasons;
  for (const Diagnostic& diagnostic : file.all_diagnostics()) {
    if (is_skip_reason(diagnostic)) reasons.push_back(diagnostic.message);
  }
  return reasons;
}

// A member of the report, if the file ran.
template <auto kMember>
auto of_report() {
  return [](const FileReport& file) { return file.report ? &((*file.report).*kMember) : nullptr; };
}

const std::string* driver_in(const FileReport& file) {
  return file.report && !file.report->driver.empty() ? &file.report->driver : nullptr;
}

const std::vector<std::string>& printed_in(const FileReport& file) {
  return file.report && !file.report->printed.empty() ? file.report->printed : file.printed;
}

std::vector<std::string> output_names(const Report& report) {
  std::vector<std::string> names;
  for (const Path& output : report.outputs) names.push_back(output.string());
  return names;
}

}  // namespace

const Record<SampleSummary>& samples_record() {
  using S = SampleSummary;
  static const auto record = Record<S>("samples", "times of single iterations")
                                 .required("unit", Constant{R"("us")"}, "of the times")
                                 .required("count", &S::count, Integer{}, "number of samples")
                                 .required("min", &S::min, Real{}, "the shortest time")
                                 .required("mean", &S::mean, Real{}, "the mean")
                                 .required("stddev", &S::stddev, Real{}, "the standard deviation")
                                 .required("p50", &S::p50, Real{}, "the median")
                                 .required("p90", &S::p90, Real{}, "the 90th percentile")
                                 .required("p95", &S::p95, Real{}, "the 95th percentile")
                                 .required("p99", &S::p99, Real{}, "the 99th percentile")
                                 .required("max", &S::max, Real{}, "the longest time");
  return record;
}

const Record<FileReport>& file_report_record() {
  using F = FileReport;
  static constexpr std::string_view kStatuses[] = {"passed", "ran", "failed", "partly-compared", "skipped", "error"};
  static const auto record =
      Record<F>("file", "the outcome of one input")
          .required("file", &F::file, Text{}, "the file")
          .required("status", status_word, json::OneOf{kStatuses},
                    "ran: nothing was compared; failed: an expectation; partly-compared: outputs could not be "
                    "compared; skipped: the device lacks something")
          .required("exit_status", &F::status, Integer{.max = 5}, "of this file alone")
          .required("skipped", skip_reasons, List{Text{}}, "what the device lacks")
          .optional("device", of_report<&Report::device>(), Text{}, "the device that it ran on")
          .optional("driver", driver_in, Text{}, "the driver of the device, with its version")
          .optional("seed", &F::seed, Integer{}, "of random data that have no seed of their own in the file")
          .optional("iterations", of_report<&Report::iterations>(), Integer{}, "how often it ran")
          .optional("expectations", of_report<&Report::expectations>(), List{Nested(expectation_record())},
                    "the outcomes of expectations")
          .optional(
              "outputs",
              [](const F& from) { return from.report ? std::optional(output_names(*from.report)) : std::nullopt; },
              List{Text{}}, "files that were written")
          .optional("printed", printed_in, List{Text{}},
                    "the lines that shaders printed (debugPrintfEXT), in the order in which they arrived")
          .written_if([](const F& from) { return !printed_in(from).empty(); })
          .optional(
              "timings", [](const F& from) { return from.report ? &*from.report : nullptr; }, Nested(timings_record()),
              "times on the CPU and on the device")
          .required("diagnostics", &F::all_diagnostics, List{Nested(json::diagnostic_record())},
                    "all errors and warnings")
          .required(
              "errors", [](const F& from) { return count_of(from, Severity::Error); }, Integer{}, "how many are errors")
          .required(
              "warnings", [](const F& from) { return count_of(from, Severity::Warning); }, Integer{},
              "how many are warnings");
  return record;
}

}  // namespace slipway::launch
