// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/module/variables.hpp"

#include <algorithm>

#include "rpl/emit/module/names.hpp"
#include "rpl/vectors.hpp"

namespace slipway::rpl::emit {

void ModuleVariables::begin_module() {
  const Resolved& program = *emission_.program;
  assign_zero(inputs_, program.container_fields.size());
  assign_zero(outputs_, program.container_fields.size());
  assign_zero(buffers_, program.buffers.size());
  assign_zero(samplers_, program.samplers.size());
  assign_zero(images_, program.images.size());
  shared_.resize(program.members.size());
  for (const Buffer& buffer : program.buffers) {
    if (buffer.kind != ItemKind::WorkgroupBuffer) continue;
    std::fill_n(shared_.begin() + buffer.members.first, buffer.members.count, Global{});
  }
  assign_zero(builtins_, static_cast<std::size_t>(Builtin::Count));
}

void ModuleVariables::begin_entry_point(Stage stage) {
  stage_ = stage;
  ++entry_point_;
  interface_.clear();
}

// Before SPIR-V 1.4 the interface consists of inputs and outputs only.
Id ModuleVariables::use(Global& global, Storage storage) {
  if (global.entry_point != entry_point_) {
    global.entry_point = entry_point_;
    if (emission_.has_spirv14() || storage == Storage::Input || storage == Storage::Output) {
      interface_.push_back(global.id);
    }
  }
  return global.id;
}

void ModuleVariables::define(Global& global, Id pointer_type, Storage storage) {
  global.id = emission_.out.new_id();
  emission_.globals().op(spv::Op::OpVariable, pointer_type, global.id, class_of(storage));
}

void ModuleVariables::bind(const Global& global, DescriptorSet set, std::uint32_t binding) {
  WordBuffer& annotations = emission_.annotations();
  annotations.op(spv::Op::OpDecorate, global.id, spv::Decoration::DescriptorSet, static_cast<std::uint32_t>(set));
  annotations.op(spv::Op::OpDecorate, global.id, spv::Decoration::Binding, binding);
}

Id ModuleVariables::field(std::uint32_t field, Storage storage) {
  Global& global = (storage == Storage::Input ? inputs_ : outputs_)[field];
  if (global.id == 0) {
    const ContainerField& of = emission_.program->container_fields[field];
    // The id comes before those of its type.
    global.id = emission_.out.new_id();
    emission_.globals().op(spv::Op::OpVariable, types_.pointer(of.type, storage), global.id, class_of(storage));
    WordBuffer& annotations = emission_.annotations();
    annotations.op(spv::Op::OpDecorate, global.id, spv::Decoration::Location, of.location);
    if (stage_ == Stage::Fragment && storage == Storage::Input && is_integer(of.type)) {
      annotations.op(spv::Op::OpDecorate, global.id, spv::Decoration::Flat);
    }
    add_member_variable_name(emission_, global.id, emission_.program->containers[of.container].name, of.name);
  }
  return use(global, storage);
}

Id ModuleVariables::buffer(std::uint32_t buffer) {
  Global& global = buffers_[buffer];
  const Buffer& of = emission_.program->buffers[buffer];
  const Storage storage = storage_of(of.kind);
  if (global.id == 0) {
    define(global, types_.pointer_to_block(of, storage), storage);
    if (of.kind != ItemKind::PushConstant) bind(global, of.set, of.binding);
    add_name(emission_, global.id, of.name);
  }
  return use(global, storage);
}

Id ModuleVariables::workgroup(std::uint32_t buffer, std::uint32_t member) {
  const Buffer& of = emission_.program->buffers[buffer];
  const std::uint32_t index = of.members.first + member;
  Global& global = shared_[index];
  if (global.id == 0) {
    const Member& variable = emission_.program->members[index];
    define(global, types_.pointer(variable.type, Storage::Workgroup), Storage::Workgroup);
    add_member_variable_name(emission_, global.id, of.name, variable.name);
  }
  return use(global, Storage::Workgroup);
}

Id ModuleVariables::sampler(std::uint32_t sampler) {
  Global& global = samplers_[sampler];
  if (global.id == 0) {
    const SamplerDecl& of = emission_.program->samplers[sampler];
    define(global, types_.pointer(kSampler, Storage::UniformConstant), Storage::UniformConstant);
    bind(global, of.set, of.binding);
    add_name(emission_, global.id, of.name);
  }
  return use(global, Storage::UniformConstant);
}

Id ModuleVariables::image(std::uint32_t image) {
  Global& global = images_[image];
  if (global.id == 0) {
    const ImageDecl& of = emission_.program->images[image];
    Id type = types_.image(of.image_type, of.format);
    if (of.has_array) type = types_.image_array(type, of.array_size);
    define(global, types_.pointer_to(type, Storage::UniformConstant), Storage::UniformConstant);
    bind(global, of.set, of.binding);
    add_name(emission_, global.id, of.name);
  }
  return use(global, Storage::UniformConstant);
}

Id ModuleVariables::builtin(Builtin builtin) {
  Global& global = builtins_[static_cast<std::size_t>(builtin)];
  const BuiltinInfo& info = info_of(builtin);
  const Storage storage = info.code == BuiltinCode::Output ? Storage::Output : Storage::Input;
  if (global.id == 0) {
    TypeId type = kF4;
    if (info.family == BuiltinFamily::GivesU1) type = kU1;
    if (info.family == BuiltinFamily::GivesU3) type = kU3;
    if (info.family == BuiltinFamily::TakesF1) type = kF1;
    if (info.family == BuiltinFamily::GivesBoolean) type = kBoolean;
    define(global, types_.pointer(type, storage), storage);
    emission_.annotations().op(spv::Op::OpDecorate, global.id, spv::Decoration::BuiltIn, info.number);
    add_name(emission_, global.id, info.stem);
  }
  return use(global, storage);
}

bool ModuleVariables::uses(Builtin builtin) const {
  return builtins_[static_cast<std::size_t>(builtin)].entry_point == entry_point_;
}

void ModuleVariables::decorate_access() {
  const Resolved& program = *emission_.program;
  WordBuffer& annotations = emission_.annotations();
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const ItemKind kind = program.buffers[i].kind;
    if (kind != ItemKind::ReadOnlyBuffer && kind != ItemKind::ReadWriteBuffer) continue;
    if (buffers_[i].id == 0 || buffers_[i].written) continue;
    annotations.op(spv::Op::OpDecorate, buffers_[i].id, spv::Decoration::NonWritable);
  }
  for (std::size_t i = 0; i < images_.size(); ++i) {
    const Global& image = images_[i];
    if (image.id == 0 || !program.images[i].storage) continue;
    if (!image.written) annotations.op(spv::Op::OpDecorate, image.id, spv::Decoration::NonWritable);
    if (!image.read) annotations.op(spv::Op::OpDecorate, image.id, spv::Decoration::NonReadable);
  }
}

}  // namespace slipway::rpl::emit
