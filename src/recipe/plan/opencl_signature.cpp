// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for OpenCL: entry point, and the meaning of argument indices (docs/spec/recipe.md#argument-indices).
#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "recipe/backends/opencl/kernel.hpp"
#include "recipe/backends/opencl/source.hpp"
#include "recipe/plan/parts.hpp"

namespace slipway::recipe {
namespace {

using opencl::KernelArgument;
using opencl::KernelInfo;

std::string entry_list(const std::vector<KernelInfo>& kernels) {
  std::string list;
  for (const KernelInfo& kernel : kernels) list += formatted("{}`{}`", list.empty() ? "" : ", ", kernel.entry);
  return list.empty() ? "none" : list;
}

// The entry point named by `entry`, else the one with the instance's name, else the only one.
const KernelInfo* choose_entry(const Kernel& kernel, const std::vector<KernelInfo>& kernels, Diagnostics& diagnostics) {
  const std::string& wanted = kernel.entry.empty() ? kernel.instance : kernel.entry;
  const auto found = std::ranges::find(kernels, wanted, &KernelInfo::entry);
  if (found != kernels.end()) return &*found;
  if (kernel.entry.empty() && kernels.size() == 1) return &kernels.front();
  diagnostics.add(problem_at(
      kernel.at, kernel.entry.empty() ? "instance" : "entry", DiagnosticKind::KernelEntry,
      kernel.entry.empty() ? formatted("kernel `{}` needs `entry` with the name of an entry point; its module has {}",
                                       kernel.name, entry_list(kernels))
                           : formatted("the module of kernel `{}` has no OpenCL kernel `{}`; it has {}", kernel.name,
                                       kernel.entry, entry_list(kernels))));
  return nullptr;
}

class OpenClSignatureBuilder {
 public:
  OpenClSignatureBuilder(const Kernel& kernel, const KernelInfo& info, KernelPlan& plan, Diagnostics& diagnostics)
      : kernel_(kernel), info_(info), plan_(plan), diagnostics_(diagnostics) {}

  bool make() {
    if (!kernel_.parameters) {
      plan_.signature.parameters = opencl::default_signature(info_).parameters;
    } else {
      for (const ParameterRule& rule : *kernel_.parameters) {
        if (!add(rule)) return false;
      }
    }
    return check_complete();
  }

 private:
  bool refuse(json::Value object, std::string_view key, std::string message) {
    diagnostics_.add(problem_at(object, key, DiagnosticKind::KernelParameters, std::move(message)));
    return false;
  }

  bool add(const ParameterRule& rule) {
    if (rule.set || rule.binding || rule.push || rule.spec || rule.element) {
      return refuse(rule.at, "",
                    "parameters of OpenCL kernels have `index`, `name`, `local` or `ignore`; descriptors and push "
                    "constants are for Vulkan");
    }
    if (rule.value) return refuse(rule.at, "value", "OpenCL kernels have no fixed values; give the runs a constant");
    if (!rule.argidx) return refuse(rule.at, "", "a parameter needs `argidx`");
    if (plan_.signature.find(*rule.argidx)) {
      return refuse(rule.at, "argidx",
                    formatted("argidx {} is listed twice in `parameters` of kernel `{}`", *rule.argidx, kernel_.name));
    }
    if (rule.ignore) {
      plan_.signature.parameters.push_back(
          {.argidx = *rule.argidx, .reads = false, .writes = false, .target = IgnoredTarget{}});
      return true;
    }
    const std::optional<std::uint32_t> index = index_of(rule);
    if (!index) return false;
    if (rule.local) return add_local(rule, *index);
    const Signature all = opencl::default_signature(info_);
    const Parameter* found = all.find(*index);
    if (!found) {
      return refuse(rule.at, "index",
                    formatted("argument {} of kernel `{}` is a {}, which a run cannot set; local "
                              "memory takes `local`",
                              *index, kernel_.name, info_.arguments[*index].type));
    }
    Parameter& parameter = plan_.signature.parameters.emplace_back(*found);
    parameter.argidx = *rule.argidx;
    if (rule.access) {
      parameter.reads = *rule.access != "write";
      parameter.writes = *rule.access != "read";
      parameter.access_known = true;
    }
    return true;
  }

  // The kernel's argument by `index`, by `name`, or else by `argidx` itself.
  std::optional<std::uint32_t> index_of(const ParameterRule& rule) {
    if (rule.name) {
      const auto found = std::ranges::find(info_.arguments, *rule.name, &KernelArgument::name);
      if (found != info_.arguments.end()) return static_cast<std::uint32_t>(found - info_.arguments.begin());
      refuse(rule.at, "name", formatted("kernel `{}` has no argument `{}`", kernel_.name, *rule.name));
      return std::nullopt;
    }
    const std::uint32_t index = rule.index.value_or(*rule.argidx);
    if (index < info_.arguments.size()) return index;
    refuse(rule.at, rule.index ? "index" : "argidx",
           formatted("kernel `{}` has no argument {}; it has {}", kernel_.name, index, info_.arguments.size()));
    return std::nullopt;
  }

