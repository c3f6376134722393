// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/options.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/text/suggest.hpp"
#include "cli/formats.hpp"
#include "foreign/recognise.hpp"

namespace slipway::cli {
namespace {

// Options that name an output, which several cases would overwrite: a file, or a directory of files with equal names.
constexpr std::string_view kOutputFiles[] = {"--trace", "--profiling-dump-path", "--perf-counters-dump-path", "--graph",
                                             "--csv"};
constexpr std::string_view kOutputDirectories[] = {"--output-dir",
                                                   "--save",  // a file for each buffer
                                                   "--dump-on-failure",
                                                   "--session-memory-dump-dir",
                                                   "--emulation-layer-profiling-dump-dir",
                                                   "--neural-debug-database-dump-dir",
                                                   "--neural-statistics-dump-dir"};
// Options that formats have too, but that workers do not get.
constexpr std::string_view kOnlyOfRuns[] = {"--device", "--report", "--json", "--junit", "--sarif"};
constexpr std::string_view kOnlyOfBench[] = {"--warmup", "--repeat", "--rounds", "--csv"};
// What the values of options may contain.
constexpr int kMaxBenchRuns = 1'000'000, kMaxBenchRounds = 1000;
constexpr std::string_view kCaseName = "{case}", kDirectoryName = "{directory}", kStemName = "{stem}";

CommandLine lab_line(bool is_bench) {
  if (is_bench) {
    return {"slipway bench",
            "Measures how long workloads of any kind take, each many times in one process, in one or several rounds.",
            "slipway bench net.vgf scenario.json --repeat 50 --results new.jsonl"};
  }
  return {"slipway run", "Runs many files of any kind in worker processes, and survives those that hang or crash.",
          "slipway run cases @more.txt --timeout 10 --results results.jsonl --html report.html"};
}

// An argument, or an option with its value.
struct Token {
  std::string name;  // of an option, or empty
  std::vector<std::string> words;
};

// Whether a word names files that run.
bool is_input(const std::string& word) {
  return word.starts_with('@') || directory_exists(word) || (file_exists(word) && runnable_format(word).has_value());
}

// Which options a command line has, and which of them take the following argument.
class OptionNames {
 public:
  void add(const LineDescription& line) {
    for (const OptionDescription& option : line.options) {
      const bool takes = !option.value.empty() && !option.needs_equals;
      for (const std::string& name : option.names) {
        takes_value_[name] |= takes;
        if (!takes) flags_.insert(name);
        if (option.value.empty()) bare_.insert(name);
      }
    }
  }
  bool has(const std::string& name) const { return takes_value_.contains(name); }
  std::vector<std::string> names() const { return {std::from_range, std::views::keys(takes_value_)}; }
  // `next` follows the option. An option that is a flag in another format, as `--profile` of models, takes no option as
  // its value, and nothing that is an input of the run.
  bool takes_value(const std::string& name, const std::string& next) const {
    const auto at = takes_value_.find(name);
    return at != takes_value_.end() && at->second &&
           !(flags_.contains(name) && (next.starts_with('-') || is_input(next)));
  }
  // Whether the option exists in this form, with or without a value.
  bool has(const Token& token) const {
    if (!has(token.name)) return false;
    const bool with_value = token.words.size() > 1 || token.words.front().contains('=');
    return with_value ? !bare_.contains(token.name) : flags_.contains(token.name);
  }

 private:
  std::map<std::string, bool, std::less<>> takes_value_;
  std::set<std::string, std::less<>> flags_;  // without a value, or with one after `=` only
  std::set<std::string, std::less<>> bare_;   // never with a value
};

std::vector<Token> tokens_of(const std::vector<std::string>& words, const OptionNames& names) {
  std::vector<Token> tokens;
  bool only_files = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!only_files && word == "--") {
      only_files = true;
    } else if (only_files || !word.starts_with('-') || word == "-") {
      tokens.push_back({"", {word}});
    } else {
      const std::size_t equals = word.find('=');
      Token& token = tokens.emplace_back(Token{word.substr(0, equals), {word}});
      if (equals == word.npos && i + 1 < words.size() && names.takes_value(token.name, words[i + 1]))
        token.words.push_back(words[++i]);
    }
  }
  return tokens;
}

