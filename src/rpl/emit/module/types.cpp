// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/module/types.hpp"

#include <bit>

#include "rpl/emit/module/names.hpp"
#include "rpl/vectors.hpp"

namespace slipway::rpl::emit {

void ModuleTypes::begin_module() {
  assign_zero(types_, emission_.program->types.size());
  assign_zero(constants_, emission_.program->constants.size());
  small_.fill(0);
  sampled_.fill(0);
  bools_.fill(0);
}

// --- types ---------------------------------------------------------------------------------------------------------

Id ModuleTypes::make_plain(TypeId type) {
  const Type& info = emission_.type_info(type);
  Id id = 0;
  switch (info.kind) {
    case TypeKind::Void:
      id = out_.new_type(spv::Op::OpTypeVoid);
      break;
    case TypeKind::Boolean:
      id = out_.new_type(spv::Op::OpTypeBool);
      break;
    case TypeKind::Vector:
      if (info.count > 1) {
        id = out_.new_type(spv::Op::OpTypeVector, plain(item_type(type)), info.count);
      } else if (info.item == ItemClass::Float) {
        id = out_.new_type(spv::Op::OpTypeFloat, 32u);
      } else {
        id = out_.new_type(spv::Op::OpTypeInt, 32u, info.item == ItemClass::Sint ? 1u : 0u);
      }
      break;
    case TypeKind::Matrix:
      id = out_.new_type(spv::Op::OpTypeMatrix, plain(column_type(type)), info.columns);
      break;
    case TypeKind::Sampler:
      id = out_.new_type(spv::Op::OpTypeSampler);
      break;
    case TypeKind::Image:
      id = make_image(type, ItemFormat::Float32);
      break;
    case TypeKind::Array: {
      const Id element = plain(info.element);
      id = out_.type_array_of(element, u1(info.length), 0);
      break;
    }
    case TypeKind::Struct: {
      const Struct& structure = emission_.program->structs[info.index];
      const std::span members = emission_.members(structure.members);
      for (const Member& member : members) plain(member.type);
      members_.clear();
      for (const Member& member : members) members_.push_back(types_[member.type].plain);
      id = new_struct(structure.name, members_);
      for (std::uint32_t i = 0; i < members.size(); ++i) add_member_name(emission_, id, i, members[i].name);
      break;
    }
    case TypeKind::Error:
    case TypeKind::StorageImage:  // depends on its format: image
    case TypeKind::String:
    case TypeKind::RuntimeArray:
      break;
  }
  return types_[type].plain = id;
}

Id ModuleTypes::make_laid(TypeId type) {
  const Type& info = emission_.type_info(type);
  Id id = 0;
  if (info.kind == TypeKind::Array) {
    const Id element = laid(info.element);
    id = out_.type_array_of(element, u1(info.length), info.stride);
  } else if (info.kind == TypeKind::RuntimeArray) {
    id = out_.type_array_of(laid(info.element), 0, info.stride);
  } else if (info.kind == TypeKind::Struct) {
    const Struct& structure = emission_.program->structs[info.index];
    const std::span members = emission_.members(structure.members);
    for (const Member& member : members) laid(member.type);
    members_.clear();
    for (const Member& member : members) members_.push_back(types_[member.type].laid);
    id = new_struct(structure.name, members_);
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      add_member_name(emission_, id, i, members[i].name);
      lay_out(id, i, members[i].type, members[i].offset);
    }
  } else {
    id = plain(type);
  }
  return types_[type].laid = id;
}

Id ModuleTypes::new_struct(NameId name, std::span<const Id> members) {
  const Id id = out_.new_id();
  emission_.globals().op_list(spv::Op::OpTypeStruct, members, id);
  add_name(emission_, id, name);
  return id;
}

void ModuleTypes::lay_out(Id structure, std::uint32_t member, TypeId type, std::uint32_t offset) {
  WordBuffer& annotations = emission_.annotations();
  annotations.op(spv::Op::OpMemberDecorate, structure, member, spv::Decoration::Offset, offset);
  const Type* info = &emission_.type_info(type);
  while (info->kind == TypeKind::Array || info->kind == TypeKind::RuntimeArray) {
    info = &emission_.type_info(info->element);
  }
  if (info->kind != TypeKind::Matrix) return;
  annotations.op(spv::Op::OpMemberDecorate, structure, member, spv::Decoration::ColMajor);
  annotations.op(spv::Op::OpMemberDecorate, structure, member, spv::Decoration::MatrixStride, 16u);
}

// A tail in nested last structs becomes a direct member of the block: the members of those structs become members of
// the block, at their offsets (docs/spec/rpl.md#emission-rules).
Id ModuleTypes::new_block(const Buffer& buffer) {
  flat_.clear();
  List level = buffer.members;
  std::uint32_t base = 0;
  while (level.count != 0) {
    const std::span members = emission_.members(level);
    level = {};
    for (const Member& member : members) {
      const Type& info = emission_.type_info(member.type);
      if (info.kind == TypeKind::Struct && info.has_tail) {
        level = emission_.program->structs[info.index].members;
        base += member.offset;
      } else {
        flat_.push_back({&member, base + member.offset});
      }
    }
  }
  for (const FlatMember& at : flat_) laid(at.member->type);
  members_.clear();
  for (const FlatMember& at : flat_) members_.push_back(types_[at.member->type].laid);
  const Id id = new_struct(buffer.name, members_);
  emission_.annotations().op(spv::Op::OpDecorate, id, spv::Decoration::Block);
  for (std::uint32_t i = 0; i < flat_.size(); ++i) {
    add_member_name(emission_, id, i, flat_[i].member->name);
    lay_out(id, i, flat_[i].member->type, flat_[i].offset);
  }
  return id;
}

