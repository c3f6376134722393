// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/plan/load.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/parallel.hpp"
#include "recipe/plan/parts.hpp"

namespace slipway::recipe {
namespace {

bool runs_on(const Kernel& kernel, BackendKind backend, const Recipe& recipe) {
  if (backend != BackendKind::Xrt) return !module_of(recipe, kernel).key.empty();
  const auto context = context_of(recipe, kernel.context);
  return context && *context && (*context)->has_configuration();
}

// The rules of docs/spec/recipe.md#decision-7. The kind of the module decides later between Vulkan and OpenCL.
BackendKind backend_of(const Kernel& kernel, const Recipe& recipe, const PlanOptions& options) {
  if (options.backend == BackendKind::Xrt && runs_on(kernel, BackendKind::Xrt, recipe)) return BackendKind::Xrt;
  return module_of(recipe, kernel).key.empty() ? BackendKind::Xrt : BackendKind::Vulkan;
}

// Loads the modules of all kernels. Each is opened and compiled once, in parallel.
std::map<std::string, std::optional<LoadedModule>> load_modules(const Recipe& recipe, const Artifacts& artifacts,
                                                                const PlanOptions& options, Diagnostics& diagnostics) {
  std::map<std::string, std::optional<LoadedModule>> modules;
  std::vector<ModuleName> names;
  for (const Kernel& kernel : recipe.kernels) {
    ModuleName name = module_of(recipe, kernel);
    if (backend_of(kernel, recipe, options) == BackendKind::Xrt || !modules.try_emplace(name.key).second) continue;
    names.push_back(std::move(name));
  }
  std::vector<Diagnostics> problems(names.size());
  std::vector<std::optional<LoadedModule>> loaded(names.size());
  parallel_for(names.size(),
               [&](std::size_t i) { loaded[i] = load_module(names[i], artifacts, options.cache, problems[i]); });
  for (std::size_t i = 0; i < names.size(); ++i) {
    modules[names[i].key] = std::move(loaded[i]);
    diagnostics.add(problems[i].release());
  }
  return modules;
}

class Planner {
 public:
  Planner(const Recipe& recipe, const Artifacts& artifacts, const PlanOptions& options, Diagnostics& diagnostics)
      : recipe_(recipe), artifacts_(artifacts), options_(options), diagnostics_(diagnostics) {}

  Plan make() {
    plan_.name = recipe_.document->source()->name();
    for (const Buffer& buffer : recipe_.buffers) {
      plan_.buffers.push_back({.name = buffer.name,
                               .type = buffer.type,
                               .size = buffer.size,
                               .context = buffer.context,
                               .origin = origin_of(buffer.at)});
    }
    plan_.index_buffers();
    for (const CpuFunction& cpu : recipe_.cpus) plan_.cpus.push_back({cpu.name, cpu.library, origin_of(cpu.at)});
    plan_contexts();
    modules_ = load_modules(recipe_, artifacts_, options_, diagnostics_);
    for (const Kernel& kernel : recipe_.kernels) valid_kernels_.push_back(plan_kernel(kernel));
    plan_runs(recipe_, valid_kernels_, plan_, diagnostics_);
    plan_.lists = cut_lists(plan_);
    find_private_buffers();
    return std::move(plan_);
  }

 private:
  void plan_contexts() {
    for (const Context* context : contexts_of(recipe_)) {
      const bool needed = std::ranges::any_of(recipe_.kernels, [&](const Kernel& kernel) {
        const auto of_kernel = context_of(recipe_, kernel.context);
        return of_kernel && *of_kernel == context && backend_of(kernel, recipe_, options_) == BackendKind::Xrt;
      });
      auto planned = context->incomplete ? std::nullopt
                                         : plan_context(*context, artifacts_, needed, options_.profile, diagnostics_);
      valid_contexts_.push_back(planned.has_value());
      plan_.contexts.push_back(planned ? std::move(*planned) : ContextPlan{.name = context->name});
    }
  }

  std::optional<std::size_t> context_index(const Kernel& kernel) const {
    const auto context = context_of(recipe_, kernel.context);
    if (!context || !*context) return std::nullopt;
    const auto all = contexts_of(recipe_);
    return static_cast<std::size_t>(std::ranges::find(all, *context) - all.begin());
  }

