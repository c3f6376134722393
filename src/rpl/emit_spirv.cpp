// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit_spirv.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "rpl/emit/emitter.hpp"
#include "rpl/vectors.hpp"
#include "spirv/tools.hpp"

namespace slipway::rpl {
namespace {

constexpr std::array<std::string_view, 3> kTargetNames = {"vulkan1.1", "vulkan1.2", "vulkan1.3"};
constexpr std::array<std::uint32_t, 3> kVersions = {0x10300, 0x10500, 0x10600};

}  // namespace

std::string_view name_of(Target target) { return kTargetNames[std::to_underlying(target)]; }

std::optional<Target> parse_target(std::string_view name) {
  for (std::size_t i = 0; i < kTargetNames.size(); ++i) {
    if (kTargetNames[i] == name) return static_cast<Target>(i);
  }
  return std::nullopt;
}

struct SpirvEmitter::State {
  emit::Emitter emitter;
};

SpirvEmitter::SpirvEmitter() : state_(std::make_unique<State>()) {}
SpirvEmitter::SpirvEmitter(SpirvEmitter&&) noexcept = default;
SpirvEmitter& SpirvEmitter::operator=(SpirvEmitter&&) noexcept = default;
SpirvEmitter::~SpirvEmitter() = default;

std::vector<SpirvModule> SpirvEmitter::emit(const Resolved& program, const SpirvOptions& options) {
  return state_->emitter.emit(program, options);
}

std::vector<SpirvModule> emit_spirv(const Resolved& program, const SpirvOptions& options) {
  return SpirvEmitter().emit(program, options);
}

Result<spirv::Words> optimize_spirv(const SpirvModule& module, Target target) {
  constexpr std::array kEnvironments = {spirv::Environment::Vulkan11, spirv::Environment::Vulkan12,
                                        spirv::Environment::Vulkan13};
  return spirv::optimize(module.words, "module", spirv::Optimize::Performance,
                         kEnvironments[std::to_underlying(target)]);
}

namespace emit {
namespace {

using spv::Op;

constexpr spv::ExecutionModel model_of(Stage stage) {
  switch (stage) {
    case Stage::Vertex:
      return spv::ExecutionModel::Vertex;
    case Stage::Fragment:
      return spv::ExecutionModel::Fragment;
    case Stage::Compute:
      break;
  }
  return spv::ExecutionModel::GLCompute;
}

}  // namespace

std::vector<SpirvModule> Emitter::emit(const Resolved& program, const SpirvOptions& options) {
  program_ = &program;
  options_ = options;
  std::vector<SpirvModule> modules;
  std::vector<std::uint32_t> all;
  all.reserve(program.entry_points.size());
  for (std::uint32_t i = 0; i < program.entry_points.size(); ++i) {
    all.push_back(i);
    if (options.split_stages || i + 1 == program.entry_points.size()) {
      spirv::Words words = emit_module(all);
      modules.push_back({.entry_points = std::move(all), .words = std::move(words)});
      all.clear();
    }
  }
  return modules;
}

void Emitter::reset_module() {
  out_.reset(kVersions[std::to_underlying(options_.target)]);
  assign_zero(types_, program_->types.size());
  assign_zero(constants_, program_->constants.size());
  small_.fill(0);
  assign_zero(inputs_, program_->container_fields.size());
  assign_zero(outputs_, program_->container_fields.size());
  assign_zero(buffers_, program_->buffers.size());
  assign_zero(samplers_, program_->samplers.size());
  assign_zero(images_, program_->images.size());
  shared_.resize(program_->members.size());
  for (const Buffer& buffer : program_->buffers) {
    if (buffer.kind != ItemKind::WorkgroupBuffer) continue;
    std::fill_n(shared_.begin() + buffer.members.first, buffer.members.count, Global{});
  }
  assign_zero(builtins_, static_cast<std::size_t>(Builtin::Count));
  values_.resize(program_->code.size());
  locals_.resize(program_->locals.size());
  arguments_.resize(program_->arguments.size());
  spilled_.resize(program_->arguments.size());
  non_uniform_.clear();
  glsl_ = 0;
  needs_indexing_extension_ = false;
  std::ranges::fill(bools_, 0);
}

spirv::Words Emitter::emit_module(std::span<const std::uint32_t> entry_points) {
  reset_module();
  out_.capability(spv::Capability::Shader);
  out_.memory_model(spv::AddressingModel::Logical, spv::MemoryModel::GLSL450);
  if (options_.debug_lines) debug_sources();
  for (const std::uint32_t entry : entry_points) emit_entry_point(program_->entry_points[entry]);
  if (needs_indexing_extension_ && options_.target == Target::Vulkan11) {
    out_.extension("SPV_EXT_descriptor_indexing");
  }
  decorate_access();
  return out_.words();
}

void Emitter::emit_entry_point(const EntryPoint& entry) {
  stage_ = entry.stage;
  ++stage_count_;
  stage_used_.clear();
  instances_.clear();
  image_arguments_.clear();
  assign_none(first_instance_, program_->functions.size());
  writes_depth_ = false;

  const Id id = out_.new_id();
  entry_words_.header.clear();
  emit_function({.function = entry.function, .id = id}, true);
  // Emitting a function may append to the list.
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const Instance instance = instances_[i];
    emit_function(instance, false);
  }

