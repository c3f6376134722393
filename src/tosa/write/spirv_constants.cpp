// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/write/spirv_constants.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <spirv/unified1/spirv.hpp11>

namespace slipway::tosa {
namespace {

using spirv::Id;
using spirv::Operands;

std::uint64_t bits_at(const std::byte* data, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, data, size);
  return bits;
}

TensorType with_rank(const TensorType& type) {
  return type.shape.empty() ? TensorType{type.data, tensor::Shape{1}} : type;
}

}  // namespace

Id SpirvConstants::element_type(DataType type) {
  const auto small_float = [&](std::uint32_t width, spv::FPEncoding encoding, spv::Capability capability,
                               std::string_view extension) {
    builder_.capability(capability);
    builder_.extension(extension);
    return builder_.type(spv::Op::OpTypeFloat, Operands({width}).add(encoding));
  };
  const auto integer = [&](std::uint32_t width, spv::Capability capability) {
    builder_.capability(capability);
    return builder_.type_int(width, false);
  };
  switch (type) {
    case DataType::Bool:
      return builder_.type_bool();
    case DataType::I4:
    case DataType::I8:
      return integer(8, spv::Capability::Int8);
    case DataType::I16:
      return integer(16, spv::Capability::Int16);
    case DataType::I32:
      return builder_.type_int(32, false);
    case DataType::I48:
      return integer(64, spv::Capability::Int64);
    case DataType::F16:
      builder_.capability(spv::Capability::Float16);
      return builder_.type_float(16);
    case DataType::F32:
      return builder_.type_float(32);
    case DataType::BF16:
      return small_float(16, spv::FPEncoding::BFloat16KHR, spv::Capability::BFloat16TypeKHR, "SPV_KHR_bfloat16");
    case DataType::F8E4M3:
      return small_float(8, spv::FPEncoding::Float8E4M3EXT, spv::Capability::Float8EXT, "SPV_EXT_float8");
    case DataType::F8E5M2:
      return small_float(8, spv::FPEncoding::Float8E5M2EXT, spv::Capability::Float8EXT, "SPV_EXT_float8");
    default:  // block-scaled types, which check_writable refuses
      break;
  }
  std::unreachable();
}

Id SpirvConstants::tensor_type(const TensorType& given) {
  const TensorType type = with_rank(given);
  const auto rank = static_cast<std::uint32_t>(type.shape.size());
  Operands operands({element_type(type.data), u32(rank)});
  if (type.is_static()) {
    Operands extents;
    for (const std::int64_t extent : type.shape) extents.add(u32(static_cast<std::uint32_t>(extent)));
    operands.add(builder_.constant_composite(builder_.type_array(builder_.type_int(32, false), rank), extents.words()));
  }
  return builder_.type(spv::Op::OpTypeTensorARM, operands);
}

Id SpirvConstants::result_type(std::span<const TensorType> types) {
  std::vector<Id> members;
  for (const TensorType& type : types) members.push_back(tensor_type(type));
  if (members.size() == 1) return members[0];
  Id& known = structs_[members];
  if (known == 0) known = builder_.type_struct(members);
  return known;
}

Id SpirvConstants::scalar(DataType type, std::uint64_t bits) {
  const Id id = element_type(type);
  return type == DataType::Bool ? builder_.constant_bool(bits != 0) : builder_.constant(id, bits);
}

Id SpirvConstants::list(std::span<const std::int64_t> values) {
  std::vector<std::int32_t> narrow(values.begin(), values.end());
  // A shape without dimensions means a single element.
  if (narrow.empty()) narrow.push_back(1);
  return tensor({DataType::I32, {static_cast<std::int64_t>(narrow.size())}}, std::as_bytes(std::span(narrow)), false);
}

Id SpirvConstants::tensor(const TensorType& given, Bytes data, bool splat) {
  const TensorType type = with_rank(given);
  const std::size_t size = tensor::size_of(storage_of(type.data));
  splat = splat || std::ranges::equal(data.subspan(size), data.first(data.size() - size));
  if (splat) {
    const std::uint64_t bits = bits_at(data.data(), size);
    return equal_elements(type, type.data == DataType::Bool ? bits != 0 : bits);
  }
  return composite(type, data);
}

Id SpirvConstants::equal_elements(const TensorType& type, std::uint64_t bits) {
  const Id id = tensor_type(type);
  if (bits == 0) return builder_.constant_null(id);
  const auto count = static_cast<std::size_t>(type.shape[0]);
  // The scalar is replicated, whatever the rank. Small constants, such as lists of attributes, are written out, so that
  // models without large ones need no extension.
  constexpr std::uint64_t kMaxWrittenOut = 64;
  if (const Size elements = tensor::element_count(type.shape);
      replicate_ && (!elements || *elements > kMaxWrittenOut)) {
    builder_.capability(spv::Capability::ReplicatedCompositesEXT);
    builder_.extension("SPV_EXT_replicated_composites");
    return builder_.constant(spv::Op::OpConstantCompositeReplicateEXT, id, {scalar(type.data, bits)});
  }
  const Id element = type.shape.size() == 1
                         ? scalar(type.data, bits)
                         : equal_elements({type.data, {type.shape.begin() + 1, type.shape.end()}}, bits);
  return builder_.constant_composite(id, std::vector<Id>(count, element));
}

// For rank 2 and more: composed of tensors with one dimension less.
Id SpirvConstants::composite(const TensorType& type, Bytes data) {
  const std::size_t size = tensor::size_of(storage_of(type.data));
  const auto count = static_cast<std::size_t>(type.shape[0]);
  Operands elements;
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes part = data.subspan(i * (data.size() / count), data.size() / count);
    elements.add(type.shape.size() == 1 ? scalar(type.data, bits_at(part.data(), size))
                                        : tensor({type.data, {type.shape.begin() + 1, type.shape.end()}}, part, false));
  }
  return builder_.constant_composite(tensor_type(type), elements.words());
}

Id SpirvConstants::text(std::string_view text) {
  const Id byte = element_type(DataType::I8);
  Operands characters;
  for (const char character : text) characters.add(builder_.constant(byte, static_cast<unsigned char>(character)));
  if (text.empty()) characters.add(builder_.constant(byte, 0));
  return builder_.constant_composite(builder_.type_array(byte, static_cast<std::uint32_t>(characters.words().size())),
                                     characters.words());
}

}  // namespace slipway::tosa
