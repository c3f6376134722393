// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/formats.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <span>

#include "base/elf.hpp"
#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/paths/confined_file.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/text/suggest.hpp"
#include "cli/confine.hpp"
#include "cli/model/verbs.hpp"
#include "cli/model/vgf_verbs.hpp"
#include "cli/recipe/jobs.hpp"
#include "cli/recipe/npu_verbs.hpp"
#include "cli/recipe/verbs.hpp"
#include "cli/recording/verbs.hpp"
#include "cli/rpl/verbs.hpp"
#include "cli/run/progress.hpp"
#include "cli/sarif_file.hpp"
#include "cli/scenario/verbs.hpp"
#include "cli/zebin/verbs.hpp"
#include "foreign/recognise.hpp"
#include "json/document.hpp"
#include "json/record.hpp"
#include "zeinfo/zebin/unpack.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kStarter = "`slipway new FILE -o scenario.json` makes a scenario that runs it";

// All models run, and are compared and converted, in one way. Models of operators are also checked and inspected in
// one.
constexpr Format model_format(std::string_view name, std::string_view suffixes, std::string_view summary,
                              bool (*detect)(const Content&), VerbFunction check = check_model_file,
                              VerbFunction inspect = inspect_model_file) {
  return {.name = name,
          .summary = summary,
          .detect = detect,
          .suffixes = suffixes,
          .run = run_vgf_file,
          .check = check,
          .inspect = inspect,
          .diff = diff_model_files,
          .convert = convert_model_file,
          .jobs = model_jobs};
}

constexpr std::array kFormats = {
    Format{.name = "scenario",
           .summary = "scenarios of shaders, graphs and their resources (JSON)",
           .detect = is_scenario,
           .keys = {"commands", "resources"},
           .run = run_scenario,
           .check = check_scenario,
           .jobs = scenario_jobs},
    Format{.name = "recording",
           .summary = "dispatches that the Vulkan layer recorded (ar)",
           .detect = is_recording,
           .suffixes = ".ar",
           .run = run_recording},
    Format{.name = "zebin",
           .summary = "Intel GPU kernels: zebin files, archives and directories of them, ZE Info text and JSON",
           .detect = is_zebin,
           .instead_of_run = "Slipway checks and compares such kernels, and does not run them",
           .suffixes = ".zebin .ze_info",
           .check = check_zebin,
           .inspect = inspect_zebin,
           .diff = diff_zebin,
           .convert = convert_zebin},
    Format{.name = "rpl-project",
           .summary = "projects of render pipelines: passes, materials and options (JSON, suffix .rplproject.json)",
           .detect = is_rpl_project,
           .instead_of_run = "`slipway check` checks all of its programs, `slipway compile` makes SPIR-V of them",
           .check = check_rpl},
    Format{.name = "rpl",
           .summary = "programs of the Render Pipeline Language (text)",
           .detect = is_rpl,
           .instead_of_run = "`slipway compile` makes SPIR-V of it, and a scenario draws with it "
                             "(docs/scenarios.md#drawing-with-rpl)",
           .check = check_rpl,
           .inspect = inspect_rpl},
    Format{.name = "rpl-metadata",
           .summary = "metadata of pipelines, as `slipway compile` writes it (JSON)",
           .detect = is_rpl_metadata,
           .keys = {"pipeline_type", "interface"},
           .inspect = inspect_rpl_metadata,
           .diff = diff_rpl_metadata},
    Format{.name = "rpl-pack",
           .summary = "packs of compiled render pipelines, as `slipway compile --pack` writes them",
           .detect = is_rpl_pack,
           .instead_of_run = "an engine draws with it (docs/rpl.md#in-an-engine)",
           .suffixes = ".rplpack",
           .check = check_rpl_pack,
           .inspect = inspect_rpl_pack},
    Format{.name = "spirv",
           .summary = "SPIR-V modules",
           .detect = is_spirv,
           .instead_of_run = kStarter,
           .suffixes = ".spv",
           .check = check_spirv,
           .inspect = inspect_spirv},
    Format{.name = "shader",
           .summary = "shaders: GLSL, HLSL and SPIR-V assembly (text)",
           .detect = is_shader,
           .instead_of_run = kStarter,
           .check = check_spirv,
           .inspect = inspect_spirv},
    Format{.name = "recipe",
           .summary = "run recipes of kernels and CPU functions (JSON)",
           .detect = is_recipe,
           .keys = {"resources", "execution"},
           .run = run_recipe,
           .check = check_recipe,
           .jobs = recipe_jobs},
    Format{.name = "replay",
           .summary = "captures of the NPU calls of an application (JSON)",
           .detect = is_replay,
           .run = run_replay,
           .check = check_replay_file},
    Format{.name = "jobs",
           .summary = "several recipes that run concurrently (JSON)",
           .detect = is_jobs,
           .run = run_jobs,
           .check = check_jobs,
           .jobs = script_jobs},
    Format{.name = "profile",
           .summary = "profiles of run recipes (JSON)",
           .detect = is_profile,
           .instead_of_run = "a recipe runs with it: `slipway run recipe.json --profile FILE`",
           .check = check_profile_file},
    model_format("vgf", ".vgf", "models of graphs and shaders for Vulkan (VGF)", is_vgf_file, check_vgf_file,
                 inspect_vgf_file),
    model_format("tosa", ".tosa", "models of TOSA operators and shaders (FlatBuffers)", is_tosa_file),
    model_format("onnx", ".onnx", "neural networks (ONNX)", is_onnx_file),
    model_format("tflite", ".tflite", "neural networks (TensorFlow Lite)", is_tflite_file),
    model_format("executorch", ".pte", "programs that delegate VGF or TOSA models (ExecuTorch)", is_program_file,
                 check_program_file, inspect_program_file),
    model_format("graph", ".graph",
                 "models of TOSA operators and shaders (text, as `slipway inspect --graphs` shows them)",
                 is_graph_text_file),
    model_format("mlir", ".mlir .mlirbc", "models of TOSA operators and shaders (MLIR text and bytecode)",
                 is_mlir_file),
    Format{.name = "xclbin",
           .summary = "designs for NPUs (AXLF)",
           .detect = is_xclbin,
           .suffixes = ".xclbin",
           .check = check_xclbin,
           .inspect = inspect_xclbin},
    Format{.name = "control-code",
           .summary = "control code and configurations for NPUs (ELF)",
           .detect = is_control_code,
           .check = check_control_code,
           .inspect = inspect_control_code},
};

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
  print(formatted(
      "{}\n\nusage: slipway {} FILE... [OPTIONS]\n\nThe format of a file is detected from its contents:\n{}\n"
      "`slipway {} FORMAT --help` lists the options for a format.\n{}",
      verb.summary, verb.name, list_of(verb), verb.name,
      verb.function == &Format::run ? "`slipway run lab --help` lists those for many files, directories and lists.\n"
      : verb.function == &Format::inspect ? "`slipway inspect --supported onnx` lists the operators of a format.\n"
                                          : ""));
  return 0;
}

