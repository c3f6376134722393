// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/types.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <spirv/unified1/spirv.hpp11>

namespace slipway::spirv {
namespace {

using tensor::ElementType;

// By the numbers of SPIR-V's image formats, from 0 (Unknown).
constexpr std::array kImageFormats = {
    vk::Format::UNDEFINED,
    vk::Format::R32G32B32A32_SFLOAT,
    vk::Format::R16G16B16A16_SFLOAT,
    vk::Format::R32_SFLOAT,
    vk::Format::R8G8B8A8_UNORM,
    vk::Format::R8G8B8A8_SNORM,
    vk::Format::R32G32_SFLOAT,
    vk::Format::R16G16_SFLOAT,
    vk::Format::B10G11R11_UFLOAT_PACK32,
    vk::Format::R16_SFLOAT,
    vk::Format::R16G16B16A16_UNORM,
    vk::Format::A2B10G10R10_UNORM_PACK32,
    vk::Format::R16G16_UNORM,
    vk::Format::R8G8_UNORM,
    vk::Format::R16_UNORM,
    vk::Format::R8_UNORM,
    vk::Format::R16G16B16A16_SNORM,
    vk::Format::R16G16_SNORM,
    vk::Format::R8G8_SNORM,
    vk::Format::R16_SNORM,
    vk::Format::R8_SNORM,
    vk::Format::R32G32B32A32_SINT,
    vk::Format::R16G16B16A16_SINT,
    vk::Format::R8G8B8A8_SINT,
    vk::Format::R32_SINT,
    vk::Format::R32G32_SINT,
    vk::Format::R16G16_SINT,
    vk::Format::R8G8_SINT,
    vk::Format::R16_SINT,
    vk::Format::R8_SINT,
    vk::Format::R32G32B32A32_UINT,
    vk::Format::R16G16B16A16_UINT,
    vk::Format::R8G8B8A8_UINT,
    vk::Format::R32_UINT,
    vk::Format::A2B10G10R10_UINT_PACK32,
    vk::Format::R32G32_UINT,
    vk::Format::R16G16_UINT,
    vk::Format::R8G8_UINT,
    vk::Format::R16_UINT,
    vk::Format::R8_UINT,
    vk::Format::R64_UINT,
    vk::Format::R64_SINT,
};
static_assert(kImageFormats.size() == static_cast<std::size_t>(spv::ImageFormat::R64i) + 1);

ImageDimension dimension_of(std::uint32_t number) {
  // The first values of both enumerations are the same.
  return number <= static_cast<std::uint32_t>(spv::Dim::SubpassData) ? static_cast<ImageDimension>(number)
                                                                     : ImageDimension::TileImage;
}

std::optional<ElementType> integer_type(std::uint32_t width, bool is_signed) {
  switch (width) {
    case 8:
      return is_signed ? ElementType::I8 : ElementType::U8;
    case 16:
      return is_signed ? ElementType::I16 : ElementType::U16;
    case 32:
      return is_signed ? ElementType::I32 : ElementType::U32;
    case 64:
      return is_signed ? ElementType::I64 : ElementType::U64;
    default:
      return std::nullopt;
  }
}

std::optional<ElementType> float_type(const Instruction& type) {
  if (type.operands.size() > 2) {
    switch (static_cast<spv::FPEncoding>(type.operand(2))) {
      case spv::FPEncoding::BFloat16KHR:
        return ElementType::BF16;
      case spv::FPEncoding::Float8E4M3EXT:
        return ElementType::F8E4M3;
      case spv::FPEncoding::Float8E5M2EXT:
        return ElementType::F8E5M2;
      default:
        return std::nullopt;
    }
  }
  switch (type.operand(1)) {
    case 16:
      return ElementType::F16;
    case 32:
      return ElementType::F32;
    case 64:
      return ElementType::F64;
    default:
      return std::nullopt;
  }
}

// The size of an array but for its last element.
Size before_last(std::uint64_t count, Size stride) {
  return count == 0 ? Size(0) : checked_multiply(count - 1, stride);
}

}  // namespace

Types::Types(const Module& module, const Annotations& annotations, const Constants& constants)
    : module_(module), annotations_(annotations), constants_(constants) {
  for (const Instruction& instruction : module.instructions()) {
    if (instruction.op == spv::Op::OpFunction) break;
    // A structure may have a pointer that is declared after it: the size of an address is known before.
    const bool is_forward = instruction.op == spv::Op::OpTypeForwardPointer;
    const Id declared = is_forward ? instruction.operand(0) : instruction.type == 0 ? instruction.result : 0;
    if (declared != 0) layouts_[declared] = measure(instruction);
  }
}

const Instruction* Types::pointee(const Instruction& variable) const {
  if (variable.op == spv::Op::OpUntypedVariableKHR) return module_.definition(variable.operand(3));
  const Instruction* pointer = module_.definition(variable.type);
  if (pointer == nullptr || pointer->op != spv::Op::OpTypePointer) return nullptr;
  return module_.definition(pointer->operand(2));
}

Unwrapped Types::unwrap_arrays(const Instruction* type) const {
  Unwrapped unwrapped{type};
  // An element type comes before its array; anything else is invalid and could form a cycle.
  const auto element = [&](const Instruction& array) {
    const Instruction* inner = module_.definition(array.operand(1));
    return inner != nullptr && inner->offset < array.offset ? inner : nullptr;
  };
  while (unwrapped.type != nullptr) {
    if (unwrapped.type->op == spv::Op::OpTypeRuntimeArray) {
      unwrapped.count = 0;
    } else if (unwrapped.type->op == spv::Op::OpTypeArray) {
      unwrapped.count = checked_multiply(unwrapped.count, constants_.value(unwrapped.type->operand(2)));
    } else {
      break;
    }
    unwrapped.type = element(*unwrapped.type);
  }
  return unwrapped;
}

std::optional<ElementType> Types::element_type(Id scalar) const {
  const Instruction* type = module_.definition(scalar);
  if (type == nullptr) return std::nullopt;
  switch (type->op) {
    case spv::Op::OpTypeBool:
      return ElementType::Bool;
    case spv::Op::OpTypeInt:
      return integer_type(type->operand(1), type->operand(2) != 0);
    case spv::Op::OpTypeFloat:
      return float_type(*type);
    default:
      return std::nullopt;
  }
}

std::optional<ElementType> Types::common_element_type(Id type) const {
  std::optional<ElementType> common;
  std::vector<Id> open = {type};
  std::set<Id> seen;
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    const Instruction* definition = module_.definition(id);
    if (definition == nullptr) return std::nullopt;
    switch (definition->op) {
      case spv::Op::OpTypeStruct:
        open.insert(open.end(), definition->operands.begin() + 1, definition->operands.end());
        break;
      case spv::Op::OpTypeArray:
      case spv::Op::OpTypeRuntimeArray:
      case spv::Op::OpTypeVector:
      case spv::Op::OpTypeMatrix:
        open.push_back(definition->operand(1));
        break;
      default: {
        const auto element = element_type(id);
        if (!element || (common && *common != *element)) return std::nullopt;
        common = element;
      }
    }
  }
  return common;
}

