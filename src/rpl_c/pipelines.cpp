// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl_c/pipelines.hpp"

#include <optional>

#include "base/format.hpp"
#include "rpl/metadata/metadata_json.hpp"
#include "rpl/parse/link.hpp"
#include "rpl_c/host.hpp"
#include "rpl_c/structs.hpp"

namespace slipway::rpl_c {

PipelinePtr share(const PipelinePtr& pipeline) { return PipelinePtr(object_of(rpl_pipeline_retain(pipeline.get()))); }

PipelinePtr make_pipeline_object(rpl::Metadata metadata, std::vector<spirv::Words> code, Diagnostics remarks) {
  auto made = std::make_unique<PipelineObject>();
  made->metadata_values = std::move(metadata);
  made->code = std::move(code);
  made->remarks = std::move(remarks);
  static_cast<rpl_pipeline&>(*made) = {};
  make_pipeline(
      made->arena, made->metadata_values, [&](std::size_t i) -> spirv::WordSpan { return made->code[i]; }, *made);
  return PipelinePtr(made.release());
}

// --- options ---------------------------------------------------------------------------------------------------------

rpl::CompileOptions compile_options(const rpl_variant& variant, Diagnostics& diagnostics) {
  rpl::CompileOptions options;
  options.resolve.pipeline =
      variant.kind == RPL_PIPELINE_KIND_GRAPHICS ? rpl::PipelineKind::Graphics : rpl::PipelineKind::Compute;
  options.resolve.strict = options.resolve.check_bodies = variant.strict != 0;
  options.spirv.split_stages = variant.split_stages != 0;
  options.spirv.strip = variant.strip != 0;
  options.spirv.debug_lines = variant.debug_lines != 0;
  if (variant.optimize != 0) {
    options.optimize = optimizer();
    if (!options.optimize) {
      diagnostics.error(DiagnosticKind::DeviceLacks, {},
                        "this library has no optimizer; the library `slipway` has one");
    }
  }
  const std::string_view target = variant.target ? variant.target : "vulkan1.3";
  if (const auto known = rpl::parse_target(target)) {
    options.spirv.target = *known;
  } else {
    diagnostics.error(DiagnosticKind::Usage, {}, formatted("unknown target `{}`", target))
        .hint("the targets are `vulkan1.1`, `vulkan1.2`, `vulkan1.3` and `vulkan1.4`");
  }
  for (std::size_t i = 0; i < variant.entry_point_count; ++i) {
    const rpl_entry_point_name& entry = variant.entry_points[i];
    if (static_cast<std::uint32_t>(entry.stage) >= rpl::kStageCount || !entry.function) {
      diagnostics.error(DiagnosticKind::Usage, {}, "an entry point has an unknown stage, or no function");
    } else {
      options.entry_points.push_back({static_cast<rpl::Stage>(entry.stage), entry.function});
    }
  }
  return options;
}

rpl::Assignment read_assignment(const rpl::Program& program, const rpl_variant& variant, Diagnostics& diagnostics) {
  rpl::Assignment assignment;
  for (std::size_t i = 0; i < variant.option_count; ++i) {
    const rpl_option_value& option = variant.options[i];
    if (!option.name || !option.value) {
      diagnostics.error(DiagnosticKind::Usage, {}, "an option has no name or no value");
      continue;
    }
    rpl::set_option(program, option.name, option.value, rpl::OptionFilter::Any, {}, assignment, diagnostics);
  }
  return assignment;
}

namespace {

// A text that is equal for equal variants only: each part has its length before it.
std::string key_of(const rpl_variant& variant) {
  std::map<std::string_view, std::string_view> options;
  for (std::size_t i = 0; i < variant.option_count; ++i) {
    if (!variant.options[i].name || !variant.options[i].value) return {};  // reported later
    if (!options.emplace(variant.options[i].name, variant.options[i].value).second) return {};
  }
  std::string key;
  const auto add = [&](std::string_view part) { append_formatted(key, "{}:{}", part.size(), part); };
  for (const auto& [name, value] : options) add(name), add(value);
  key += ';';
  for (std::size_t i = 0; i < variant.entry_point_count; ++i) {
    append_formatted(key, "{}", static_cast<int>(variant.entry_points[i].stage));
    add(variant.entry_points[i].function ? variant.entry_points[i].function : "");
  }
  key += ';';
  add(variant.target ? variant.target : "");
  append_formatted(key, "{}{}{}{}{}{}", static_cast<int>(variant.kind), variant.split_stages, variant.optimize,
                   variant.strip, variant.debug_lines, variant.strict);
  return key;
}

}  // namespace

// --- programs --------------------------------------------------------------------------------------------------------

std::shared_ptr<ProgramState> ProgramState::link(std::vector<ModulePtr> modules, Diagnostics& diagnostics) {
  std::vector<const rpl::Program*> programs;
  for (const ModulePtr& module : modules) programs.push_back(&module->program);
  auto made = std::make_shared<ProgramState>();
  made->program_ = rpl::link(programs, diagnostics);
  if (!made->program_.valid) return nullptr;
  made->modules_ = std::move(modules);
  made->options_ = make_options(made->arena_, made->program_);
  return made;
}

std::unique_ptr<rpl::Compiler> ProgramState::take_compiler() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) return std::make_unique<rpl::Compiler>();
  std::unique_ptr<rpl::Compiler> compiler = std::move(idle_.back());
  idle_.pop_back();
  return compiler;
}

PipelinePtr ProgramState::compile(const rpl_variant& variant, Diagnostics& diagnostics) {
  const std::string key = key_of(variant);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = by_variant_.find(key); known != by_variant_.end()) {
      diagnostics = known->second->remarks;
      return share(known->second);
    }
  }
  const rpl::CompileOptions options = compile_options(variant, diagnostics);
  const rpl::Assignment assignment = read_assignment(program_, variant, diagnostics);
  if (diagnostics.has_errors()) return nullptr;

  std::unique_ptr<rpl::Compiler> compiler = take_compiler();
  std::optional<rpl::Compiled> made = compiler->compile(program_, assignment, options, diagnostics);
  if (variant.strict != 0) diagnostics.make_strict();
  diagnostics.sort();
  PipelinePtr pipeline;
  if (made && !diagnostics.has_errors()) {
    std::vector<spirv::Words> code;
    for (rpl::SpirvModule& module : made->modules) code.push_back(std::move(module.words));
    pipeline = make_pipeline_object(std::move(made->metadata), std::move(code), diagnostics);
    // A variant with warnings of its own keeps its own object.
    if (diagnostics.empty()) pipeline = keep(std::move(pipeline));
  }
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(compiler));
  if (!pipeline || key.empty()) return pipeline;
  return share(by_variant_.try_emplace(key, std::move(pipeline)).first->second);
}

PipelinePtr ProgramState::keep(PipelinePtr pipeline) {
  const std::scoped_lock lock(mutex_);
  std::string hash(std::string_view(pipeline->metadata.hashes.pipeline));
  return share(by_content_.try_emplace(std::move(hash), std::move(pipeline)).first->second);
}

void ProgramState::forget() {
  const std::scoped_lock lock(mutex_);
  by_variant_.clear();
  by_content_.clear();
}

}  // namespace slipway::rpl_c
