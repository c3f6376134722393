// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway reduce`: finds the smallest file that still fails.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/system/cache.hpp"
#include "base/system/files.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/system/temporary_directory.hpp"
#include "cli/command_line.hpp"
#include "cli/confine.hpp"
#include "cli/directories.hpp"
#include "cli/formats.hpp"
#include "cli/program.hpp"
#include "cli/reduce/candidate_check.hpp"
#include "cli/reduce/reducer.hpp"
#include "cli/rpl/verbs.hpp"
#include "cli/run/progress.hpp"
#include "json/document.hpp"
#include "model_jobs/conversion_job.hpp"
#include "platform/process.hpp"
#include "tosa/text.hpp"
#include "tosa/write/write_tosa.hpp"

namespace slipway::cli {
namespace {

struct ReduceOptions {
  ReportStyle style;
  std::string file, output, test;
  std::optional<double> timeout;
  std::vector<std::string> words;  // after `--`
};

constexpr double kDefaultLimit = 60;  // seconds

enum class ReducedAs { Json, Text, Graph };

class ReduceVerb {
 public:
  explicit ReduceVerb(const ReduceOptions& options) : options_(options) {}

  int run() {
    if (check_usage() && open() && check_original()) reduce();
    progress_.reset();
    return report(diagnostics_, options_.style);
  }

 private:
  bool ok() const { return !diagnostics_.has_errors(); }
  void usage(std::string message) { diagnostics_.error(DiagnosticKind::Usage, {}, std::move(message)); }
  SourceLocation in_file() const { return SourceLocation::in_file(options_.file); }

  bool check_usage() {
    if (options_.file == "-" || options_.output == "-")
      usage("`slipway reduce` needs names of files, because it reads and writes them several times");
    if (!options_.test.empty() && !options_.test.contains("{}"))
      usage("--test needs `{}`, in place of which it gets the file");
    if (!options_.test.empty() && !options_.words.empty())
      usage("with --test, options of the run belong to the command of --test");
    if (!ok()) return false;
    protect_input(options_.file);
    if (Result<> checked = check_output(options_.output); !checked) diagnostics_.add(std::move(checked.error()));
    return ok();
  }

  // --- the file ---

  bool open() {
    auto content = diagnostics_.take(ContentOf::read(options_.file));
    if (!content) return false;
    content_.emplace(std::move(*content));
    if (auto scratch = diagnostics_.take(TemporaryDirectory::make("reduce")))
      scratch_.emplace(std::move(*scratch));
    else
      return false;
    const Format* const format = format_of(content_->content());
    const std::string_view name = format ? format->name : "";
    CandidateCheckOptions test{.verb = "run", .words = options_.words, .command = options_.test};
    if (options_.timeout) test.limit = std::chrono::duration<double>(*options_.timeout);
    if (name == "scenario") {
      kind_ = ReducedAs::Json;
    } else if (name == "rpl") {
      kind_ = ReducedAs::Text;
      test.verb = "compile";
    } else if (std::ranges::contains(std::initializer_list<std::string_view>{"vgf", "tosa", "graph", "mlir"}, name)) {
      kind_ = ReducedAs::Graph;
      test.named = false;
    } else {
      const std::string what = format ? formatted("a file of format {}", name) : "a file of unknown format";
      diagnostics_.error(
          DiagnosticKind::NotRecognised, in_file(),
          formatted("{} cannot be reduced; `slipway reduce` takes scenario, rpl, vgf, tosa, graph, mlir", what));
      return false;
    }
    test_.emplace(std::move(test));
    const Bytes bytes = content_->content().bytes;
    if (kind_ == ReducedAs::Graph) return open_graph(bytes);
    text_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    if (kind_ == ReducedAs::Json && !json::parse(make_source(options_.file, text_)))
      kind_ = ReducedAs::Text;
    else if (kind_ == ReducedAs::Json)
      text_ = move_json(text_, directory(), directory());
    suffix_ = Path(options_.file).extension().string();
    return true;
  }

  bool open_graph(Bytes bytes) {
    model_.emplace(model::ConversionRequest{
        .bytes = bytes, .name = options_.file, .file_name = {}, .read = {.io_names = convert::IoNames::Tensor}});
    if (!model_->read(diagnostics_)) return false;
    tosa::Graph& graph = model_graph();
    const std::vector<std::string>& names = model_->model().input_names;
    for (std::size_t i = 0; i < std::min(graph.inputs.size(), names.size()); ++i)
      graph[graph.inputs[i]].name = names[i];
    for (tosa::Constant& constant : graph.constants) {
      if (!constant.data.empty()) constant.graph_constant.reset();
    }
    suffix_ = Path(options_.output).extension().string();
    if (suffix_ != ".tosa" && suffix_ != ".vgf") suffix_ = ".graph";
    return true;
  }

