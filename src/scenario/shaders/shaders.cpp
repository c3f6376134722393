// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/shaders/shaders.hpp"

#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "base/parallel.hpp"
#include "json/record.hpp"
#include "launch/plan/specialization.hpp"
#include "scenario/contents/input_file.hpp"
#include "scenario/paths.hpp"
#include "scenario/rpl/shader.hpp"
#include "scenario/shaders/shader_source.hpp"
#include "shader/cache.hpp"
#include "shader/dxc.hpp"
#include "spirv/module.hpp"
#include "spirv/tools.hpp"
#include "tensor/element.hpp"

namespace slipway::scenario {
namespace {

spirv::Stage stage_of(ShaderStage stage) {
  switch (stage) {
    case ShaderStage::Compute:
      return spirv::Stage::Compute;
    case ShaderStage::Vertex:
      return spirv::Stage::Vertex;
    case ShaderStage::Fragment:
      return spirv::Stage::Fragment;
  }
  std::unreachable();
}

// The member that a diagnostic is about, or the beginning of the object that lacks it.
Diagnostic problem_in(const Shader& shader, std::string_view key, DiagnosticKind kind, std::string message) {
  if (const json::Value member = shader.at[key]) return json::problem(member, kind, std::move(message));
  Diagnostic problem = json::problem(shader.at, kind, std::move(message));
  problem.location = shader.at.opening();
  return problem;
}

// Include directories are relative to the scenario's directory; one that is absent there but present relative to the
// current directory is used with a warning (docs/spec/scenario.md#decision-4).
Path include_directory(const Scenario& scenario, const std::string& name, json::Value at, Diagnostics& diagnostics) {
  Path directory = source_path(scenario, name);
  if (directory_exists(directory) || !directory_exists(name)) return directory;
  diagnostics.add(json::problem(at, DiagnosticKind::DeprecatedForm,
                                formatted("`{}` is found in the current directory only, and taken from there; include "
                                          "directories count from the scenario file",
                                          name),
                                Severity::Warning));
  return name;
}

std::optional<shader::Options> compile_options(const Scenario& scenario, const Shader& shader,
                                               Diagnostics& diagnostics) {
  shader::Options options{.stage = stage_of(shader.stage), .entry = shader.entry};
  options.directory = shader.src.empty() ? scenario.directory : source_path(scenario, shader.src).parent_path();
  const json::Value build_options = shader.at["build_options"];
  if (!shader.build_options.empty()) {
    auto parsed = shader::parse_build_options(shader.build_options, build_options.location());
    if (!parsed) {
      for (Diagnostic& problem : parsed.error()) {
        diagnostics.add(std::move(problem.at(build_options.pointer(), shader.uid)));
      }
      return std::nullopt;
    }
    options.macros = std::move(parsed->macros);
    for (const Path& directory : parsed->include_dirs) {
      options.include_dirs.push_back(include_directory(scenario, directory.string(), build_options, diagnostics));
    }
  }
  const json::Value directories = shader.at["include_dirs"];
  for (std::size_t i = 0; i < shader.include_dirs.size(); ++i) {
    options.include_dirs.push_back(include_directory(scenario, shader.include_dirs[i], directories[i], diagnostics));
  }
  options.read_file = [&scenario](const Path& path) { return read_input(scenario, path); };
  return options;
}

std::optional<spirv::Words> words_of(const Scenario& scenario, const Shader& shader, const ShaderSource& source,
                                     const ShaderOptions& options, Diagnostics& diagnostics) {
  const auto compile = compile_options(scenario, shader, diagnostics);
  if (!compile) return std::nullopt;
  auto compiled = options.dxc && source.type == ShaderType::Hlsl
                      ? shader::compile_with_dxc(source.text, *compile)
                      : shader::compile_cached(options.cache, source.text, language_of(source.type), *compile);
  if (!compiled) {
    for (Diagnostic& problem : compiled.error()) diagnostics.add(in_scenario(std::move(problem), shader, source));
    return std::nullopt;
  }
  for (Diagnostic& warning : compiled->warnings) diagnostics.add(in_scenario(std::move(warning), shader, source));
  return std::move(compiled->words);
}

// The code of a shader resource, read and validated.
struct Code {
  spirv::Module module;
  std::shared_ptr<const rpl::Metadata> metadata;  // of RPL
};

std::optional<Code> code_of(const Scenario& scenario, const Shader& shader, const ShaderOptions& options,
                            Diagnostics& diagnostics) {
  const auto source = open_shader(scenario, shader, diagnostics);
  if (!source) return std::nullopt;
  const auto take = [&]<class T>(Result<T> result) -> std::optional<T> {
    if (result) return std::move(*result);
    for (Diagnostic& problem : result.error()) diagnostics.add(in_scenario(std::move(problem), shader, *source));
    return std::nullopt;
  };
  std::optional<spirv::Module> module;
  std::shared_ptr<const rpl::Metadata> metadata;
  if (source->type == ShaderType::Spirv) {
    module = take(spirv::read_module(source->file->bytes(), source->name));
  } else if (source->type == ShaderType::Rpl) {
    auto compiled = compile_rpl(scenario, shader, *source, diagnostics);
    if (!compiled) return std::nullopt;
    metadata = std::move(compiled->metadata);
    module = take(spirv::read_module(std::move(compiled->words), source->name));
  } else if (auto words = words_of(scenario, shader, *source, options, diagnostics)) {
    module = take(spirv::read_module(std::move(*words), source->name));
  }
  if (!module) return std::nullopt;
  Diagnostics found;
  const bool valid = spirv::check_module(module->words(), source->name, found);
  for (Diagnostic& problem : found.release()) diagnostics.add(in_scenario(std::move(problem), shader, *source));
  if (!valid) return std::nullopt;
  return Code{std::move(*module), std::move(metadata)};
}

// The entry points of a plan's shaders: two for an RPL graphics pipeline, otherwise one.
struct EntryName {
  std::string_view name;
  spirv::Stage stage;
};
std::vector<EntryName> entry_names(const Shader& shader) {
  if (!shader.entry_points) return {{shader.entry, stage_of(shader.stage)}};
  std::vector<EntryName> names = {{shader.entry_points->vertex, spirv::Stage::Vertex}};
  if (!shader.entry_points->fragment.empty()) names.push_back({shader.entry_points->fragment, spirv::Stage::Fragment});
  return names;
}

// The entry point that the resource names. A graph matches any `stage`: modules of `dispatch_spirv_graph`. Other
// implementations take the only graph of a module under any name.
const spirv::EntryPoint* entry_point_of(const Shader& shader, const EntryName& wanted,
                                        const spirv::Reflection& reflection, Diagnostics& diagnostics) {
  if (const spirv::EntryPoint* found = reflection.find(wanted.name, wanted.stage)) return found;
  if (const spirv::EntryPoint* graph = reflection.find(wanted.name, spirv::Stage::Graph)) return graph;
  if (reflection.entry_points.size() == 1 && reflection.entry_points[0].stage == spirv::Stage::Graph) {
    const spirv::EntryPoint& only = reflection.entry_points[0];
    diagnostics.add(problem_in(shader, "entry", DiagnosticKind::UnknownReference,
                               formatted("the module of shader `{}` has no graph `{}`; its only graph, `{}`, is taken",
                                         shader.uid, wanted.name, only.name))
                        .as_rule());
    return &only;
  }
  std::string others;
  for (const spirv::EntryPoint& entry : reflection.entry_points) {
    others += formatted("{}{} `{}`", others.empty() ? "" : ", ", name_of(entry.stage), entry.name);
  }
  diagnostics.add(problem_in(shader, "entry", DiagnosticKind::UnknownReference,
                             formatted("shader `{}` has no {} entry point `{}`; it has {}", shader.uid,
                                       name_of(wanted.stage), wanted.name, others.empty() ? "none" : others)));
  return nullptr;
}

// The size that the shader declares when the resource states none (docs/spec/scenario.md#decision-15).
std::optional<std::uint32_t> push_constant_size(const Shader& shader, const spirv::EntryPoint& entry,
                                                Diagnostics& diagnostics) {
  const std::uint64_t declared = entry.push_constants ? round_up(entry.push_constants->size, 4) : 0;
  if (shader.push_constants_size == 0) return static_cast<std::uint32_t>(declared);
  if (declared > shader.push_constants_size && entry.push_constants->used) {
    diagnostics.add(
        problem_in(shader, "push_constants_size", DiagnosticKind::OutOfRange,
                   formatted("`push_constants_size` is {}, but the push constant block of shader `{}` has {} "
                             "bytes",
                             shader.push_constants_size, shader.uid, entry.push_constants->size)));
    return std::nullopt;
  }
  return shader.push_constants_size;
}

std::optional<CompiledShader> compile_shader(const Scenario& scenario, const Shader& shader,
                                             const ShaderOptions& options, Diagnostics& diagnostics) {
  const auto code = code_of(scenario, shader, options, diagnostics);
  if (!code) return std::nullopt;
  auto reflection = diagnostics.take(spirv::reflect(code->module));
  if (!reflection) return std::nullopt;
  auto specializations = specializations_of(shader.specialization_constants, formatted("shader `{}`", shader.uid),
                                            *reflection, diagnostics);
  if (specializations && !specializations->empty()) {
    reflection = diagnostics.take(spirv::reflect(code->module, launch::values_of(*specializations)));
    if (!reflection) return std::nullopt;
  }
  const launch::Shader common{.name = shader.uid,
                              .spirv = std::make_shared<const spirv::Words>(std::from_range, code->module.words()),
                              .reflection = std::make_shared<const spirv::Reflection>(std::move(*reflection)),
                              .specializations = specializations.value_or(std::vector<launch::Specialization>()),
                              .origin = {shader.at.location(), shader.at.pointer(), shader.uid}};
  std::vector<launch::Shader> stages;
  for (const EntryName& wanted : entry_names(shader)) {
    const spirv::EntryPoint* entry = entry_point_of(shader, wanted, *common.reflection, diagnostics);
    if (!entry) return std::nullopt;
    const auto push_size = push_constant_size(shader, *entry, diagnostics);
    if (!push_size) return std::nullopt;
    launch::Shader& stage = stages.emplace_back(common);
    stage.entry = entry->name;
    stage.stage = entry->stage;
    stage.push_constant_size = *push_size;
    if (const std::string problem = launch::empty_workgroup(stage); !problem.empty()) {
      diagnostics.add(problem_in(shader, "specialization_constants", DiagnosticKind::OutOfRange, problem));
      return std::nullopt;
    }
  }
  if (!specializations) return std::nullopt;
  CompiledShader compiled{.shader = std::move(stages.front()), .metadata = code->metadata};
  if (stages.size() > 1) compiled.fragment = std::move(stages.back());
  return compiled;
}

}  // namespace

std::map<std::string, CompiledShader, std::less<>> compile_shaders(const Scenario& scenario,
                                                                   std::span<const Shader* const> shaders,
                                                                   const ShaderOptions& options,
                                                                   Diagnostics& diagnostics) {
  struct Job {
    Diagnostics diagnostics;
    std::optional<CompiledShader> result;
  };
  std::vector<Job> jobs(shaders.size());
  parallel_for(jobs.size(), [&](std::size_t i) {
    jobs[i].result = compile_shader(scenario, *shaders[i], options, jobs[i].diagnostics);
  });
  std::map<std::string, CompiledShader, std::less<>> compiled;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    diagnostics.add(jobs[i].diagnostics.release());
    if (jobs[i].result) compiled.emplace(shaders[i]->uid, std::move(*jobs[i].result));
  }
  return compiled;
}