// Handles a format in place of a file: `slipway check scenario --help`. Returns the exit status, or nothing for other
// arguments.
std::optional<int> help_for(const DispatchedVerb& verb, Arguments arguments) {
  for (const Format& format : kFormats) {
    const auto name = std::ranges::find(arguments.words, format.name);
    if (name == arguments.words.end() || !(format.*verb.function)) continue;
    arguments.words.erase(name);
    return (format.*verb.function)(arguments);
  }
  return std::nullopt;
}

// Such a file may have been any kernel.
bool ends_in_elf_header(Bytes bytes) { return is_elf(bytes) && !read_elf_header(bytes); }

// For a file of unknown format. If it is JSON with a syntax error, that error is more helpful than "unknown format".
Diagnostic not_recognised(const DispatchedVerb& verb, const std::string& path, const Content& content) {
  const foreign::ForeignFormat* const format =
      foreign::recognise({.bytes = content.bytes, .path = content.path, .directory = content.directory});
  if (format && !ends_in_elf_header(content.bytes)) return foreign::explain(*format, path == "-" ? "<stdin>" : path);
  const std::string_view text = text_of(content.bytes);
  if (!content.keys.empty() || text.starts_with('{')) {
    const auto parsed = json::parse(make_source(path == "-" ? "<stdin>" : path, std::string(text)));
    if (!parsed) return parsed.error().front();
  }
  Diagnostic problem = {.kind = DiagnosticKind::NotRecognised,
                        .location = SourceLocation::in_file(path == "-" ? "<stdin>" : path)};
  const Format* const promised = promised_format(content);
  if (!promised) {
    problem.message =
        formatted("unknown format: {}; `slipway {}` takes {}", describe_contents(content), verb.name, names_of(verb));
  } else if (ends_in_elf_header(content.bytes)) {
    problem.kind = DiagnosticKind::FileTruncated;
    problem.message = "an ELF file that ends in its header";
  } else if (content.keys.empty()) {
    problem.kind = DiagnosticKind::FileFormat;
    problem.message = formatted("not a file of format {}, but {}", promised->name, describe_contents(content));
  } else {
    problem.message = formatted("unknown format: {}; format {} has `{}` and `{}`", describe_contents(content),
                                promised->name, promised->keys[0], promised->keys[1]);
  }
  return problem;
}

