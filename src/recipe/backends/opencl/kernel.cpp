// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backends/opencl/kernel.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <spirv/unified1/spirv.hpp11>

#include "base/checked.hpp"
#include "base/format.hpp"

namespace slipway::recipe::opencl {
namespace {

// Names and decorations of ids. Reads decoration groups too, which translators of OpenCL C still write.
struct Facts {
  std::map<spirv::Id, std::string_view> names;
  std::set<spirv::Id> read_only;
  std::map<spirv::Id, std::array<std::uint32_t, 3>> local_sizes;

  explicit Facts(const spirv::Module& module) {
    for (const spirv::Instruction& instruction : module.instructions()) {
      switch (instruction.op) {
        case spv::Op::OpName:
          names.emplace(instruction.operand(0), instruction.string(1));
          break;
        case spv::Op::OpDecorate:
          decorate(instruction);
          break;
        case spv::Op::OpGroupDecorate:
          if (read_only.contains(instruction.operand(0))) {
            for (const spirv::Id target : instruction.operands.subspan(1)) read_only.insert(target);
          }
          break;
        case spv::Op::OpExecutionMode:
          if (static_cast<spv::ExecutionMode>(instruction.operand(1)) == spv::ExecutionMode::LocalSize) {
            local_sizes[instruction.operand(0)] = {instruction.operand(2), instruction.operand(3),
                                                   instruction.operand(4)};
          }
          break;
        default:
          break;
      }
    }
  }

