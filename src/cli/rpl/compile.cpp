// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway compile`: compiles programs of the Render Pipeline Language to SPIR-V, metadata and other outputs.
#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/text/suggest.hpp"
#include "cli/directories.hpp"
#include "cli/formats.hpp"
#include "cli/program.hpp"
#include "cli/rpl/options.hpp"
#include "cli/rpl/outputs.hpp"
#include "cli/rpl/project.hpp"
#include "cli/rpl/variants_page.hpp"
#include "cli/rpl/verbs.hpp"
#include "rpl/metadata/metadata_json.hpp"
#include "rpl/parse/entry_functions.hpp"
#include "rpl/print/emit_header.hpp"
#include "rpl/print/print_ast.hpp"
#include "rpl/print/print_resolved.hpp"
#include "spirv/tools.hpp"

namespace slipway::cli {
namespace {

struct CompileVerbOptions {
  RplOptions rpl;
  std::string output, page, pack;
  std::vector<std::string> emit;
  std::optional<std::string> header;  // a path; empty: beside the other outputs
  std::string header_namespace;
};

constexpr std::array<std::string_view, 6> kKinds = {"spirv", "spirv-asm", "meta", "header", "ast", "resolved"};

// The kinds of outputs. The default is SPIR-V and metadata for files, and metadata for standard output.
std::vector<std::string> kinds_of(const CompileVerbOptions& options) {
  if (!options.emit.empty()) return options.emit;
  if (options.output.empty()) return {"meta"};
  if (options.rpl.entries.empty()) return {"meta"};
  return {"spirv", "meta"};
}

void check_usage(const CompileVerbOptions& options, Diagnostics& diagnostics) {
  const auto usage = [&](std::string message) -> Diagnostic& {
    return diagnostics.error(DiagnosticKind::Usage, {}, std::move(message));
  };
  const std::vector<std::string> kinds = kinds_of(options);
  const bool variants = !options.pack.empty() || (!options.rpl.variants.empty() && options.rpl.variants != "one");
  if (!options.pack.empty() && options.rpl.variants == "one") usage("`--pack` writes all variants");
  // The names of outputs begin with it: /dev/full.json would be a new file.
  if (const Path& output = options.output;
      output != "-" && file_exists(output) && !directory_exists(output) && !replaced_file(output)) {
    diagnostics
        .error(DiagnosticKind::FileUnwritable, SourceLocation::in_file(options.output),
               formatted("{} is a device or a pipe, and cannot be the beginning of file names", options.output))
        .hint("`-o -` writes to standard output");
  }
  if (options.output.empty() && std::ranges::contains(kinds, "spirv")) {
    usage("`--emit spirv` writes a file; name it with `-o`");
  }
  if (options.output == "-" && kinds.size() + (options.header ? 1 : 0) != 1) {
    usage("`-o -` takes exactly one `--emit`");
  }
  if (options.header && options.header->empty() && (options.output.empty() || options.output == "-")) {
    usage("`--header` needs `-o`, or a path of its own: `--header=PATH`");
  }
  if (!options.header_namespace.empty() && !rpl::is_namespace_name(options.header_namespace)) {
    usage(formatted("`{}` is not a name of a namespace", options.header_namespace));
  }
  if (!variants && !options.page.empty()) usage("`--html` writes a page of variants; give `--variants all`");
  if (!variants) return;
  if ((options.output.empty() && options.pack.empty()) || options.output == "-") {
    usage("`--variants` needs a directory, `-o DIRECTORY`, or a file, `--pack FILE`");
  }
  if (!options.emit.empty() || options.header) {
    usage("`--variants` writes SPIR-V and metadata; `--emit` and `--header` are for one variant");
  }
}

// --- kinds of output -------------------------------------------------------------------------------------------------

// PATH with a suffix, or `-`.
std::string path_for(const CompileVerbOptions& options, std::string_view ending) {
  if (options.output.empty() || options.output == "-") return "-";
  return options.output + std::string(ending);
}

// A file in the directory of PATH.
std::string beside(const CompileVerbOptions& options, const std::string& file) {
  return (Path(options.output).parent_path() / file).string();
}

// Keeps the ids of the module, so that assembling the text restores the module.
std::string disassembled(const spirv::Words& words, const std::string& name, Diagnostics& diagnostics) {
  return diagnostics.take(spirv::disassemble(words, name, {.friendly_names = false, .header = true})).value_or("");
}

void emit_resolved(const CompileVerbOptions& options, const rpl::Resolved& resolved,
                   std::vector<CompiledFile>& outputs) {
  const std::vector<rpl::ResolvedModule> modules = rpl::print_resolved(resolved);
  const bool to_stdout = options.output.empty() || options.output == "-";
  if (to_stdout || modules.size() == 1) {
    std::string text;
    for (const rpl::ResolvedModule& module : modules) {
      if (modules.size() > 1) text += formatted("{}// {}\n", text.empty() ? "" : "\n", module.name);
      text += module.text;
    }
    outputs.push_back({path_for(options, ".resolved.rpl"), std::move(text), {}});
    return;
  }
  for (const rpl::ResolvedModule& module : modules) {  // PATH is a directory
    const std::string name = module.name == "<stdin>" ? "stdin.rpl" : Path(module.name).filename().string();
    outputs.push_back({(Path(options.output) / name).string(), module.text, {}});
  }
}

std::string header_namespace(const CompileVerbOptions& options) {
  if (!options.header_namespace.empty()) return options.header_namespace;
  return rpl::default_header_namespace(options.rpl.files.front() == "-" ? "stdin" : options.rpl.files.front());
}

void emit(const std::string& kind, const CompileVerbOptions& options, const RplInput& input, rpl::Compiler& compiler,
          const rpl::Compiled& made, std::vector<CompiledFile>& outputs, Diagnostics& diagnostics) {
  if (kind == "meta") {
    outputs.push_back({path_for(options, ".json"), rpl::metadata_text(made.metadata), {}});
  } else if (kind == "ast") {
    outputs.push_back({path_for(options, ".ast"), rpl::print_ast(input.program), {}});
  } else if (kind == "resolved") {
    emit_resolved(options, *compiler.resolved(), outputs);
  } else if (kind == "header") {
    outputs.push_back(
        {path_for(options, ".hpp"), rpl::emit_header(*compiler.resolved(), header_namespace(options)), {}});
  } else {
    const bool binary = kind == "spirv";
    for (std::size_t i = 0; i < made.modules.size(); ++i) {
      const std::string& file = made.metadata.code[i].file;
      if (binary) {
        outputs.push_back({options.output == "-" ? "-" : beside(options, file), "", made.modules[i].words});
      } else {
        const std::string path =
            path_for(options, "") == "-" ? "-" : beside(options, Path(file).replace_extension(".spvasm").string());
        outputs.push_back({path, disassembled(made.modules[i].words, file, diagnostics), {}});
      }
    }
  }
}

// --- files -----------------------------------------------------------------------------------------------------------

// Reports outputs with the same path, and outputs that would overwrite an input.
void check_paths(const std::vector<CompiledFile>& outputs, const CompileVerbOptions& options,
                 Diagnostics& diagnostics) {
  std::vector<std::optional<FileKey>> taken;
  for (const std::string& file : options.rpl.files) taken.push_back(replaced_file(file));
  const std::size_t inputs = taken.size();
  for (const CompiledFile& output : outputs) {
    if (output.path == "-") continue;
    const std::optional<FileKey> file = replaced_file(output.path);
    const auto same = std::ranges::find(taken, file);
    if (file && same != taken.end()) {
      const bool input = static_cast<std::size_t>(same - taken.begin()) < inputs;
      diagnostics.error(DiagnosticKind::OutputConflict, SourceLocation::in_file(output.path),
                        input ? "an output would replace a source" : "two outputs have the same path");
    }
    taken.push_back(file);
  }
}

// Whether a text may be a program is only known when it was parsed; other files are not parsed at all.
bool refuse_other_formats(const CompileVerbOptions& options, bool was_parsed, Diagnostics& diagnostics) {
  Diagnostics found;
  for (const std::string& file : options.rpl.files) {
    const Result<ContentOf> read = ContentOf::read(file);
    if (!read || is_rpl(read->content()) || is_shader(read->content()) != was_parsed) continue;
    if (std::optional<Diagnostic> other =
            other_format(file, "compile", "programs and projects of the Render Pipeline Language"))
      found.add(*std::move(other));
  }
  if (found.empty()) return false;
  if (was_parsed) diagnostics = {};
  diagnostics.add(found.release());
  return true;
}

// A first call expects code, which needs entry points.
void note_entries(const CompileVerbOptions& options, const RplInput& input, Diagnostics& diagnostics) {
  if (!options.emit.empty() || !options.rpl.entries.empty()) return;
  std::string entries;
  const rpl::PipelineKind kind = input.compile.resolve.pipeline;
  for (const rpl::PipelineKind each : {kind, rpl::PipelineKind::Graphics, rpl::PipelineKind::Compute}) {
    if (!entries.empty()) break;
    for (const rpl::EntryPointName& entry : rpl::entry_functions(input.program, each))
      entries += formatted(" --entry {}={}", name_of(entry.stage), entry.function);
    if (!entries.empty() && each != kind) entries += formatted(" --pipeline {}", name_of(each));
  }
  diagnostics.remark(
      DiagnosticKind::RplEntryMissing, SourceLocation::in_file(options.rpl.files.front()),
      formatted("without entry points only metadata is written; {}",
                entries.empty() ? "`--entry STAGE=FUNCTION` names one" : formatted("add `{}`", entries.substr(1))));
}

void compile_one(const CompileVerbOptions& options, RplInput& input, rpl::CompileTimes& times,
                 Diagnostics& diagnostics) {
  input.compile.stem = options.output.empty() || options.output == "-" ? Path(options.rpl.files.front()).stem().string()
                                                                       : Path(options.output).filename().string();
  rpl::Compiler compiler;
  const std::optional<rpl::Compiled> made =
      compiler.compile(input.program, input.assignment, input.compile, diagnostics, &times);
  if (!made || diagnostics.has_errors()) return;
  note_entries(options, input, diagnostics);
  std::vector<CompiledFile> outputs;
  for (const std::string& kind : kinds_of(options)) {
    emit(kind, options, input, compiler, *made, outputs, diagnostics);
  }
  if (options.header) {
    const std::string path = options.header->empty() ? options.output + ".hpp" : *options.header;
    outputs.push_back({path, rpl::emit_header(*compiler.resolved(), header_namespace(options)), {}});
  }
  check_paths(outputs, options, diagnostics);
  if (options.rpl.style.strict && diagnostics.warnings() != 0) return;  // they are errors
  if (!diagnostics.has_errors()) write_outputs(outputs, diagnostics);
}

void compile_variants(const CompileVerbOptions& options, const RplInput& input, rpl::VariantOptions& variants,
                      Diagnostics& diagnostics) {
  variants.emit = true;
  variants.keep_values = !options.pack.empty();
  const std::optional<rpl::Variants> made = rpl::find_variants(input.program, variants, diagnostics);
  if (!made || diagnostics.has_errors() || (options.rpl.style.strict && diagnostics.warnings() != 0)) return;
  std::vector<CompiledFile> outputs;
  if (!options.output.empty()) add_variant_files(options.output, input.program, *made, outputs);
  if (!options.pack.empty()) {
    rpl_c::PackWriter writer;
    writer.add(Path(options.rpl.files.front()).stem().string(), input.program, *made);
    add_pack(options.pack, writer, outputs, diagnostics);
  }
  const std::string summary = rpl::summary_text(input.program, variants, *made);
  if (!options.page.empty())
    outputs.push_back({options.page, variants_page(options.rpl.files, summary, input.program, *made), {}});
  write_outputs(outputs, diagnostics);
  if (!diagnostics.has_errors() && !options.rpl.style.json) print(summary);
}

int compile_project_verb(const CompileVerbOptions& options, const Arguments& arguments) {
  Diagnostics diagnostics;
  check_project_usage(options.rpl, arguments, diagnostics);
  if ((options.output.empty() && options.pack.empty()) || options.output == "-") {
    diagnostics.error(DiagnosticKind::Usage, {},
                      "a project file needs a directory, `-o DIRECTORY`, or a file, `--pack FILE`");
  }
  if (!options.page.empty())
    diagnostics.error(DiagnosticKind::Usage, {},
                      "`--html` shows the variants of one program, and a project has several");
  const std::string summary =
      diagnostics.has_errors() ? "" : compile_project(options.rpl, options.output, options.pack, diagnostics);
  const int status = report_rpl(diagnostics, options.rpl, nullptr, 0);
  if (status == 0 && !options.rpl.style.json) print(summary);
  return status;
}

}  // namespace

int compile_verb(const Arguments& arguments) {
  CompileVerbOptions options;
  CommandLine line("slipway compile", "Compiles a program of the Render Pipeline Language.",
                   "slipway compile pass.rpl material.rpl --entry vertex=vertex_main --entry fragment=fragment_main "
                   "-o out");
  add_rpl_options(line, options.rpl);
  line.add_option("-o,--output", options.output,
                  "write PATH.spv, PATH.json...; `-` is standard output; with variants a directory");
  line.add_option("--emit", options.emit,
                  "spirv, spirv-asm, meta, header, ast or resolved, repeatable (spirv and meta; without `-o` meta)")
      .repeatable()
      .choices(std::vector<std::string>(kKinds.begin(), kKinds.end()));
  line.add_option(
      "--pack", options.pack,
      "write all variants, of a project all of its programs, into this file, which slipway/rpl_pack.h reads");
  line.add_option("--html", options.page, "with --variants: also write a page of the variants to this file");
  line.add_flag("--header", options.header, "PATH",
                "also write a C++ header of the memory layouts (PATH.hpp, from --output)");
  line.add_option("--header-namespace", options.header_namespace,
                  "the namespace of the header (rpl_ and the name of the file)");
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  if (std::ranges::any_of(options.rpl.files, is_project_file)) return compile_project_verb(options, arguments);

  Diagnostics diagnostics;
  rpl::CompileTimes times;
  double parse_time = 0;
  check_usage(options, diagnostics);
  refuse_directories(
      options.rpl.files, "compile", [](const Content& content) { return is_rpl_project(content) || is_rpl(content); },
      diagnostics);
  if (!diagnostics.has_errors() && !refuse_other_formats(options, false, diagnostics)) {
    if (std::optional<RplInput> input = load_rpl(options.rpl, diagnostics); !input) {
      refuse_other_formats(options, true, diagnostics);
    } else {
      parse_time = input->parse_time;
      std::optional<rpl::VariantOptions> variants =
          variant_settings(options.rpl, *input, !options.pack.empty(), diagnostics);
      if (variants && !diagnostics.has_errors()) {
        compile_variants(options, *input, *variants, diagnostics);
      } else if (!diagnostics.has_errors()) {
        compile_one(options, *input, times, diagnostics);
      }
    }
  }
  return report_rpl(diagnostics, options.rpl, options.rpl.time ? &times : nullptr, parse_time);
}

}  // namespace slipway::cli
