// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables at module scope, created at their first use.
#include <cstring>

#include "rpl/emit/emitter.hpp"
#include "rpl/lex.hpp"

namespace slipway::rpl::emit {

void Emitter::name(Id id, NameId text) {
  if (!options_.strip) out_.section(Section::Names).op_list(spv::Op::OpName, text_words(text), id);
}

void Emitter::name(Id id, std::string_view text) {
  if (!options_.strip) out_.section(Section::Names).op_text(spv::Op::OpName, text, {}, id);
}

// `owner.member`
void Emitter::name_member(Id id, NameId owner, NameId member) {
  if (options_.strip) return;
  const std::string_view first = text(owner), second = text(member);
  std::array<char, 2 * kLongestIdentifier + 1> joined;
  std::memcpy(joined.data(), first.data(), first.size());
  joined[first.size()] = '.';
  std::memcpy(joined.data() + first.size() + 1, second.data(), second.size());
  name(id, std::string_view(joined.data(), first.size() + 1 + second.size()));
}

void Emitter::bind(Id id, DescriptorSet set, std::uint32_t binding) {
  out_.section(Section::Annotations)
      .op(spv::Op::OpDecorate, id, spv::Decoration::DescriptorSet, static_cast<std::uint32_t>(set));
  out_.section(Section::Annotations).op(spv::Op::OpDecorate, id, spv::Decoration::Binding, binding);
}

// Adds a variable to the interface of the entry point. Before SPIR-V 1.4 that is inputs and outputs only.
Id Emitter::use(Global& global, Storage storage) {
  if (global.stage != stage_count_) {
    global.stage = stage_count_;
    if (options_.target != Target::Vulkan11 || storage == Storage::Input || storage == Storage::Output) {
      stage_used_.push_back(global.id);
    }
  }
  return global.id;
}

Id Emitter::field_variable(std::uint32_t field, Storage storage) {
  Global& global = (storage == Storage::Input ? inputs_ : outputs_)[field];
  if (global.id == 0) {
    const ContainerField& of = program_->container_fields[field];
    global.id = out_.new_id();
    out_.section(Section::Globals).op(spv::Op::OpVariable, pointer(of.type, storage), global.id, class_of(storage));
    out_.section(Section::Annotations).op(spv::Op::OpDecorate, global.id, spv::Decoration::Location, of.location);
    if (stage_ == Stage::Fragment && storage == Storage::Input && is_integer(of.type)) {
      out_.section(Section::Annotations).op(spv::Op::OpDecorate, global.id, spv::Decoration::Flat);
    }
    name_member(global.id, program_->containers[of.container].name, of.name);
  }
  return use(global, storage);
}

// A tail in nested last structs becomes a direct member of the block: the members of those structs become members of
// the block, at their offsets (docs/spec/rpl.md#emission-rules).
Id Emitter::block_type(const Buffer& buffer) {
  std::vector<FlatMember>& flat = flat_;
  flat.clear();
  List members = buffer.members;
  std::uint32_t base = 0;
  while (members.count != 0) {
    const List level = members;
    members = {};
    for (std::uint32_t i = 0; i < level.count; ++i) {
      const Member& member = program_->members[level.first + i];
      const Type& info = type_info(member.type);
      if (info.kind == TypeKind::Struct && info.has_tail) {
        members = program_->structs[info.index].members;
        base += member.offset;
      } else {
        flat.push_back({&member, base + member.offset});
      }
    }
  }
  for (const FlatMember& at : flat) laid(at.member->type);
  scratch_.clear();
  for (const FlatMember& at : flat) scratch_.push_back(types_[at.member->type].laid);
  const Id id = out_.new_id();
  out_.section(Section::Globals).op_list(spv::Op::OpTypeStruct, scratch_, id);
  out_.section(Section::Annotations).op(spv::Op::OpDecorate, id, spv::Decoration::Block);
  name(id, buffer.name);
  for (std::uint32_t i = 0; i < flat.size(); ++i) {
    if (!options_.strip)
      out_.section(Section::Names).op_list(spv::Op::OpMemberName, text_words(flat[i].member->name), id, i);
    member_layout(id, i, flat[i].member->type, flat[i].offset);
  }
  return id;
}

Storage Emitter::storage_of(const Buffer& buffer) const {
  switch (buffer.kind) {
    case ItemKind::UniformBuffer:
      return Storage::Uniform;
    case ItemKind::PushConstant:
      return Storage::PushConstant;
    case ItemKind::WorkgroupBuffer:
      return Storage::Workgroup;
    default:
      return Storage::StorageBuffer;
  }
}

Id Emitter::buffer_variable(std::uint32_t buffer) {
  Global& global = buffers_[buffer];
  const Buffer& of = program_->buffers[buffer];
  const Storage storage = storage_of(of);
  if (global.id == 0) {
    const Id type = pointer_to(block_type(of), storage);
    global.id = out_.new_id();
    out_.section(Section::Globals).op(spv::Op::OpVariable, type, global.id, class_of(storage));
    if (of.kind != ItemKind::PushConstant) bind(global.id, of.set, of.binding);
    name(global.id, of.name);
  }
  return use(global, storage);
}

Id Emitter::workgroup_variable(std::uint32_t buffer, std::uint32_t member) {
  const Buffer& of = program_->buffers[buffer];
  const std::uint32_t index = of.members.first + member;
  Global& global = shared_[index];
  if (global.id == 0) {
    const Member& variable = program_->members[index];
    const Id type = pointer(variable.type, Storage::Workgroup);
    global.id = out_.new_id();
    out_.section(Section::Globals).op(spv::Op::OpVariable, type, global.id, spv::StorageClass::Workgroup);
    name_member(global.id, of.name, variable.name);
  }
  return use(global, Storage::Workgroup);
}

Id Emitter::sampler_variable(std::uint32_t sampler) {
  Global& global = samplers_[sampler];
  if (global.id == 0) {
    const SamplerDecl& of = program_->samplers[sampler];
    const Id type = pointer(kSampler, Storage::UniformConstant);
    global.id = out_.new_id();
    out_.section(Section::Globals).op(spv::Op::OpVariable, type, global.id, spv::StorageClass::UniformConstant);
    bind(global.id, of.set, of.binding);
    name(global.id, of.name);
  }
  return use(global, Storage::UniformConstant);
}

Id Emitter::image_variable(std::uint32_t image) {
  Global& global = images_[image];
  if (global.id == 0) {
    const ImageDecl& of = program_->images[image];
    Id type = image_type(of.image_type, of.format);
    if (of.has_array) type = out_.type_array_of(type, u1(of.array_size), 0);
    type = pointer_to(type, Storage::UniformConstant);
    global.id = out_.new_id();
    out_.section(Section::Globals).op(spv::Op::OpVariable, type, global.id, spv::StorageClass::UniformConstant);
    bind(global.id, of.set, of.binding);
    name(global.id, of.name);
  }
  return use(global, Storage::UniformConstant);
}

Id Emitter::builtin_variable(Builtin builtin) {
  Global& global = builtins_[static_cast<std::size_t>(builtin)];
  const BuiltinInfo& info = info_of(builtin);
  const Storage storage = info.code == BuiltinCode::Output ? Storage::Output : Storage::Input;
  if (global.id == 0) {
    TypeId type = kF4;
    if (info.family == BuiltinFamily::GivesU1) type = kU1;
    if (info.family == BuiltinFamily::GivesU3) type = kU3;
    if (info.family == BuiltinFamily::TakesF1) type = kF1;
    if (info.family == BuiltinFamily::GivesBoolean) type = kBoolean;
    const Id id = pointer(type, storage);
    global.id = out_.new_id();
    out_.section(Section::Globals).op(spv::Op::OpVariable, id, global.id, class_of(storage));
    out_.section(Section::Annotations).op(spv::Op::OpDecorate, global.id, spv::Decoration::BuiltIn, info.number);
    name(global.id, info.stem);
  }
  return use(global, storage);
}

// `text` is kNoName for variables that are not in the program.
Id Emitter::local_variable(Id type, NameId text) {
  const Id id = out_.new_id();
  words_->variables.op(spv::Op::OpVariable, type, id, spv::StorageClass::Function);
  if (text != kNoName) name(id, text);
  return id;
}

}  // namespace slipway::rpl::emit
