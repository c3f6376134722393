// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway inspect` on shaders: SPIR-V modules, and sources that are compiled first.

#include "base/files.hpp"
#include "base/format.hpp"
#include "cli/model/verbs.hpp"
#include "cli/option_groups.hpp"
#include "cli/rpl/verbs.hpp"
#include "shader/cache.hpp"
#include "shader/guess.hpp"
#include "shader/write_reflection.hpp"
#include "spirv/reflect.hpp"
#include "spirv/tools.hpp"

namespace slipway::cli {
namespace {

struct InspectShaderOptions {
  ReportStyle style;
  std::vector<std::string> files;
  std::string entry, build_options;
  bool assembly = false, no_cache = false;
};

// A module and the language that it was written in.
struct InspectedShader {
  spirv::Module module;
  shader::Language language = shader::Language::Spirv;
};

std::optional<InspectedShader> read_shader(const InspectShaderOptions& options, const std::string& file,
                                           Diagnostics& diagnostics) {
  const auto mapped = diagnostics.take(map_file(file));
  if (!mapped) return std::nullopt;
  const auto guess = shader::guess(file, mapped->bytes());
  if (!guess || guess->language == shader::Language::Spirv) {
    auto module = diagnostics.take(spirv::read_module(mapped->bytes(), file));
    return module ? std::optional(InspectedShader{std::move(*module)}) : std::nullopt;
  }
  shader::Options compile{.stage = guess->stage,
                          .entry = options.entry.empty() ? guess->entry : options.entry,
                          .directory = Path(file).parent_path()};
  auto build = diagnostics.take(shader::parse_build_options(options.build_options, {}));
  if (!build) return std::nullopt;
  compile.macros = std::move(build->macros);
  compile.include_dirs = std::move(build->include_dirs);
  auto compiled = diagnostics.take(shader::compile_cached(
      cache_of(options.no_cache), make_source(file, std::string(text_of(mapped->bytes()))), guess->language, compile));
  if (!compiled) return std::nullopt;
  auto module = diagnostics.take(spirv::read_module(std::move(compiled->words), file));
  return module ? std::optional(InspectedShader{std::move(*module), guess->language}) : std::nullopt;
}

}  // namespace

bool is_spirv(const Content& content) {
  return content.starts_with("\x03\x02\x23\x07") || content.starts_with("\x07\x23\x02\x03");  // either byte order
}

// Models as text may have shaders in their attributes.
bool is_shader(const Content& content) {
  return !content.directory && !is_spirv(content) && content.keys.empty() && !is_graph_text_file(content) &&
         !is_mlir_file(content) && shader::guess(content.path, content.bytes).has_value();
}

int inspect_spirv(const Arguments& arguments) {
  InspectShaderOptions options;
  CommandLine line("slipway inspect",
                   "Shows the entry points, bindings, push constants, workgroup sizes and capabilities of a shader: "
                   "SPIR-V, or GLSL, HLSL and SPIR-V assembly, which are compiled.",
                   "slipway inspect examples/blur/blur.comp");
  line.add_report_options(options.style);
  line.add_option("files", options.files, "SPIR-V modules and shader sources").required();
  line.add_option("--entry", options.entry, "the entry point of a source in HLSL (the one that the text suggests)");
  add_build_options(line, options.build_options);
  line.add_flag("--asm", options.assembly, "print the whole module as assembly");
  add_cache_option(line, options.no_cache);
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  Diagnostics diagnostics;
  std::string text;
  std::vector<shader::ReflectedShader> reflected;
  for (const std::string& file : options.files) {
    const auto read = read_shader(options, file, diagnostics);
    if (!read) continue;
    if (options.files.size() > 1) text += formatted("{}:\n", file);
    if (options.assembly) {
      text += diagnostics.take(spirv::disassemble(read->module.words(), file, {.header = true})).value_or("");
    } else if (auto reflection = diagnostics.take(spirv::reflect(read->module))) {
      text += spirv::print_reflection(*reflection);
      reflected.push_back({file, read->language, std::move(*reflection)});
    }
  }
  const int status = report(diagnostics, options.style);
  print(options.style.json && !options.assembly ? shader::reflections_text(reflected) : text);
  return status;
}

}  // namespace slipway::cli
