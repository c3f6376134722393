// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for Vulkan: entry point, specialization, and the meaning of argument indices (docs/spec/recipe.md#kernels,
// docs/spec/recipe.md#argument-indices).
#include <algorithm>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "recipe/plan/parts.hpp"

namespace slipway::recipe {
namespace {

using json::Value;
using spirv::BindingKind;
using tensor::ElementType;

std::string entry_list(const spirv::Reflection& reflection) {
  std::string list;
  for (const spirv::EntryPoint& entry : reflection.entry_points)
    list += formatted("{}`{}` ({})", list.empty() ? "" : ", ", entry.name, name_of(entry.stage));
  return list.empty() ? "none" : list;
}

// The entry point named by `entry`, else the one with the instance's name, else the only one.
const spirv::EntryPoint* choose_entry(const Kernel& kernel, const spirv::Reflection& reflection,
                                      Diagnostics& diagnostics) {
  const auto computes = [](const spirv::EntryPoint& entry) { return entry.stage == spirv::Stage::Compute; };
  if (!kernel.entry.empty()) {
    if (const auto* found = reflection.find(kernel.entry, spirv::Stage::Compute)) return found;
    diagnostics.add(json::problem(kernel.at["entry"], DiagnosticKind::KernelEntry,
                                  formatted("the module of kernel `{}` has no compute entry point `{}`; it has {}",
                                            kernel.name, kernel.entry, entry_list(reflection))));
    return nullptr;
  }
  if (const auto* found = reflection.find(kernel.instance, spirv::Stage::Compute)) return found;
  const auto only = std::ranges::find_if(reflection.entry_points, computes);
  if (std::ranges::count_if(reflection.entry_points, computes) == 1) return &*only;
  diagnostics.add(problem_at(kernel.at, "instance", DiagnosticKind::KernelEntry,
                             formatted("kernel `{}` needs `entry` with the name of an entry point; its module has {}",
                                       kernel.name, entry_list(reflection))));
  return nullptr;
}

const spirv::SpecializationConstant* find_spec(const spirv::Reflection& reflection, std::uint32_t id) {
  const auto found =
      std::ranges::find(reflection.specialization_constants, id, &spirv::SpecializationConstant::spec_id);
  return found == reflection.specialization_constants.end() ? nullptr : &*found;
}

// Sets the values of `specialization` in the fixed values, and in `values` for reflection.
bool specialize(const Kernel& kernel, const spirv::Reflection& reflection, spirv::Specialization& values,
                KernelPlan& plan, Diagnostics& diagnostics) {
  std::vector<ModuleConstant> constants;
  for (const spirv::SpecializationConstant& constant : reflection.specialization_constants)
    constants.push_back({constant.spec_id, constant.name, constant.type});
  auto fixed = read_specialization(kernel, constants, "", diagnostics);
  if (!fixed) return false;
  for (FixedValue& value : *fixed) {
    std::uint64_t bits = 0;
    std::ranges::copy(value.bytes, std::as_writable_bytes(std::span(&bits, 1)).begin());
    values[std::get<SpecializationTarget>(value.target).id] = bits;
    plan.fixed.push_back(std::move(value));
  }
  return true;
}

class VulkanSignatureBuilder {
 public:
  VulkanSignatureBuilder(const Kernel& kernel, const spirv::Reflection& reflection, const spirv::EntryPoint& entry,
                         std::vector<PushMember> members, KernelPlan& plan, Diagnostics& diagnostics)
      : kernel_(kernel),
        reflection_(reflection),
        entry_(entry),
        members_(std::move(members)),
        plan_(plan),
        diagnostics_(diagnostics) {}

  bool make() {
    bool ok = check_bindings();
    if (kernel_.parameters) {
      for (const ParameterRule& rule : *kernel_.parameters) ok &= add_rule(rule);
      return ok && check_complete();
    }
    if (!ok) return false;
    for (const spirv::Binding& binding : entry_.bindings) {
      if (binding.used) add_descriptor(next(), binding, 0, binding.name);
    }
    if (entry_.push_constants && entry_.push_constants->used) {
      for (const PushMember& member : members_) ok &= add_member(next(), member, kernel_.at);
    }
    return ok;
  }

 private:
  std::uint32_t next() const { return static_cast<std::uint32_t>(plan_.signature.parameters.size()); }

  bool refuse(Value object, std::string_view key, std::string message,
              DiagnosticKind kind = DiagnosticKind::KernelParameters) {
    diagnostics_.add(problem_at(object, key, kind, std::move(message)));
    return false;
  }

