// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/report_records.hpp"

#include "launch/report/report_json.hpp"
#include "recipe/uuid_text.hpp"

namespace slipway::recipe {
namespace {

using json::Boolean, json::Constant, json::Integer, json::List, json::Map, json::Nested, json::OrNull, json::Real,
    json::Record, json::Text, json::Word, json::Words;

constexpr Word<Mode> kModes[] = {{"default", Mode::Default},
                                 {"latency", Mode::Latency},
                                 {"throughput", Mode::Throughput},
                                 {"validate", Mode::Validate}};
constexpr Word<RunStatus> kStatuses[] = {
    {"ok", RunStatus::Ok}, {"failed", RunStatus::Failed}, {"skipped", RunStatus::Skipped}};
constexpr Word<Where> kWheres[] = {{"cpu", Where::Cpu}, {"npu", Where::Npu}};

struct BackendName {
  void write(json::Writer& out, BackendKind from) const { out.value(name_of(from)); }
  void schema(json::Schema& schema) const { json::word_schema(schema, kBackendNames); }
};

const Record<SessionDetails::CpuTime>& cpu_record() {
  using C = SessionDetails::CpuTime;
  static const auto record = Record<C>("cpu_time", "times measured on the host")
                                 .required("elapsed", &C::elapsed_us, Integer{}, "us")
                                 .optional("latency", &C::latency_us, Integer{}, "us")
                                 .optional("throughput", &C::throughput, Integer{}, "operations per second");
  return record;
}

const Record<SessionDetails::Execution>& execution_record() {
  using E = SessionDetails::Execution;
  static const auto record =
      Record<E>("execution", "an execution of the recipe")
          .required("cpu", &E::cpu, Nested(cpu_record()), "times measured on the host")
          .optional("depth", &E::depth, Integer{.min = 1}, "copies of the recipe that run at the same time")
          .required("iterations", &E::iterations, Integer{.min = 1}, "number of iterations")
          .optional("mode", &E::mode, Words<Mode>(kModes), "the mode of the profile")
          .required("name", &E::name, Text{}, "the name in the profile")
          .optional("poll", &E::poll, Boolean{}, "whether the host polls instead of waiting")
          .optional("samples", &E::samples, Nested(launch::samples_record()), "times of completed iterations");
  return record;
}

const Record<SessionDetails::RunList>& run_list_record() {
  using L = SessionDetails::RunList;
  static const auto record =
      Record<L>("runlist", "consecutive runs on one back end")
          .required("kind", &L::backend, BackendName{}, "the back end")
          .required("runs", &L::runs, Integer{}, "number of runs")
          .required("chained", &L::chained, Boolean{}, "whether the runs are submitted to the device as one object");
  return record;
}

const Record<SessionDetails::Resources>& resources_record() {
  using R = SessionDetails::Resources;
  static const auto record =
      Record<R>("resources", "the size of the recipe")
          .required("buffers", &R::buffers, Integer{}, "number of buffers")
          .required("hwctxs", &R::contexts, Integer{}, "number of hardware contexts")
          .required("kernels", &R::kernels, Integer{}, "number of kernels")
          .required("runs", &R::runs, Integer{}, "number of runs")
          .required("total_buffer_size", &R::total_buffer_size, Integer{}, "bytes of buffers that the runner created")
          .required("cpus", &R::cpus, Integer{}, "number of CPU functions")
          .required("runlists", &R::lists, List{Nested(run_list_record())}, "in order")
          .required("runlist_threshold", &R::runlist_threshold, Integer{}, "as in the profile");
  return record;
}

const Record<SessionDetails::Run>& run_record() {
  using R = SessionDetails::Run;
  static const auto record = Record<R>("run", "a run of the recipe")
                                 .required("index", &R::index, Integer{}, "index in the recipe")
                                 .required("id", &R::id, Text{}, "the identifier of the run")
                                 .required("kernel", &R::kernel, Text{}, "the kernel or CPU function")
                                 .required("where", &R::where, Words<Where>(kWheres), "npu for every kernel")
                                 .required("backend", &R::backend, BackendName{}, "the back end")
                                 .required("status", &R::status, Words<RunStatus>(kStatuses), "of the last execution")
                                 .required("count", &R::count, Integer{}, "number of completed runs, of all copies")
                                 .required("total_us", &R::total_us, OrNull{Real{}}, "null if not measured")
                                 .required("mean_us", &R::mean_us, OrNull{Real{}}, "null if not measured");
  return record;
}

const Record<SessionDetails::Context>& context_record() {
  using C = SessionDetails::Context;
  static const auto record = Record<C>("context", "the identifier of the xclbin or configuration ELF")
                                 .optional("uuid", &C::uuid, UuidText{}, "of the xclbin")
                                 .optional("elf_uid", &C::elf_uid, UuidText{}, "of the configuration ELF");
  return record;
}

const Record<BackendInfo>& backend_record() {
  using B = BackendInfo;
  static const auto record = Record<B>("backend", "a back end that was opened")
                                 .required("device", &B::device, Text{}, "name of the device")
                                 .required("driver", &B::driver, Text{}, "name and version of the driver");
  return record;
}

const Record<SessionDetails::Validation>& validation_record() {
  using V = SessionDetails::Validation;
  static const auto record =
      Record<V>("validation", "the comparison of a buffer with golden data")
          .required("buffer", &V::buffer, Text{}, "name of the buffer")
          .required("ok", &V::ok, Boolean{}, "whether all elements are equal")
          .required("mismatches", &V::mismatches, Integer{}, "number of elements that differ")
          .required("first", &V::first, OrNull{Integer{}}, "index of the first mismatch, in bytes or elements");
  return record;
}

const Record<SessionReport::Error>& error_record() {
  using E = SessionReport::Error;
  static const auto record = Record<E>("error", "the first error")
                                 .required("kind", &E::kind, Text{}, "its kind (docs/diagnostics.md)")
                                 .required("message", &E::message, Text{}, "its message")
                                 .optional("pointer", &E::pointer, Text{}, "JSON pointer to its location");
  return record;
}

const Record<std::string>& program_record() {
  static const auto record =
      Record<std::string>("program", "the program that wrote the report")
          .required(
              "version", [](const std::string& from) { return std::string_view(from); }, Text{}, "of the program")
          .required("report_schema", Constant{"2"}, "version of this format");
  return record;
}

}  // namespace

namespace {

// Adds the keys that the reports of both shapes have.
Record<SessionDetails> with_details(Record<SessionDetails> record) {
  using D = SessionDetails;
  return std::move(record)
      .optional("executions", &D::executions, List{Nested(execution_record())}, "of a profile with `executions`")
      .optional("resources", &D::resources, Nested(resources_record()), "the size of the recipe")
      .optional("runs", &D::runs, List{Nested(run_record())}, "the runs, in order")
      .optional("xclbin", &D::xclbin, Nested(context_record()), "the xclbin of the header")
      .optional("hwctxs_detail", &D::contexts, Map{Nested(context_record())}, "hardware contexts by name")
      .optional("backends", &D::backends, Map{Nested(backend_record())}, "opened back ends by kind")
      .optional("validation", &D::validation, List{Nested(validation_record())}, "comparisons with golden data");
}

// `Part`: a member of SessionDetails::Execution.
template <auto Part>
const auto* of_execution(const SessionDetails& details) {
  return details.execution ? &((*details.execution).*Part) : nullptr;
}
const launch::SampleSummary* samples_of_execution(const SessionDetails& details) {
  return details.execution && details.execution->samples ? &*details.execution->samples : nullptr;
}

// The execution of a profile without `executions` is the report itself, as in the report of the shipped runner.
const Record<SessionDetails>& shipped_details_record() {
  using E = SessionDetails::Execution;
  static const auto record = with_details(
      Record<SessionDetails>("details", "what a recipe adds to the report of its run")
          .optional("cpu", of_execution<&E::cpu>, Nested(cpu_record()), "times, of a profile without `executions`")
          .optional("iterations", of_execution<&E::iterations>, Integer{}, "their number, of such a profile")
          .optional("name", of_execution<&E::name>, Text{}, "of the execution, of such a profile")
          .optional("samples", samples_of_execution, Nested(launch::samples_record()),
                    "times of completed iterations, of such a profile"));
  return record;
}

}  // namespace

const Record<SessionDetails>& details_record() {
  static const auto record =
      with_details(Record<SessionDetails>("details", "what a recipe adds to the report of its run")
                       .optional("execution", &SessionDetails::execution, Nested(execution_record()),
                                 "of a profile without `executions`"));
  return record;
}

const Record<SessionReport>& report_record() {
  using R = SessionReport;
  static const auto record =
      Record<R>("report", "the report of a recipe")
          .part(&R::details, shipped_details_record())
          .optional("error", &R::error, Nested(error_record()), "the first error")
          .optional("slipway", &R::version, Nested(program_record()), "absent if a job could not be loaded")
          .optional("system", &R::system, Nested(system_record()), "resources of the process");
  return record;
}

const Record<ProcessUsage>& system_record() {
  using S = ProcessUsage;
  static const auto record = Record<S>("system", "resources of the process")
                                 .required("real", &S::real, Real{}, "seconds")
                                 .required("user", &S::user, Real{}, "seconds of CPU time")
                                 .required("kernel", &S::kernel, Real{}, "seconds of CPU time in the kernel")
                                 .required("peak_memory_mb", &S::peak_memory_mb, Real{}, "MiB of resident memory");
  return record;
}

const Record<JobsReport>& jobs_report_record() {
  using J = JobsReport;
  static const auto record =
      Record<J>("jobs_report", "the report of a script of jobs")
          .required("jobs", &J::jobs, Map{Nested(report_record())}, "the reports of the jobs by id")
          .optional("system", &J::system, Nested(system_record()), "resources of the process");
  return record;
}

std::string report_schema() {
  return json::schema_text("report of recipes, in the shape of the shipped runner",
                           "what ran and how long it took: `report()` of the library, and `xrt-runner --report` of a "
                           "recipe or a script of jobs",
                           {&report_record().table(), &jobs_report_record().table()});
}

}  // namespace slipway::recipe