// The names of the options of each format that runs, and of the run.
struct AllNames {
  std::map<std::string, OptionNames, std::less<>> formats;
  OptionNames lab, bench, all, all_with_bench;

  AllNames() {
    for (const Format& format : formats_with_jobs()) {
      LineDescription line;
      format.run({.words = {}, .description = &line});
      formats[std::string(format.name)].add(line);
      all.add(line);
    }
    const LineDescription line = describe_lab();
    lab.add(line);
    all.add(line);
    LabOptions options;
    options.bench.emplace();
    LineDescription of_bench;
    CommandLine bench_line = lab_line(true);
    add_lab_options(bench_line, options);
    bench_line.parse({.words = {}, .description = &of_bench});
    bench.add(of_bench);
    all_with_bench = all;
    all_with_bench.add(of_bench);
  }

  const OptionNames& own(bool is_bench) const { return is_bench ? bench : lab; }
  const OptionNames& known(bool is_bench) const { return is_bench ? all_with_bench : all; }

  static std::vector<Format> formats_with_jobs() {
    std::vector<Format> with_jobs;
    std::ranges::copy_if(cli::formats(), std::back_inserter(with_jobs), [](const Format& f) { return f.jobs; });
    return with_jobs;
  }

  // `option`: a name, or an option with or without a value.
  bool any_format_has(const auto& option) const {
    return std::ranges::any_of(formats, [&](const auto& format) { return format.second.has(option); });
  }
};

const AllNames& all_names() {
  static const AllNames names;
  return names;
}

// A directory that is not itself a file of another program, nor a zebin.
bool is_directory_of_cases(const std::string& path) {
  if (!directory_exists(path)) return false;
  const Result<ContentOf> read = ContentOf::read(path);
  if (!read) return true;
  const Content& content = read->content();
  return !format_of(content) &&
         !foreign::recognise({.bytes = content.bytes, .path = content.path, .directory = content.directory});
}

void replace_all(std::string& text, std::string_view name, std::string_view value) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
}

// For a file name: without directories' separators.
std::string name_of_case(std::string file) {
  std::ranges::replace(file, '/', '_');
  return file;
}

// A value with `{case}`, `{directory}` and `{stem}` of a file.
std::string with_names(std::string word, const std::string& file) {
  const Path path = file;
  const std::string directory = path.has_parent_path() ? path.parent_path().string() : ".";
  const std::pair<std::string_view, std::string> names[] = {
      {kCaseName, name_of_case(file)}, {kDirectoryName, directory}, {kStemName, path.stem().string()}};
  for (const auto& [name, value] : names) replace_all(word, name, value);
  return word;
}

// Models write files with equal names into the directory of --output; scenarios name theirs.
bool writes_output(const OptionNames& format, const std::string& option) {
  return std::ranges::contains(kOutputFiles, option) || std::ranges::contains(kOutputDirectories, option) ||
         (option == "--output" && format.has("--output-dir"));
}

}  // namespace

void add_lab_options(CommandLine& line, LabOptions& options) {
  if (!options.rows) {
    line.add_option("files", options.files, "files, directories, and @FILE: a file with one of these on each line")
        .values(1, -1)
        .take_all();
  }
  line.add_report_options(options.style);
  line.add_option("--device", options.device,
                  "a device, or several with commas, or `all`; each has worker processes of its own");
  if (options.bench) {
    line.add_option("--warmup", options.bench->warmup,
                    "runs of each case that are not measured, before the others of a round (3)")
        .range(0, kMaxBenchRuns);
    line.add_option("--repeat", options.bench->repeat, "measured runs of each case in a round (20)")
        .range(2, kMaxBenchRuns);
    line.add_option("--rounds", options.bench->rounds,
                    "how often all cases are measured in turn, each time in another process (1)")
        .range(1, kMaxBenchRounds);
    line.add_option("--csv", options.bench->csv_path, "write the time of each measured run as CSV").not_empty();
  } else {
    line.add_option("--jobs", options.jobs, "worker processes for each device (1)").range(1, 1024);
  }
  add_timeout_option(line, options.timeout);
  line.add_option("--case-timeout", options.case_timeout,
                  "seconds for a whole case, after which its process is ended (with --timeout: 4 times that, and 10)")
      .positive();
  line.add_option("--results", options.results_path, "write a line of JSON for each case as it ends").not_empty();
  line.add_option("--resume", options.resume_path,
                  "run the cases that a results file lacks, and add their lines to that file")
      .excludes("--results")
      .not_empty();
  if (!options.bench) line.add_option("--shard", options.shard, "I/N: run part I of N, from 1 (else SLIPWAY_SHARD)");
  if (!options.bench)
    line.add_option("--shard-times", options.shard_times_path, "balance the parts by the times of this results file");
  line.add_option("--expect", options.expect_path, "a file of expected failures, flaky cases and cases to skip");
  add_report_option(line, options.report_path);
  if (!options.bench) line.add_option("--junit", options.junit_path, "write a JUnit XML report").not_empty();
  line.add_option("--html", options.html_path, "write one page with all results").not_empty();
  line.add_option("--baseline", options.baseline_path, "an earlier results file, with which the page compares");
}