// Formats with one key of their own: one name that is like it is not enough, if the object has other keys.
struct RootKeys {
  std::string_view format;
  std::array<std::string_view, 6> keys;
};
constexpr RootKeys kRootKeys[] = {
    {"jobs", {"jobs"}},
    {"profile", {"version", "bindings", "executions", "execution", "qos", "dtrace"}},
};

// Nothing, unless all keys of the object are those of one of these formats, and some are misspelled.
std::optional<std::string> misspelled_key(const Content& content) {
  for (const auto& [format, all] : kRootKeys) {
    const std::span keys(all.begin(), std::ranges::find(all, ""));
    std::string misspelled;
    const bool is_like = std::ranges::all_of(content.keys, [&](const std::string& key) {
      if (key.contains('/') || json::is_free_key(key) || std::ranges::contains(keys, key)) return true;
      const std::optional<std::string> near = closest(key, keys);
      if (near) misspelled = formatted("`{}`, and format {} has `{}`", key, format, *near);
      return near.has_value();
    });
    if (is_like && !misspelled.empty()) return misspelled;
  }
  return std::nullopt;
}

// A file that is called JSON may be a scenario of which nothing is left, or a script of jobs with a misspelled key.
void check_json(const Path& file, const Result<ContentOf>& read, Diagnostics& diagnostics) {
  if (file.extension() != ".json") return;
  std::optional<Diagnostic> problem;
  if (!read) {
    problem = read.error().front();
  } else if (auto parsed = json::parse(make_source(file.string(), std::string(text_of(read->content().bytes))));
             !parsed) {
    problem = parsed.error().front();
  } else if (const auto key = misspelled_key(read->content())) {
    problem = Diagnostic{.kind = DiagnosticKind::NotRecognised,
                         .message = formatted("left out, because its format is unknown: it has the key {}", *key),
                         .location = SourceLocation::in_file(file.string())};
  }
  if (!problem) return;
  problem->severity = Severity::Warning;
  diagnostics.add(*std::move(problem));
}

// Links whose targets do not exist.
void check_links(const std::string& directory, Diagnostics& diagnostics) {
  namespace fs = std::filesystem;
  std::vector<Path> links;
  std::error_code error, ignored;
  for (fs::recursive_directory_iterator at(directory, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error)) {
    if (at->is_symlink(ignored) && !fs::exists(at->path(), ignored)) links.push_back(at->path());
  }
  std::ranges::sort(links);
  for (const Path& link : links)
    diagnostics.warning(DiagnosticKind::FileNotFound, SourceLocation::in_file(link.string()),
                        formatted("left out, because it is a link to `{}`, which does not exist",
                                  fs::read_symlink(link, ignored).string()));
}

// Whether the verb takes such files by themselves if it finds them in a directory: sources of shaders and of render
// pipelines belong to what names them, a scenario or a project.
bool takes_by_itself(const DispatchedVerb& verb, const Format& format) {
  return format.*verb.function && format.detect != is_shader && format.detect != is_rpl;
}

// The formats of input files, each file read once.
class Detector {
 public:
  explicit Detector(const DispatchedVerb& verb) : verb_(verb) {}

  // Null if the file cannot be read or its format is unknown.
  const Format* format(const std::string& file) {
    const auto [at, is_new] = formats_.try_emplace(file, nullptr);
    if (is_new) {
      if (const Result<ContentOf> read = ContentOf::read(file)) {
        at->second = format_of(read->content());
        if (!at->second && read->content().directory) at->second = format_of_build(file);
      }
    }
    return at->second;
  }