  bool add_local(const ParameterRule& rule, std::uint32_t index) {
    if (info_.arguments[index].kind != KernelArgument::Kind::Local) {
      return refuse(rule.at, "local",
                    formatted("argument {} of kernel `{}` is a {}, not a pointer to local memory", index, kernel_.name,
                              info_.arguments[index].type));
    }
    if (*rule.local == 0) return refuse(rule.at, "local", "local memory of 0 bytes");
    plan_.signature.parameters.push_back({.argidx = *rule.argidx,
                                          .name = info_.arguments[index].name,
                                          .reads = false,
                                          .writes = false,
                                          .target = LocalMemoryTarget{index, *rule.local}});
    return true;
  }

  // OpenCL cannot start a kernel if one of its arguments was never set.
  bool check_complete() {
    bool ok = true;
    for (std::uint32_t i = 0; i < info_.arguments.size(); ++i) {
      const bool listed = std::ranges::any_of(plan_.signature.parameters, [&](const Parameter& parameter) {
        const auto* argument = std::get_if<ArgumentTarget>(&parameter.target);
        const auto* local = std::get_if<LocalMemoryTarget>(&parameter.target);
        return (argument && argument->index == i) || (local && local->index == i);
      });
      if (listed) continue;
      ok = refuse(
          kernel_.at, kernel_.parameters ? "parameters" : "name",
          formatted("argument {}{} of kernel `{}` is a {}, {}", i,
                    info_.arguments[i].name.empty() ? "" : formatted(" (`{}`)", info_.arguments[i].name), kernel_.name,
                    info_.arguments[i].type,
                    info_.arguments[i].kind == KernelArgument::Kind::Local
                        ? "whose size `parameters` must give: {\"argidx\": n, \"index\": i, \"local\": bytes}"
                    : info_.arguments[i].kind == KernelArgument::Kind::Other ? "which recipes cannot set"
                                                                             : "and `parameters` leaves it out"));
    }
    return ok;
  }

  const Kernel& kernel_;
  const KernelInfo& info_;
  KernelPlan& plan_;
  Diagnostics& diagnostics_;
};

// The values of the module's build, overridden by those of `specialization`.
bool specialize(const Kernel& kernel, const LoadedModule& module, KernelPlan& plan, Diagnostics& diagnostics) {
  std::vector<ModuleConstant> constants;
  if (module.module) {
    for (const opencl::KernelConstant& constant : opencl::constants_of(*module.module))
      constants.push_back({constant.id, constant.name, constant.type});
  }
  std::map<std::uint32_t, FixedValue> values;
  for (const zebin::SpecConstant& built : module.constants) {
    const auto constant = std::ranges::find(constants, built.id, &ModuleConstant::id);
    if (constant == constants.end()) continue;  // the compiler dropped an unused constant
    const Bytes bytes = std::as_bytes(std::span(&built.value, 1)).first(tensor::size_of(constant->type));
    values[built.id] = {SpecializationTarget{built.id, constant->type}, {bytes.begin(), bytes.end()}};
  }
  const std::string_view hint = module.module ? "" : "OpenCL C has none: give `options` a `build` with `-D NAME=VALUE`";
  auto given = read_specialization(kernel, constants, hint, diagnostics);
  for (FixedValue& value : given.value_or(std::vector<FixedValue>())) {
    const auto& target = std::get<SpecializationTarget>(value.target);
    if (target.type == tensor::ElementType::Bool) value.bytes.resize(1);  // the size of a bool in OpenCL
    values[target.id] = std::move(value);
  }
  for (auto& [id, value] : values) plan.fixed.push_back(std::move(value));
  return given.has_value();
}

// {"build": "-cl-..."}
bool read_options(const Kernel& kernel, KernelPlan& plan, Diagnostics& diagnostics) {
  bool ok = true;
  for (const json::Value option : kernel.options) {
    if (json::is_free_key(option.key())) continue;
    if (option.key() == "build" && option.is(json::Type::String)) {
      plan.build_options = option.string();
      continue;
    }
    diagnostics.add(
        json::problem(option, DiagnosticKind::KernelParameters,
                      formatted("OpenCL kernels have the option `build`, a string, and not `{}`", option.key())));
    ok = false;
  }
  return ok;
}

}  // namespace

bool plan_opencl_kernel(const Kernel& kernel, const LoadedModule& module, KernelPlan& plan, Diagnostics& diagnostics) {
  std::vector<KernelInfo> kernels;
  if (module.module) {
    kernels = opencl::kernels_of(*module.module);
    plan.module = ModuleCode{.name = module.module->name(),
                             .words = std::make_shared<const spirv::Words>(std::from_range, module.module->words()),
                             .source = {},
                             .reflection = nullptr};
  } else {
    plan.module = ModuleCode{.name = module.artifact->name,
                             .words = nullptr,
                             .source = std::string(text_of(module.artifact->bytes)),
                             .reflection = nullptr};
    kernels = opencl::kernels_of_source(plan.module->source);
  }
  const KernelInfo* info = choose_entry(kernel, kernels, diagnostics);
  if (!info) return false;
  plan.entry = info->entry;
  plan.signature.ignore_unmapped = kernel.ignore_unmapped;
  const bool constants = specialize(kernel, module, plan, diagnostics);
  const bool options = read_options(kernel, plan, diagnostics);
  return OpenClSignatureBuilder(kernel, *info, plan, diagnostics).make() && constants && options;
}

}  // namespace slipway::recipe
