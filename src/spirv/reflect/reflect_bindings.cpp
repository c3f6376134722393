// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptor bindings, push constants and specialization constants.
#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "base/format.hpp"
#include "spirv/reflect/reflect_parts.hpp"

namespace slipway::spirv {
namespace {

spv::StorageClass storage_of(const Instruction& variable) {
  return static_cast<spv::StorageClass>(variable.operand(2));
}

std::unexpected<Failure> fail_at(const ModuleView& view, const Instruction& instruction, std::string message) {
  return fail(DiagnosticKind::FileFormat, view.module.location(instruction), std::move(message));
}

std::optional<BindingKind> image_kind(const Instruction& image) {
  constexpr std::uint32_t kStorage = 2;  // `Sampled` of OpTypeImage: without a sampler
  const bool storage = image.operand(6) == kStorage;
  switch (static_cast<spv::Dim>(image.operand(2))) {
    case spv::Dim::Buffer:
      return storage ? BindingKind::StorageTexelBuffer : BindingKind::UniformTexelBuffer;
    case spv::Dim::SubpassData:
      return BindingKind::InputAttachment;
    default:
      return storage ? BindingKind::StorageImage : BindingKind::SampledImage;
  }
}

// Empty for types that are not descriptors of Vulkan.
std::optional<BindingKind> binding_kind(const ModuleView& view, spv::StorageClass storage, const Instruction& type) {
  if (storage == spv::StorageClass::StorageBuffer) return BindingKind::StorageBuffer;
  if (storage == spv::StorageClass::Uniform) {
    // Before SPIR-V 1.3 storage buffers are uniforms whose structure has a decoration.
    return view.annotations.has(type.result, spv::Decoration::BufferBlock) ? BindingKind::StorageBuffer
                                                                           : BindingKind::UniformBuffer;
  }
  if (storage != spv::StorageClass::UniformConstant) return std::nullopt;
  switch (type.op) {
    case spv::Op::OpTypeImage:
      return image_kind(type);
    case spv::Op::OpTypeSampledImage:
      return BindingKind::CombinedImageSampler;
    case spv::Op::OpTypeSampler:
      return BindingKind::Sampler;
    case spv::Op::OpTypeAccelerationStructureKHR:
      return BindingKind::AccelerationStructure;
    case spv::Op::OpTypeTensorARM:
      return BindingKind::Tensor;
    default:
      return std::nullopt;
  }
}

// Of a pointer or an array of them. A pointer may be declared after its array.
bool are_pointers(const ModuleView& view, Id type) {
  const Instruction* element = view.module.definition(type);
  if (element != nullptr && element->op == spv::Op::OpTypeArray) element = view.module.definition(element->operand(1));
  return element != nullptr && element->op == spv::Op::OpTypePointer;
}

std::vector<BlockMember> members_of(const ModuleView& view, const Instruction& block) {
  std::vector<BlockMember> members;
  for (std::uint32_t member = 0; member + 1 < block.operands.size(); ++member) {
    members.push_back(
        {.name = std::string(view.annotations.member_name(block.result, member)),
         .offset = view.annotations.member_value(block.result, member, spv::Decoration::Offset).value_or(0),
         .size = view.types.member_size(block, member).value_or(0),
         .element = view.types.common_element_type(block.operand(member + 1)),
         .addresses = are_pointers(view, block.operand(member + 1))});
  }
  return members;
}

// Fills in what depends on the kind.
Result<> describe(const ModuleView& view, const Instruction& variable, const Instruction& type, Binding& binding) {
  switch (binding.kind) {
    case BindingKind::StorageBuffer:
    case BindingKind::UniformBuffer: {
      const Size size = view.types.block_size(type.result);
      if (!size) {
        return fail_at(view, variable, formatted("the block of `{}` has a size beyond 64 bits", binding.name));
      }
      binding.block = {.size = *size,
                       .runtime_stride = view.types.runtime_stride(type.result),
                       .element = view.types.common_element_type(type.result),
                       .members = members_of(view, type)};
      return {};
    }
    case BindingKind::Tensor:
      binding.tensor = view.types.tensor(type);
      if (!binding.tensor) {
        return fail_at(view, variable,
                       formatted("the tensor `{}` has elements of a type that is not supported", binding.name));
      }
      return {};
    case BindingKind::Sampler:
    case BindingKind::AccelerationStructure:
      return {};
    default: {
      const Instruction* image =
          type.op == spv::Op::OpTypeSampledImage ? view.module.definition(type.operand(1)) : &type;
      if (image == nullptr || image->op != spv::Op::OpTypeImage) {
        return fail_at(view, variable,
                       formatted("`{}` is a sampled image of something that is not an image", binding.name));
      }
      binding.image = view.types.image(*image);
      return {};
    }
  }
}

// Whether a variable, or every member of its structure, has a decoration.
bool is_decorated(const ModuleView& view, Id variable, spv::Decoration decoration) {
  if (view.annotations.has(variable, decoration)) return true;
  const Instruction* definition = view.module.definition(variable);
  const Instruction* type = view.types.unwrap_arrays(view.types.pointee(*definition)).type;
  if (type == nullptr || type->op != spv::Op::OpTypeStruct || type->operands.size() < 2) return false;
  for (std::uint32_t member = 0; member + 1 < type->operands.size(); ++member) {
    if (!view.annotations.has_member(type->result, member, decoration)) return false;
  }
  return true;
}

}  // namespace

std::string ModuleView::label(Id id) const {
  const std::string_view name = annotations.name(id);
  return name.empty() ? formatted("%{}", id) : std::string(name);
}

std::vector<const Instruction*> module_variables(const Module& module) {
  std::vector<const Instruction*> variables;
  for (const Instruction& instruction : module.instructions()) {
    if (instruction.op == spv::Op::OpFunction) break;
    if (instruction.op == spv::Op::OpVariable || instruction.op == spv::Op::OpUntypedVariableKHR) {
      variables.push_back(&instruction);
    }
  }
  return variables;
}

Result<std::vector<Binding>> reflect_bindings(const ModuleView& view,
                                              const std::vector<const Instruction*>& variables) {
  std::vector<Binding> bindings;
  for (const Instruction* variable : variables) {
    const auto set = view.annotations.value(variable->result, spv::Decoration::DescriptorSet);
    const auto number = view.annotations.value(variable->result, spv::Decoration::Binding);
    if (!set || !number) continue;
    const Unwrapped unwrapped = view.types.unwrap_arrays(view.types.pointee(*variable));
    if (unwrapped.type == nullptr || !unwrapped.count) {
      return fail_at(view, *variable, formatted("the type of `{}` cannot be followed", view.label(variable->result)));
    }
    const auto kind = binding_kind(view, storage_of(*variable), *unwrapped.type);
    if (!kind) {
      return fail_at(view, *variable,
                     formatted("`{}` has a binding, but is not a resource", view.label(variable->result)));
    }
    Binding binding{
        .set = *set, .binding = *number, .variable = variable->result, .kind = *kind, .count = *unwrapped.count};
    // A block without an instance name has the name of its type.
    binding.name = view.annotations.name(variable->result);
    if (binding.name.empty()) binding.name = view.annotations.name(unwrapped.type->result);
    if (Result<> described = describe(view, *variable, *unwrapped.type, binding); !described) {
      return std::unexpected(std::move(described.error()));
    }
    bindings.push_back(std::move(binding));
  }
  std::ranges::stable_sort(bindings, {},
                           [](const Binding& binding) { return std::pair(binding.set, binding.binding); });
  return bindings;
}

bool is_non_writable(const ModuleView& view, const Binding& binding) {
  return is_decorated(view, binding.variable, spv::Decoration::NonWritable);
}

bool is_non_readable(const ModuleView& view, const Binding& binding) {
  return is_decorated(view, binding.variable, spv::Decoration::NonReadable);
}

Result<PushConstants> reflect_push_constants(const ModuleView& view, const Instruction& variable) {
  const Instruction* block = view.types.pointee(variable);
  if (block == nullptr || block->op != spv::Op::OpTypeStruct) {
    return fail_at(view, variable,
                   formatted("the push constants `{}` are not a structure", view.label(variable.result)));
  }
  PushConstants constants{.name = std::string(view.annotations.name(variable.result))};
  if (constants.name.empty()) constants.name = view.annotations.name(block->result);
  const Size size = view.types.block_size(block->result);
  if (!size) return fail_at(view, variable, formatted("the block of `{}` has a size beyond 64 bits", constants.name));
  constants.size = *size;
  constants.members = members_of(view, *block);
  return constants;
}

Result<std::vector<SpecializationConstant>> reflect_specialization_constants(const ModuleView& view) {
  std::vector<SpecializationConstant> constants;
  // The module's own value, regardless of the specialization of the view.
  const Constants defaults(view.module, view.annotations, {});
  for (const Instruction& instruction : view.module.instructions()) {
    if (instruction.op != spv::Op::OpSpecConstant && instruction.op != spv::Op::OpSpecConstantTrue &&
        instruction.op != spv::Op::OpSpecConstantFalse) {
      continue;
    }
    const auto id = view.annotations.value(instruction.result, spv::Decoration::SpecId);
    if (!id) continue;
    const auto type = view.types.element_type(instruction.type);
    if (!type) {
      return fail_at(view, instruction,
                     formatted("the specialization constant {} has a type that is not supported", *id));
    }
    constants.push_back({.spec_id = *id,
                         .name = std::string(view.annotations.name(instruction.result)),
                         .type = *type,
                         .default_bits = defaults.value(instruction.result).value_or(0)});
  }
  std::ranges::stable_sort(constants, {}, &SpecializationConstant::spec_id);
  return constants;
}

}  // namespace slipway::spirv
