// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of modules in models: SPIR-V of the file, or compiled from its GLSL or HLSL.

#include "model/plan/module_code.hpp"
#include "base/format.hpp"
#include "launch/plan/specialization.hpp"
#include "model/plan/plan_model.hpp"
#include "shader/cache.hpp"
#include "spirv/tools.hpp"
#include "vgf/check.hpp"
#include "vgf/read.hpp"

namespace slipway::model {
namespace {

// The name of a module in messages of compilers and validators.
std::string display_name(const vgf::File& file, const vgf::Module& module) {
  return formatted("{} module `{}`", file.name, module.name);
}

// A model is one file; a shader in it that includes another file would make its contents part of a message.
Result<std::string> refuse_include(const Path& path) {
  return fail(DiagnosticKind::FileNotFound, {},
              formatted("a shader in a VGF file cannot include files, but this one includes {}", path.string()));
}

std::optional<spirv::Words> compile(const vgf::File& file, const vgf::Module& module, const Cache& cache,
                                    Diagnostics& diagnostics) {
  const bool glsl = module.code == vgf::CodeKind::Glsl;
  if (glsl && module.entry_point != "main") {
    diagnostics.error(DiagnosticKind::UnknownValue, file.location(module.range),
                      formatted("GLSL is required to have an entrypoint of 'main', but that of module `{}` is `{}`",
                                module.name, module.entry_point));
    return std::nullopt;
  }
  const SourcePtr source = make_source(display_name(file, module), std::string(module.text));
  auto compiled = diagnostics.take(shader::compile_cached(
      cache, source, glsl ? shader::Language::Glsl : shader::Language::Hlsl,
      {.stage = spirv::Stage::Compute, .entry = std::string(module.entry_point), .read_file = refuse_include}));
  if (!compiled) return std::nullopt;
  diagnostics.add(std::move(compiled->warnings));
  return std::move(compiled->words);
}

std::shared_ptr<const ModelFile> read_and_check(std::shared_ptr<ModelFile> file, Bytes bytes, const std::string& name,
                                                bool is_converted, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  std::optional<vgf::File> read = vgf::read_vgf(bytes, name, diagnostics);
  if (!read) return nullptr;
  file->vgf = std::move(*read);
  file->vgf.is_converted = is_converted;
  vgf::check_vgf(file->vgf, diagnostics);
  return diagnostics.errors() == before ? file : nullptr;
}

}  // namespace

std::shared_ptr<const ModelFile> open_model(const Path& path, const std::string& name, Diagnostics& diagnostics) {
  std::optional<MappedFile> bytes = diagnostics.take(map_file(path));
  return bytes ? open_model(std::move(*bytes), name, diagnostics) : nullptr;
}

std::shared_ptr<const ModelFile> open_model(MappedFile bytes, const std::string& name, Diagnostics& diagnostics) {
  auto file = std::make_shared<ModelFile>(std::move(bytes), vgf::File{});
  const Bytes all = file->bytes.bytes();
  return read_and_check(std::move(file), all, name, false, diagnostics);
}

std::shared_ptr<const ModelFile> open_model(std::vector<std::byte> bytes, const std::string& name,
                                            Diagnostics& diagnostics, bool is_converted, DeclaredInterface declared) {
  auto file = std::make_shared<ModelFile>(MappedFile(), vgf::File{}, std::move(bytes), std::move(declared));
  const Bytes all = file->made;
  return read_and_check(std::move(file), all, name, is_converted, diagnostics);
}

std::optional<spirv::Words> module_words(const ModelFile& file, std::uint32_t index, const Cache& cache,
                                         Diagnostics& diagnostics) {
  const vgf::Module& module = file.vgf.modules[index];
  if (module.is_placeholder()) {
    diagnostics.error(
        DiagnosticKind::Unsupported, file.vgf.location(module.range),
        formatted("module `{}`: No shader module present and no shader substituion defined.", module.name));
    return std::nullopt;
  }
  if (module.words.empty()) return compile(file.vgf, module, cache, diagnostics);
  const auto read = diagnostics.take(spirv::read_module(module.words, display_name(file.vgf, module)));
  if (!read) return std::nullopt;
  return spirv::Words(read->words().begin(), read->words().end());
}

void check_code(const vgf::File& file, const Cache& cache, Diagnostics& diagnostics) {
  for (const vgf::Module& module : file.modules) {
    if (module.is_placeholder() || !module.words.empty()) continue;
    const auto words = compile(file, module, cache, diagnostics);
    if (!words) continue;
    spirv::check_module(*words, display_name(file, module), diagnostics);
  }
}

std::optional<launch::Shader> module_shader(const ModelFile& file, std::uint32_t index, spirv::Words words,
                                            std::vector<launch::Specialization> specializations,
                                            std::uint32_t push_constant_size, Diagnostics& diagnostics) {
  const vgf::Module& module = file.vgf.modules[index];
  const std::string name = display_name(file.vgf, module);
  if (!spirv::check_module(words, name, diagnostics)) return std::nullopt;
  const launch::Shader shader{.name = std::string(module.name),
                              .spirv = std::make_shared<const spirv::Words>(std::move(words)),
                              .reflection = nullptr,
                              .entry = std::string(module.entry_point),
                              .stage = spirv::Stage::Compute,
                              .specializations = {},
                              .origin = {file.vgf.location(module.range)}};
  return respecialize(shader, std::move(specializations), push_constant_size, diagnostics);
}

std::optional<launch::Shader> respecialize(launch::Shader shader, std::vector<launch::Specialization> specializations,
                                           std::uint32_t push_constant_size, Diagnostics& diagnostics) {
  const auto module = diagnostics.take(spirv::read_module(spirv::Words(*shader.spirv), shader.name));
  auto reflection =
      module ? diagnostics.take(spirv::reflect(*module, launch::values_of(specializations))) : std::nullopt;
  if (!reflection) return std::nullopt;
  const spirv::EntryPoint* entry = reflection->find(shader.entry, shader.stage);
  if (!entry) {
    diagnostics.error(
        DiagnosticKind::UnknownReference, shader.origin.location(),
        formatted("module `{}` has no {} entry point `{}`", shader.name, name_of(shader.stage), shader.entry));
    return std::nullopt;
  }
  const std::uint64_t declared = entry->push_constants ? round_up(entry->push_constants->size, 4) : 0;
  if (push_constant_size != 0 && declared > push_constant_size && entry->push_constants->used) {
    diagnostics.error(DiagnosticKind::OutOfRange, shader.origin.location(),
                      formatted("the push constant block of `{}` has {} bytes, but `push_constants_size` is {}",
                                shader.name, entry->push_constants->size, push_constant_size));
    return std::nullopt;
  }
  shader.reflection = std::make_shared<const spirv::Reflection>(std::move(*reflection));
  shader.specializations = std::move(specializations);
  shader.push_constant_size = push_constant_size ? push_constant_size : static_cast<std::uint32_t>(declared);
  return shader;
}

std::optional<ModuleShaders> compile_modules(const ModelFile& file, const Cache& cache, Diagnostics& diagnostics) {
  ModuleShaders shaders;
  bool ok = true;
  for (const vgf::Segment& segment : file.vgf.segments) {
    if (segment.kind != vgf::ModuleKind::Compute || shaders.contains(segment.module)) continue;
    std::optional<launch::Shader> shader;
    if (auto words = module_words(file, segment.module, cache, diagnostics))
      shader = module_shader(file, segment.module, std::move(*words), {}, 0, diagnostics);
    if (shader)
      shaders.emplace(segment.module, std::move(*shader));
    else
      ok = false;
  }
  if (!ok) return std::nullopt;
  return shaders;
}

}  // namespace slipway::model
