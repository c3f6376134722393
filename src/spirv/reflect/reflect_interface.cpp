// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs and outputs of vertex and fragment shaders.
#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "base/format.hpp"
#include "spirv/reflect/reflect_parts.hpp"

namespace slipway::spirv {
namespace {

constexpr std::uint32_t kMaxNesting = 8;

std::uint64_t locations_taken(const InterfaceVariable& variable) {
  // Vulkan, 15.1.3: a vector of more than 128 bits takes two locations.
  const bool wide = tensor::size_of(variable.type) * variable.components > 16;
  return std::uint64_t{variable.columns} * (wide ? 2 : 1) * variable.count;
}

class InterfaceReader {
 public:
  explicit InterfaceReader(const ModuleView& view) : view_(view) {}

  Result<> read_variable(const Instruction& variable) {
    const Annotations& annotations = view_.annotations;
    const Instruction* type = view_.types.pointee(variable);
    if (annotations.has(variable.result, spv::Decoration::BuiltIn)) return {};
    std::uint64_t location = annotations.value(variable.result, spv::Decoration::Location).value_or(0);
    const std::uint32_t component = annotations.value(variable.result, spv::Decoration::Component).value_or(0);
    return read(variable, type, std::string(annotations.name(variable.result)), component, location, 0);
  }

  std::vector<InterfaceVariable> release() {
    std::ranges::stable_sort(variables_, {},
                             [](const InterfaceVariable& one) { return std::pair(one.location, one.component); });
    return std::move(variables_);
  }

 private:
  std::unexpected<Failure> fail_type(const Instruction& variable) const {
    return fail(DiagnosticKind::FileFormat, view_.module.location(variable),
                formatted("the type of `{}` cannot be passed between stages", view_.label(variable.result)));
  }

  // Moves `location` past what was read.
  Result<> read(const Instruction& variable, const Instruction* type, std::string name, std::uint32_t component,
                std::uint64_t& location, std::uint32_t depth) {
    const Unwrapped unwrapped = view_.types.unwrap_arrays(type);
    if (unwrapped.type == nullptr || !unwrapped.count) return fail_type(variable);
    if (unwrapped.type->op == spv::Op::OpTypeStruct) {
      return depth == kMaxNesting ? fail_type(variable)
                                  : read_members(variable, *unwrapped.type, name, location, depth);
    }
    InterfaceVariable one{.name = std::move(name),
                          .location = static_cast<std::uint32_t>(location),
                          .component = component,
                          .count = *unwrapped.count};
    const Instruction* scalar = unwrapped.type;
    if (scalar->op == spv::Op::OpTypeMatrix) {
      one.columns = scalar->operand(2);
      scalar = view_.module.definition(scalar->operand(1));
    }
    if (scalar != nullptr && scalar->op == spv::Op::OpTypeVector) {
      one.components = scalar->operand(2);
      scalar = view_.module.definition(scalar->operand(1));
    }
    const auto element = scalar == nullptr ? std::nullopt : view_.types.element_type(scalar->result);
    if (!element) return fail_type(variable);
    one.type = *element;
    location += locations_taken(one);
    variables_.push_back(std::move(one));
    return {};
  }

  Result<> read_members(const Instruction& variable, const Instruction& structure, const std::string& name,
                        std::uint64_t& location, std::uint32_t depth) {
    for (std::uint32_t member = 0; member + 1 < structure.operands.size(); ++member) {
      const Annotations& annotations = view_.annotations;
      if (annotations.has_member(structure.result, member, spv::Decoration::BuiltIn)) continue;
      if (const auto own = annotations.member_value(structure.result, member, spv::Decoration::Location)) {
        location = *own;
      }
      const Instruction* type = view_.module.definition(structure.operand(member + 1));
      const std::string_view field = annotations.member_name(structure.result, member);
      const std::uint32_t component =
          annotations.member_value(structure.result, member, spv::Decoration::Component).value_or(0);
      Result<> done = read(variable, type, name.empty() ? std::string(field) : formatted("{}.{}", name, field),
                           component, location, depth + 1);
      if (!done) return done;
    }
    return {};
  }

  const ModuleView& view_;
  std::vector<InterfaceVariable> variables_;
};

}  // namespace

Result<std::vector<InterfaceVariable>> reflect_interface(const ModuleView& view, const std::vector<Id>& interface,
                                                         Direction direction) {
  const auto wanted = direction == Direction::In ? spv::StorageClass::Input : spv::StorageClass::Output;
  InterfaceReader reader(view);
  for (const Id id : interface) {
    const Instruction* variable = view.module.definition(id);
    if (variable == nullptr || variable->op != spv::Op::OpVariable) continue;
    if (static_cast<spv::StorageClass>(variable->operand(2)) != wanted) continue;
    if (Result<> done = reader.read_variable(*variable); !done) return std::unexpected(std::move(done.error()));
  }
  return reader.release();
}

}  // namespace slipway::spirv
