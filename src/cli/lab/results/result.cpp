// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/results/result.hpp"

#include <map>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/run/run_report.hpp"
#include "json/document.hpp"
#include "json/record.hpp"

namespace slipway::cli {
namespace {

using json::Boolean, json::Integer, json::List, json::Nested, json::Real, json::Record, json::Text;

constexpr json::Word<CaseVerdict> kVerdicts[] = {
    {"passed", CaseVerdict::Passed},      {"ran", CaseVerdict::Ran},
    {"failed", CaseVerdict::Failed},      {"partly-compared", CaseVerdict::PartlyCompared},
    {"skipped", CaseVerdict::Skipped},    {"error", CaseVerdict::Error},
    {"timed-out", CaseVerdict::TimedOut}, {"crashed", CaseVerdict::Crashed},
    {"not-run", CaseVerdict::NotRun}};

// The entries of a report, kept as text.
struct Entries {
  bool read(json::Decoder& decoder, json::Value value, std::string& to) const {
    if (!value.is(json::Type::Array)) return decoder.wrong_type(value, "an array");
    to = value.text();
    return true;
  }
  void write(json::Writer& out, std::string_view from) const { out.raw(from); }
  void schema(json::Schema& schema) const { List{Nested(report_entry_record())}.schema(schema); }
};

const Record<DeviceIdentity>& device_record() {
  using D = DeviceIdentity;
  static const auto record = Record<D>("result_device", "a device")
                                 .required("name", &D::name, Text{}, "its name; empty if it is not known")
                                 .required("driver", &D::driver, Text{}, "its driver, with the version");
  return record;
}

const Record<RunInfo>& run_record() {
  using R = RunInfo;
  static const auto record =
      Record<R>("result_run", "a call of `slipway run`")
          .required("id", &R::id, Text{.empty = false}, "names the run")
          .required("slipway", &R::version, Text{}, "version of the program")
          .required("started", &R::started, Text{}, "date and time, UTC")
          .required("host", &R::host, Text{}, "name of the machine")
          .required("directory", &R::directory, Text{}, "the current directory, to which files are relative")
          .required("command", &R::command, List{Text{}}, "the command line")
          .optional("shard", &R::shard, Text{}, "I/N: which part of the cases ran");
  return record;
}

const Record<CaseSamples>& case_samples_record() {
  using S = CaseSamples;
  static const auto record =
      Record<S>("result_samples", "times of single runs of a case, without those that warm up")
          .required("name", &S::name, Text{}, "of the execution of a recipe, or of a job; empty if there is one list")
          .required("seconds", &S::seconds, List{Real{.min = 0}, 1}, "in the order of the runs");
  return record;
}

const Record<DeviceState>& device_state_record() {
  using D = DeviceState;
  static const auto record =
      Record<D>("result_state", "what the driver reports of the device after the case; members may be absent")
          .optional("clock_mhz", &D::clock_mhz, Real{.min = 0}, "of the cores; of a CPU, of the fastest one")
          .optional("memory_clock_mhz", &D::memory_clock_mhz, Real{.min = 0}, "of the memory of a GPU")
          .optional("temperature_c", &D::temperature_c, Real{}, "degrees Celsius");
  return record;
}

const Record<CaseResult>& case_record() {
  using C = CaseResult;
  static const auto record =
      Record<C>("result_case", "the result of a case")
          .required("run", &C::run, Text{}, "the id of the run")
          .required("file", &C::file, Text{.empty = false}, "the file, as the command line or the list names it")
          .optional("copy", &C::copy, Integer{.min = 1}, "counts cases with the same file; 1 when absent")
          .written_if([](const C& from) { return from.copy != 1; })
          .optional("round", &C::round, Integer{.min = 1}, "of `slipway bench --rounds`; 1 when absent")
          .written_if([](const C& from) { return from.round != 1; })
          .required("format", &C::format, Text{}, "of the file; empty if it has none that runs")
          .required("verdict", &C::verdict, json::Words<CaseVerdict>(kVerdicts),
                    "ran: nothing was compared; failed: an expectation; partly-compared: outputs could not be "
                    "compared; skipped: the "
                    "device lacks something; not-run: the run was interrupted before")
          .required("exit_status", &C::exit_status, Integer{.max = 5}, "of this case alone, without expectations")
          .required("started", &C::started, Text{}, "date and time, UTC")
          .required("at", &C::at, Real{.min = 0}, "seconds from the start of the run to that of the case")
          .required("seconds", &C::seconds, Real{.min = 0}, "from the start to the end of the case")
          .required("worker", &C::worker, Integer{}, "the worker process, from 0")
          .required("device", &C::device, Nested(device_record()), "the device of the worker")
          .optional("attempts", &C::attempts, Integer{.min = 1}, "how often the case ran; 1 when absent")
          .written_if([](const C& from) { return from.attempts != 1; })
          .optional("expected", &C::expected, Text{},
                    "what the expectations expect: fail, crash, hang, flaky, skip, unsupported")
          .optional("reason", &C::reason, Text{}, "of the expectation")
          .required("ok", &C::is_ok, Boolean{}, "whether the verdict is as expected")
          .optional("samples", &C::samples, List{Nested(case_samples_record())}, "of a case that ran several times")
          .written_if([](const C& from) { return !from.samples.empty(); })
          .optional("state", &C::state, Nested(device_state_record()), "of the device, with `slipway bench`")
          .required("files", &C::files, Entries{}, "the entries of the case in `files` of a report")
          .optional("text", &C::text, Text{}, "what the case printed")
          .written_if([](const C& from) { return !from.text.empty(); });
  return record;
}

struct Line {
  std::optional<RunInfo> run;
  std::optional<CaseResult> result;
};

const Record<Line>& line_record() {
  static const auto record = Record<Line>("result_line", "one line of a results file: about a run, or about a case")
                                 .optional("run", &Line::run, Nested(run_record()), "a run that begins")
                                 .optional("case", &Line::result, Nested(case_record()), "a case that ended");
  return record;
}

}  // namespace

std::string_view name_of(CaseVerdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)].word; }

