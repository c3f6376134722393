// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of `reflect`. Each looks at the module through a `ModuleView`.
#pragma once

#include <vector>

#include "spirv/annotations.hpp"
#include "spirv/constants.hpp"
#include "spirv/module.hpp"
#include "spirv/reflect/access.hpp"
#include "spirv/reflect/reflect.hpp"
#include "spirv/types.hpp"

namespace slipway::spirv {

// A module with everything that reflection looks up in it. The parts refer to each other, so it cannot be moved.
struct ModuleView {
  ModuleView(const Module& from, Annotations of_module, const Specialization& specialization)
      : module(from),
        annotations(std::move(of_module)),
        constants(module, annotations, specialization),
        types(module, annotations, constants),
        functions(module) {}
  ModuleView(const ModuleView&) = delete;
  ModuleView& operator=(const ModuleView&) = delete;

  // What diagnostics call an id: its name, else `%7`.
  std::string label(Id id) const;

  const Module& module;
  const Annotations annotations;
  const Constants constants;
  const Types types;
  const Functions functions;
};

// The module-scope variables, in the module's order.
std::vector<const Instruction*> module_variables(const Module& module);

// The bindings among the variables, by set and number, without what depends on an entry point. A variable is one when
// it has both `DescriptorSet` and `Binding`.
Result<std::vector<Binding>> reflect_bindings(const ModuleView& view, const std::vector<const Instruction*>& variables);
// Whether decorations deny that a binding is written, or read: on the variable, or on all members of its block.
bool is_non_writable(const ModuleView& view, const Binding& binding);
bool is_non_readable(const ModuleView& view, const Binding& binding);

// The push constant block of a variable.
Result<PushConstants> reflect_push_constants(const ModuleView& view, const Instruction& variable);

Result<std::vector<SpecializationConstant>> reflect_specialization_constants(const ModuleView& view);

// The inputs, or the outputs, among the interface of an entry point.
enum class Direction { In, Out };
Result<std::vector<InterfaceVariable>> reflect_interface(const ModuleView& view, const std::vector<Id>& interface,
                                                         Direction direction);

}  // namespace slipway::spirv
