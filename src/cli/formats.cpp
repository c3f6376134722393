#include "cli/formats.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/format.hpp"
#include "cli/model/verbs.hpp"
#include "cli/model/vgf_verbs.hpp"
#include "cli/recipe/jobs.hpp"
#include "cli/recipe/npu_verbs.hpp"
#include "cli/recipe/verbs.hpp"
#include "cli/rpl/verbs.hpp"
#include "cli/scenario/verbs.hpp"
#include "cli/zebin/verbs.hpp"
#include "json/document.hpp"

namespace slipway::cli {
namespace {

constexpr std::array kFormats = {
    Format{.name = "scenario",
           .summary = "scenarios of shaders, graphs and their resources (JSON)",
           .detect = is_scenario,
           .run = run_scenario,
           .check = check_scenario},
    Format{.name = "zebin",
           .summary = "Intel GPU kernels: zebin files, archives and directories of them, ZE Info text and JSON",
           .detect = is_zebin,
           .check = check_zebin,
           .inspect = inspect_zebin,
           .diff = diff_zebin,
           .convert = convert_zebin},
    Format{.name = "rpl",
           .summary = "programs of the Render Pipeline Language (text)",
           .detect = is_rpl,
           .check = check_rpl,
           .inspect = inspect_rpl},
    Format{.name = "rpl-metadata",
           .summary = "metadata of pipelines, as `slipway compile` writes it (JSON)",
           .detect = is_rpl_metadata,
           .inspect = inspect_rpl_metadata,
           .diff = diff_rpl_metadata},
    Format{.name = "spirv", .summary = "SPIR-V modules", .detect = is_spirv, .inspect = inspect_spirv},
    Format{.name = "recipe",
           .summary = "run recipes of kernels and CPU functions (JSON)",
           .detect = is_recipe,
           .run = run_recipe,
           .check = check_recipe},
    Format{.name = "replay",
           .summary = "captures of the NPU calls of an application (JSON)",
           .detect = is_replay,
           .run = run_replay,
           .check = check_replay_file},
    Format{.name = "jobs",
           .summary = "several recipes that run concurrently (JSON)",
           .detect = is_jobs,
           .run = run_jobs,
           .check = check_jobs},
    Format{.name = "profile",
           .summary = "profiles of run recipes (JSON)",
           .detect = is_profile,
           .check = check_profile_file},
    Format{.name = "vgf",
           .summary = "models of graphs and shaders for Vulkan (VGF)",
           .detect = is_vgf_file,
           .run = run_vgf_file,
           .check = check_vgf_file,
           .inspect = inspect_vgf_file,
           .diff = diff_model_files,
           .convert = convert_model_file},
    Format{.name = "tosa",
           .summary = "models of TOSA operators and shaders (FlatBuffers)",
           .detect = is_tosa_file,
           .run = run_vgf_file,
           .check = check_model_file,
           .inspect = inspect_model_file,
           .diff = diff_model_files,
           .convert = convert_model_file},
    Format{.name = "graph",
           .summary = "models of TOSA operators and shaders (text, as `slipway inspect --graphs` shows them)",
           .detect = is_graph_text_file,
           .run = run_vgf_file,
           .check = check_model_file,
           .inspect = inspect_model_file,
           .diff = diff_model_files,
           .convert = convert_model_file},
    Format{.name = "mlir",
           .summary = "models of TOSA operators and shaders (MLIR text and bytecode)",
           .detect = is_mlir_file,
           .run = run_vgf_file,
           .check = check_model_file,
           .inspect = inspect_model_file,
           .diff = diff_model_files,
           .convert = convert_model_file},
    Format{.name = "xclbin",
           .summary = "designs for NPUs (AXLF)",
           .detect = is_xclbin,
           .check = check_xclbin,
           .inspect = inspect_xclbin},
    Format{.name = "control-code",
           .summary = "control code and configurations for NPUs (ELF)",
           .detect = is_control_code,
           .check = check_control_code,
           .inspect = inspect_control_code},
};

// Options whose value is a file to write: `-` is standard output there.
constexpr std::array<std::string_view, 3> kOutputs = {"-o", "--output", "--report"};

bool is_option(std::string_view argument) { return argument.starts_with('-') && argument != "-"; }

// The arguments that may be input files. Which options take a value is known to the format alone, so a word behind an
// option counts only when no other is left (`--report old.json scene.json`, but `--strict scene.json`).
struct Words {
  std::vector<std::string> certain, behind_option;
};

Words words_of(const Arguments& arguments) {
  Words words;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].empty() || is_option(arguments[i])) continue;
    const std::string_view before = i > 0 ? std::string_view(arguments[i - 1]) : "";
    if (std::ranges::contains(kOutputs, before)) continue;
    (is_option(before) && before != "--" ? words.behind_option : words.certain).push_back(arguments[i]);
  }
  return words;
}