  tosa::Graph& model_graph() { return model_->model().graph; }

  // --- tests ---

  bool check_original() {
    step("testing the file as it is");
    auto original = diagnostics_.take(test_->classify(options_.file));
    if (!original) return false;
    if (original->verdict.empty()) {
      Diagnostic& problem =
          diagnostics_.error(DiagnosticKind::UnexpectedVerdict, in_file(),
                             formatted("the file does not fail: `{}` returns {}", test_->command_for(options_.file),
                                       options_.test.empty() ? "0" : "another status than 0"));
      if (options_.test.empty())
        problem.hint("options of the run follow `--`, and --test decides by a program what a failure is");
      return false;
    }
    failure_ = *original;
    print_status(formatted("{}: {}, {}\n", options_.file, original_size(), failure_.text()));
    const bool same = kind_ == ReducedAs::Graph ? fails(model_graph()) : fails(text_);
    if (same) return true;
    if (!ok()) return false;
    Diagnostic& problem =
        diagnostics_.error(DiagnosticKind::Unsupported, in_file(),
                           formatted("the failure does not occur again in a copy of the file{}, but: {}",
                                     kind_ == ReducedAs::Graph ? formatted(" as `{}`", suffix_) : "", last_.text()));
    if (is_confined()) problem.hint("with --confine a copy, in a directory of its own, may not name other files");
    return false;
  }

  std::string original_size() {
    return kind_ == ReducedAs::Graph  ? size_of_graph(model_graph())
           : kind_ == ReducedAs::Json ? size_of_json(text_)
                                      : size_of_text(text_);
  }

  void step(std::string what) { progress_->stage(std::move(what)); }

  std::string directory() const {
    const Path parent = Path(options_.file).parent_path();
    return parent.empty() ? "." : parent.string();
  }

  Path candidate_path() const { return scratch_->path() / (Path(options_.file).stem().string() + suffix_); }

  // Whether the candidate that was written fails as the original does.
  bool file_fails(const std::string& path) {
    ++tests_;
    step(formatted("{} tests, {}", tests_, size_.empty() ? original_size() : size_));
    const auto found = test_->classify(path);
    if (is_interrupted()) return false;
    last_ = found ? *found : FailureClass{"usage error", {}, {}, {}};
    return last_ == failure_;
  }

  // After an interrupt nothing is tested, so that the passes come to an end with what they have.
  bool fails(const std::string& text) {
    if (is_interrupted()) return false;
    const std::string key = Cache::key({text});
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const std::string moved = kind_ == ReducedAs::Json ? move_json(text, directory(), "") : text;
    return known_[key] = write(candidate_path(), moved) && file_fails(candidate_path().string());
  }

  bool fails(const tosa::Graph& graph) {
    if (is_interrupted()) return false;
    const auto made = contents_of(graph);
    if (!made) return false;
    const std::string key = Cache::key({*made});
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    return known_[key] = write_graph(candidate_path(), *made) && file_fails(candidate_path().string());
  }

  // --- files ---

  bool write(const Path& path, const std::string& contents) {
    Result<> written = write_file(path, contents);
    if (!written) diagnostics_.add(std::move(written.error()));
    return ok();
  }

  std::optional<std::string> contents_of(const tosa::Graph& graph) const {
    if (suffix_ != ".tosa") return tosa::print(graph, {.max_elements = UINT64_MAX});
    tosa::Model model;
    model.graph = graph;
    const auto bytes = tosa::write_tosa(model);
    if (!bytes) return std::nullopt;
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }

  // A VGF file is converted in a process of its own, since the conversion may be what fails.
  bool write_graph(const Path& path, const std::string& contents) {
    if (suffix_ != ".vgf") return write(path, contents);
    const Path text = Path(scratch_->path() / "candidate.graph");
    if (!write(text, contents)) return false;
    std::vector<std::string> command = command_of_verb("convert");
    command.insert(command.end(), {text.string(), "-q", "-o", path.string()});
    const auto end = run_child(command, std::chrono::duration<double>(options_.timeout.value_or(kDefaultLimit)));
    return end && !end->timed_out && !end->interrupted && !end->signal && end->status == 0;
  }

