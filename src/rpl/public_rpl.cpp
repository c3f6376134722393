// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The class of the public interface: include/slipway/rpl.hpp.
#include "slipway/rpl.hpp"

#include <algorithm>
#include <mutex>
#include <ranges>
#include <unordered_map>

#include "base/format.hpp"
#include "base/public_problems.hpp"
#include "base/system/files.hpp"
#include "rpl/compile.hpp"
#include "rpl/metadata/metadata_json.hpp"

namespace slipway {
namespace {

Failed problems(const Diagnostics& diagnostics) { return {public_problems(diagnostics.all())}; }

// --- metadata --------------------------------------------------------------------------------------------------------

RplType public_type(rpl::TypeId type) {
  const RplType::Item item = rpl::is_unsigned(type) ? RplType::Item::Uint
                             : rpl::is_signed(type) ? RplType::Item::Sint
                                                    : RplType::Item::Float;
  const std::uint32_t rows = rpl::item_count(type);
  return {item, rows, rpl::is_matrix(type) ? rows : 1};
}

RplParameter public_parameter(const rpl::Metadata::Parameter& from) {
  return {from.name,         public_type(from.type), from.offset, from.dimensions,
          from.array_stride, from.matrix_stride,     from.meta};
}

std::vector<RplParameter> public_parameters(const std::vector<rpl::Metadata::Parameter>& from) {
  return std::ranges::to<std::vector>(from | std::views::transform(public_parameter));
}

RplBuffer public_buffer(const rpl::Metadata::Buffer& from) {
  RplBuffer made;
  made.name = from.name;
  made.binding = from.binding;
  made.type = static_cast<RplBuffer::Type>(from.type);
  made.size = from.main_size;
  made.item_size = from.tail_item_size;
  made.parameters = public_parameters(from.main_parameters);
  made.item_name = from.tail ? from.tail->name : from.tail_name.value_or("");
  made.item_parameters = public_parameters(from.tail_item_parameters);
  return made;
}

RplDescriptorSet public_set(const rpl::Metadata::Set& from) {
  RplDescriptorSet made;
  for (const rpl::Metadata::Buffer& buffer : from.buffers) made.buffers.push_back(public_buffer(buffer));
  for (const rpl::Metadata::Sampler& sampler : from.samplers) made.samplers.push_back({sampler.name, sampler.binding});
  for (const rpl::Metadata::Image& image : from.images) {
    made.images.push_back({image.name, image.binding, std::string(rpl::image_type_name(image.type)),
                           image.image_array_size, image.storage_format.has_value(), image.vk_format});
  }
  return made;
}

RplAttributeSource public_source(const rpl::Metadata::AttributeSource& from) {
  RplAttributeSource made{from.name, from.rate == rpl::Metadata::Rate::Instance, from.binding, from.block_size, {}};
  for (const rpl::Metadata::Attribute& attribute : from.attributes) {
    made.attributes.push_back({attribute.name, public_type(attribute.type), attribute.location, attribute.offset,
                               attribute.vk_format, attribute.column_stride, attribute.meta});
  }
  return made;
}

RplSettings public_settings(const rpl::Metadata& from) {
  using rpl::Setting;
  const rpl::PipelineSettings& values = from.settings;
  RplSettings made;
  if (from.pipeline_type == rpl::PipelineKind::Compute) {
    made.workgroup_size = {values.number(Setting::workgroup_size_x), values.number(Setting::workgroup_size_y),
                           values.number(Setting::workgroup_size_z)};
    return made;
  }
  made.polygon_mode = values.vulkan(Setting::polygon_mode);
  made.cull_mode = values.vulkan(Setting::cull_mode);
  made.front_face = values.vulkan(Setting::front_face);
  made.topology = values.vulkan(Setting::topology);
  made.primitive_restart = values.flag(Setting::primitive_restart);
  made.depth_clamp = values.flag(Setting::depth_clamp);
  made.alpha_to_coverage = values.flag(Setting::alpha_to_coverage);
  made.depth_test = values.flag(Setting::depth_test);
  made.depth_write = values.flag(Setting::depth_write);
  made.depth_bounds_test = values.flag(Setting::depth_bounds_test);
  made.stencil_test = values.flag(Setting::stencil_test);
  made.depth_compare = values.vulkan(Setting::depth_compare_operation);
  made.depth_min = values.real(Setting::depth_min);
  made.depth_max = values.real(Setting::depth_max);
  made.front = {values.vulkan(Setting::stencil_front_on_fail),       values.vulkan(Setting::stencil_front_on_pass),
                values.vulkan(Setting::stencil_front_on_depth_fail), values.vulkan(Setting::stencil_front_compare),
                values.number(Setting::stencil_front_compare_mask),  values.number(Setting::stencil_front_write_mask),
                values.number(Setting::stencil_front_reference)};
  made.back = {values.vulkan(Setting::stencil_back_on_fail),       values.vulkan(Setting::stencil_back_on_pass),
               values.vulkan(Setting::stencil_back_on_depth_fail), values.vulkan(Setting::stencil_back_compare),
               values.number(Setting::stencil_back_compare_mask),  values.number(Setting::stencil_back_write_mask),
               values.number(Setting::stencil_back_reference)};
  made.depth_bias = values.flag(Setting::depth_bias);
  made.depth_bias_constant = values.real(Setting::depth_bias_constant);
  made.depth_bias_slope = values.real(Setting::depth_bias_slope);
  made.depth_bias_clamp = values.real(Setting::depth_bias_clamp);
  made.line_width = values.real(Setting::line_width);
  made.sample_count = values.number(Setting::sample_count);
  made.depth_stencil_format = values.vulkan(Setting::depth_stencil_format);
  made.blend_constants = from.color_blend_constants;
  return made;
}

RplColorOutput public_output(const rpl::Metadata::ColorOutput& from) {
  using rpl::Setting;
  const rpl::OutputSettings& values = from.settings;
  RplColorOutput made;
  made.name = from.name;
  made.vk_format = values.vulkan(Setting::color_output_format);
  made.write_mask = 0;
  constexpr std::array kWrites = {Setting::color_output_write_r, Setting::color_output_write_g,
                                  Setting::color_output_write_b, Setting::color_output_write_a};
  for (std::size_t i = 0; i < kWrites.size(); ++i) made.write_mask |= values.flag(kWrites[i]) ? 1u << i : 0;
  made.blend = values.flag(Setting::color_output_use_blend);
  made.source_color_factor = values.vulkan(Setting::color_output_source_color_blend_factor);
  made.destination_color_factor = values.vulkan(Setting::color_output_destination_color_blend_factor);
  made.color_operation = values.vulkan(Setting::color_output_color_blend_operation);
  made.source_alpha_factor = values.vulkan(Setting::color_output_source_alpha_blend_factor);
  made.destination_alpha_factor = values.vulkan(Setting::color_output_destination_alpha_blend_factor);
  made.alpha_operation = values.vulkan(Setting::color_output_alpha_blend_operation);
  return made;
}

RplMetadata public_metadata(const rpl::Metadata& from) {
  RplMetadata made;
  made.kind = from.pipeline_type == rpl::PipelineKind::Graphics ? RplPipelineKind::Graphics : RplPipelineKind::Compute;
  made.interface_hash = from.hashes.interface_hash;
  made.pipeline_hash = from.hashes.pipeline;
  std::ranges::transform(from.interface.sets, made.sets.begin(), public_set);
  for (const auto& source : from.interface.attribute_sources) made.attribute_sources.push_back(public_source(source));
  made.push_constant_size = from.interface.push_constant_size;
  made.settings = public_settings(from);
  for (const auto& output : from.color_outputs) made.color_outputs.push_back(public_output(output));
  made.features = from.requirements.features;
  made.extensions = from.requirements.extensions;
  return made;
}

// --- pipelines -------------------------------------------------------------------------------------------------------

std::shared_ptr<const RplPipeline> public_pipeline(rpl::Compiled made, const Diagnostics& diagnostics) {
  auto pipeline = std::make_shared<RplPipeline>();
  pipeline->metadata = public_metadata(made.metadata);
  for (rpl::SpirvModule& module : made.modules) {
    RplModule& added = pipeline->modules.emplace_back();
    for (const std::uint32_t index : module.entry_points) {
      const rpl::Metadata::EntryPoint& entry = made.metadata.entry_points[index];
      added.entry_points.push_back({std::string(rpl::name_of(entry.stage)), entry.function});
    }
    added.words = std::move(module.words);
  }
  pipeline->remarks = public_problems(diagnostics.all());
  pipeline->internal = std::make_shared<rpl::Metadata>(std::move(made.metadata));
  return pipeline;
}

constexpr std::array kStages = {rpl::Stage::Vertex, rpl::Stage::Fragment, rpl::Stage::Compute};

rpl::CompileOptions compile_options(const RplVariant& variant, Diagnostics& diagnostics) {
  rpl::CompileOptions options;
  options.resolve.pipeline =
      variant.kind == RplPipelineKind::Graphics ? rpl::PipelineKind::Graphics : rpl::PipelineKind::Compute;
  options.resolve.strict = variant.strict;
  options.resolve.check_bodies = variant.strict;
  options.spirv.split_stages = variant.split_stages;
  options.spirv.strip = variant.strip;
  options.spirv.debug_lines = variant.debug_lines;
  options.optimize = variant.optimize;
  if (const auto target = rpl::parse_target(variant.target)) {
    options.spirv.target = *target;
  } else {
    diagnostics.error(DiagnosticKind::Usage, {}, formatted("unknown target `{}`", variant.target))
        .hint("the targets are `vulkan1.1`, `vulkan1.2` and `vulkan1.3`");
  }
  for (const RplEntryPoint& entry : variant.entry_points) {
    const auto stage = std::ranges::find(kStages, entry.stage, [](rpl::Stage one) { return rpl::name_of(one); });
    if (stage == kStages.end()) {
      diagnostics.error(DiagnosticKind::Usage, {}, formatted("unknown stage `{}`", entry.stage))
          .hint("the stages are `vertex`, `fragment` and `compute`");
    } else {
      options.entry_points.push_back({*stage, entry.function});
    }
  }
  return options;
}

// A text that is equal for equal variants only: each part has its length before it.
std::string key_of(const RplVariant& variant) {
  std::string key;
  const auto add = [&](std::string_view part) { key += formatted("{}:{}", part.size(), part); };
  for (const auto& [name, value] : variant.options) add(name), add(value);
  key += ';';
  for (const RplEntryPoint& entry : variant.entry_points) add(entry.stage), add(entry.function);
  key += ';';
  add(variant.target);
  key += formatted("{}{:d}{:d}{:d}{:d}{:d}", static_cast<int>(variant.kind), variant.split_stages, variant.optimize,
                   variant.strip, variant.debug_lines, variant.strict);
  return key;
}

// What a change of a file changes.
struct FileState {
  std::uintmax_t size = 0;
  std::filesystem::file_time_type time;
  bool operator==(const FileState&) const = default;
};

std::optional<FileState> state_of(const std::filesystem::path& file) {
  std::error_code error;
  FileState state;
  state.size = std::filesystem::file_size(file, error);
  if (!error) state.time = std::filesystem::last_write_time(file, error);
  return error ? std::nullopt : std::optional(state);
}

}  // namespace

std::string RplPipeline::metadata_json() const {
  return rpl::metadata_text(*static_cast<const rpl::Metadata*>(internal.get()));
}

// --- programs --------------------------------------------------------------------------------------------------------

struct RplProgram::State {
  rpl::Program program;
  std::vector<std::filesystem::path> files;
  std::vector<std::optional<FileState>> file_states;