std::uint32_t image_format_number(vk::Format format) {
  const auto found = std::ranges::find(kImageFormats, format);
  return found == kImageFormats.end() ? 0 : static_cast<std::uint32_t>(found - kImageFormats.begin());
}

ImageType Types::image(const Instruction& type) const {
  const std::uint32_t format = type.operand(7);
  return {.dimension = dimension_of(type.operand(2)),
          .arrayed = type.operand(4) != 0,
          .multisampled = type.operand(5) != 0,
          .format = format < kImageFormats.size() ? kImageFormats[format] : vk::Format::UNDEFINED,
          .sampled = element_type(type.operand(1))};
}

std::optional<TensorType> Types::tensor(const Instruction& type) const {
  const auto element = element_type(type.operand(1));
  if (!element) return std::nullopt;
  TensorType tensor{.element = *element};
  if (const auto rank = constants_.value(type.operand(2))) tensor.rank = static_cast<std::uint32_t>(*rank);
  tensor.shape = constants_.values(type.operand(3)).value_or(std::vector<std::uint64_t>());
  return tensor;
}

Size Types::block_size(Id structure) const { return layout(structure).size; }
std::uint64_t Types::runtime_stride(Id structure) const { return layout(structure).runtime_stride; }

Size Types::member_size(const Instruction& structure, std::uint32_t member) const {
  const Layout measured = layout(structure.operand(member + 1));
  if (measured.matrix == 0) return measured.size;
  return checked_add(measured.size, matrix_size(structure, member, measured.matrix));
}

