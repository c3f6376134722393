// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway check` and `slipway inspect` on shaders and graphs: SPIR-V modules, and sources that are compiled first.
#include <algorithm>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/confine.hpp"
#include "cli/model/verbs.hpp"
#include "cli/option_groups.hpp"
#include "cli/rpl/verbs.hpp"
#include "shader/cache.hpp"
#include "shader/guess.hpp"
#include "shader/write_reflection.hpp"
#include "spirv/reflect/reflect.hpp"
#include "spirv/tools.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/read/read_spirv.hpp"

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
  if (is_confined()) {
    std::vector<Path> directories = {compile.directory};
    directories.append_range(compile.include_dirs);
    compile.read_file = shader::reader_below(std::move(directories));
  }
  auto compiled = diagnostics.take(shader::compile_cached(
      cache_of(options.no_cache), make_source(file, std::string(text_of(mapped->bytes()))), guess->language, compile));
  if (!compiled) return std::nullopt;
  diagnostics.add(std::move(compiled->warnings));
  auto module = diagnostics.take(spirv::read_module(std::move(compiled->words), file));
  return module ? std::optional(InspectedShader{std::move(*module), guess->language}) : std::nullopt;
}

void add_source_options(CommandLine& line, InspectShaderOptions& options) {
  line.add_report_options(options.style);
  line.add_option("files", options.files, "SPIR-V modules and shader sources").required();
  line.add_option("--entry", options.entry, "the entry point of a source in HLSL (the one that the text suggests)");
  add_build_options(line, options.build_options);
  add_cache_option(line, options.no_cache);
}

// Everything that a module says without resources: the rules of SPIR-V, and of TOSA in its graphs.
void check(const spirv::Module& module, Diagnostics& diagnostics) {
  const auto reflection = diagnostics.take(spirv::reflect(module));
  // Kernels of OpenCL follow other rules than shaders.
  const bool is_vulkan =
      reflection && std::ranges::none_of(reflection->entry_points, [](const spirv::EntryPoint& entry) {
        return entry.stage == spirv::Stage::Kernel;
      });
  const auto environment = is_vulkan ? spirv::Environment::Vulkan13 : spirv::Environment::Universal16;
  if (!spirv::check_module(module.words(), module.name(), diagnostics, environment) || !reflection) return;
  for (const spirv::EntryPoint& entry : reflection->entry_points) {
    if (entry.stage != spirv::Stage::Graph) continue;
    if (auto graph = tosa::read_graph(module, entry.name, diagnostics)) tosa::verify(*graph, diagnostics);
  }
}

}  // namespace

bool is_spirv(const Content& content) {
  return content.starts_with("\x03\x02\x23\x07") || content.starts_with("\x07\x23\x02\x03");  // either byte order
}

// Models as text may have shaders in their attributes.
bool is_shader(const Content& content) {
  // Files with numbers may contain any words, too.
  const bool is_binary = std::ranges::any_of(content.bytes, [](std::byte byte) {
    const int c = std::to_integer<int>(byte);
    return c < ' ' && (c < '\t' || c > '\r');
  });
  return !is_binary && !content.directory && !is_spirv(content) && content.keys.empty() &&
         !is_graph_text_file(content) && !is_mlir_file(content) &&
         shader::guess(content.path, content.bytes).has_value();
}

int check_spirv(const Arguments& arguments) {
  InspectShaderOptions options;
  CommandLine line("slipway check",
                   "Finds every error in shaders and graphs: SPIR-V, or GLSL, HLSL and SPIR-V assembly, which are "
                   "compiled.",
                   "slipway check examples/blur/blur.comp");
  add_source_options(line, options);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& file : options.files) {
    if (const auto read = read_shader(options, file, diagnostics)) check(read->module, diagnostics);
  }
  return report_check(diagnostics, options.style, options.files);
}

int inspect_spirv(const Arguments& arguments) {
  InspectShaderOptions options;
  CommandLine line("slipway inspect",
                   "Shows the entry points, bindings, push constants, workgroup sizes and capabilities of a shader: "
                   "SPIR-V, or GLSL, HLSL and SPIR-V assembly, which are compiled.",
                   "slipway inspect examples/blur/blur.comp");
  add_source_options(line, options);
  line.add_flag("--asm", options.assembly, "print the whole module as assembly");
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