  // The first file of a known format, or an empty string.
  std::string first_known(const std::vector<std::string>& files) {
    const auto known = std::ranges::find_if(files, [&](const std::string& file) { return format(file) != nullptr; });
    return known == files.end() ? "" : *known;
  }

  // Reports files of different formats in one call.
  void check_equal(const std::vector<std::string>& files, Diagnostics& diagnostics) {
    const std::string first = first_known(files);
    for (const std::string& file : files) {
      if (!format(file) || format(file)->*verb_.function == format(first)->*verb_.function) continue;
      diagnostics.error(DiagnosticKind::Usage, {},
                        formatted("`{}` has format {}, but `{}` has format {}; run the verb once for each format",
                                  first, format(first)->name, file, format(file)->name));
    }
  }

  static void add_advice(const Format& format, const std::string& file, Diagnostic& problem) {
    if (format.instead_of_run.empty()) return;
    std::string advice(format.instead_of_run);
    if (const std::size_t at = advice.find("FILE"); at != advice.npos) advice.replace(at, 4, file);
    problem.note(std::move(advice));
  }

  // Reports why no function is chosen for these files. Missing files of a run are not reported here, because the report
  // of the run has them.
  void explain(const std::vector<std::string>& files, Diagnostics& diagnostics) {
    const std::string known = first_known(files);
    if (!known.empty()) {
      if (format(known)->*verb_.function) return;
      Diagnostic& problem = diagnostics.error(DiagnosticKind::Usage, SourceLocation::in_file(known),
                                              formatted("`slipway {}` does not apply to format {}; it takes {}",
                                                        verb_.name, format(known)->name, names_of(verb_)));
      if (verb_.function == &Format::run) add_advice(*format(known), known, problem);
      if (verb_.function == &Format::inspect && can_explain(*format(known)))
        problem.note(formatted("`slipway run {} --explain` shows what it would do", known));
      return;
    }
    for (const std::string& file : files) {
      Result<ContentOf> read = ContentOf::read(file);
      if (read && read->content().directory && verb_.function != &Format::run)
        explain_directory(file, diagnostics);
      else if (read)
        diagnostics.add(not_recognised(verb_, file, read->content()));
      else if (verb_.function != &Format::run && !file_exists(file))
        diagnostics.add(std::move(read.error()));
    }
  }

 private:
  // Kernels are checked and compared by whole builds, with all directories.
  const Format* format_of_build(const std::string& directory) const {
    if (verb_.function != &Format::check && verb_.function != &Format::diff) return nullptr;
    if (kernel_files_below(directory).empty()) return nullptr;
    return std::ranges::find(kFormats, "zebin", &Format::name);
  }

  void explain_directory(const std::string& directory, Diagnostics& diagnostics) const {
    const std::vector<FileBelow> inside =
        files_of_formats(directory, [&](const Format& format) { return takes_by_itself(verb_, format); }, diagnostics);
    Diagnostic& problem = diagnostics.error(
        DiagnosticKind::NotRecognised, SourceLocation::in_file(directory),
        inside.empty()
            ? formatted("no file in this directory or below it is one that `slipway {}` takes by itself; it takes {}",
                        verb_.name, names_of(verb_))
            : formatted("`slipway {}` takes files, and this is a directory", verb_.name));
    if (!inside.empty()) problem.hint(formatted("name a file in it: `slipway {} {}`", verb_.name, inside.front().path));
  }

  static bool can_explain(const Format& format) {
    Probe probe;
    if (format.run) format.run({.words = {"--explain", "file"}, .probe = &probe});
    return probe.valid;
  }

  const DispatchedVerb& verb_;
  std::map<std::string, const Format*> formats_;
};

struct Candidate {
  VerbFunction function;
  Probe probe;
};

// Parses the arguments with the options of each format. Stops with `found` at the first that accepts all of them and
// whose format the files have; it is the last of the result.
std::vector<Candidate> probe_all(const DispatchedVerb& verb, Arguments arguments, Detector& detector, bool& found) {
  std::vector<Candidate> candidates;
  for (const Format& format : kFormats) {
    const VerbFunction function = format.*verb.function;
    if (!function || std::ranges::contains(candidates, function, &Candidate::function)) continue;
    Probe& probe = candidates.emplace_back(Candidate{function, {}}).probe;
    arguments.probe = &probe;
    function(arguments);
    const std::string file = detector.first_known(probe.files);
    found = probe.valid && !file.empty() && detector.format(file)->*verb.function == function;
    if (found) break;
  }
  return candidates;
}