std::optional<launch::Specialization> specialize(const SpecializationConstant& constant,
                                                 const spirv::SpecializationConstant& declared,
                                                 Diagnostics& diagnostics) {
  const json::Value value = constant.value;
  tensor::Number number = value.is(json::Type::Bool) ? tensor::Number(std::int64_t{value.boolean()}) : value.number();
  if (!tensor::is_float(declared.type)) {
    if (const auto integer = value.is(json::Type::Number) ? value.integer() : std::nullopt)
      number = *integer;
    else if (const auto large = value.is(json::Type::Number) ? value.unsigned_integer() : std::nullopt)
      number = *large;
  }
  // Vulkan represents booleans as 32-bit words.
  const bool boolean = declared.type == tensor::ElementType::Bool;
  std::vector<std::byte> bytes(boolean ? 4 : tensor::size_of(declared.type));
  if (const tensor::Stored stored = tensor::store_number(declared.type, number, bytes.data()); !stored) {
    diagnostics.add(json::problem(value, DiagnosticKind::OutOfRange,
                                  formatted("specialization constant {}{} is declared as {}: {}", constant.id,
                                            declared.name.empty() ? "" : formatted(" (`{}`)", declared.name),
                                            tensor::name_of(declared.type), stored.error())));
    return std::nullopt;
  }
  return launch::Specialization{.id = constant.id, .bytes = std::move(bytes)};
}

std::optional<std::vector<launch::Specialization>> specializations_of(std::span<const SpecializationConstant> constants,
                                                                      const std::string& subject,
                                                                      const spirv::Reflection& reflection,
                                                                      Diagnostics& diagnostics) {
  std::vector<launch::Specialization> all;
  bool ok = true;
  for (const SpecializationConstant& constant : constants) {
    const auto declared =
        std::ranges::find(reflection.specialization_constants, constant.id, &spirv::SpecializationConstant::spec_id);
    if (declared == reflection.specialization_constants.end()) {
      diagnostics.add(
          json::problem(constant.at["id"], DiagnosticKind::UnknownReference,
                        formatted("{} has no specialization constant {}; this one has no effect", subject, constant.id),
                        Severity::Warning));
    } else if (auto one = specialize(constant, *declared, diagnostics)) {
      all.push_back(std::move(*one));
    } else {
      ok = false;
    }
  }
  if (!ok) return std::nullopt;
  return all;
}

}  // namespace slipway::scenario
