// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/rpl/options.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/text/suggest.hpp"
#include "cli/manual/schemas.hpp"
#include "cli/sarif_file.hpp"
#include "json/diagnostics.hpp"
#include "json/document.hpp"
#include "rpl/assignments.hpp"
#include "rpl/emit/optimize.hpp"

namespace slipway::cli {
namespace {

// An option that may be given several times, with one value each time.
void add_list(CommandLine& line, const std::string& name, std::vector<std::string>& values,
              const std::string& meaning) {
  line.add_option(name, values, meaning).repeatable();
}

Diagnostic& usage(Diagnostics& diagnostics, std::string message) {
  return diagnostics.error(DiagnosticKind::Usage, {}, std::move(message));
}

template <class Candidates>
void suggest(Diagnostic& diagnostic, std::string_view word, const Candidates& candidates) {
  if (const auto near = closest(word, candidates)) diagnostic.hint(formatted("did you mean `{}`?", *near));
}

// Splits "a=b"; reports an error if there is no `=`.
std::optional<std::pair<std::string, std::string>> split(const std::string& text, std::string_view option,
                                                         std::string_view form, Diagnostics& diagnostics) {
  const std::size_t equals = text.find('=');
  if (equals != text.npos) return std::pair(text.substr(0, equals), text.substr(equals + 1));
  usage(diagnostics, formatted("`{}` takes {}, but `{}` is given", option, form, text));
  return std::nullopt;
}

void read_entries(const RplOptions& options, rpl::CompileOptions& compile, Diagnostics& diagnostics) {
  constexpr std::array kStages = {rpl::Stage::Vertex, rpl::Stage::Fragment, rpl::Stage::Compute};
  for (const std::string& entry : options.entries) {
    const auto parts = split(entry, "--entry", "STAGE=FUNCTION", diagnostics);
    if (!parts) continue;
    const auto stage = std::ranges::find(kStages, parts->first, [](rpl::Stage s) { return rpl::name_of(s); });
    if (stage == kStages.end()) {
      Diagnostic& problem = usage(diagnostics, formatted("unknown stage `{}` of `--entry`", parts->first));
      suggest(problem, parts->first, kStages | std::views::transform([](rpl::Stage s) { return rpl::name_of(s); }));
      continue;
    }
    const bool fits = (*stage == rpl::Stage::Compute) == (options.pipeline == "compute");
    if (!fits) {
      usage(diagnostics, formatted("a {} pipeline has no {} stage", options.pipeline, parts->first))
          .hint(formatted("`--pipeline {}` chooses the other kind",
                          options.pipeline == "compute" ? "graphics" : "compute"));
      continue;
    }
    compile.entry_points.push_back({*stage, parts->second});
  }
}

void read_limits(const RplOptions& options, rpl::BufferLimits& limits, Diagnostics& diagnostics) {
  constexpr std::array<std::string_view, 3> kNames = {"uniform", "push", "workgroup"};
  for (const std::string& limit : options.limits) {
    const auto parts = split(limit, "--limit", "KIND=BYTES", diagnostics);
    if (!parts) continue;
    std::uint32_t bytes = 0;
    const char* end = parts->second.data() + parts->second.size();
    const auto read = std::from_chars(parts->second.data(), end, bytes);
    if (read.ec != std::errc() || read.ptr != end) {
      usage(diagnostics,
            formatted("`--limit {}` takes a number of bytes, but `{}` is given", parts->first, parts->second));
    } else if (parts->first == "uniform") {
      limits.uniform = bytes;
    } else if (parts->first == "push") {
      limits.push_constant = bytes;
    } else if (parts->first == "workgroup") {
      limits.workgroup = bytes;
    } else {
      suggest(usage(diagnostics,
                    formatted("unknown kind `{}` of `--limit`; accepted are uniform, push, workgroup", parts->first)),
              parts->first, kNames);
    }
  }
}

void check_no_warn(const RplOptions& options, Diagnostics& diagnostics) {
  const auto names = diagnostic_kinds() | std::views::transform(&DiagnosticKindInfo::name);
  for (const std::string& name : options.no_warn) {
    if (std::ranges::contains(names, name)) continue;
    suggest(usage(diagnostics, formatted("unknown code `{}` of `--no-warn`", name)), name, names);
  }
}

std::shared_ptr<const json::Document> read_json(const std::string& file, Diagnostics& diagnostics) {
  const std::optional<SourcePtr> source = diagnostics.take(read_source(file, file == "-" ? "<stdin>" : file));
  if (!source) return nullptr;
  return diagnostics.take(json::parse(*source)).value_or(nullptr);
}

void read_option_values(const RplOptions& options, RplInput& input, Diagnostics& diagnostics) {
  for (const std::string& file : options.option_files) {
    if (const auto document = read_json(file, diagnostics)) {
      rpl::read_assignment(input.program, document->root(), input.assignment, diagnostics);
    }
  }
  const auto set_all = [&](const std::vector<std::string>& texts, rpl::OptionFilter filter) {
    for (const std::string& text : texts) {
      rpl::set_option(input.program, text, filter, {}, input.assignment, diagnostics);
    }
  };
  set_all(options.set, rpl::OptionFilter::Any);
  set_all(options.set_global, rpl::OptionFilter::Global);
  set_all(options.set_instance, rpl::OptionFilter::Instance);
}

// --values name=v1,v2: the domain of an option.
void read_values(const std::string& text, const RplInput& input, rpl::VariantOptions& settings,
                 Diagnostics& diagnostics) {
  const auto parts = split(text, "--values", "NAME=VALUE,VALUE...", diagnostics);
  if (!parts) return;
  std::vector<rpl::Value> domain;
  rpl::OptionId option = 0;
  for (const auto value : parts->second | std::views::split(',')) {
    rpl::Assignment one;
    rpl::set_option(input.program, parts->first, std::string_view(value), rpl::OptionFilter::Any, {}, one, diagnostics);
    if (diagnostics.has_errors()) return;
    option = static_cast<rpl::OptionId>(one.values.size() - 1);
    if (!std::ranges::contains(domain, one.values[option])) domain.push_back(one.values[option]);
  }
  if (input.assignment.has(option)) {
    usage(diagnostics, formatted("option `{}` has both a value and a list of values", parts->first));
    return;
  }
  settings.domains[option] = std::move(domain);
}

// --json --time: the diagnostics, and the times of the steps in microseconds.
struct TimedCompile {
  json::DiagnosticList diagnostics;
  double parse = 0;
  rpl::CompileTimes times;
  bool optimized = false;
};

const json::Record<TimedCompile>& times_record() {
  using T = TimedCompile;
  static const auto record =
      json::Record<T>("compile_times", "microseconds of each step")
          .required("parse", &T::parse, json::Real{}, "reading the source")
          .required(
              "resolve", [](const T& from) { return from.times.resolve; }, json::Real{}, "types and constants")
          .required(
              "metadata", [](const T& from) { return from.times.metadata; }, json::Real{}, "layouts and settings")
          .required(
              "spirv", [](const T& from) { return from.times.spirv; }, json::Real{}, "generating SPIR-V")
          .optional(
              "optimize", [](const T& from) { return from.optimized ? &from.times.optimize : nullptr; }, json::Real{},
              "with --optimize");
  return record;
}

const json::Record<TimedCompile>& timed_compile_record() {
  using T = TimedCompile;
  static const auto record =
      json::Record<T>("timed_compile", "`check`, `compile` and `inspect` of RPL with --time")
          .part(&T::diagnostics, json::diagnostics_record())
          .required("microseconds", [](const T& from) { return &from; }, json::Nested(times_record()), "times");
  return record;
}

}  // namespace

const json::RecordTable& timed_compile_table() { return timed_compile_record().table(); }

rpl::CompileOptions compile_options(const RplOptions& options, Diagnostics& diagnostics) {
  rpl::CompileOptions compile;
  const bool graphics = options.pipeline == "graphics";
  compile.resolve.pipeline = graphics ? rpl::PipelineKind::Graphics : rpl::PipelineKind::Compute;
  compile.resolve.strict = options.style.strict;
  compile.resolve.check_bodies = options.checking || options.style.strict;
  // Modules that several pipelines share hold functions for others of them.
  compile.resolve.check_unused = options.checking || options.style.strict || options.files.size() < 2;
  read_entries(options, compile, diagnostics);
  read_limits(options, compile.resolve.limits, diagnostics);
  check_no_warn(options, diagnostics);
  compile.spirv.target =
      rpl::parse_target(options.target).value_or(rpl::Target::Vulkan13);  // the command line has checked it
  compile.spirv.split_stages = options.split_stages;
  compile.spirv.strip = options.strip;
  compile.spirv.debug_lines = options.debug_lines;
  compile.optimize = options.optimize ? rpl::optimize_modules : nullptr;
  compile.skip_attributes = options.skip_attributes;
  compile.skip_sets = options.skip_sets;
  return compile;
}

unsigned thread_count(const RplOptions& options) {
  return options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
}

void add_rpl_options(CommandLine& line, RplOptions& options) {
  line.add_option("files", options.files,
                  "source files, each a module: those of the pass before those of the material; or one project file, "
                  "PROJECT.rplproject.json");
  line.add_report_options(options.style);
  line.add_option("--pipeline", options.pipeline, "graphics or compute (graphics)").choices({"graphics", "compute"});
  add_list(line, "--entry", options.entries, "STAGE=FUNCTION, an entry point; without one only metadata");
  add_list(line, "--set", options.set, "NAME=VALUE, an option of the program");
  add_list(line, "--set-global", options.set_global, "the same for a global option");
  add_list(line, "--set-instance", options.set_instance, "the same for an instance option");
  add_list(line, "--options", options.option_files, "a JSON file of options: {\"name\": value}");
  line.add_option("--target", options.target, "vulkan1.1, vulkan1.2, vulkan1.3 or vulkan1.4 (vulkan1.3)")
      .choices({"vulkan1.1", "vulkan1.2", "vulkan1.3", "vulkan1.4"});
  line.add_flag("--split-stages", options.split_stages, "one SPIR-V module for each stage");
  line.add_flag("--strip", options.strip, "leave names out of the SPIR-V");
  line.add_flag("--debug-lines", options.debug_lines, "put lines and sources into the SPIR-V");
  line.add_flag("--optimize", options.optimize, "optimize the SPIR-V with SPIRV-Tools, which takes much longer");
  line.add_flag("--one-module", options.one_module, "treat all files as one module");
  line.add_flag("--skip-sets", options.skip_sets, "leave descriptor sets out of the metadata");
  line.add_flag("--skip-attributes", options.skip_attributes, "leave attribute sources out of the metadata");
  add_list(line, "--limit", options.limits,
           "KIND=BYTES, the largest buffer: uniform (16384), push (128), workgroup (16384)");
  line.add_option("--variants", options.variants, "all, one, or a JSON file with a list of assignments");
  add_list(line, "--values", options.values, "NAME=V1,V2..., the values that an option takes in variants");
  line.add_option("--vary", options.vary, "the options that variants vary: all, global or instance (all)")
      .choices({"all", "global", "instance"});
  line.add_option("--max-variants", options.max_variants, "fail if there are more variants (65536)");
  line.add_option("-j,--jobs", options.jobs, "threads for variants (one for each core)").positive();
  add_list(line, "--pass", options.passes, "of a project file: only programs of this pass");
  add_list(line, "--material", options.materials, "of a project file: only programs with this material");
  add_list(line, "--no-warn", options.no_warn, "do not show warnings of this code");
  line.add_flag("--time", options.time, "print the time of each step in microseconds");
}

std::optional<RplInput> load_rpl(const RplOptions& options, Diagnostics& diagnostics) {
  RplInput input;
  if (options.files.empty()) usage(diagnostics, "no source file is given");
  if (!options.passes.empty() || !options.materials.empty()) {
    usage(diagnostics, "`--pass` and `--material` choose programs of a project file; no project file is given");
  }
  input.compile = compile_options(options, diagnostics);
  std::vector<SourcePtr> sources;
  for (const std::string& file : options.files) {
    protect_input(file);
    if (auto source = diagnostics.take(read_source(file, file == "-" ? "<stdin>" : file))) {
      sources.push_back(std::move(*source));
    }
  }
  if (diagnostics.has_errors()) return std::nullopt;
  const auto start = std::chrono::steady_clock::now();
  input.program = rpl::parse(rpl::modules_of(std::move(sources), options.one_module), diagnostics);
  input.parse_time = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  if (!input.program.valid) return std::nullopt;
  read_option_values(options, input, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  return input;
}

std::optional<rpl::VariantOptions> variant_settings(const RplOptions& options, const RplInput& input,
                                                    bool all_by_default, Diagnostics& diagnostics) {
  const std::string mode = !options.variants.empty() ? options.variants : all_by_default ? "all" : "one";
  if (mode == "one") return std::nullopt;
  rpl::VariantOptions settings;
  settings.compile = input.compile;
  settings.fixed = input.assignment;
  settings.max_variants = options.max_variants;
  settings.jobs = thread_count(options);
  const rpl::Vary vary = options.vary == "global"     ? rpl::Vary::Global
                         : options.vary == "instance" ? rpl::Vary::Instance
                                                      : rpl::Vary::All;
  settings.domains = rpl::default_domains(input.program, input.assignment, vary);
  for (const std::string& values : options.values) read_values(values, input, settings, diagnostics);
  if (mode == "all") return settings;
  if (const auto document = read_json(mode, diagnostics)) {
    settings.listed = rpl::read_assignments(input.program, document->root(), input.assignment, diagnostics);
  }
  return settings;
}

int report_rpl(Diagnostics& diagnostics, const RplOptions& options, const rpl::CompileTimes* times, double parse_time,
               std::FILE* json_to) {
  Diagnostics shown;
  for (Diagnostic& diagnostic : diagnostics.release()) {
    const bool hidden =
        diagnostic.severity != Severity::Error && std::ranges::contains(options.no_warn, name_of(diagnostic.kind));
    if (!hidden) shown.add(std::move(diagnostic));
  }
  diagnostics = std::move(shown);
  if (!times) return report(diagnostics, options.style, json_to);
  if (!options.style.json) {
    const int status = report(diagnostics, options.style, json_to);
    const std::string optimize = options.optimize ? formatted(", optimize {:.0f} us", times->optimize) : "";
    print_error(formatted("parse {:.0f} us, resolve {:.0f} us, metadata {:.0f} us, SPIR-V {:.0f} us{}\n", parse_time,
                          times->resolve, times->metadata, times->spirv, optimize));
    return status;
  }
  if (options.style.strict) diagnostics.make_strict();
  diagnostics.sort();
  note_for_sarif(diagnostics.all());
  const TimedCompile timed{{diagnostics.all()}, parse_time, *times, options.optimize};
  const std::string text = json::object_text(timed_compile_record(), timed);
  std::fwrite(text.data(), 1, text.size(), json_to);
  return exit_status(diagnostics.all());
}

}  // namespace slipway::cli