// Returns the candidate whose format the files have and that accepts most of the arguments, or null. Its function
// reports the errors of the command line. A candidate that does not know an option does not know which word is its
// value: then the files are all words that name one.
const Candidate* matching(const DispatchedVerb& verb, const std::vector<Candidate>& candidates,
                          const std::vector<std::string>& words, Detector& detector) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    std::string file = detector.first_known(candidate.probe.files);
    if (file.empty() && candidate.probe.unknown > 0) file = detector.first_known(words);
    if (file.empty() || detector.format(file)->*verb.function != candidate.function) continue;
    if (!best || candidate.probe.unknown < best->probe.unknown) best = &candidate;
  }
  return best;
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* format_of(const Content& content) {
  const auto found = std::ranges::find_if(kFormats, [&](const Format& format) { return format.detect(content); });
  return found == kFormats.end() ? nullptr : found;
}

const Format* promised_format(const Content& content) {
  if (content.directory) return nullptr;
  const std::string suffix = content.path.extension().string();
  const auto has = [&](std::string_view key) { return content.has(key); };
  const auto is_near = [&](std::string_view key) { return has(key) || closest(key, content.keys).has_value(); };
  // Other files may have keys like both, beside keys of their own.
  const auto own_count = std::ranges::count_if(
      content.keys, [](const std::string& key) { return !key.contains('/') && key != "comment" && key != "$schema"; });
  const auto has_nearly = [&](const auto& keys) {
    return std::ranges::all_of(keys, is_near) && (own_count == std::ssize(keys) || std::ranges::any_of(keys, has));
  };
  const auto promises = [&](const Format& format) {
    if (!format.keys[0].empty() && has_nearly(format.keys)) return true;
    return !suffix.empty() && content.keys.empty() &&
           std::ranges::contains(std::views::split(format.suffixes, ' '), suffix,
                                 [](auto one) { return std::string_view(one); });
  };
  auto found = std::ranges::find_if(kFormats, promises);
  if (found == kFormats.end() && ends_in_elf_header(content.bytes))
    found = std::ranges::find(kFormats, "zebin", &Format::name);
  return found == kFormats.end() ? nullptr : found;
}

std::vector<FileBelow> files_of_formats(const std::string& directory,
                                        const std::function<bool(const Format& format)>& takes,
                                        Diagnostics& diagnostics) {
  std::vector<FileBelow> files;
  check_links(directory, diagnostics);
  const auto unread = [&](const Path& path, const std::string& why) {
    diagnostics.warning(DiagnosticKind::FileNotFound, SourceLocation::in_file(path.string()),
                        formatted("left out, because it cannot be read: {}", why));
  };
  for (const Path& file : files_below(directory, unread)) {
    if (const auto inside = is_confined() ? map_file_below(directory, file) : Result<MappedFile>();
        !inside && inside.error().front().kind == DiagnosticKind::PathOutside) {
      diagnostics.warning(DiagnosticKind::FileNotFound, SourceLocation::in_file(file.string()),
                          "left out, because it is a link to a file outside of the directory");
      continue;
    }
    const bool is_manifest = file.filename() == zebin::kManifestName;
    if (!is_manifest && file_exists(file.parent_path() / zebin::kManifestName)) continue;
    // An unpacked kernel is its directory.
    const Path path = is_manifest ? file.parent_path() : file;
    const Result<ContentOf> read = ContentOf::read(path.string());
    const Format* const format = read ? format_of(read->content()) : nullptr;
    const Format* const promised = format ? format : promised_format(read ? read->content() : Content{.path = path});
    if (promised && takes(*promised)) files.emplace_back(path.string(), format);
    if (!promised) check_json(path, read, diagnostics);
  }
  std::ranges::sort(files, {}, &FileBelow::path);
  return files;
}

Result<const Format*> runnable_format(const std::string& file) {
  constexpr DispatchedVerb kRun = {"run", "", &Format::run};
  SLIPWAY_TRY(const ContentOf read, ContentOf::read(file));
  const Format* const format = format_of(read.content());
  if (format && format->jobs) return format;
  if (!format) return fail(not_recognised(kRun, file, read.content()));
  if (format->run)
    return fail(DiagnosticKind::Unsupported, SourceLocation::in_file(file),
                formatted("files of format {} run one at a time: `slipway run {}`", format->name, file));
  Detector detector(kRun);
  Diagnostics diagnostics;
  detector.explain({file}, diagnostics);
  return fail(diagnostics.release());
}

