// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/read/spirv_values.hpp"

#include <algorithm>

#include <spirv/unified1/spirv.hpp11>

#include "base/checked.hpp"
#include "base/format.hpp"

namespace slipway::tosa {
namespace {

// Shared constituents can make a small module expand without bound; real modules inline small constants only.
constexpr std::uint64_t kMaxInlinedBytes = 32 << 20;
constexpr int kMaxCompositeDepth = 16;  // of nested composites; ranks go up to 6
constexpr std::uint32_t kMaxSpirvRank = 32;

bool is(const spirv::Instruction* instruction, spv::Op op) { return instruction && instruction->op == op; }

bool is_scalar(spv::Op op) {
  return op == spv::Op::OpConstant || op == spv::Op::OpSpecConstant || op == spv::Op::OpConstantTrue ||
         op == spv::Op::OpConstantFalse || op == spv::Op::OpSpecConstantTrue || op == spv::Op::OpSpecConstantFalse;
}
bool is_composite(spv::Op op) { return op == spv::Op::OpConstantComposite || op == spv::Op::OpSpecConstantComposite; }
bool is_replicate(spv::Op op) {
  return op == spv::Op::OpConstantCompositeReplicateEXT || op == spv::Op::OpSpecConstantCompositeReplicateEXT;
}

// The bits of a scalar constant, as many bytes as its storage has; booleans are 0 and 1.
void append_scalar(const spirv::Instruction& constant, std::size_t size, std::vector<std::byte>& to) {
  std::uint64_t bits = 0;
  if (constant.op == spv::Op::OpConstantTrue || constant.op == spv::Op::OpSpecConstantTrue) bits = 1;
  if (constant.op == spv::Op::OpConstant || constant.op == spv::Op::OpSpecConstant)
    bits = constant.operand(2) | std::uint64_t{constant.operand(3)} << 32;
  std::byte raw[8];
  store(raw, bits);
  to.insert(to.end(), raw, raw + size);
}

}  // namespace

std::nullopt_t SpirvValues::error(DiagnosticKind kind, const spirv::Instruction& user, std::string text) {
  diagnostics_.error(kind, module_.location(user), std::move(text));
  return std::nullopt;
}

std::optional<DataType> SpirvValues::element_type(spirv::Id type, const spirv::Instruction& user) {
  const spirv::Instruction* definition = module_.definition(type);
  const std::uint32_t width = definition ? definition->operand(1) : 0;
  if (is(definition, spv::Op::OpTypeBool)) return DataType::Bool;
  if (is(definition, spv::Op::OpTypeInt)) {
    if (width == 8) return DataType::I8;
    if (width == 16) return DataType::I16;
    if (width == 32) return DataType::I32;
    if (width == 64) return DataType::I48;
  }
  if (is(definition, spv::Op::OpTypeFloat)) {
    const bool encoded = definition->operands.size() > 2;
    const auto encoding = static_cast<spv::FPEncoding>(definition->operand(2));
    if (!encoded && width == 32) return DataType::F32;
    if (!encoded && width == 16) return DataType::F16;
    if (encoded && width == 16 && encoding == spv::FPEncoding::BFloat16KHR) return DataType::BF16;
    if (encoded && width == 8 && encoding == spv::FPEncoding::Float8E4M3EXT) return DataType::F8E4M3;
    if (encoded && width == 8 && encoding == spv::FPEncoding::Float8E5M2EXT) return DataType::F8E5M2;
  }
  return error(DiagnosticKind::TypeMismatch, user, formatted("%{} is not a tensor element type", type));
}

std::optional<std::uint32_t> SpirvValues::index(spirv::Id id, const spirv::Instruction& user) {
  const spirv::Instruction* definition = module_.definition(id);
  if (is(definition, spv::Op::OpConstantNull)) return 0;
  const spirv::Instruction* type = definition ? module_.definition(definition->type) : nullptr;
  if (is(definition, spv::Op::OpConstant) && is(type, spv::Op::OpTypeInt) && type->operand(1) == 32)
    return definition->operand(2);
  return error(DiagnosticKind::TypeMismatch, user, formatted("%{} is not a 32-bit integer constant", id));
}

// The values of an array of 32-bit integers, which the shape of a tensor type is.
std::optional<std::vector<std::uint32_t>> SpirvValues::integers(spirv::Id id, const spirv::Instruction& user) {
  const spirv::Instruction* array = module_.definition(id);
  const spirv::Instruction* type = array ? module_.definition(array->type) : nullptr;
  if (!is(type, spv::Op::OpTypeArray))
    return error(DiagnosticKind::TypeMismatch, user, formatted("%{} is not a constant array", id));
  const auto length = index(type->operand(2), user);
  if (!length || *length > kMaxSpirvRank)
    return length ? error(DiagnosticKind::OutOfRange, user, formatted("a shape has {} dimensions", *length))
                  : std::nullopt;
  if (array->op == spv::Op::OpConstantNull) return std::vector<std::uint32_t>(*length, 0);
  if (is_replicate(array->op)) {
    const auto value = index(array->operand(2), user);
    return value ? std::optional(std::vector<std::uint32_t>(*length, *value)) : std::nullopt;
  }
  if (!is_composite(array->op) || array->operands.size() != *length + 2)
    return error(DiagnosticKind::TypeMismatch, user,
                 formatted("%{} is not a constant array of {} integers", id, *length));
  std::vector<std::uint32_t> values;
  for (const spirv::Id element : array->operands.subspan(2)) {
    const auto value = index(element, user);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<TensorType> SpirvValues::tensor_type(spirv::Id id, const spirv::Instruction& user) {
  const spirv::Instruction* type = module_.definition(id);
  if (!is(type, spv::Op::OpTypeTensorARM))
    return error(DiagnosticKind::TypeMismatch, user, formatted("%{} is not a tensor type", id));
  const auto element = element_type(type->operand(1), user);
  if (!element) return std::nullopt;
  if (type->operands.size() < 3)
    return error(DiagnosticKind::Unsupported, user, "a tensor without a rank cannot be part of a graph");
  const auto rank = index(type->operand(2), user);
  if (!rank) return std::nullopt;
  if (*rank == 0 || *rank > kMaxSpirvRank)
    return error(DiagnosticKind::OutOfRange, user, formatted("a tensor has rank {}", *rank));
  TensorType tensor{*element, tensor::Shape(*rank, kDynamic)};
  if (type->operands.size() < 4) return tensor;
  const auto shape = integers(type->operand(3), user);
  if (!shape) return std::nullopt;
  if (shape->size() != *rank)
    return error(DiagnosticKind::ShapeMismatch, user,
                 formatted("a tensor of rank {} has a shape of {} dimensions", *rank, shape->size()));
  tensor.shape.assign(shape->begin(), shape->end());
  return tensor;
}

std::optional<std::vector<TensorType>> SpirvValues::result_types(spirv::Id id, const spirv::Instruction& user) {
  const spirv::Instruction* type = module_.definition(id);
  std::vector<TensorType> types;
  if (!is(type, spv::Op::OpTypeStruct)) {
    const auto single = tensor_type(id, user);
    if (!single) return std::nullopt;
    types.push_back(*single);
    return types;
  }
  for (const spirv::Id member : type->operands.subspan(1)) {
    const auto each = tensor_type(member, user);
    if (!each) return std::nullopt;
    types.push_back(*each);
  }
  return types;
}

bool SpirvValues::equal(spirv::Id a, spirv::Id b, const spirv::Instruction& user) {
  if (a == b) return true;
  const auto left = tensor_type(a, user), right = tensor_type(b, user);
  return left && right && *left == *right;
}

std::optional<SpirvConstant> SpirvValues::constant(spirv::Id id, const spirv::Instruction& user) {
  const spirv::Instruction* definition = module_.definition(id);
  const spirv::Instruction* type = definition ? module_.definition(definition->type) : nullptr;
  const bool constant = definition && (is_scalar(definition->op) || is_composite(definition->op) ||
                                       is_replicate(definition->op) || definition->op == spv::Op::OpConstantNull);
  if (!constant || !type) return error(DiagnosticKind::TypeMismatch, user, formatted("%{} is not constant", id));
  SpirvConstant value;
  if (type->op == spv::Op::OpTypeArray) {  // other readers take an array of integers for a tensor of rank 1
    const auto values = integers(id, user);
    if (!values) return std::nullopt;
    value.type = {DataType::I32, {std::ssize(*values)}};
    const Bytes bytes = std::as_bytes(std::span(*values));
    value.data.assign(bytes.begin(), bytes.end());
    return value;
  }
  if (type->op == spv::Op::OpTypeTensorARM) {
    const auto tensor = tensor_type(definition->type, user);
    if (!tensor) return std::nullopt;
    value.type = *tensor;
  } else {
    const auto element = element_type(definition->type, user);
    if (!element) return std::nullopt;
    value.type = {*element, {}};
  }
  const std::size_t size = tensor::size_of(storage_of(value.type.data));
  const Size count = tensor::element_count(value.type.shape);
  if (!count)
    return error(DiagnosticKind::ShapeMismatch, user,
                 formatted("the constant %{} has the shape {}", id, text_of(value.type)));

  const spirv::Instruction* inner = is_replicate(definition->op) ? module_.definition(definition->operand(2)) : nullptr;
  if (definition->op == spv::Op::OpConstantNull) {
    value.data.resize(size);
    value.splat = true;
  } else if (inner && is_scalar(inner->op)) {
    append_scalar(*inner, size, value.data);
    value.splat = true;
  } else if (!flatten(id, value.type.data, *count, value.data, 0, user)) {
    return std::nullopt;
  }
  if (!value.splat && value.data.size() != *count * size) {
    return error(DiagnosticKind::ShapeMismatch, user,
                 formatted("the constant %{} has {} elements instead of {}", id, value.data.size() / size, *count));
  }
  return value;
}

// Appends the elements of a constant, at most `count`.
bool SpirvValues::flatten(spirv::Id id, DataType type, std::uint64_t count, std::vector<std::byte>& to, int depth,
                          const spirv::Instruction& user) {
  const spirv::Instruction* definition = module_.definition(id);
  const std::size_t size = tensor::size_of(storage_of(type));
  if (!definition || depth > kMaxCompositeDepth) {
    error(DiagnosticKind::TypeMismatch, user, formatted("%{} is not constant", id));
    return false;
  }
  const auto grow = [&](std::uint64_t elements) {
    inlined_ += 1 + elements * size;
    if (inlined_ <= kMaxInlinedBytes && to.size() / size + elements <= count) return true;
    error(DiagnosticKind::OutOfRange, user,
          inlined_ > kMaxInlinedBytes ? std::string("the constants inside the module expand to too much")
                                      : formatted("the constant %{} has more elements than its type", id));
    return false;
  };
  if (is_scalar(definition->op)) {
    const auto element = element_type(definition->type, user);
    if (!element || !grow(1)) return false;
    if (*element != type) {
      error(DiagnosticKind::TypeMismatch, user,
            formatted("an element of a constant is {} instead of {}", name_of(*element), name_of(type)));
      return false;
    }
    append_scalar(*definition, size, to);
    return true;
  }
  if (definition->op == spv::Op::OpConstantNull || is_replicate(definition->op)) {
    const spirv::Instruction* own = module_.definition(definition->type);
    std::uint64_t elements = 1, first = 1;
    if (is(own, spv::Op::OpTypeTensorARM)) {
      const auto tensor = tensor_type(definition->type, user);
      if (!tensor) return false;
      elements = tensor::element_count(tensor->shape).value_or(kMaxInlinedBytes + 1);
      first = static_cast<std::uint64_t>(std::max<std::int64_t>(tensor->shape[0], 1));
    }
    if (definition->op == spv::Op::OpConstantNull) {
      if (!grow(std::min(elements, kMaxInlinedBytes + 1))) return false;
      to.resize(to.size() + elements * size);
      return true;
    }
    // The replicated constituent is one element, or a tensor with one dimension less.
    const spirv::Instruction* part = module_.definition(definition->operand(2));
    const std::uint64_t copies = part && is_scalar(part->op) ? elements : first;
    for (std::uint64_t i = 0; i < copies; ++i) {
      if (!grow(0) || !flatten(definition->operand(2), type, count, to, depth + 1, user)) return false;
    }
    return true;
  }
  if (is_composite(definition->op)) {
    return grow(0) && std::ranges::all_of(definition->operands.subspan(2), [&](spirv::Id part) {
             return flatten(part, type, count, to, depth + 1, user);
           });
  }
  error(DiagnosticKind::TypeMismatch, user, formatted("%{} is not constant", id));
  return false;
}

std::optional<std::string> SpirvValues::text(spirv::Id id, const spirv::Instruction& user) {
  const spirv::Instruction* definition = module_.definition(id);
  const spirv::Instruction* type = definition ? module_.definition(definition->type) : nullptr;
  if (!is(type, spv::Op::OpTypeArray))
    return error(DiagnosticKind::TypeMismatch, user, formatted("%{} is not an array of bytes", id));
  std::string text;
  if (definition->op == spv::Op::OpConstantNull) return text;
  const std::size_t parts = is_composite(definition->op) ? definition->operands.size() - 2 : 1;
  for (std::size_t i = 0; i < parts; ++i) {
    const spirv::Instruction* byte = module_.definition(definition->operand(2 + i));
    if (is(byte, spv::Op::OpConstantNull)) return text;
    if (!is(byte, spv::Op::OpConstant))
      return error(DiagnosticKind::TypeMismatch, user, formatted("%{} is not an array of bytes", id));
    const auto character = static_cast<char>(byte->operand(2));
    if (character == '\0') return text;
    text += character;
  }
  return text;
}

}  // namespace slipway::tosa
