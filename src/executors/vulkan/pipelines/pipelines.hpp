// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pipelines of a plan: steps that need the same one share it, and all are made in parallel.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executors/vulkan/resources/resources.hpp"
#include "gpu/pipeline/pipeline.hpp"
#include "launch/plan/plan.hpp"
#include "launch/report/perf_counters.hpp"
#include "launch/shared_pipelines.hpp"

namespace slipway::launch {

// A pipeline to make.
struct PlannedPipeline {
  std::size_t step = 0;  // the first that needs it
  std::string key;       // of everything that decides it
};

struct PipelinePlan {
  std::vector<PlannedPipeline> requests;
  std::vector<std::optional<std::size_t>> by_step;  // index into requests; none for barriers and boundaries
};

// The resources have the distance of rows, for shaders that need it.
PipelinePlan plan_pipelines(const Plan& plan, const Resources& resources = {});

// A pipeline with the layout that it points to.
struct LaidOutPipeline {
  std::unique_ptr<gpu::PipelineLayout> layout;
  gpu::Pipeline pipeline;
};

class Pipelines {
 public:
  // Of a dispatch or draw.
  const gpu::Pipeline& of_step(std::size_t step) const { return pipelines_[*by_step_[step]]->pipeline; }
  // Whether the driver's cache had all of them.
  bool all_cached() const;

 private:
  friend Result<Pipelines> create_pipelines(const Plan&, const gpu::Device&, const Resources&, const PipelinePlan&,
                                            const gpu::PipelineOptions&, PerfCounters&, SharedPipelines*,
                                            const std::function<void(std::size_t, std::size_t)>&);
  std::vector<std::shared_ptr<const LaidOutPipeline>> pipelines_;
  std::vector<std::optional<std::size_t>> by_step_;
};

// Problems are located at the shaders and reported together. The name in `options` is not used. What `shared` has is
// not made again, and what is made is added to it. `progress`, an ItemProgress, counts both.
Result<Pipelines> create_pipelines(const Plan& plan, const gpu::Device& device, const Resources& resources,
                                   const PipelinePlan& wanted, const gpu::PipelineOptions& options,
                                   PerfCounters& counters, SharedPipelines* shared = nullptr,
                                   const std::function<void(std::size_t, std::size_t)>& progress = {});

}  // namespace slipway::launch