std::uint32_t ModuleTypes::tail_member(const Buffer& buffer) const {
  std::uint32_t index = 0;
  List level = buffer.members;
  while (true) {
    index += level.count - 1;
    const Type& last = emission_.type_info(emission_.members(level).back().type);
    if (last.kind != TypeKind::Struct) return index;
    level = emission_.program->structs[last.index].members;
  }
}

bool ModuleTypes::needs_copy(TypeId type) const {
  const TypeKind kind = emission_.type_info(type).kind;
  return kind == TypeKind::Struct || kind == TypeKind::Array;
}

Id ModuleTypes::pointer_to(Id pointee, Storage storage) {
  return out_.type(spv::Op::OpTypePointer, class_of(storage), pointee);
}

// Each buffer has a block type of its own, because the decorations belong to it, and so has its pointer.
Id ModuleTypes::pointer_to_block(const Buffer& buffer, Storage storage) {
  return out_.new_type(spv::Op::OpTypePointer, class_of(storage), new_block(buffer));
}

Id ModuleTypes::make_pointer(TypeId type, Storage storage) {
  const Id to = is_laid_out(storage) ? laid(type) : plain(type);
  // Several types of the program may have the same SPIR-V image type.
  const Id id = emission_.type_info(type).opaque ? pointer_to(to, storage)
                                                 : out_.new_type(spv::Op::OpTypePointer, class_of(storage), to);
  return types_[type].pointers[static_cast<std::size_t>(storage)] = id;
}

// Depth is 1 for depth images, Sampled is 1, or 2 for storage images, whose format is fixed
// (docs/spec/rpl.md#emission-rules).
Id ModuleTypes::make_image(TypeId type, ItemFormat format) {
  const Type& info = emission_.type_info(type);
  const bool storage = info.kind == TypeKind::StorageImage;
  const auto shape = static_cast<ImageShape>(info.index);
  const ImageShape form = dimension_of(shape);
  const spv::Dim dim = form == ImageShape::Color3d     ? spv::Dim::Dim3D
                       : form == ImageShape::ColorCube ? spv::Dim::Cube
                                                       : spv::Dim::Dim2D;
  const TypeId texel = storage ? texel_type(info) : kF4;
  const Id sampled = plain(item_type(texel));
  return out_.type(spv::Op::OpTypeImage, sampled, dim, is_depth(shape) ? 1u : 0u,
                   form == ImageShape::Color2dArray ? 1u : 0u, 0u, storage ? 2u : 1u,
                   storage ? storage_spirv_format(format, texel) : 0u);
}

Id ModuleTypes::image_array(Id image, std::uint32_t length) { return out_.type_array_of(image, u1(length), 0); }

Id ModuleTypes::make_sampled_image(TypeId image) {
  // The shapes with and without depth have different image types, so no other type has the same.
  return sampled_[image - kFirstImage] = out_.new_type(spv::Op::OpTypeSampledImage, plain(image));
}

Id ModuleTypes::bools(std::uint32_t count) {
  if (bools_[count] == 0) {
    const Id scalar = plain(kBoolean);
    bools_[count] = count == 1 ? scalar : out_.new_type(spv::Op::OpTypeVector, scalar, count);
  }
  return bools_[count];
}

// --- constants -----------------------------------------------------------------------------------------------------

Id ModuleTypes::make_u1(std::uint32_t value) {
  const Id id = out_.constant_word(plain(kU1), value);
  return value < kSmall ? small_[value] = id : id;
}

Id ModuleTypes::f1(float value) { return out_.constant_word(plain(kF1), std::bit_cast<std::uint32_t>(value)); }

Id ModuleTypes::boolean(bool value) {
  return out_.unique_constant(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, plain(kBoolean));
}

Id ModuleTypes::make_constant(std::uint32_t index) {
  const Constant& constant = emission_.program->constants[index];
  const std::uint32_t* words = emission_.program->constant_words.data() + constant.first;
  const Id id = constant_of(constant.type, words);
  return constants_[index] = id;
}

// Reads the words of one value and advances `words` past them.
Id ModuleTypes::constant_of(TypeId type, const std::uint32_t*& words) {
  if (type == kBoolean) return boolean(*words++ != 0);
  const Id id = plain(type);
  if (is_scalar(type)) return out_.constant_word(id, *words++);
  if (is_vector(type) || is_matrix(type)) {
    const TypeId part = is_vector(type) ? item_type(type) : column_type(type);
    Id parts[4];
    for (std::uint32_t i = 0; i < item_count(type); ++i) {
      // Most vectors repeat a number.
      const bool again = i != 0 && is_vector(type) && words[0] == words[-1];
      parts[i] = again ? (++words, parts[i - 1]) : constant_of(part, words);
    }
    return out_.constant_composite(id, std::span(parts, item_count(type)));
  }
  const Struct& structure = emission_.program->structs[emission_.type_info(type).index];
  std::vector<Id> parts;
  for (const Member& member : emission_.members(structure.members)) parts.push_back(constant_of(member.type, words));
  return out_.constant_composite(id, parts);
}

Id ModuleTypes::zero(TypeId type) {
  const Id id = plain(type);
  return is_scalar(type) ? out_.constant_word(id, 0) : out_.constant_null(id);
}

Id ModuleTypes::filled(TypeId type, std::uint32_t bits) {
  const Id scalar = out_.constant_word(plain(item_type(type)), bits);
  if (is_scalar(type)) return scalar;
  const Id parts[4] = {scalar, scalar, scalar, scalar};
  return vector(type, std::span(parts, item_count(type)));
}

Id ModuleTypes::vector(TypeId type, std::span<const Id> items) { return out_.constant_composite(plain(type), items); }

}  // namespace slipway::rpl::emit