  std::mutex mutex;  // of all that follows
  // Compilers that no thread uses. Each keeps what its last variant shares with the next one.
  std::vector<std::unique_ptr<rpl::Compiler>> idle;
  std::unordered_map<std::string, std::shared_ptr<const RplPipeline>> by_variant;
  // By the hash of the pipeline.
  std::unordered_map<std::string, std::shared_ptr<const RplPipeline>> by_content;

  std::unique_ptr<rpl::Compiler> take_compiler() {
    const std::lock_guard lock(mutex);
    if (idle.empty()) return std::make_unique<rpl::Compiler>();
    std::unique_ptr<rpl::Compiler> compiler = std::move(idle.back());
    idle.pop_back();
    return compiler;
  }

  static Outcome<RplProgram> parse(std::vector<SourcePtr> sources, std::vector<std::filesystem::path> files,
                                   std::vector<std::optional<FileState>> file_states) {
    Diagnostics diagnostics;
    if (sources.empty()) diagnostics.error(DiagnosticKind::Usage, {}, "a program needs a source");
    auto state = std::make_shared<State>();
    state->program = rpl::parse(rpl::modules_of(std::move(sources), false), diagnostics);
    if (!state->program.valid || diagnostics.has_errors()) return problems(diagnostics);
    state->files = std::move(files);
    state->file_states = std::move(file_states);
    return RplProgram(std::move(state));
  }
};

RplProgram::RplProgram(std::shared_ptr<State> state) : state_(std::move(state)) {}

Outcome<RplProgram> RplProgram::parse(std::vector<RplSource> sources) {
  std::vector<SourcePtr> texts;
  for (RplSource& source : sources) texts.push_back(make_source(std::move(source.name), std::move(source.text)));
  return State::parse(std::move(texts), {}, {});
}

Outcome<RplProgram> RplProgram::load(const std::vector<std::filesystem::path>& files) {
  Diagnostics diagnostics;
  std::vector<SourcePtr> texts;
  std::vector<std::optional<FileState>> states;
  for (const std::filesystem::path& file : files) {
    states.push_back(state_of(file));  // before it is read: a change in between is noticed
    if (auto text = diagnostics.take(read_source(file))) texts.push_back(std::move(*text));
  }
  if (diagnostics.has_errors()) return problems(diagnostics);
  return State::parse(std::move(texts), files, std::move(states));
}

std::vector<RplOption> RplProgram::options() const {
  const rpl::Program& program = state_->program;
  std::vector<RplOption> options;
  for (const rpl::Option& option : program.options) {
    RplOption& made = options.emplace_back();
    made.name = program.text(option.name);
    made.per_instance = option.option_class == rpl::OptionClass::Instance;
    made.type = rpl::name_of(option.type);
    for (std::uint32_t i = 0; i < option.values.count; ++i) {
      made.values.emplace_back(program.text(program.lists[option.values.first + i]));
    }
    made.default_value = rpl::format_value(program, option.initial);
  }
  return options;
}

const std::vector<std::filesystem::path>& RplProgram::files() const { return state_->files; }

bool RplProgram::changed() const {
  for (std::size_t i = 0; i < state_->files.size(); ++i) {
    if (state_of(state_->files[i]) != state_->file_states[i]) return true;
  }
  return false;
}

Outcome<std::shared_ptr<const RplPipeline>> RplProgram::compile(const RplVariant& variant) const {
  const std::string key = key_of(variant);
  {
    const std::lock_guard lock(state_->mutex);
    if (const auto known = state_->by_variant.find(key); known != state_->by_variant.end()) return known->second;
  }
  Diagnostics diagnostics;
  const rpl::CompileOptions options = compile_options(variant, diagnostics);
  rpl::Assignment assignment;
  for (const auto& [name, value] : variant.options) {
    rpl::set_option(state_->program, name, value, rpl::OptionFilter::Any, {}, assignment, diagnostics);
  }
  if (diagnostics.has_errors()) return problems(diagnostics);

  std::unique_ptr<rpl::Compiler> compiler = state_->take_compiler();
  std::optional<rpl::Compiled> made = compiler->compile(state_->program, assignment, options, diagnostics);
  if (variant.strict) diagnostics.make_strict();
  diagnostics.sort();
  const bool failed = !made || diagnostics.has_errors();
  std::shared_ptr<const RplPipeline> pipeline = failed ? nullptr : public_pipeline(std::move(*made), diagnostics);

  const std::lock_guard lock(state_->mutex);
  state_->idle.push_back(std::move(compiler));
  if (failed) return problems(diagnostics);
  // A variant with warnings of its own keeps its own object.
  if (pipeline->remarks.empty()) {
    pipeline = state_->by_content.try_emplace(pipeline->metadata.pipeline_hash, pipeline).first->second;
  }
  return state_->by_variant.try_emplace(key, std::move(pipeline)).first->second;
}

void RplProgram::forget() const {
  const std::lock_guard lock(state_->mutex);
  state_->by_variant.clear();
  state_->by_content.clear();
}

}  // namespace slipway
