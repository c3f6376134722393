// slipway compile: programs of the Render Pipeline Language to SPIR-V, metadata and what else can be made of them.
#include <algorithm>
#include <array>
#include <set>

#include "base/files.hpp"
#include "base/format.hpp"
#include "base/suggest.hpp"
#include "cli/program.hpp"
#include "cli/rpl_options.hpp"
#include "cli/rpl_verbs.hpp"
#include "rpl/emit_header.hpp"
#include "rpl/metadata_json.hpp"
#include "rpl/print_ast.hpp"
#include "rpl/print_resolved.hpp"
#include "spirv/tools.hpp"

namespace slipway::cli {
namespace {

struct CompileSettings {
  RplOptions options;
  std::string output;
  std::vector<std::string> emit;
  bool header = false;
  std::string header_path, header_namespace;
};

// A file to write, or with the path `-` text for standard output.
struct Output {
  std::string path;
  std::string text;
  std::vector<std::uint32_t> words;  // instead of text

  Bytes bytes() const { return words.empty() ? bytes_of(text) : std::as_bytes(std::span(words)); }
};

constexpr std::array<std::string_view, 6> kKinds = {"spirv", "spirv-asm", "meta", "header", "ast", "resolved"};

// What is to be emitted. Without a word about it: SPIR-V and metadata into files, metadata to standard output.
std::vector<std::string> kinds_of(const CompileSettings& settings) {
  if (!settings.emit.empty()) return settings.emit;
  if (settings.output.empty()) return {"meta"};
  if (settings.options.entries.empty()) return {"meta"};
  return {"spirv", "meta"};
}

void check_usage(const CompileSettings& settings, Diagnostics& diagnostics) {
  const auto usage = [&](std::string message) -> Diagnostic& {
    return diagnostics.error(DiagnosticKind::Usage, {}, std::move(message));
  };
  const std::vector<std::string> kinds = kinds_of(settings);
  const bool variants = !settings.options.variants.empty() && settings.options.variants != "one";
  if (settings.output.empty() && std::ranges::contains(kinds, "spirv")) {
    usage("`--emit spirv` makes a file, but `-o` names none");
  }
  if (settings.output == "-" && kinds.size() + (settings.header ? 1 : 0) != 1) {
    usage("`-o -` takes exactly one `--emit`");
  }
  if (settings.header && settings.header_path.empty() && (settings.output.empty() || settings.output == "-")) {
    usage("`--header` needs `-o`, or a path of its own: `--header=PATH`");
  }
  if (!settings.header_namespace.empty() && !rpl::is_namespace_name(settings.header_namespace)) {
    usage(formatted("`{}` is no name of a namespace", settings.header_namespace));
  }
  if (!variants) return;
  if (settings.output.empty() || settings.output == "-") usage("`--variants` needs a directory: `-o DIRECTORY`");
  if (!settings.emit.empty() || settings.header) {
    usage("`--variants` writes SPIR-V and metadata; `--emit` and `--header` are for one variant");
  }
}

// --- what is emitted -------------------------------------------------------------------------------------------------

// PATH with an ending, or `-`.
std::string path_for(const CompileSettings& settings, std::string_view ending) {
  if (settings.output.empty() || settings.output == "-") return "-";
  return settings.output + std::string(ending);
}

// The directory part of PATH and a file beside it.
std::string beside(const CompileSettings& settings, const std::string& file) {
  return (Path(settings.output).parent_path() / file).string();
}

// With the ids of the module, so that assembling it gives the module again.
std::string disassembled(const spirv::Words& words, const std::string& name, Diagnostics& diagnostics) {
  return diagnostics.take(spirv::disassemble(words, name, {.friendly_names = false, .header = true})).value_or("");
}

void emit_resolved(const CompileSettings& settings, const rpl::Resolved& resolved, std::vector<Output>& outputs) {
  const std::vector<rpl::ResolvedModule> modules = rpl::print_resolved(resolved);
  const bool to_stdout = settings.output.empty() || settings.output == "-";
  if (to_stdout || modules.size() == 1) {
    std::string text;
    for (const rpl::ResolvedModule& module : modules) {
      if (modules.size() > 1) text += formatted("{}// {}\n", text.empty() ? "" : "\n", module.name);
      text += module.text;
    }
    outputs.push_back({path_for(settings, ".resolved.rpl"), std::move(text), {}});
    return;
  }
  for (const rpl::ResolvedModule& module : modules) {  // PATH is a directory
    const std::string name = module.name == "<stdin>" ? "stdin.rpl" : Path(module.name).filename().string();
    outputs.push_back({(Path(settings.output) / name).string(), module.text, {}});
  }
}

std::string header_namespace(const CompileSettings& settings) {
  if (!settings.header_namespace.empty()) return settings.header_namespace;
  return rpl::default_header_namespace(settings.options.files.front() == "-" ? "stdin"
                                                                             : settings.options.files.front());
}

void emit(const std::string& kind, const CompileSettings& settings, const RplInput& input, rpl::Compiler& compiler,
          const rpl::Compiled& made, std::vector<Output>& outputs, Diagnostics& diagnostics) {
  if (kind == "meta") {
    outputs.push_back({path_for(settings, ".json"), rpl::metadata_text(made.metadata), {}});
  } else if (kind == "ast") {
    outputs.push_back({path_for(settings, ".ast"), rpl::print_ast(input.program), {}});
  } else if (kind == "resolved") {
    emit_resolved(settings, *compiler.resolved(), outputs);
  } else if (kind == "header") {
    outputs.push_back(
        {path_for(settings, ".hpp"), rpl::emit_header(*compiler.resolved(), header_namespace(settings)), {}});
  } else {
    const bool binary = kind == "spirv";
    for (std::size_t i = 0; i < made.modules.size(); ++i) {
      const std::string& file = made.metadata.code[i].file;
      if (binary) {
        outputs.push_back({settings.output == "-" ? "-" : beside(settings, file), "", made.modules[i].words});
      } else {
        const std::string path =
            path_for(settings, "") == "-" ? "-" : beside(settings, Path(file).replace_extension(".spvasm").string());
        outputs.push_back({path, disassembled(made.modules[i].words, file, diagnostics), {}});
      }
    }
  }
}

// --- files -----------------------------------------------------------------------------------------------------------

Path normal(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(path, ignored);
}

// No output twice, and none over an input.
void check_paths(const std::vector<Output>& outputs, const CompileSettings& settings, Diagnostics& diagnostics) {
  std::vector<Path> taken;
  for (const std::string& file : settings.options.files) taken.push_back(normal(file));
  const std::size_t inputs = taken.size();
  for (const Output& output : outputs) {
    if (output.path == "-") continue;
    const Path path = normal(output.path);
    const auto same = std::ranges::find(taken, path);
    if (same != taken.end()) {
      const bool input = static_cast<std::size_t>(same - taken.begin()) < inputs;
      diagnostics.error(DiagnosticKind::OutputConflict, SourceLocation::in_file(output.path),
                        input ? "an output would replace a source" : "two outputs have one path");
    }
    taken.push_back(path);
  }
}

// All or none: files get their names when every one is complete.
void write_outputs(const std::vector<Output>& outputs, Diagnostics& diagnostics) {
  std::vector<OutputFile> files;
  for (const Output& output : outputs) {
    if (output.path == "-") continue;
    std::optional<OutputFile> file = diagnostics.take(OutputFile::create(output.path));
    if (!file) return;
    if (const Result<> written = file->write(output.bytes()); !written) return diagnostics.add(written.error());
    files.push_back(std::move(*file));
  }
  for (OutputFile& file : files) {
    if (const Result<> named = file.commit(); !named) return diagnostics.add(named.error());
  }
  for (const Output& output : outputs) {
    if (output.path == "-") print(text_of(output.bytes()));
  }
}

void compile_one(const CompileSettings& settings, RplInput& input, rpl::CompileTimes& times, Diagnostics& diagnostics) {
  input.compile.stem = settings.output.empty() || settings.output == "-"
                           ? Path(settings.options.files.front()).stem().string()
                           : Path(settings.output).filename().string();
  rpl::Compiler compiler;
  const std::optional<rpl::Compiled> made =
      compiler.compile(input.program, input.assignment, input.compile, diagnostics, &times);
  if (!made || diagnostics.has_errors()) return;
  std::vector<Output> outputs;
  for (const std::string& kind : kinds_of(settings)) {
    emit(kind, settings, input, compiler, *made, outputs, diagnostics);
  }
  if (settings.header) {
    const std::string path = settings.header_path.empty() ? settings.output + ".hpp" : settings.header_path;
    outputs.push_back({path, rpl::emit_header(*compiler.resolved(), header_namespace(settings)), {}});
  }
  check_paths(outputs, settings, diagnostics);
  if (settings.options.style.strict && diagnostics.warnings() != 0) return;  // they are errors
  if (!diagnostics.has_errors()) write_outputs(outputs, diagnostics);
}

void compile_variants(const CompileSettings& settings, const RplInput& input, rpl::VariantOptions& variants,
                      Diagnostics& diagnostics) {
  variants.emit = true;
  const std::optional<rpl::Variants> made = rpl::find_variants(input.program, variants, diagnostics);
  if (!made || diagnostics.has_errors() || (settings.options.style.strict && diagnostics.warnings() != 0)) return;
  std::vector<Output> outputs;
  const auto path = [&](const std::string& file) { return (Path(settings.output) / file).string(); };
  for (const rpl::VariantModule& module : made->modules) outputs.push_back({path(module.file), "", module.words});
  std::set<std::string_view> files;
  for (const rpl::VariantClass& of : made->classes) {
    // Classes may differ only in values that nothing asked for; then the file is the same.
    if (files.insert(of.file).second) outputs.push_back({path(of.file), of.metadata, {}});
  }
  outputs.push_back({path("variants.json"), rpl::variants_json(input.program, *made), {}});
  write_outputs(outputs, diagnostics);
  if (!diagnostics.has_errors() && !settings.options.style.json) {
    print(rpl::summary_text(input.program, variants, *made));
  }
}

// `--header` is a flag, `--header=PATH` has a value.
void take_header(Arguments& arguments, CompileSettings& settings) {
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument == "--header") {
      settings.header = true;
    } else if (argument.starts_with("--header=")) {
      settings.header = true;
      settings.header_path = argument.substr(std::string_view("--header=").size());
    } else {
      continue;
    }
    argument.clear();
  }
  std::erase(arguments, "");
}

}  // namespace

