// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The signature of a whole model as a kernel.
#include "base/format.hpp"
#include "executors/open.hpp"
#include "model/graph_target.hpp"
#include "recipe/plan/load.hpp"
#include "recipe/plan/model_kernel.hpp"
#include "recipe/plan/parts.hpp"

namespace slipway::recipe {

bool plan_model(const Kernel& kernel, const Artifact& artifact, const PlanOptions& options, KernelPlan& plan,
                Diagnostics& diagnostics) {
  bool ok = true;
  const auto refuse = [&](std::string_view key) {
    diagnostics.add(problem_at(kernel.at, key, DiagnosticKind::KernelParameters,
                               formatted("kernel `{}` is the whole model {}, which takes no `{}`; `entry` names one of "
                                         "its compute modules",
                                         kernel.name, artifact.name, key)));
    ok = false;
  };
  if (kernel.parameters) refuse("parameters");
  if (kernel.grid) refuse("grid");
  if (kernel.specialization.size() != 0) refuse("specialization");
  if (!ok) return false;
  // The device is unknown here, so that this does not fail.
  const model::GraphOptions graphs = *model::graph_options(
      nullptr, options.graphs ? *options.graphs : model::GraphChoices(), options.cache, diagnostics);
  Diagnostics found;
  plan.model = plan_model_kernel(artifact, kernel.name, {plan.origin.location, plan.origin.pointer, kernel.name},
                                 options.cache, graphs, found);
  for (Diagnostic& problem : found.release()) {
    if (problem.location.kind == SourceLocation::Kind::None) problem.location = plan.origin.location;
    diagnostics.add(std::move(problem.note("the recipe names it here", plan.origin.location)));
  }
  if (!plan.model) return false;
  plan.graphs = options.graphs;
  plan.emulates = options.emulates;
  // Models with shaders stay on the device, which runs between the calls of the engine.
  if (graphs.engine != model::Engine::Kernels && !executors::host_kind().open({})->check(plan.model->plan).has_errors())
    plan.backend = BackendKind::Engine;
  plan.grid = Grid{1, 1, 1};  // unused, as the model's plan has its own work groups
  plan.signature.ignore_unmapped = kernel.ignore_unmapped;
  for (std::uint32_t i = 0; i < plan.model->ports.size(); ++i) {
    const ModelPort& port = plan.model->ports[i];
    plan.signature.parameters.push_back({.argidx = i,
                                         .name = port.name,
                                         .size = port.size,
                                         .reads = !port.writes,
                                         .writes = port.writes,
                                         .access_known = true,
                                         .target = ArgumentTarget{.index = i, .buffer = true, .type = std::nullopt}});
  }
  return true;
}

}  // namespace slipway::recipe