Size Types::workgroup_size(Id type) const { return layout(type).std430_size; }
std::uint64_t Types::workgroup_alignment(Id type) const { return layout(type).std430_alignment; }

Types::Layout Types::layout(Id type) const {
  const auto found = layouts_.find(type);
  return found == layouts_.end() ? Layout() : found->second;
}

Types::Layout Types::measure(const Instruction& type) const {
  switch (type.op) {
    case spv::Op::OpTypeBool:
      return {.size = 4, .std430_size = 4, .std430_alignment = 4};
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat: {
      const std::uint64_t bytes = std::max<std::uint64_t>(type.operand(1) / 8, 1);
      return {.size = bytes, .std430_size = bytes, .std430_alignment = bytes};
    }
    case spv::Op::OpTypePointer:
    case spv::Op::OpTypeForwardPointer:
      return {.size = 8, .std430_size = 8, .std430_alignment = 8};
    case spv::Op::OpTypeVector:
      return measure_vector(type);
    case spv::Op::OpTypeMatrix:
      return measure_matrix(type);
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      return measure_array(type);
    case spv::Op::OpTypeStruct:
      return measure_struct(type);
    default:
      return {};
  }
}

Types::Layout Types::measure_vector(const Instruction& type) const {
  const Layout component = layout(type.operand(1));
  const std::uint32_t count = type.operand(2);
  const Size size = checked_multiply(component.size, count);
  constexpr std::uint64_t kMaxAlignment = 32;  // of four doubles
  return {.size = size,
          .std430_size = size,
          .std430_alignment = std::min(component.std430_alignment * (count == 2 ? 2 : 4), kMaxAlignment)};
}

Types::Layout Types::measure_matrix(const Instruction& type) const {
  const Layout column = layout(type.operand(1));
  const Size stride = checked_round_up(column.std430_size, column.std430_alignment);
  return {.size = 0,
          .matrix = type.result,
          .std430_size = checked_multiply(stride, type.operand(2)),
          .std430_alignment = column.std430_alignment};
}

Types::Layout Types::measure_array(const Instruction& type) const {
  const Layout element = layout(type.operand(1));
  const auto stride = annotations_.value(type.result, spv::Decoration::ArrayStride);
  const Size natural = checked_round_up(element.std430_size, element.std430_alignment);
  const Size step = stride ? Size(*stride) : natural;
  if (type.op == spv::Op::OpTypeRuntimeArray) {
    return {.runtime_stride = step.value_or(0), .std430_alignment = element.std430_alignment};
  }
  const std::uint64_t count = constants_.value(type.operand(2)).value_or(0);
  return {.size = count == 0 ? Size(0) : checked_add(before_last(count, step), element.size),
          .matrix = element.matrix,
          .std430_size = checked_multiply(natural, count),
          .std430_alignment = element.std430_alignment};
}

Types::Layout Types::measure_struct(const Instruction& type) const {
  Layout whole;
  Size end = 0;
  for (std::uint32_t member = 0; member + 1 < type.operands.size(); ++member) {
    const Layout one = layout(type.operand(member + 1));
    end = checked_add(checked_round_up(end, one.std430_alignment), one.std430_size);
    whole.std430_alignment = std::max(whole.std430_alignment, one.std430_alignment);
    if (one.runtime_stride != 0) whole.runtime_stride = one.runtime_stride;

    const std::uint32_t offset = annotations_.member_value(type.result, member, spv::Decoration::Offset).value_or(0);
    const Size last = checked_add(offset, member_size(type, member));
    whole.size = whole.size && last ? Size(std::max(*whole.size, *last)) : std::nullopt;
  }
  whole.std430_size = checked_round_up(end, whole.std430_alignment);
  return whole;
}

Size Types::matrix_size(const Instruction& structure, std::uint32_t member, Id matrix) const {
  const Instruction* type = module_.definition(matrix);
  const Instruction* column = module_.definition(type->operand(1));
  if (column == nullptr) return std::nullopt;
  std::uint64_t vectors = type->operand(2);
  std::uint64_t length = column->operand(2);
  if (annotations_.has_member(structure.result, member, spv::Decoration::RowMajor)) std::swap(vectors, length);
  const Size component = layout(column->operand(1)).size;
  const Size tight = checked_multiply(component, length);
  const auto stride = annotations_.member_value(structure.result, member, spv::Decoration::MatrixStride);
  return checked_add(before_last(vectors, stride ? Size(*stride) : tight), tight);
}

}  // namespace slipway::spirv
