// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The drop-in names `xrt-runner` and `xrt-replay`, with the command line, texts and exit status of these tools
// (docs/spec/recipe.md#xrt-runner).
#include <algorithm>
#include <charconv>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "base/system/process_usage.hpp"
#include "cli/recipe/files.hpp"
#include "cli/recipe/jobs.hpp"
#include "cli/recipe/verbs.hpp"
#include "recipe/open_backend.hpp"

namespace slipway::cli {
namespace {

struct XrtOptions {
  std::string recipe, profile, directory = ".", mode = "all", script, replay;
  std::optional<std::uint64_t> iterations;
  std::optional<std::string> threads, queue_limit;
  std::optional<std::string> report;  // a file, or `-`
  bool no_map = false, no_poll = false, help = false;
};

constexpr std::string_view kHelp = R"(usage: xrt-runner [options]
  --recipe <recipe.json>      recipe to run
  --profile, -p <profile.json>
                              profile of the recipe
  --dir, -d <path>            directory of the files that both name (.)
  --iterations, -i <number>   iterations of all executions
  --mode, -m <mode>           run only executions of this mode: default, latency, throughput, validate, all
  --script, -f <script.json>  run the jobs of a script
  --threads, -t <number>      with a script: workers
  --queue-limit, -l <number>  with a script: runners that are built ahead
  --replay <replay.json>      run a capture
  --report, -r [<file>]       write a report as JSON; to standard output without a file, or with -
  --nommap                    read files instead of mapping them
  --nopoll                    sleep while waiting
  --verbose, -v <number>      accepted; verbosity of XRT
  --progress                  accepted; verbosity of XRT
  --help, -h                  print this help
)";

class XrtError : public std::exception {
 public:
  explicit XrtError(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// The number at the beginning of the text; nothing for 0, which is the same as no option.
std::optional<std::uint64_t> number_of(const std::string& option, const std::string& text) {
  std::uint32_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
    throw XrtError(formatted("{} takes a number, but `{}` is given", option, text));
  return value == 0 ? std::nullopt : std::optional<std::uint64_t>(value);
}

void set(XrtOptions& options, const std::string& option, const std::string& value) {
  if (option == "--recipe")
    options.recipe = value;
  else if (option == "--profile" || option == "-p")
    options.profile = value;
  else if (option == "--dir" || option == "-d")
    options.directory = value;
  else if (option == "--iterations" || option == "-i")
    options.iterations = number_of(option, value);
  else if (option == "--mode" || option == "-m")
    options.mode = value;
  else if (option == "--script" || option == "-f")
    options.script = value;
  else if (option == "--threads" || option == "-t")
    options.threads = value;
  else if (option == "--queue-limit" || option == "-l")
    options.queue_limit = value;
  else if (option == "--replay")
    options.replay = value;
  else if (option != "--verbose" && option != "-v")
    print_error(formatted("[runner] INFO: ignoring unknown argument value {} {}\n", option, value));
}

// An argument that starts with `-` is an option; the next argument is its value.
XrtOptions parse(const std::vector<std::string>& arguments) {
  XrtOptions options;
  std::string option;
  const auto is_option = [](const std::string& word) { return word.starts_with('-') && word != "-"; };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string word = arguments[i];
    if (!is_option(word)) {
      set(options, option, word);
      continue;
    }
    if (const std::size_t equals = word.find('='); equals != std::string::npos) {
      if (word.starts_with("--report"))
        options.report = word.substr(equals + 1);
      else
        set(options, word.substr(0, equals), word.substr(equals + 1));
      continue;
    }
    if (word == "--nommap")
      options.no_map = true;
    else if (word == "--nopoll")
      options.no_poll = true;
    else if (word == "--help" || word == "-h" || word == "-help")
      options.help = true;
    else if (word == "--report" || word == "-r") {
      const bool has_file = i + 1 < arguments.size() && !is_option(arguments[i + 1]);
      options.report = has_file ? arguments[++i] : "-";
    } else if (word != "--progress") {
      option = std::move(word);
    }
  }
  return options;
}

std::optional<recipe::Mode> mode_of(const std::string& word) {
  const std::optional<recipe::Mode> mode = recipe::mode_from_name(word);
  if (!mode && word != "all") throw XrtError(formatted("bad execution mode: {}", word));
  return mode;
}

void throw_first(std::span<const Diagnostic> diagnostics, std::string_view prefix = "") {
  for (const Diagnostic& problem : diagnostics) {
    if (problem.severity == Severity::Error) throw XrtError(std::string(prefix) + problem.message);
  }
}

// Prints what the tool accepts, but Slipway does not.
void print_rules(std::span<const Diagnostic> diagnostics) {
  for (const Diagnostic& problem : diagnostics) {
    if (problem.is_rule && problem.severity == Severity::Warning) print_error(format_diagnostic(problem));
  }
}

void run(const XrtOptions& options, recipe::Session& session, recipe::Backends& backends,
         std::chrono::steady_clock::time_point start) {
  Diagnostics diagnostics;
  auto request = session_options({options.recipe, options.profile, "", options.directory, false}, diagnostics);
  throw_first(diagnostics.all());
  request->plan.cache = Cache::of_user();
  request->changes = {.iterations = options.iterations,
                      .mode = mode_of(options.mode),
                      .no_map = options.no_map,
                      .no_poll = options.no_poll};
  session = recipe::Session::load(*request, diagnostics);
  throw_first(diagnostics.all());
  session.open({.runner = {.open_backend = [&](recipe::BackendKind kind) { return backends.open(kind); },
                           .libraries = recipe::cpu::library_roots({}, options.directory)},
                .profile = {.print = [](std::string_view text) { print(text); }}},
               diagnostics);
  throw_first(diagnostics.all());
  session.prepare(diagnostics);
  throw_first(diagnostics.all());
  print_rules(diagnostics.all());
  const auto failure = session.run();
  Failure unwritten = session.runner().unwritten_outputs();
  std::ranges::for_each(unwritten, &Diagnostic::as_rule);
  print_rules(unwritten);
  const ProcessUsage system = process_usage(start);
  const Failure* const why = failure ? &failure->diagnostics : nullptr;
  if (options.report) {
    if (Result<> written = write_file(*options.report, session.report(why, &system, 2)); !written)
      throw XrtError(written.error().front().message);
  }
  if (failure) throw XrtError(failure->diagnostics.front().message);
}

void check(const XrtOptions& options) {
  if (!options.replay.empty()) {
    if (!options.script.empty() || !options.recipe.empty() || !options.profile.empty())
      throw XrtError("replay is mutually exclusive with script, recipe, and profile");
    Diagnostics diagnostics;
    replay_capture(options.replay, options.directory, options.iterations, options.report.value_or(""), diagnostics);
    throw_first(diagnostics.all());
    return;
  }
  if (!options.script.empty()) {
    if (!options.recipe.empty() || !options.profile.empty())
      throw XrtError("script is mutually exclusive with recipe and profile");
    return;
  }
  if (options.threads || options.queue_limit) throw XrtError("threads can only be used with script");
  if (options.recipe.empty() || options.profile.empty())
    throw XrtError("both recipe and profile are required without a script");
}

// The report has all jobs; the error is that of the first job that failed.
void run_script(const XrtOptions& options, std::chrono::steady_clock::time_point start) {
  JobsOptions jobs{.script = options.script, .directory = options.directory, .device = "0", .accepts_unwritten = true};
  jobs.sessions.plan.cache = Cache::of_user();
  jobs.sessions.changes = {.iterations = options.iterations,
                           .mode = mode_of(options.mode),
                           .no_map = options.no_map,
                           .no_poll = options.no_poll};
  if (options.threads) jobs.jobs.threads = number_of("--threads", *options.threads).value_or(0);
  if (options.queue_limit) jobs.jobs.queue_limit = number_of("--queue-limit", *options.queue_limit).value_or(0);
  Diagnostics diagnostics;
  const auto results = run_jobs_script(jobs, diagnostics);
  throw_first(diagnostics.all());
  print_rules(diagnostics.all());
  for (const recipe::JobResult& job : *results) print_rules(job.diagnostics);
  if (options.report) {
    const recipe::JobsReport report = recipe::jobs_report(*results, process_usage(start));
    const std::string text = json::object_text(recipe::jobs_report_record(), report);
    if (Result<> written = write_file(*options.report, text); !written) throw XrtError(written.error().front().message);
  }
  for (const recipe::JobResult& job : *results) {
    throw_first(job.diagnostics, formatted("job {}: ", job.id));
    if (job.status != 0) throw XrtError(formatted("job {} failed", job.id));
  }
}

}  // namespace

int xrt_replay(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words;
  std::string file, report, directory = ".";
  std::optional<std::uint64_t> iterations;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& option = words[i];
    if (option == "--help" || option == "-h") {
      print(
          "usage: xrt-replay --replay <replay.json> [--dir <path>] [--iter <count>] [--report <file>]\n\n"
          "Runs a capture on the first NPU.\n");
      return 0;
    }
    const bool known = option == "--replay" || option == "--dir" || option == "--iter" || option == "--report";
    if (!known || i + 1 == words.size()) {
      print_error(formatted("Error: {} `{}`\n", known ? "missing value after" : "unknown option", option));
      return 1;
    }
    ++i;
    if (option == "--replay") file = words[i];
    if (option == "--dir") directory = words[i];
    if (option == "--report") report = words[i];
    if (option != "--iter") continue;
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(words[i].data(), words[i].data() + words[i].size(), count);
    if (error != std::errc() || end != words[i].data() + words[i].size()) {
      print_error(formatted("Error: `{}` is not a count of iterations\n", words[i]));
      return 1;
    }
    iterations = count;
  }
  Diagnostics diagnostics;
  if (file.empty())
    diagnostics.error(DiagnosticKind::Usage, {}, "`--replay` with the capture is required");
  else
    replay_capture(file, directory, iterations, report, diagnostics);
  for (const Diagnostic& problem : diagnostics.all()) {
    if (problem.severity == Severity::Error) print_error(formatted("Error: {}\n", problem.message));
  }
  return diagnostics.has_errors() ? 1 : 0;
}

int xrt_runner(const Arguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  recipe::Backends backends("0", Cache::of_user());
  recipe::Session session;
  try {
    const XrtOptions options = parse(arguments.words);
    if (options.help) {
      print(kHelp);
      return 0;
    }
    check(options);
    if (!options.replay.empty()) return 0;
    if (options.script.empty()) {
      run(options, session, backends, start);
    } else {
      run_script(options, start);
    }
    return 0;
  } catch (const XrtError& error) {
    print_error(formatted("Error: {}\nPeak memory usage: {} MB\n", error.what(),
                          static_cast<std::uint64_t>(process_usage(start).peak_memory_mb)));
    return 1;
  }
}

}  // namespace slipway::cli
