// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_jobs/model_job.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "launch/check/hazards.hpp"
#include "launch/run.hpp"
#include "model/native.hpp"
#include "model/tuning/tune.hpp"
#include "model/tuning/tuning_table.hpp"

namespace slipway::model {
namespace {

constexpr std::string_view kInterpreter = "reference interpreter";

}  // namespace

bool ModelJob::plan(Diagnostics& diagnostics) {
  ModelOptions& model = options_.request.model;
  if (model.shaders.empty()) {
    auto shaders = compile_modules(*options_.request.file, options_.cache, diagnostics);
    if (!shaders) return false;
    model.shaders = std::move(*shaders);
  }
  auto graphs = diagnostics.take(graph_options(options_.executor.get(), options_.graphs, options_.cache, diagnostics));
  if (!graphs) return false;
  graphs->intermediates = std::move(model.graphs.intermediates);
  graphs->progress = std::move(model.graphs.progress);
  model.graphs = std::move(*graphs);
  alone_ = plan_standalone(options_.request, diagnostics);
  model.graphs.progress = nullptr;  // what it reports to may not live as long
  if (alone_) diagnostics.add(launch::check_hazards(alone_->plan).release());
  return alone_.has_value();
}

bool ModelJob::check(Diagnostics& diagnostics) const {
  const auto info = diagnostics.take(options_.executor->info());
  if (!info) return false;
  if (!options_.emulates) {
    // What is not a Vulkan device has no graphs of its own.
    Diagnostics refused;
    refuse_emulation(alone_->plan, info->vulkan ? *info->vulkan : vk::Snapshot(), refused);
    for (Diagnostic& problem : refused.release()) {
      if (problem.location.kind == SourceLocation::Kind::None)
        problem.location = SourceLocation::in_file(options_.request.file->vgf.name);
      diagnostics.add(std::move(problem));
    }
  }
  diagnostics.add(options_.executor->check(alone_->plan).release());
  return !diagnostics.has_errors();
}

std::optional<launch::Report> ModelJob::run(launch::RunOptions options, const Log& log,
                                            Diagnostics& diagnostics) const {
  const auto info = diagnostics.take(options_.executor->info());
  auto report =
      info ? diagnostics.take(launch::run(alone_->plan, *options_.executor, std::move(options), log)) : std::nullopt;
  if (!report || !is_interpreted()) return report;
  if (info->runs_graphs_on_host)
    report->device = kInterpreter;
  else
    report->device += formatted("; graphs by the {}", kInterpreter);
  return report;
}

Result<std::unique_ptr<launch::PreparedPlan>> ModelJob::prepare(const launch::ExecutionOptions& options,
                                                                ItemProgress progress) const {
  const auto turn = options_.executor->take_turn();
  return options_.executor->prepare(alone_->plan, {.execution = options,
                                                   .cache = options_.cache,
                                                   .host_inputs = alone_->inputs,
                                                   .host_outputs = alone_->outputs,
                                                   .progress = std::move(progress)});
}

std::optional<Tuned> ModelJob::tune(std::optional<std::chrono::milliseconds> limit, ItemProgress progress,
                                    Diagnostics& diagnostics) const {
  auto tuned = model::tune({.standalone = options_.request,
                            .executor = *options_.executor,
                            .cache = options_.cache,
                            .limit = limit,
                            .progress = std::move(progress)},
                           diagnostics);
  if (!tuned || (diagnostics.has_errors() && !is_interrupted())) return std::nullopt;
  if (options_.cache.enabled()) cache_tuning(tuned->device, tuned->tuning, options_.cache, tuned->rates);
  return tuned;
}

bool ModelJob::is_interpreted() const {
  return options_.request.model.graphs.engine == Engine::Reference &&
         std::ranges::contains(options_.request.file->vgf.segments, vgf::ModuleKind::Graph, &vgf::Segment::kind);
}

}  // namespace slipway::model