  // Recipes can bind buffers only.
  bool check_bindings() {
    bool ok = true;
    for (const spirv::Binding& binding : entry_.bindings) {
      if (!binding.used) continue;
      const std::string what = formatted("descriptor `{}` (set {}, binding {}) of kernel `{}`", binding.name,
                                         binding.set, binding.binding, kernel_.name);
      if (binding.count == 0) {
        ok = refuse(kernel_.at, "name", formatted("{} is an array without a size, which cannot be bound", what));
      } else if (binding.kind != BindingKind::StorageBuffer && binding.kind != BindingKind::UniformBuffer) {
        ok = refuse(kernel_.at, "name",
                    formatted("{} is a {}; recipes bind storage and uniform buffers", what, name_of(binding.kind)));
      } else if (binding.count > 1) {
        ok = refuse(kernel_.at, "name",
                    formatted("{} is an array of {} descriptors, which this build cannot bind", what, binding.count),
                    DiagnosticKind::Unsupported);
      }
    }
    return ok;
  }

  void add_descriptor(std::uint32_t argidx, const spirv::Binding& binding, std::uint32_t element, std::string name) {
    plan_.signature.parameters.push_back(
        {.argidx = argidx,
         .name = std::move(name),
         .size = binding.block ? binding.block->size : 0,
         .reads = binding.reads,
         .writes = binding.writes,
         .access_known = true,
         .target = DescriptorTarget{binding.set, binding.binding, element, spirv::descriptor_type(binding.kind)}});
  }

  bool add_member(std::uint32_t argidx, const PushMember& member, Value at) {
    if (!member.problem.empty()) {
      return refuse(at, "name",
                    formatted("push-constant member `{}` of kernel `{}` cannot be set: {}", member.name, kernel_.name,
                              member.problem));
    }
    plan_.signature.parameters.push_back(
        {.argidx = argidx, .name = member.name, .reads = true, .writes = false, .target = member.target});
    return true;
  }

  bool add_rule(const ParameterRule& rule) {
    const int forms = (rule.set || rule.binding) + rule.push.has_value() + rule.spec.has_value() +
                      rule.name.has_value() + rule.index.has_value() + rule.local.has_value() + rule.ignore;
    if (forms != 1) {
      return refuse(
          rule.at, "",
          "a parameter is exactly one of `set` with `binding`, `push`, `spec`, `name`, `index`, `local` and `ignore`");
    }
    if (rule.index || rule.local) {
      return refuse(rule.at, rule.index ? "index" : "local",
                    "`index` and `local` are for kernels of the opencl back end");
    }
    if (rule.value && !rule.push && !rule.spec) {
      return refuse(rule.at, "value", "a fixed `value` is for `push` and `spec`");
    }
    if (!rule.argidx && !rule.value) return refuse(rule.at, "", "a parameter needs `argidx`, or a fixed `value`");
    if (rule.argidx && rule.value) {
      return refuse(rule.at, "value", "a parameter with a fixed `value` has no `argidx`; runs cannot set it");
    }
    if (rule.argidx && plan_.signature.find(*rule.argidx)) {
      return refuse(rule.at, "argidx",
                    formatted("argidx {} is listed twice in `parameters` of kernel `{}`", *rule.argidx, kernel_.name));
    }
    if (rule.ignore) {
      plan_.signature.parameters.push_back(
          {.argidx = *rule.argidx, .name = "", .reads = false, .writes = false, .target = IgnoredTarget{}});
      return true;
    }
    if (rule.name) return add_named(rule);
    if (rule.push) return add_push(rule);
    if (rule.spec) return add_spec(rule);
    return add_binding(rule);
  }

  bool add_binding(const ParameterRule& rule) {
    const std::uint32_t set = rule.set.value_or(0), number = rule.binding.value_or(0);
    const auto binding = std::ranges::find_if(entry_.bindings, [&](const spirv::Binding& one) {
      return one.used && one.set == set && one.binding == number;
    });
    if (binding == entry_.bindings.end()) {
      return refuse(rule.at, "binding",
                    formatted("kernel `{}` uses no descriptor at set {}, binding {}", kernel_.name, set, number));
    }
    if (rule.element.value_or(0) >= binding->count) {
      return refuse(rule.at, "element", formatted("descriptor `{}` has {} elements", binding->name, binding->count));
    }
    add_descriptor(*rule.argidx, *binding, rule.element.value_or(0), binding->name);
    set_access(rule);
    return true;
  }

  void set_access(const ParameterRule& rule) {
    if (!rule.access) return;
    plan_.signature.parameters.back().reads = *rule.access != "write";
    plan_.signature.parameters.back().writes = *rule.access != "read";
  }

  bool add_named(const ParameterRule& rule) {
    const auto binding = std::ranges::find_if(
        entry_.bindings, [&](const spirv::Binding& one) { return one.used && one.name == *rule.name; });
    if (binding != entry_.bindings.end()) {
      add_descriptor(*rule.argidx, *binding, 0, binding->name);
      set_access(rule);
      return true;
    }
    const auto member = std::ranges::find(members_, *rule.name, &PushMember::name);
    if (member != members_.end()) return add_member(*rule.argidx, *member, rule.at);
    return refuse(
        rule.at, "name",
        formatted("kernel `{}` has no descriptor and no push-constant member `{}`", kernel_.name, *rule.name));
  }