  words_ = &entry_words_;
  WordBuffer& prologue = entry_words_.prologue;
  if (stage_ == Stage::Vertex) {
    for (const std::uint32_t field : program_->unwritten_state) {
      const Id variable = field_variable(field, Storage::Output);
      prologue.op(Op::OpStore, variable, zero(program_->container_fields[field].type));
    }
  }
  WordBuffer& modes = out_.section(Section::ExecutionModes);
  if (stage_ == Stage::Fragment) modes.op(Op::OpExecutionMode, id, spv::ExecutionMode::OriginUpperLeft);
  if (writes_depth_) {  // if the program does not write it, the depth is that of the fragment
    modes.op(Op::OpExecutionMode, id, spv::ExecutionMode::DepthReplacing);
    const Id coordinate = builtin_variable(Builtin::FragmentCoordinate);
    const Id depth = builtin_variable(Builtin::FragmentDepth);
    const Id four = plain(kF4);
    const Id one = plain(kF1);
    const Id all = out_.new_id();
    const Id z = out_.new_id();
    prologue.op(Op::OpLoad, four, all, coordinate);
    prologue.op(Op::OpCompositeExtract, one, z, all, 2u);
    prologue.op(Op::OpStore, depth, z);
  }
  if (stage_ == Stage::Compute) {
    const auto& settings = program_->settings;
    modes.op(Op::OpExecutionMode, id, spv::ExecutionMode::LocalSize, settings[Setting::workgroup_size_x],
             settings[Setting::workgroup_size_y], settings[Setting::workgroup_size_z]);
  }
  append_function(entry_words_);
  out_.entry_point(model_of(stage_), id, text(program_->functions[entry.function].name), stage_used_);
}

// Buffers and images that the module never writes or reads are decorated so: drivers need less ordering, and graphics
// stages need no feature for them.
void Emitter::decorate_access() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const ItemKind kind = program_->buffers[i].kind;
    if (kind != ItemKind::ReadOnlyBuffer && kind != ItemKind::ReadWriteBuffer) continue;
    if (buffers_[i].id == 0 || buffers_[i].written) continue;
    out_.section(Section::Annotations).op(Op::OpDecorate, buffers_[i].id, spv::Decoration::NonWritable);
  }
  for (std::size_t i = 0; i < images_.size(); ++i) {
    if (images_[i].id == 0 || !program_->images[i].storage) continue;
    if (!images_[i].written)
      out_.section(Section::Annotations).op(Op::OpDecorate, images_[i].id, spv::Decoration::NonWritable);
    if (!images_[i].read)
      out_.section(Section::Annotations).op(Op::OpDecorate, images_[i].id, spv::Decoration::NonReadable);
  }
}

void Emitter::debug_sources() {
  files_.clear();
  for (const ProgramSource& source : program_->program->sources) {
    files_.push_back(out_.new_id());
    out_.section(Section::DebugStrings).op_text(Op::OpString, source.text->name(), {}, files_.back());
  }
  for (const Id file : files_)
    out_.section(Section::DebugStrings).op(Op::OpSource, spv::SourceLanguage::Unknown, 0u, file);
}

void Emitter::debug_line(Range at) {
  const Program& program = *program_->program;
  const std::uint32_t source = program.source_at(at.begin);
  const Position position = program.sources[source].text->position(at.begin - program.sources[source].base);
  words_->body.op(Op::OpLine, files_[source], position.line, position.column);
}

}  // namespace emit
}  // namespace slipway::rpl
