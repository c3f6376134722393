// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads the code of kernels (docs/spec/recipe.md#module-kinds).

#include <algorithm>

#include "base/elf.hpp"
#include "base/format.hpp"
#include "base/system/paths/confined_file.hpp"
#include "recipe/backends/opencl/kernel.hpp"
#include "recipe/plan/parts.hpp"
#include "shader/cache.hpp"
#include "spirv/tools.hpp"
#include "vgf/vgf.hpp"
#include "zeinfo/zebin/container_diagnostics.hpp"
#include "zeinfo/zebin/elf.hpp"
#include "zeinfo/zebin/zebin.hpp"

namespace slipway::recipe {
namespace {

using json::Value;

std::optional<KernelModuleKind> kind_of(const std::string& key, Bytes bytes) {
  if (spirv::is_spirv(bytes)) return KernelModuleKind::SpirvShader;
  const std::string extension = Path(key).extension().string();
  if (extension == ".comp" || extension == ".glsl") return KernelModuleKind::Glsl;
  if (extension == ".rpl") return KernelModuleKind::Rpl;
  if (extension == ".cl") return KernelModuleKind::OpenClC;
  if (vgf::is_vgf(bytes)) return KernelModuleKind::Vgf;
  if (is_elf(bytes)) return KernelModuleKind::Zebin;
  return std::nullopt;
}

// Adds the location in the recipe that names the module to a diagnostic about the module.
Diagnostic named_by(Diagnostic problem, Value named_at) {
  if (problem.location.kind == SourceLocation::Kind::None) {
    problem.location = named_at.location();
    return std::move(problem.at(named_at.pointer()));
  }
  return std::move(problem.note("the recipe names it here", named_at.location()));
}

std::optional<spirv::Words> compile_glsl(const Artifact& artifact, Value at, const Artifacts& artifacts,
                                         const Cache& cache, Diagnostics& diagnostics) {
  shader::Options options{.directory = artifact.path.parent_path()};
  if (artifacts.is_in_memory()) {
    options.read_file = [&artifacts](const Path& path) {
      return artifacts.open(path.string()).transform([](const Artifact& include) {
        return std::string(text_of(include.bytes));
      });
    };
  }
  if (!artifacts.is_in_memory() && !artifacts.allows_outside()) {
    options.read_file = [&artifacts](const Path& path) {
      Result<std::string> text = read_text_below(artifacts.directory(), path);
      if (text || text.error().at(0).kind != DiagnosticKind::PathOutside) return text;
      return Result<std::string>(
          fail(Diagnostic{.kind = DiagnosticKind::PathOutside,
                          .message = formatted("{} is outside of the artifact directory", path.string())}
                   .hint("`--allow-outside` permits it")));
    };
  }
  const SourcePtr source = make_source(artifact.name, std::string(text_of(artifact.bytes)));
  Result<shader::Compiled> compiled = shader::compile_cached(cache, source, shader::Language::Glsl, options);
  if (!compiled) {
    for (Diagnostic& problem : compiled.error()) diagnostics.add(named_by(std::move(problem), at));
    return std::nullopt;
  }
  for (Diagnostic& warning : compiled->warnings) diagnostics.add(named_by(std::move(warning), at));
  return std::move(compiled->words);
}

std::nullopt_t refuse(const ModuleName& name, DiagnosticKind kind, std::string message, Diagnostics& diagnostics) {
  diagnostics.add(json::problem(name.at, kind, std::move(message)));
  return std::nullopt;
}

// The SPIR-V that an Intel GPU binary carries, from which any OpenCL device can build its kernels again.
std::optional<zebin::SpirvPart> spirv_of_zebin(const Artifact& artifact, const ModuleName& name,
                                               Diagnostics& diagnostics) {
  Diagnostics found;
  zebin::ContainerDiagnostics problems(artifact.name, found);
  const auto elf = zebin::read_elf(artifact.bytes, problems);
  for (Diagnostic& problem : found.release()) {
    if (problem.severity == Severity::Error) diagnostics.add(named_by(std::move(problem), name.at));
  }
  if (!elf) return std::nullopt;
  auto part = zebin::spirv_of(*elf);
  if (part) return part;
  return refuse(
      name, DiagnosticKind::KernelModule,
      formatted("module `{}` has no `.spv` section: its kernels cannot be built for another device", name.key),
      diagnostics);
}

}  // namespace

std::optional<LoadedModule> load_module(const ModuleName& name, const Artifacts& artifacts, const Cache& cache,
                                        Diagnostics& diagnostics) {
  const Result<Artifact> artifact = artifacts.open(name.key);
  if (!artifact) {
    for (Diagnostic problem : artifact.error()) diagnostics.add(named_by(std::move(problem), name.at));
    return std::nullopt;
  }
  const auto kind = kind_of(name.key, artifact->bytes);
  if (!kind) {
    return refuse(
        name, DiagnosticKind::FileFormat,
        formatted("module `{}` is neither SPIR-V, GLSL (.comp, .glsl), RPL (.rpl), OpenCL C (.cl), VGF nor zebin",
                  name.key),
        diagnostics);
  }
  if (*kind == KernelModuleKind::Rpl || *kind == KernelModuleKind::Vgf || *kind == KernelModuleKind::OpenClC)
    return LoadedModule{*kind, std::nullopt, *artifact, {}};
  std::optional<spirv::Words> words;
  if (*kind == KernelModuleKind::Glsl) {
    words = compile_glsl(*artifact, name.at, artifacts, cache, diagnostics);
    if (!words) return std::nullopt;
  }
  Bytes bytes = artifact->bytes;
  std::vector<zebin::SpecConstant> constants;
  if (*kind == KernelModuleKind::Zebin) {
    auto part = spirv_of_zebin(*artifact, name, diagnostics);
    if (!part) return std::nullopt;
    bytes = part->module;
    constants = std::move(part->constants);
  }
  Result<spirv::Module> module =
      words ? spirv::read_module(std::move(*words), artifact->name) : spirv::read_module(bytes, artifact->name);
  if (!module) {
    for (Diagnostic& problem : module.error()) diagnostics.add(named_by(std::move(problem), name.at));
    return std::nullopt;
  }
  LoadedModule loaded{*kind, std::move(*module), std::nullopt, std::move(constants)};
  if (opencl::is_kernel_module(*loaded.module)) {  // the driver checks the module when it builds it
    loaded.kind = KernelModuleKind::SpirvKernel;
    return loaded;
  }
  const auto reflection = spirv::reflect(*loaded.module);
  if (!reflection) {
    for (Diagnostic problem : reflection.error()) diagnostics.add(named_by(std::move(problem), name.at));
    return std::nullopt;
  }
  if (loaded.kind == KernelModuleKind::SpirvShader) {
    Diagnostics found;
    const bool valid = spirv::check_module(loaded.module->words(), artifact->name, found);
    for (Diagnostic& problem : found.release()) diagnostics.add(named_by(std::move(problem), name.at));
    if (!valid) return std::nullopt;
  }
  return loaded;
}

}  // namespace slipway::recipe