int compile_verb(const Arguments& arguments) {
  CompileSettings settings;
  CommandLine line("slipway compile", "Compiles a program of the Render Pipeline Language.",
                   "slipway compile pass.rpl material.rpl --entry vertex=vertex_main --entry fragment=fragment_main "
                   "-o out");
  add_rpl_options(line, settings.options);
  line.add_option("-o,--output", settings.output,
                  "write PATH.spv, PATH.json...; `-`: standard output; with variants a directory");
  line.add_option("--emit", settings.emit,
                  "spirv, spirv-asm, meta, header, ast or resolved, repeatable (spirv and meta; without `-o` meta)")
      .repeatable()
      .choices(std::vector<std::string>(kKinds.begin(), kKinds.end()));
  line.add_flag("--header", [] {}, "also write a C++ header of the memory layouts; `--header=PATH` (PATH.hpp)");
  line.add_option("--header-namespace", settings.header_namespace, "its namespace (rpl_ and the name of the file)");
  Arguments given = arguments;
  take_header(given, settings);
  if (const std::optional<int> status = line.parse(given)) return *status;

  Diagnostics diagnostics;
  rpl::CompileTimes times;
  double parse_time = 0;
  check_usage(settings, diagnostics);
  if (!diagnostics.has_errors()) {
    if (std::optional<RplInput> input = load_rpl(settings.options, diagnostics)) {
      parse_time = input->parse_time;
      std::optional<rpl::VariantOptions> variants = variant_settings(settings.options, *input, false, diagnostics);
      if (variants && !diagnostics.has_errors()) {
        compile_variants(settings, *input, *variants, diagnostics);
      } else if (!diagnostics.has_errors()) {
        compile_one(settings, *input, times, diagnostics);
      }
    }
  }
  return report_rpl(diagnostics, settings.options, settings.options.time ? &times : nullptr, parse_time);
}

}  // namespace slipway::cli
