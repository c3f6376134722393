// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of RPL programs and of VGF models (docs/spec/recipe.md#module-kinds).
#include <algorithm>

#include "base/format.hpp"
#include "recipe/plan/parts.hpp"
#include "rpl/compile.hpp"
#include "shader/compile.hpp"
#include "vgf/read.hpp"

namespace slipway::recipe {
namespace {

std::nullopt_t refuse(const Kernel& kernel, std::string_view key, DiagnosticKind kind, std::string message,
                      Diagnostics& diagnostics) {
  diagnostics.add(problem_at(kernel.at, key, kind, std::move(message)));
  return std::nullopt;
}

// --- RPL ---

// Functions without arguments and result, which can be entry points.
std::vector<std::string> entry_candidates(const rpl::Program& program) {
  std::vector<std::string> names;
  for (const rpl::Item& item : program.items) {
    if (item.kind != rpl::ItemKind::Function || item.arguments.count != 0) continue;
    if (program.names.text(program.types[item.type].name) == "void") names.emplace_back(program.names.text(item.name));
  }
  return names;
}

std::optional<std::string> choose_function(const rpl::Program& program, const Kernel& kernel,
                                           Diagnostics& diagnostics) {
  if (!kernel.entry.empty()) return kernel.entry;
  const std::vector<std::string> candidates = entry_candidates(program);
  if (std::ranges::contains(candidates, kernel.instance)) return kernel.instance;
  if (candidates.size() == 1) return candidates.front();
  std::string list;
  for (const std::string& name : candidates) list += formatted("{}`{}`", list.empty() ? "" : ", ", name);
  return refuse(
      kernel, "name", DiagnosticKind::KernelEntry,
      list.empty()
          ? formatted("the module of kernel `{}` has no function that can be an entry point", kernel.name)
          : formatted("kernel `{}` needs `entry` with the name of a function; its module has {}", kernel.name, list),
      diagnostics);
}

std::optional<KernelCode> compile_rpl(const Artifact& artifact, const Kernel& kernel, Diagnostics& diagnostics) {
  const SourcePtr source = make_source(artifact.name, std::string(text_of(artifact.bytes)));
  const rpl::Program program = rpl::parse(rpl::modules_of({source}, false), diagnostics);
  if (!program.valid) return std::nullopt;
  const auto function = choose_function(program, kernel, diagnostics);
  if (!function) return std::nullopt;
  rpl::Compiler compiler;
  auto compiled = compiler.compile(
      program, {},
      {.entry_points = {{rpl::Stage::Compute, *function}}, .resolve = {.pipeline = rpl::PipelineKind::Compute}},
      diagnostics);
  if (!compiled || compiled->modules.empty()) return std::nullopt;
  auto module = diagnostics.take(spirv::read_module(std::move(compiled->modules.front().words), artifact.name));
  if (!module) return std::nullopt;
  return KernelCode{std::move(*module), *function, std::nullopt};
}

// --- VGF ---

std::optional<spirv::Module> code_of(const vgf::Module& module, const Artifact& artifact, const Kernel& kernel,
                                     Diagnostics& diagnostics) {
  const std::string name = formatted("{} module `{}`", artifact.name, module.name);
  if (!module.words.empty()) return diagnostics.take(spirv::read_module(module.words, name));
  if (module.text.empty()) {
    return refuse(kernel, "entry", DiagnosticKind::KernelModule,
                  formatted("module `{}` has no code; an application has to supply it", module.name), diagnostics);
  }
  const auto language = module.code == vgf::CodeKind::Glsl ? shader::Language::Glsl : shader::Language::Hlsl;
  auto compiled = shader::compile(
      make_source(name, std::string(module.text)), language,
      {.entry = std::string(module.entry_point), .read_file = [](const Path& path) {
         return Result<std::string>(fail(DiagnosticKind::FileNotFound, {},
                                         formatted("a shader in a VGF file cannot include files, but this one "
                                                   "includes {}",
                                                   path.string())));
       }});
  if (!compiled) {
    diagnostics.add(std::move(compiled.error()));
    return std::nullopt;
  }
  return diagnostics.take(spirv::read_module(std::move(compiled->words), name));
}

std::optional<KernelCode> take_from_vgf(const Artifact& artifact, const Kernel& kernel, Diagnostics& diagnostics) {
  const auto file = vgf::read_vgf(artifact.bytes, artifact.name, diagnostics);
  if (!file) return std::nullopt;
  std::string list;
  for (const vgf::Module& module : file->modules) {
    if (module.kind == vgf::ModuleKind::Compute) list += formatted("{}`{}`", list.empty() ? "" : ", ", module.name);
  }
  const auto module = std::ranges::find_if(file->modules, [&](const vgf::Module& one) {
    return one.kind == vgf::ModuleKind::Compute && one.name == kernel.entry;
  });
  if (module == file->modules.end()) {
    return refuse(kernel, "entry", DiagnosticKind::KernelEntry,
                  formatted("{} has no compute module `{}`; it has {}", artifact.name, kernel.entry,
                            list.empty() ? "none" : list),
                  diagnostics);
  }
  auto code = code_of(*module, artifact, kernel, diagnostics);
  if (!code) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(module - file->modules.begin());
  const auto segment = std::ranges::find(file->segments, index, &vgf::Segment::module);
  const bool dispatches = segment != file->segments.end() && segment->dispatch;
  return KernelCode{std::move(*code), std::string(module->entry_point),
                    dispatches ? std::optional<Grid>(*segment->dispatch) : std::nullopt};
}

}  // namespace

std::optional<KernelCode> take_kernel(const LoadedModule& loaded, const Kernel& kernel, Diagnostics& diagnostics) {
  return loaded.kind == KernelModuleKind::Rpl ? compile_rpl(*loaded.artifact, kernel, diagnostics)
                                              : take_from_vgf(*loaded.artifact, kernel, diagnostics);
}

}  // namespace slipway::recipe