std::optional<Diagnostic> other_format(const std::string& file, std::string_view verb, std::string_view takes) {
  const Result<ContentOf> read = ContentOf::read(file);
  if (!read || read->content().directory) return std::nullopt;
  const std::string name = file == "-" ? "<stdin>" : file;
  const Content& content = read->content();
  const Format* const format = format_of(content);
  if (!format) {
    const foreign::ForeignFormat* const foreign = foreign::recognise({.bytes = content.bytes, .path = content.path});
    return foreign ? std::optional(foreign::explain(*foreign, name)) : std::nullopt;
  }
  Diagnostic problem{.kind = DiagnosticKind::NotRecognised,
                     .message = formatted("the file has format {}: {}; `slipway {}` takes {}", format->name,
                                          format->summary, verb, takes),
                     .location = SourceLocation::in_file(name)};
  const auto add = [&](VerbFunction function, std::string_view form, std::string_view effect) {
    if (function) problem.note(formatted("`slipway {} {}{}", form, file, effect));
  };
  add(format->run, "run", "` runs it");
  add(format->convert, "convert", " -o FILE` makes a file of another format of it");
  Detector::add_advice(*format, file, problem);
  if (problem.notes.empty()) add(format->check, "check", "` checks it");
  if (problem.notes.empty()) add(format->inspect, "inspect", "` shows what is in it");
  return problem;
}

std::optional<Diagnostic> misplaced_profile(const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string_view>> files;  // with the names of their formats
  for (const std::string& word : words) {
    if (word.starts_with('-') || !word.ends_with(".json") || !file_exists(word)) continue;
    if (files.size() == 2) return std::nullopt;
    const Result<ContentOf> read = ContentOf::read(word);
    const Format* const format = read ? format_of(read->content()) : nullptr;
    if (!format) return std::nullopt;
    files.emplace_back(word, format->name);
  }
  const auto named = [&](std::string_view format) {
    const auto found = std::ranges::find(files, format, [](const auto& file) { return file.second; });
    return found == files.end() ? std::string() : found->first;
  };
  const std::string recipe = named("recipe"), profile = named("profile");
  if (recipe.empty() || profile.empty()) return std::nullopt;
  const auto at = std::ranges::find(words, profile);
  if (at != words.begin() && *std::prev(at) == "--profile") return std::nullopt;
  return Diagnostic{
      .kind = DiagnosticKind::Usage,
      .message = formatted("`{0}` is a recipe, and `{1}` a profile: `slipway run {0} --profile {1}`", recipe, profile)};
}

