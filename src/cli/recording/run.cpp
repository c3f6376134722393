// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway run` on recordings of the Vulkan layer (docs/layer.md#reporting-a-problem): each dispatch runs again with
// the inputs that it had, on any device, engine or layer, and its results are compared with the recorded ones.
#include <algorithm>

#include "base/containers/ar.hpp"
#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/system/temporary_directory.hpp"
#include "cli/model/vgf_verbs.hpp"
#include "cli/option_groups.hpp"
#include "cli/recording/verbs.hpp"
#include "cli/run/job.hpp"
#include "cli/run/run_report.hpp"
#include "cli/scenario/verbs.hpp"
#include "json/writer.hpp"
#include "model/standalone/compare_layers.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kFirstMember = "recording", kVersionText = "slipway 1\n";

struct RecordingOptions {
  ReportStyle style;
  std::string file, device;
  std::optional<std::string> emulate;
  EngineGroup engine;
  bool validate = false, no_cache = false;
  std::optional<double> timeout, absolute, relative;
};

// The options that runs of all dispatches get.
std::vector<std::string> shared_words(const RecordingOptions& options) {
  std::vector<std::string> words = {"--engine", options.engine.engine, "--json"};
  const auto add = [&](std::string name, std::string value) {
    words.push_back(std::move(name));
    words.push_back(std::move(value));
  };
  if (!options.device.empty()) add("--device", options.device);
  if (options.emulate) words.push_back("--emulate=" + *options.emulate);
  if (options.validate) words.emplace_back("--validate");
  if (options.no_cache) words.emplace_back("--no-cache");
  if (options.timeout) add("--timeout", formatted("{}", *options.timeout));
  return words;
}

struct RecordedInput {
  std::string name, file;
};

// One dispatch of a recording, whose files are in a directory.
struct Dispatch {
  std::string number;
  std::string model;  // of a graph; empty for a shader
  std::vector<RecordedInput> inputs;

  std::string text() const { return formatted("dispatch {} ({})", number, model.empty() ? "shader" : model); }
};

struct DispatchResult {
  int status = 0;
  Failure diagnostics;
  std::string device;
  std::string operators;     // the first that differ from the interpreter
  bool is_compared = false;  // with recorded results
  bool all_right = false;    // all operators were compared, and none differs
};

class Replay {
 public:
  Replay(const RecordingOptions& options, const Path& directory)
      : options_(options), directory_(directory), words_(shared_words(options)) {}

  // Writes the members as files, and lists the dispatches. Errors: file-format, file-truncated, file-unwritable.
  Result<std::vector<Dispatch>> unpack(Bytes archive) const {
    const ArArchive read = read_ar(archive);
    const auto damaged = [&](Span range, std::string message) {
      return fail(DiagnosticKind::FileFormat, SourceLocation::in_bytes(options_.file, range), std::move(message));
    };
    if (read.fault) return damaged(read.fault->range, read.fault->message);
    if (text_of(read.members.front().bytes) != kVersionText)
      return fail(DiagnosticKind::Unsupported, SourceLocation::in_file(options_.file),
                  "the recording is of another version of the layer");
    std::vector<Dispatch> dispatches;
    std::vector<RecordedInput> inputs;  // of the next dispatch: a dispatch follows its tensors
    for (const ArMember& member : read.members) {
      const Span range{member.offset, member.offset + member.bytes.size()};
      const Path name = member.name;
      if (member.name.empty() || name.filename() != name || member.name.starts_with('.'))
        return damaged(range, formatted("`{}` is not the name of a member of a recording", member.name));
      const std::size_t dot = member.name.find('.');
      const std::string number = member.name.substr(0, dot);
      const std::string_view rest = std::string_view(member.name).substr(std::min(dot, member.name.size()));
      Path to = directory_ / name;
      if (rest.starts_with(".in.") && rest.ends_with(".npy")) {
        inputs.push_back({std::string(rest.substr(4, rest.size() - 8)), to.string()});
      } else if (rest.starts_with(".out.") && rest.ends_with(".npy")) {
        // Scenarios name the file; models take a directory with the names of their outputs.
        SLIPWAY_TRY_VOID(make_directories(directory_ / number));
        SLIPWAY_TRY_VOID(write_file(directory_ / number / rest.substr(5), member.bytes));
      } else if (rest == ".graph" || (rest == ".json" && !number.empty())) {
        dispatches.push_back(
            {number, rest == ".graph" ? std::string(text_of(member.bytes)) : "", std::exchange(inputs, {})});
        const Path model = dispatches.back().model;
        if (rest == ".graph" && (model.empty() || model.filename() != model || model.string().starts_with('.')))
          return damaged(range, formatted("`{}` does not name a model", member.name));
      }
      SLIPWAY_TRY_VOID(write_file(to, member.bytes));
    }
    if (dispatches.empty()) return damaged({0, archive.size()}, "the recording has no dispatches");
    return dispatches;
  }