LineDescription describe_lab() {
  LabOptions options;
  LineDescription description;
  CommandLine line = lab_line(false);
  add_lab_options(line, options);
  line.parse({.words = {}, .description = &description});
  return description;
}

bool is_lab(const Arguments& arguments) {
  if (arguments.probe || arguments.description) return false;
  const std::vector<std::string>& words = arguments.words;
  if (words.empty()) return false;
  if (std::ranges::contains(words, "--explain") || std::ranges::contains(words, "--help") ||
      std::ranges::contains(words, "-h"))
    return words.front() == "lab";
  // One word costs nothing.
  if (words.size() == 1 && !words[0].starts_with('-') && !words[0].starts_with('@'))
    return is_directory_of_cases(words[0]);
  const AllNames& names = all_names();
  std::size_t files = 0;
  bool after_unknown = false;  // what follows an unknown option may be its value
  for (const Token& token : tokens_of(words, names.all)) {
    const std::string& word = token.words.front();
    const bool may_be_value = std::exchange(after_unknown, !token.name.empty() && !names.all.has(token.name));
    if (!token.name.empty()) {
      if (names.lab.has(token.name) && !names.any_format_has(token.name)) return true;
      if (token.name == "--scenario") ++files;
      continue;
    }
    if (word.starts_with('@') || is_directory_of_cases(word)) return true;
    files += may_be_value || word.starts_with("VK_") ? 0 : 1;  // the names of extensions follow --disable-extension
  }
  return files > 1;
}

DividedArguments divide_arguments(const std::vector<std::string>& words, bool is_bench) {
  const AllNames& names = all_names();
  const OptionNames& own = names.own(is_bench);
  DividedArguments divided;
  for (const Token& token : tokens_of(words, names.known(is_bench))) {
    if (token.name.empty() && token.words.front().starts_with("VK_")) {
      divided.workers.push_back("--disable-extension=" + token.words.front());
      continue;
    }
    if (token.name == "--scenario") {
      divided.own.push_back(token.words.size() > 1 ? token.words[1] : token.words[0].substr(token.name.size() + 1));
      continue;
    }
    const bool of_formats = !token.name.empty() && names.any_format_has(token.name);
    if (own.has(token.name) || !of_formats) divided.own.append_range(token.words);
    if (of_formats && !std::ranges::contains(kOnlyOfRuns, token.name) &&
        !(is_bench && std::ranges::contains(kOnlyOfBench, token.name)))
      divided.workers.append_range(token.words);
  }
  return divided;
}

std::optional<int> parse_lab_options(const Arguments& arguments, LabOptions& options) {
  const OptionNames& known = all_names().known(options.bench.has_value());
  for (const Token& token : tokens_of(arguments.words, known)) {
    if (token.name.empty() || known.has(token.name)) continue;
    const auto near = closest(token.name, known.names());
    print_error(formatted("slipway {}: The following argument was not expected: {}\n{}see `slipway {} --help`\n",
                          options.bench ? "bench" : "run", token.name,
                          near ? formatted("did you mean `{}`?\n", *near) : "", options.bench ? "bench" : "run lab"));
    return 2;
  }
  CommandLine line = lab_line(options.bench.has_value());
  add_lab_options(line, options);
  return line.parse(arguments);
}