  void decorate(const spirv::Instruction& instruction) {
    const auto decoration = static_cast<spv::Decoration>(instruction.operand(1));
    const bool no_write = decoration == spv::Decoration::FuncParamAttr &&
                          static_cast<spv::FunctionParameterAttribute>(instruction.operand(2)) ==
                              spv::FunctionParameterAttribute::NoWrite;
    if (decoration == spv::Decoration::NonWritable || no_write) read_only.insert(instruction.operand(0));
  }
};

// The element type of a scalar type; nothing if constants cannot have it.
std::optional<tensor::ElementType> element_of(const spirv::Instruction& type) {
  using tensor::ElementType;
  const std::uint32_t width = type.operand(1);
  if (type.op == spv::Op::OpTypeInt) {  // integers in OpenCL's SPIR-V have no signedness
    if (width == 8) return ElementType::U8;
    if (width == 16) return ElementType::U16;
    if (width == 32) return ElementType::U32;
    if (width == 64) return ElementType::U64;
  }
  if (type.op == spv::Op::OpTypeFloat) {
    if (width == 16) return ElementType::F16;
    if (width == 32) return ElementType::F32;
    if (width == 64) return ElementType::F64;
  }
  return std::nullopt;
}

// Bytes of a scalar or vector; three elements have the size of four.
Size value_size(std::uint64_t elements, std::uint32_t width) {
  return checked_multiply(elements == 3 ? 4 : elements, width / 8);
}

KernelArgument value_argument(const spirv::Module& module, const spirv::Instruction& type) {
  KernelArgument argument{.kind = KernelArgument::Kind::Value};
  const bool vector = type.op == spv::Op::OpTypeVector;
  const spirv::Instruction* scalar = vector ? module.definition(type.operand(1)) : &type;
  const std::uint64_t count = vector ? type.operand(2) : 1;
  const bool number = scalar && (scalar->op == spv::Op::OpTypeInt || scalar->op == spv::Op::OpTypeFloat);
  if (!number) return {.kind = KernelArgument::Kind::Other, .type = vector ? "vector" : "structure, image or sampler"};
  argument.size = value_size(count, scalar->operand(1)).value_or(0);
  argument.element = element_of(*scalar);
  argument.count = static_cast<std::uint32_t>(count);
  argument.type = formatted("{}{}-bit {}", vector ? formatted("{} times ", count) : "", scalar->operand(1),
                            scalar->op == spv::Op::OpTypeInt ? "integer" : "float");
  return argument;
}

KernelArgument argument_of(const spirv::Module& module, const Facts& facts, const spirv::Instruction& parameter) {
  const spirv::Instruction* type = module.definition(parameter.type);
  KernelArgument argument;
  const bool pointer = type && (type->op == spv::Op::OpTypePointer || type->op == spv::Op::OpTypeUntypedPointerKHR);
  if (pointer) {
    const auto storage = static_cast<spv::StorageClass>(type->operand(1));
    if (storage == spv::StorageClass::CrossWorkgroup || storage == spv::StorageClass::UniformConstant) {
      const bool constant = storage == spv::StorageClass::UniformConstant;
      argument = {.kind = KernelArgument::Kind::Buffer,
                  .type = constant ? "pointer to constant memory" : "pointer to global memory",
                  .writes = !constant && !facts.read_only.contains(parameter.result)};
    } else if (storage == spv::StorageClass::Workgroup) {
      argument = {.kind = KernelArgument::Kind::Local, .type = "pointer to local memory"};
    } else {
      argument.type = "structure by value";
    }
  } else if (type) {
    argument = value_argument(module, *type);
  }
  if (const auto name = facts.names.find(parameter.result); name != facts.names.end()) argument.name = name->second;
  return argument;
}

}  // namespace

bool is_kernel_module(const spirv::Module& module) {
  const auto has = [&](spv::Capability capability) {
    return std::ranges::any_of(module.instructions(), [&](const spirv::Instruction& instruction) {
      return instruction.op == spv::Op::OpCapability &&
             static_cast<spv::Capability>(instruction.operand(0)) == capability;
    });
  };
  return has(spv::Capability::Kernel) && !has(spv::Capability::Shader);
}

std::vector<KernelInfo> kernels_of(const spirv::Module& module) {
  const Facts facts(module);
  std::vector<KernelInfo> kernels;
  std::map<spirv::Id, std::vector<std::size_t>> by_function;
  for (const spirv::Instruction& instruction : module.instructions()) {
    const bool kernel = instruction.op == spv::Op::OpEntryPoint &&
                        static_cast<spv::ExecutionModel>(instruction.operand(0)) == spv::ExecutionModel::Kernel;
    if (!kernel) continue;
    const spirv::Id function = instruction.operand(1);
    KernelInfo& info = kernels.emplace_back();
    info.entry = instruction.string(2);
    if (const auto local = facts.local_sizes.find(function); local != facts.local_sizes.end()) {
      info.required_local = local->second;
    }
    by_function[function].push_back(kernels.size() - 1);
  }
  const std::vector<std::size_t>* current = nullptr;  // kernels of the current function
  for (const spirv::Instruction& instruction : module.instructions()) {
    if (instruction.op == spv::Op::OpFunction) {
      const auto found = by_function.find(instruction.result);
      current = found == by_function.end() ? nullptr : &found->second;
    } else if (instruction.op == spv::Op::OpFunctionParameter && current) {
      for (const std::size_t kernel : *current) {
        kernels[kernel].arguments.push_back(argument_of(module, facts, instruction));
      }
    }
  }
  return kernels;
}

std::vector<KernelConstant> constants_of(const spirv::Module& module) {
  const Facts facts(module);
  std::map<spirv::Id, std::uint32_t> ids;
  for (const spirv::Instruction& instruction : module.instructions()) {
    if (instruction.op == spv::Op::OpDecorate &&
        static_cast<spv::Decoration>(instruction.operand(1)) == spv::Decoration::SpecId)
      ids.emplace(instruction.operand(0), instruction.operand(2));
  }
  std::vector<KernelConstant> constants;
  for (const auto& [result, id] : ids) {
    const spirv::Instruction* definition = module.definition(result);
    const spirv::Instruction* type = definition ? module.definition(definition->type) : nullptr;
    if (!type) continue;
    const auto element = type->op == spv::Op::OpTypeBool ? std::optional(tensor::ElementType::Bool) : element_of(*type);
    if (!element) continue;
    const auto name = facts.names.find(result);
    constants.push_back({id, std::string(name == facts.names.end() ? "" : name->second), *element});
  }
  std::ranges::sort(constants, {}, &KernelConstant::id);
  return constants;
}

Signature default_signature(const KernelInfo& kernel) {
  Signature signature;
  for (std::uint32_t i = 0; i < kernel.arguments.size(); ++i) {
    const KernelArgument& argument = kernel.arguments[i];
    if (argument.kind == KernelArgument::Kind::Local || argument.kind == KernelArgument::Kind::Other) continue;
    const bool buffer = argument.kind == KernelArgument::Kind::Buffer;
    signature.parameters.push_back(
        {.argidx = i,
         .name = argument.name,
         .size = argument.size,
         .reads = true,
         .writes = buffer && argument.writes,
         .target = ArgumentTarget{.index = i, .buffer = buffer, .type = argument.element, .count = argument.count}});
  }
  return signature;
}

}  // namespace slipway::recipe::opencl