std::string list_of(const DispatchedVerb& verb) {
  std::string text;
  for (const Format& format : kFormats) {
    if (format.*verb.function) text += formatted("  {:9} {}\n", format.name, format.summary);
  }
  return text;
}

std::string names_of(const DispatchedVerb& verb) {
  std::string text;
  for (const Format& format : kFormats) {
    if (format.*verb.function) text += formatted("{}{}", text.empty() ? "" : ", ", format.name);
  }
  return text.empty() ? "no format" : text;
}

int help(const DispatchedVerb& verb) {
  print(
      formatted("{}\n\nusage: slipway {} FILE... [OPTIONS]\n\nThe format of a file is detected from its contents:\n{}\n"
                "`slipway {} FORMAT --help` lists the options for a format.\n",
                verb.summary, verb.name, list_of(verb), verb.name));
  return 0;
}

// `slipway check scenario --help`
std::optional<int> help_for(const DispatchedVerb& verb, Arguments arguments) {
  for (const Format& format : kFormats) {
    const auto name = std::ranges::find(arguments, format.name);
    if (name == arguments.end() || !(format.*verb.function)) continue;
    arguments.erase(name);
    return (format.*verb.function)(arguments);
  }
  return std::nullopt;
}

// For a file of unknown format; a JSON syntax error helps more than "unknown format".
Diagnostic not_recognised(const DispatchedVerb& verb, const std::string& path, const Content& content) {
  const std::string_view text = text_of(content.bytes);
  if (!content.keys.empty() || text.starts_with('{')) {
    const auto parsed = json::parse(make_source(path == "-" ? "<stdin>" : path, std::string(text)));
    if (!parsed) return parsed.error().front();
  }
  return {.kind = DiagnosticKind::NotRecognised,
          .message = formatted("unknown format: {}; `slipway {}` takes {}", describe_contents(content), verb.name,
                               names_of(verb)),
          .location = SourceLocation::in_file(path == "-" ? "<stdin>" : path)};
}

struct Choice {
  const Format* format = nullptr;
  std::string file;
};

// Returns the format of the first file of a known format. Reports problems only if there is none.
Choice choose(const DispatchedVerb& verb, const std::vector<std::string>& words, Diagnostics& problems) {
  Choice choice;
  Diagnostics others;
  for (const std::string& word : words) {
    Result<ContentOf> read = ContentOf::read(word);
    if (!read) {
      // A run has a report in which a missing file has its line; what is there but can be read only once, a named pipe,
      // is for the format that is asked first.
      if (verb.function != &Format::run && !file_exists(word)) others.add(std::move(read.error()));
      continue;
    }
    const Format* format = format_of(read->content());
    if (!format) {
      others.add(not_recognised(verb, word, read->content()));
    } else if (!choice.format) {
      choice = {format, word};
    } else if (choice.format->*verb.function != format->*verb.function) {
      problems.error(DiagnosticKind::Usage, {},
                     formatted("`{}` has format {}, but `{}` has format {}; run the verb once for each format",
                               choice.file, choice.format->name, word, format->name));
    }
  }
  if (!choice.format) problems.add(others.release());
  return choice;
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* format_of(const Content& content) {
  const auto found = std::ranges::find_if(kFormats, [&](const Format& format) { return format.detect(content); });
  return found == kFormats.end() ? nullptr : found;
}

int dispatch(const DispatchedVerb& verb, const Arguments& arguments) {
  const Words words = words_of(arguments);
  const bool wants_help = std::ranges::contains(arguments, "--help") || std::ranges::contains(arguments, "-h");
  if (wants_help) {
    if (const std::optional<int> status = help_for(verb, arguments)) return *status;
    if (words.certain.empty() && words.behind_option.empty()) return help(verb);
  }
  Diagnostics problems, ignored;
  Choice choice = choose(verb, words.certain, problems);
  // Words behind options may be anything.
  if (!choice.format) choice = choose(verb, words.behind_option, ignored);
  if (choice.format && choice.format->*verb.function && !problems.has_errors()) {
    return (choice.format->*verb.function)(arguments);
  }
  const ReportStyle style{.json = std::ranges::contains(arguments, "--json")};
  if (choice.format && !(choice.format->*verb.function)) {
    problems.error(DiagnosticKind::Usage, SourceLocation::in_file(choice.file),
                   formatted("`slipway {}` does not apply to format {}; it takes {}", verb.name, choice.format->name,
                             names_of(verb)));
  }
  if (problems.has_errors()) return report(problems, style, verb.function == &Format::check ? stdout : stderr);
  for (const Format& format : kFormats) {
    if (format.*verb.function) return (format.*verb.function)(arguments);
  }
  return help(verb);
}

}  // namespace slipway::cli
