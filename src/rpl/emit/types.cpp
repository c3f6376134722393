// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and constants. A struct or an array has two versions: `laid` with offsets and strides, for memory that the host
// sees, and `plain` for everything else, because newer rules forbid layout decorations in the other storage classes.
#include <bit>

#include "rpl/emit/emitter.hpp"

namespace slipway::rpl::emit {

Id Emitter::make_plain(TypeId type) {
  const Type& info = type_info(type);
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
      id = image_type(type, ItemFormat::Float32);
      break;
    case TypeKind::Array: {
      const Id element = plain(info.element);
      id = out_.type_array_of(element, u1(info.length), 0);
      break;
    }
    case TypeKind::Struct: {
      const Struct& structure = program_->structs[info.index];
      const std::span members(program_->members.data() + structure.members.first, structure.members.count);
      for (const Member& member : members) plain(member.type);
      scratch_.clear();
      for (const Member& member : members) scratch_.push_back(types_[member.type].plain);
      id = out_.new_id();
      out_.section(Section::Globals).op_list(spv::Op::OpTypeStruct, scratch_, id);
      name(id, structure.name);
      if (!options_.strip) {
        for (std::uint32_t i = 0; i < members.size(); ++i) {
          out_.section(Section::Names).op_list(spv::Op::OpMemberName, text_words(members[i].name), id, i);
        }
      }
      break;
    }
    case TypeKind::Error:
    case TypeKind::StorageImage:  // depends on its format: image_type
    case TypeKind::String:
    case TypeKind::RuntimeArray:
      break;
  }
  return types_[type].plain = id;
}

Id Emitter::make_laid(TypeId type) {
  const Type& info = type_info(type);
  Id id = 0;
  if (info.kind == TypeKind::Array) {
    const Id element = laid(info.element);
    id = out_.type_array_of(element, u1(info.length), info.stride);
  } else if (info.kind == TypeKind::RuntimeArray) {
    id = out_.type_array_of(laid(info.element), 0, info.stride);
  } else if (info.kind == TypeKind::Struct) {
    const Struct& structure = program_->structs[info.index];
    const std::span members(program_->members.data() + structure.members.first, structure.members.count);
    for (const Member& member : members) laid(member.type);
    scratch_.clear();
    for (const Member& member : members) scratch_.push_back(types_[member.type].laid);
    id = out_.new_id();
    out_.section(Section::Globals).op_list(spv::Op::OpTypeStruct, scratch_, id);
    name(id, structure.name);
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      if (!options_.strip)
        out_.section(Section::Names).op_list(spv::Op::OpMemberName, text_words(members[i].name), id, i);
      member_layout(id, i, members[i].type, members[i].offset);
    }
  } else {
    id = plain(type);
  }
  return types_[type].laid = id;
}

void Emitter::member_layout(Id structure, std::uint32_t member, TypeId type, std::uint32_t offset) {
  WordBuffer& annotations = out_.section(Section::Annotations);
  annotations.op(spv::Op::OpMemberDecorate, structure, member, spv::Decoration::Offset, offset);
  while (type_info(type).kind == TypeKind::Array || type_info(type).kind == TypeKind::RuntimeArray) {
    type = type_info(type).element;
  }
  if (!is_matrix(type)) return;
  annotations.op(spv::Op::OpMemberDecorate, structure, member, spv::Decoration::ColMajor);
  annotations.op(spv::Op::OpMemberDecorate, structure, member, spv::Decoration::MatrixStride, 16u);
}

bool Emitter::needs_copy(TypeId type) const {
  const TypeKind kind = type_info(type).kind;
  return kind == TypeKind::Struct || kind == TypeKind::Array;
}

Id Emitter::pointer_to(Id pointee, Storage storage) {
  return out_.type(spv::Op::OpTypePointer, class_of(storage), pointee);
}

Id Emitter::make_pointer(TypeId type, Storage storage) {
  const Id to = stored(type, storage);
  // Several types of the program may have the same SPIR-V image type.
  const Id id =
      type_info(type).opaque ? pointer_to(to, storage) : out_.new_type(spv::Op::OpTypePointer, class_of(storage), to);
  return types_[type].pointers[static_cast<std::size_t>(storage)] = id;
}

// Depth is 1 for depth images, Sampled is 1, or 2 for storage images, whose format is fixed
// (docs/spec/rpl.md#emission-rules).
Id Emitter::image_type(TypeId type, ItemFormat format) {
  const Type& info = type_info(type);
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

Id Emitter::bools(std::uint32_t count) {
  if (bools_[count] == 0) {
    const Id scalar = plain(kBoolean);
    bools_[count] = count == 1 ? scalar : out_.new_type(spv::Op::OpTypeVector, scalar, count);
  }
  return bools_[count];
}

// --- constants -----------------------------------------------------------------------------------------------------

Id Emitter::make_u1(std::uint32_t value) {
  const Id id = out_.constant_word(plain(kU1), value);
  return value < kSmall ? small_[value] = id : id;
}

Id Emitter::f1(float value) { return out_.constant_word(plain(kF1), std::bit_cast<std::uint32_t>(value)); }

Id Emitter::make_constant(std::uint32_t index) {
  const Constant& constant = program_->constants[index];
  const std::uint32_t* words = program_->constant_words.data() + constant.first;
  const Id id = constant_of(constant.type, words);
  return constants_[index] = id;
}

// Reads the words of one value and advances `words` past them.
Id Emitter::constant_of(TypeId type, const std::uint32_t*& words) {
  const Id id = plain(type);
  if (is_scalar(type)) return out_.constant_word(id, *words++);
  if (type == kBoolean) {
    return out_.unique_constant(*words++ != 0 ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, id);
  }
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
  const Struct& structure = program_->structs[type_info(type).index];
  std::vector<Id> parts;
  for (std::uint32_t i = 0; i < structure.members.count; ++i) {
    parts.push_back(constant_of(program_->members[structure.members.first + i].type, words));
  }
  return out_.constant_composite(id, parts);
}

Id Emitter::zero(TypeId type) {
  const Id id = plain(type);
  return is_scalar(type) ? out_.constant_word(id, 0) : out_.constant_null(id);
}

Id Emitter::filled(TypeId type, std::uint32_t bits) {
  const Id scalar = out_.constant_word(plain(item_type(type)), bits);
  if (is_scalar(type)) return scalar;
  const Id parts[4] = {scalar, scalar, scalar, scalar};
  return out_.constant_composite(plain(type), std::span(parts, item_count(type)));
}

}  // namespace slipway::rpl::emit