std::vector<std::string> words_for(std::string_view format, const std::vector<std::string>& words,
                                   const std::string& file) {
  const AllNames& names = all_names();
  const auto known = names.formats.find(format);
  if (known == names.formats.end()) {  // a row, whose workers have all options
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--", file});
    return all;
  }
  const OptionNames& own = known->second;
  std::vector<std::string> result;
  for (const Token& token : tokens_of(words, names.all)) {
    if (!own.has(token.name) || (!own.has(token) && names.any_format_has(token))) continue;
    for (const std::string& word : token.words) result.push_back(with_names(word, file));
  }
  result.push_back("--");
  result.push_back(file);
  return result;
}

std::vector<Path> output_files(const std::vector<std::string>& words) {
  std::vector<Path> files;
  for (const Token& token : tokens_of(words, all_names().all)) {
    if (std::ranges::contains(kOutputFiles, token.name)) files.emplace_back(token.words.back());
  }
  return files;
}

std::vector<std::string> words_of_bench(const BenchOptions& options) {
  // Each format takes those that it has. Recipes do not distinguish the runs that warm up; the worker does.
  return {formatted("--warmup={}", options.warmup), formatted("--repeat={}", options.repeat),
          formatted("--iterations={}", std::uint64_t{options.warmup} + options.repeat)};
}

void check_worker_options(const std::vector<std::string>& words, const std::vector<std::string>& formats,
                          Diagnostics& diagnostics) {
  const AllNames& names = all_names();
  for (const Token& token : tokens_of(words, names.all)) {
    std::string takers;
    std::size_t cases = 0, writers = 0;
    for (const auto& [format, own] : names.formats) {
      if (!own.has(token.name)) continue;
      takers += (takers.empty() ? "" : ", ") + format;
      const auto count = static_cast<std::size_t>(std::ranges::count(formats, format));
      cases += count;
      if (writes_output(own, token.name)) writers += count;
    }
    if (cases == 0 && !formats.empty() && !names.lab.has(token.name)) {
      diagnostics.error(DiagnosticKind::Usage, {},
                        formatted("`{}` applies to no file of this run; it is for {}", token.name, takers));
    }
    const bool has_name = std::ranges::any_of(
        token.words, [](const std::string& w) { return w.contains(kCaseName) || w.contains(kStemName); });
    if (!has_name && writers > 1) {
      diagnostics
          .error(DiagnosticKind::Usage, {},
                 formatted("`{}` names one output of {} cases, which would overwrite each other", token.name, writers))
          .hint(
              "write `{case}` in the name, which becomes the name of the case, or `{stem}`, the name of its file "
              "without "
              "directory and suffix");
    }
  }
}

void check_output_names(const std::vector<std::string>& words, std::span<const NamedCase> cases,
                        Diagnostics& diagnostics) {
  const AllNames& names = all_names();
  for (const Token& token : tokens_of(words, names.all)) {
    const std::string& word = token.words.back();
    if (with_names(word, "a") == with_names(word, "b")) continue;  // check_worker_options refuses one name for several
    std::map<std::pair<std::optional<FileKey>, std::string>, const NamedCase*> taken;
    for (const NamedCase& one : cases) {
      const auto own = names.formats.find(one.format);
      if (own == names.formats.end() || !own->second.has(token.name) || !writes_output(own->second, token.name))
        continue;
      const std::string whole = with_names(word, one.file);
      const Path path = whole.substr(token.words.size() > 1 ? 0 : whole.find('=') + 1);
      auto key = key_of_name(path);
      const auto [at, is_new] = taken.try_emplace({key, key ? "" : path.lexically_normal().string()}, &one);
      if (is_new) continue;
      diagnostics
          .error(DiagnosticKind::Usage, {},
                 formatted("`{}{}` is {} for `{}` and for `{}`, which would overwrite each other",
                           token.words.size() > 1 ? token.name + " " : "", word, path.string(), at->second->file,
                           one.file))
          .hint("rename one of the files, or run them separately");
      break;
    }
  }
}

}  // namespace slipway::cli