bool is_success(CaseVerdict verdict) { return verdict == CaseVerdict::Passed || verdict == CaseVerdict::Ran; }

std::string CaseResult::key() const { return copy == 1 ? file : formatted("{} #{}", file, copy); }

int CaseResult::final_status() const {
  if (expected && is_ok) return 0;
  if (is_ok) return exit_status;
  return exit_status == 0 ? static_cast<int>(ExitClass::CheckFailed) : exit_status;
}

void LabResults::add_times(const CaseResult& result) {
  if (!is_success(result.verdict)) return;
  times[result.key()].push_back(result.seconds);
  for (const CaseSamples& list : result.samples) {
    if (!list.seconds.empty()) samples[{result.key(), list.name}].push_back(list.seconds);
  }
}

std::string entries_text(std::span<const RunReportEntry> entries) {
  json::Writer out(json::kCompact);
  out.array([&] {
    for (const RunReportEntry& entry : entries) report_entry_record().write(out, entry);
  });
  return out.text();
}

std::string entry_of(const std::string& file, const Diagnostic& diagnostic) {
  const RunReportEntry entry{
      .outcome = {.file = file, .diagnostics = {diagnostic}, .report = {}}, .job = {}, .recipe = {}};
  return valid_utf8(entries_text({&entry, 1}));
}

std::string run_line(const RunInfo& run) {
  return valid_utf8(json::object_text(line_record(), {run, {}}, json::kCompact));
}
std::string case_line(const CaseResult& result) {
  return valid_utf8(json::object_text(line_record(), {{}, result}, json::kCompact));
}

std::optional<LabResults> read_results(const std::string& path, Diagnostics& diagnostics) {
  const auto text = diagnostics.take(read_text(path));
  return text ? parse_results(*text, path, diagnostics) : std::nullopt;
}

std::optional<LabResults> parse_results(std::string_view text, const std::string& name, Diagnostics& diagnostics) {
  LabResults results;
  std::map<std::string, std::size_t, std::less<>> positions;
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    ++number;
    const std::string_view line_text = rest.substr(0, end);
    if (line_text.contains('\0')) {
      diagnostics.warning(DiagnosticKind::TrailingData, SourceLocation::in_file(name),
                          formatted("line {} has zeros, as after a power failure, and is left out", number));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      continue;
    }
    const auto document = json::parse(make_source(formatted("{}, line {}", name, number), std::string(line_text)));
    if (end == rest.size() && !document) {
      diagnostics.warning(DiagnosticKind::TrailingData, SourceLocation::in_file(name),
                          formatted("line {} is incomplete and is left out", number));
      break;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!document) {
      diagnostics.add(document.error());
      return std::nullopt;
    }
    json::Decoder decoder(diagnostics, Severity::Warning);
    auto line = decoder.read(line_record(), (*document)->root());
    if (!line) return std::nullopt;
    if (line->run) results.runs.push_back(std::move(*line->run));
    if (!line->result) continue;
    results.add_times(*line->result);
    const std::string key = line->result->key();
    const auto [at, is_new] = positions.try_emplace(key, results.cases.size());
    if (is_new)
      results.cases.push_back(std::move(*line->result));
    else
      results.cases[at->second] = std::move(*line->result);
  }
  return results;
}

void merge_results(LabResults& into, LabResults from) {
  std::map<std::string, std::size_t, std::less<>> positions;
  for (std::size_t i = 0; i < into.cases.size(); ++i) positions.emplace(into.cases[i].key(), i);
  into.runs.append_range(std::move(from.runs));
  for (auto& [key, times] : from.times) into.times[key].append_range(times);
  for (auto& [key, samples] : from.samples) into.samples[key].append_range(samples);
  for (CaseResult& result : from.cases) {
    const auto [at, is_new] = positions.try_emplace(result.key(), into.cases.size());
    if (is_new)
      into.cases.push_back(std::move(result));
    else
      into.cases[at->second] = std::move(result);
  }
}

std::string results_schema() {
  return json::schema_text("results", "one line of the file that `slipway run --results` writes",
                           {&line_record().table()});
}

}  // namespace slipway::cli