  // --- reducing ---

  void reduce() {
    const ReduceNotes notes = [this](std::string_view pass, const std::string& size) {
      size_ = size;
      print_status(formatted("  {}: {} ({} tests)\n", pass, size, tests_));
    };
    if (kind_ == ReducedAs::Graph) {
      const tosa::Graph smaller =
          reduce_graph(model_graph(), [this](const tosa::Graph& graph) { return fails(graph); }, notes);
      const auto made = contents_of(smaller);
      if (!ok() || !made) return;
      if (!write_graph(options_.output, *made)) {
        if (ok())
          diagnostics_.error(DiagnosticKind::FileUnwritable, SourceLocation::in_file(options_.output),
                             "the reduced model could not be written");
        return;
      }
      return end(size_of_graph(smaller));
    }
    const auto test = [this](const std::string& text) { return fails(text); };
    std::string smaller = kind_ == ReducedAs::Json ? reduce_json(text_, test, notes) : reduce_text(text_, test, notes);
    if (!ok()) return;
    if (kind_ == ReducedAs::Json)
      smaller =
          move_json(smaller, directory(),
                    Path(options_.output).parent_path().empty() ? "." : Path(options_.output).parent_path().string());
    if (write(options_.output, smaller)) end(kind_ == ReducedAs::Json ? size_of_json(smaller) : size_of_text(smaller));
  }

  void end(const std::string& size) {
    const std::size_t tests = tests_;
    if (is_interrupted()) {
      diagnostics_.error(
          DiagnosticKind::Interrupted, SourceLocation::in_file(options_.output),
          formatted("interrupted after {} tests; the file, of {}, is the smallest until then that failed", tests,
                    size));
      return;
    }
    if (!file_fails(options_.output)) {
      diagnostics_.error(DiagnosticKind::UnexpectedVerdict, SourceLocation::in_file(options_.output),
                         formatted("the reduced file, of {}, does not fail each time: {} instead of {}", size,
                                   last_.text(), failure_.text()));
      return;
    }
    print_status(formatted("{}: {}, after {} tests; it fails in the same way: `{}`\n", options_.output, size, tests,
                           test_->command_for(options_.output)));
  }

  const ReduceOptions& options_;
  Diagnostics diagnostics_;
  std::optional<TemporaryDirectory> scratch_;  // of candidates
  std::optional<ContentOf> content_;
  ReducedAs kind_ = ReducedAs::Text;
  std::string suffix_;  // of candidates
  std::string text_;
  std::optional<model::ConversionJob> model_;  // is only read
  std::optional<CandidateCheck> test_;
  FailureClass failure_, last_;
  std::map<std::string, bool> known_;  // by hash of the candidate
  std::size_t tests_ = 0;
  std::string size_;
  std::optional<Progress> progress_{std::in_place, "slipway reduce"};
};

}  // namespace

int reduce_verb(const Arguments& arguments) {
  ReduceOptions options;
  CommandLine line("slipway reduce", "Finds the smallest scenario, model or RPL program that still fails.",
                   "slipway reduce net.vgf -o small.graph -- --compare reference");
  line.add_option("file", options.file,
                  "the file that fails; options of `slipway run`, or of `slipway compile` for "
                  "RPL, follow `--`")
      .required();
  line.add_option("-o,--output", options.output, "the reduced file; a model is text, `.tosa` or `.vgf` by the suffix")
      .required();
  line.add_option("--test", options.test,
                  "a command for the shell that returns 0 if a file still fails; `{}` becomes the name of the file");
  line.add_option("--timeout", options.timeout, "seconds for each test; a longer one counts as a hang (60)").positive();
  line.add_report_options(options.style);
  Arguments own = arguments;
  if (const auto end = std::ranges::find(own.words, "--"); end != own.words.end()) {
    options.words.assign(end + 1, own.words.end());
    own.words.erase(end, own.words.end());
  }
  if (const std::optional<int> status = line.parse(own)) return *status;
  Diagnostics diagnostics;
  refuse_directories(
      {options.file}, "reduce",
      [](const Content& content) {
        const Format* const format = format_of(content);
        return format && (format->run || format->detect == is_rpl);
      },
      diagnostics);
  if (diagnostics.has_errors()) return report(diagnostics, options.style);
  return ReduceVerb(options).run();
}

}  // namespace slipway::cli