namespace {

// The files of a call of `check` or `inspect`.
struct EachFile {
  std::vector<std::string> files;    // those in directories instead of these
  std::vector<std::string> options;  // all other arguments
  bool has_directory = false;
};

EachFile each_file_of(const DispatchedVerb& verb, const Arguments& arguments, const Probe& probe,
                      Diagnostics& diagnostics) {
  EachFile each;
  each.options = arguments.words;
  std::erase_if(each.options, [&](const std::string& word) { return std::ranges::contains(probe.files, word); });
  // Options may be those of one format only: then the files of others in a directory are not meant.
  const auto takes = [&](const Format& format) {
    if (!takes_by_itself(verb, format)) return false;
    Probe of;
    Arguments one = arguments;
    one.words = each.options;
    one.words.push_back("file");
    one.probe = &of;
    (format.*verb.function)(one);
    return of.valid;
  };
  for (const std::string& file : probe.files) {
    if (file == "-" || !directory_exists(file) || file_exists(Path(file) / zebin::kManifestName)) {
      each.files.push_back(file);
      continue;
    }
    each.has_directory = true;
    for (FileBelow& found : files_of_formats(file, takes, diagnostics)) each.files.push_back(std::move(found.path));
  }
  return each;
}

// `check` and `inspect` take directories, and files of any formats: each format's function gets what it takes. Returns
// nothing if one function takes all of them.
std::optional<int> run_each(const DispatchedVerb& verb, const Arguments& arguments, const Probe& probe,
                            Detector& detector) {
  const bool inspects = verb.function == &Format::inspect;
  if (!inspects && verb.function != &Format::check) return std::nullopt;
  Diagnostics diagnostics;
  const auto [files, options, has_directory] = each_file_of(verb, arguments, probe, diagnostics);
  if (files.empty() || (!has_directory && (probe.valid || files.size() < 2 || !inspects))) return std::nullopt;
  const auto is_kernel = [&](const std::string& file) {
    return detector.format(file) && detector.format(file)->check == check_zebin;
  };
  // It takes directories of them.
  if (!inspects && diagnostics.empty() && std::ranges::all_of(files, is_kernel)) return std::nullopt;
  if (probe.json && files.size() > 1) {
    diagnostics.error(
        DiagnosticKind::Usage, {},
        formatted("`--json` is for one file here, and these are {}; the first one is `slipway {} {} --json`",
                  files.size(), verb.name, files.front()));
    return report(diagnostics, {.json = true}, inspects ? stderr : stdout);
  }
  int status = report(diagnostics, {.strict = std::ranges::contains(options, "--strict")});
  const auto run = [&](const std::vector<std::string>& some) {
    Arguments of = arguments;
    of.words = options;
    of.words.append_range(some);
    status = worst_status(status, dispatch(verb, of));
  };
  std::vector<std::string> kernels;
  for (const std::string& file : files) {
    if (!inspects && is_kernel(file)) {
      kernels.push_back(file);
      continue;
    }
    if (inspects && files.size() > 1) print(formatted("{}:\n", file));
    run({file});
  }
  if (!kernels.empty()) run(kernels);
  return status;
}

}  // namespace

int dispatch(const DispatchedVerb& verb, const Arguments& arguments) {
  const bool wants_help =
      std::ranges::contains(arguments.words, "--help") || std::ranges::contains(arguments.words, "-h");
  if (wants_help) {
    if (const std::optional<int> status = help_for(verb, arguments)) return *status;
  }
  Detector detector(verb);
  bool found = false;
  const std::vector<Candidate> candidates = probe_all(verb, arguments, detector, found);
  const Candidate* chosen = found ? &candidates.back() : matching(verb, candidates, arguments.words, detector);
  // Without a match, the files are those of the options that fit best.
  const Candidate& closest =
      chosen ? *chosen : *std::ranges::min_element(candidates, {}, [](const Candidate& c) { return c.probe.unknown; });
  if (wants_help && !chosen && closest.probe.files.empty()) return help(verb);
  if (!wants_help) {
    if (const std::optional<int> status = run_each(verb, arguments, closest.probe, detector)) return *status;
  }
  Diagnostics diagnostics;
  if (chosen)
    detector.check_equal(chosen->probe.files, diagnostics);
  else
    detector.explain(closest.probe.files, diagnostics);
  if (diagnostics.has_errors()) {
    set_sarif_path(closest.probe.sarif);
    return report(diagnostics, {.json = closest.probe.json}, verb.function == &Format::check ? stdout : stderr);
  }
  const VerbFunction function = chosen ? chosen->function : closest.function;
  Arguments own = arguments;
  own.format = std::ranges::find(kFormats, function, verb.function)->name;
  if (chosen) {
    const std::string file = detector.first_known(chosen->probe.files);
    if (!file.empty()) own.format = detector.format(file)->name;
    for (const std::string& input : chosen->probe.files) protect_input(input);
  }
  // A run reports its stages itself.
  std::optional<Progress> progress;
  if (verb.function != &Format::run) progress.emplace(formatted("slipway {}", verb.name));
  return function(own);
}

std::vector<LineDescription> describe(const DispatchedVerb& verb) {
  std::vector<LineDescription> lines;
  std::vector<VerbFunction> functions;
  for (const Format& format : kFormats) {
    const VerbFunction function = format.*verb.function;
    if (!function) continue;
    const auto known = std::ranges::find(functions, function);
    if (known != functions.end()) {
      lines[static_cast<std::size_t>(known - functions.begin())].formats.emplace_back(format.name);
      continue;
    }
    functions.push_back(function);
    LineDescription& line = lines.emplace_back();
    function({.words = {}, .description = &line});
    line.formats = {std::string(format.name)};
  }
  return lines;
}

}  // namespace slipway::cli