  DispatchResult run(const Dispatch& dispatch) {
    if (dispatch.model.empty()) return run_job(*scenarios_, {(directory_ / (dispatch.number + ".json")).string()});
    std::vector<std::string> words = {(directory_ / dispatch.model).string()};
    for (const RecordedInput& input : dispatch.inputs) {
      words.push_back(formatted("--input={}={}", input.name, input.file));
    }
    std::vector<std::string> against = words;
    against.insert(against.end(), {"--against", (directory_ / dispatch.number).string()});
    if (options_.absolute) against.insert(against.end(), {"--atol", formatted("{}", *options_.absolute)});
    if (options_.relative) against.insert(against.end(), {"--rtol", formatted("{}", *options_.relative)});
    DispatchResult result = run_job(*models_, std::move(against));
    if (result.status != static_cast<int>(ExitClass::CheckFailed) || options_.engine.engine == "reference")
      return result;
    words.insert(words.end(), {"--compare", "reference", "--layers"});
    const DispatchResult layers = run_job(*models_, std::move(words));
    result.operators = layers.operators;
    result.all_right = layers.status == 0;
    return result;
  }

 private:
  DispatchResult run_job(JobSource& source, std::vector<std::string> words) const {
    words.insert(words.end(), words_.begin(), words_.end());
    MadeJob made = source.make({.words = std::move(words)});
    if (!made.job) return {.status = static_cast<int>(ExitClass::Usage)};
    run_one(*made.job, *made.options);
    DispatchResult result{.status = made.job->status(), .diagnostics = made.job->all_diagnostics()};
    for (Diagnostic& problem : result.diagnostics) name_members(problem);
    for (const RunReportEntry& entry : made.job->report()) {
      if (entry.outcome.report) result.device = entry.outcome.report->device;
      result.is_compared |= entry.outcome.is_checked;
      const auto wrong =
          std::ranges::find_if(entry.layers, [](const LayerReport& one) { return !one.layer->own.passed(); });
      if (wrong != entry.layers.end()) result.operators = model::layer_name(*wrong->layer);
    }
    return result;
  }

  // In place of the temporary files that they are.
  void name_members(Diagnostic& problem) const {
    const std::string directory = (directory_ / "").string(), recording = options_.file + ":";
    const auto rename = [&](std::string& text) {
      for (std::size_t at = text.find(directory); at != text.npos; at = text.find(directory, at + recording.size()))
        text.replace(at, directory.size(), recording);
    };
    rename(problem.message);
    rename(problem.location.file);
    for (DiagnosticNote& note : problem.notes) {
      rename(note.message);
      rename(note.location.file);
    }
  }

  const RecordingOptions& options_;
  Path directory_;
  std::vector<std::string> words_;
  std::unique_ptr<JobSource> models_ = model_jobs(), scenarios_ = scenario_jobs();
};

struct Counts {
  std::size_t equal = 0, differ = 0, skipped = 0, failed = 0;
};

// Why a dispatch did not give the recorded results, as one diagnostic of the recording.
Diagnostic difference(const std::string& file, const Dispatch& dispatch, const DispatchResult& result) {
  Diagnostic problem{.kind = DiagnosticKind::ExpectationFailed, .location = SourceLocation::in_file(file)};
  problem.message = formatted("{} has other results than the recorded ones", dispatch.text());
  if (!result.operators.empty())
    problem.message += formatted("; the first operator that differs from the interpreter is {}", result.operators);
  else if (result.all_right)
    problem.message +=
        "; here, every operator is right for the inputs that it had, so the recorded results are those of "
        "another rounding, or wrong";
  for (const Diagnostic& one : result.diagnostics) {
    if (one.severity == Severity::Error) problem.note(one.message);
  }
  return problem;
}

// A dispatch without recorded results shows nothing.
void require_comparison(const std::string& file, DispatchResult& result) {
  if (result.status != 0 || result.is_compared) return;
  result.status = static_cast<int>(ExitClass::CheckFailed);
  result.diagnostics.push_back({.kind = DiagnosticKind::ExpectationFailed,
                                .message = "the recording has no results of this dispatch",
                                .location = SourceLocation::in_file(file)});
}