  bool plan_kernel(const Kernel& kernel) {
    KernelPlan& plan = plan_.kernels.emplace_back();
    plan.name = kernel.name;
    plan.instance = kernel.instance;
    plan.context = context_index(kernel);
    plan.local = kernel.local;
    plan.origin = origin_of(kernel.at);
    plan.backend = backend_of(kernel, recipe_, options_);
    if (kernel.incomplete) return false;
    const bool ok = plan.backend == BackendKind::Xrt ? plan_npu(kernel, plan) : plan_embedded(kernel, plan);
    if (options_.backend && ok && *options_.backend != plan.backend) {
      diagnostics_.add(problem_at(kernel.at, "name", DiagnosticKind::NoBackend,
                                  formatted("kernel `{}` cannot run on the {} back end; its back end is {}",
                                            kernel.name, name_of(*options_.backend), name_of(plan.backend))));
    }
    if (ok) check_count(kernel, plan);
    return ok;
  }

  bool plan_npu(const Kernel& kernel, KernelPlan& plan) {
    if (!plan.context || !valid_contexts_[*plan.context]) return false;
    const ContextPlan& context = plan_.contexts[*plan.context];
    if (!context.xclbin && context.programs.empty()) return false;
    return plan_xrt_kernel(kernel, context, artifacts_, plan, diagnostics_);
  }

  bool plan_embedded(const Kernel& kernel, KernelPlan& plan) {
    const auto& module = modules_.at(module_of(recipe_, kernel).key);
    if (!module) return false;
    if (module->kind == KernelModuleKind::Vgf && kernel.entry.empty())
      return plan_model(kernel, *module->artifact, options_, plan, diagnostics_);
    if (module->kind == KernelModuleKind::Rpl || module->kind == KernelModuleKind::Vgf) {
      const auto code = take_kernel(*module, kernel, diagnostics_);
      if (!code) return false;
      plan.grid = code->grid;
      Kernel chosen = kernel;
      chosen.entry = code->entry;
      return plan_vulkan_kernel(chosen, code->module, plan, diagnostics_);
    }
    if (module->kind == KernelModuleKind::SpirvKernel || module->kind == KernelModuleKind::OpenClC)
      plan.backend = BackendKind::OpenCl;
    if (plan.backend == BackendKind::OpenCl) return plan_opencl_kernel(kernel, *module, plan, diagnostics_);
    return plan_vulkan_kernel(kernel, *module->module, plan, diagnostics_);
  }

  // Planning does not need `numargs`; it is only checked.
  void check_count(const Kernel& kernel, const KernelPlan& plan) {
    if (!kernel.numargs) return;
    for (const Parameter& parameter : plan.signature.parameters) {
      if (parameter.argidx < *kernel.numargs) continue;
      diagnostics_.add(json::problem(kernel.at["numargs"], DiagnosticKind::ArgumentIndex,
                                     formatted("`numargs` of kernel `{}` is {}, but it has parameter {}", kernel.name,
                                               *kernel.numargs, parameter.argidx),
                                     Severity::Warning));
      return;
    }
  }

  // Marks buffers that neither CPU functions nor callers use.
  void find_private_buffers() {
    for (BufferPlan& buffer : plan_.buffers) buffer.kernels_only = buffer.type == BufferType::Internal;
    for (const RunPlan& run : plan_.runs) {
      if (run.backend != BackendKind::Cpu) continue;
      for (const ArgumentPlan& argument : run.arguments) plan_.buffers[argument.buffer].kernels_only = false;
    }
  }

  const Recipe& recipe_;
  const Artifacts& artifacts_;
  const PlanOptions& options_;
  Diagnostics& diagnostics_;
  Plan plan_;
  std::map<std::string, std::optional<LoadedModule>> modules_;
  std::vector<bool> valid_contexts_, valid_kernels_;
};

}  // namespace

std::optional<Plan> plan_recipe(const Recipe& recipe, const Artifacts& artifacts, const PlanOptions& options,
                                Diagnostics& diagnostics) {
  check_names(recipe, diagnostics);
  check_contexts(recipe, diagnostics);
  check_unused(recipe, diagnostics);
  if (options.depth == Depth::References) return std::nullopt;
  Plan plan = Planner(recipe, artifacts, options, diagnostics).make();
  if (!diagnostics.has_errors()) check_data_flow(plan, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  return plan;
}

}  // namespace slipway::recipe