  bool add_push(const ParameterRule& rule) {
    const auto member = std::ranges::find(members_, *rule.push, &PushMember::offset);
    if (member == members_.end()) {
      return refuse(rule.at, "push",
                    formatted("kernel `{}` has no push-constant member at byte {}", kernel_.name, *rule.push));
    }
    if (rule.argidx) return add_member(*rule.argidx, *member, rule.at);
    if (!member->problem.empty())
      return refuse(rule.at, "push", formatted("this member cannot be set: {}", member->problem));
    Constant constant{.value = rule.value, .at = rule.at};
    auto bytes =
        kernel_bytes(constant, member->target.type, member->target.offsets.size(), member->target.array, diagnostics_);
    if (!bytes) return false;
    plan_.fixed.push_back({member->target, std::move(*bytes)});
    return true;
  }

  bool add_spec(const ParameterRule& rule) {
    const spirv::SpecializationConstant* constant = find_spec(reflection_, *rule.spec);
    if (!constant) {
      return refuse(rule.at, "spec",
                    formatted("the module of kernel `{}` has no specialization constant {}", kernel_.name, *rule.spec));
    }
    const SpecializationTarget target{*rule.spec, constant->type};
    if (rule.argidx) {
      plan_.signature.parameters.push_back(
          {.argidx = *rule.argidx, .name = constant->name, .reads = true, .writes = false, .target = target});
      return true;
    }
    auto bytes = scalar_bytes(rule.value, constant->type, diagnostics_);
    if (!bytes) return false;
    plan_.fixed.push_back({target, std::move(*bytes)});
    return true;
  }

  // Reports what the kernel uses and `parameters` leaves out: runs could not set it.
  bool check_complete() {
    bool ok = true;
    for (const spirv::Binding& binding : entry_.bindings) {
      if (!binding.used) continue;
      const bool listed = std::ranges::any_of(plan_.signature.parameters, [&](const Parameter& parameter) {
        const auto* target = std::get_if<DescriptorTarget>(&parameter.target);
        return target && target->set == binding.set && target->binding == binding.binding;
      });
      if (!listed) {
        ok = refuse(kernel_.at, "parameters",
                    formatted("`parameters` leaves out descriptor `{}` (set {}, binding {}), which kernel `{}` uses",
                              binding.name, binding.set, binding.binding, kernel_.name));
      }
    }
    if (!entry_.push_constants || !entry_.push_constants->used) return ok;
    for (const PushMember& member : members_) {
      const auto is_member = [&](const auto& target) {
        const auto* push = std::get_if<PushTarget>(&target);
        return push && !push->offsets.empty() && !member.target.offsets.empty() &&
               push->offsets.front() == member.target.offsets.front();
      };
      const bool listed = std::ranges::any_of(plan_.signature.parameters, is_member, &Parameter::target) ||
                          std::ranges::any_of(plan_.fixed, is_member, &FixedValue::target);
      if (!listed && member.problem.empty()) {
        ok = refuse(kernel_.at, "parameters",
                    formatted("`parameters` leaves out push-constant member `{}` (byte {}) of kernel `{}`", member.name,
                              member.offset, kernel_.name));
      }
    }
    return ok;
  }

  const Kernel& kernel_;
  const spirv::Reflection& reflection_;
  const spirv::EntryPoint& entry_;
  std::vector<PushMember> members_;
  KernelPlan& plan_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool plan_vulkan_kernel(const Kernel& kernel, const spirv::Module& module, KernelPlan& plan, Diagnostics& diagnostics) {
  auto reflection = diagnostics.take(spirv::reflect(module));
  if (!reflection) return false;
  spirv::Specialization values;
  bool ok = specialize(kernel, *reflection, values, plan, diagnostics);
  if (!values.empty()) {
    reflection = diagnostics.take(spirv::reflect(module, values));
    if (!reflection) return false;
  }
  const spirv::EntryPoint* entry = choose_entry(kernel, *reflection, diagnostics);
  if (!entry) return false;
  auto members = diagnostics.take(push_members(module, *entry, values));
  if (!members) return false;
  plan.entry = entry->name;
  plan.signature.ignore_unmapped = kernel.ignore_unmapped;
  plan.push_constant_size = entry->push_constants && entry->push_constants->used
                                ? static_cast<std::uint32_t>(round_up(entry->push_constants->size, 4))
                                : 0;
  ok &= VulkanSignatureBuilder(kernel, *reflection, *entry, std::move(*members), plan, diagnostics).make();
  plan.module = ModuleCode{.name = module.name(),
                           .words = std::make_shared<const spirv::Words>(std::from_range, module.words()),
                           .source = {},
                           .reflection = std::make_shared<const spirv::Reflection>(std::move(*reflection))};
  return ok;
}

}  // namespace slipway::recipe