std::string summary(const std::string& file, const Counts& counts, const std::string& device) {
  const auto more = [](std::size_t count, std::string_view what) {
    return count == 0 ? std::string() : formatted(", {} {}", count, what);
  };
  const std::size_t all = counts.equal + counts.differ + counts.skipped + counts.failed;
  return formatted("{}: {} {}: {} equal{}{}{}{}\n", file, all, all == 1 ? "dispatch" : "dispatches", counts.equal,
                   more(counts.differ, counts.differ == 1 ? "differs" : "differ"), more(counts.skipped, "cannot run"),
                   more(counts.failed, "failed"), device.empty() ? "" : ", on " + device);
}

int replay(const RecordingOptions& options) {
  Diagnostics diagnostics;
  const auto read = diagnostics.take(ContentOf::read(options.file));
  auto directory = read ? diagnostics.take(TemporaryDirectory::make("recording")) : std::nullopt;
  if (!directory) return report(diagnostics, options.style);
  Replay replay(options, directory->path());
  const auto dispatches = diagnostics.take(replay.unpack(read->content().bytes));
  if (!dispatches) return report(diagnostics, options.style);
  Counts counts;
  int worst = 0;
  json::Writer out;
  std::string device, first;
  out.object([&] {
    out.member("file", options.file).key("dispatches").array([&] {
      for (const Dispatch& dispatch : *dispatches) {
        if (is_interrupted() || has_timed_out(diagnostics.all())) break;
        DispatchResult result = replay.run(dispatch);
        require_comparison(options.file, result);
        worst = worst_status(worst, result.status);
        if (!result.device.empty()) device = result.device;
        const bool differs = result.status == static_cast<int>(ExitClass::CheckFailed) && result.is_compared;
        const bool lacks = result.status == static_cast<int>(ExitClass::DeviceLacks);
        ++(result.status == 0 ? counts.equal : differs ? counts.differ : lacks ? counts.skipped : counts.failed);
        if (!options.style.json && output_level() != OutputLevel::Quiet)
          print(formatted("{}: {}\n", dispatch.text(),
                          result.status == 0 ? "equal"
                          : differs          ? "differs"
                                             : outcome_word(result.status)));
        out.object([&] {
          out.member("dispatch", dispatch.number).member("kind", dispatch.model.empty() ? "shader" : "graph");
          out.member("exit_status", std::int64_t{result.status});
          if (!result.operators.empty()) out.member("first_wrong_operator", result.operators);
        });
        if (differs) {
          if (first.empty())
            first = result.operators.empty() ? dispatch.text() : formatted("{}, {}", dispatch.text(), result.operators);
          diagnostics.add(difference(options.file, dispatch, result));
        } else if (result.status != 0) {
          for (Diagnostic& problem : result.diagnostics)
            diagnostics.add(std::move(problem)).note(formatted("{} of the recording", dispatch.text()));
        }
      }
    });
    out.member("device", device).member("first_difference", first);
  });
  if (options.style.json) print(out.text());
  const int status = worst_status(report(diagnostics, options.style, stderr), worst);
  // What still runs cannot be stopped.
  if (has_timed_out(diagnostics.all())) {
    directory.reset();
    end_process(status);
  }
  if (options.style.json) return status;
  print_status(summary(options.file, counts, device));
  if (!first.empty()) print_status(formatted("the first that differs: {}\n", first));
  return status;
}

}  // namespace

bool is_recording(const Content& content) { return is_recording(content.bytes); }
bool is_recording(Bytes bytes) {
  if (!is_ar(bytes)) return false;
  const ArArchive archive = read_ar(bytes);
  return !archive.members.empty() && archive.members.front().name == kFirstMember;
}

int run_recording(const Arguments& arguments) {
  RecordingOptions options;
  CommandLine line("slipway run", "Runs the dispatches that the Vulkan layer recorded, and compares their results.",
                   "slipway run captured/recording-0.ar --engine cpu");
  line.add_report_options(options.style);
  line.add_option("file", options.file, "the recording; `-` is standard input").required();
  add_device_option(line, options.device);
  add_engine_option(line, options.engine);
  add_emulate_option(line, options.emulate);
  line.add_flag("--validate", options.validate, "run under the Vulkan validation layer, synchronisation included");
  line.add_option("--atol", options.absolute, "results of graphs may differ by this (0)").not_negative();
  line.add_option("--rtol", options.relative, "results of graphs may differ by this part of the recorded ones (0)")
      .not_negative();
  add_timeout_option(line, options.timeout);
  add_cache_option(line, options.no_cache);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  return replay(options);
}

}  // namespace slipway::cli
