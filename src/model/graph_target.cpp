// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/graph_target.hpp"

#include <algorithm>

#include "cpu/target.hpp"
#include "executors/open.hpp"
#include "model/tuning/tuning_table.hpp"
#include "vgf/check.hpp"
#include "vgf/vgf.hpp"
#include "vk/device_plan.hpp"

namespace slipway::model {

Result<GraphOptions> graph_options(launch::Executor* executor, const GraphChoices& choices, const Cache& cache,
                                   Diagnostics& diagnostics) {
  GraphOptions graphs;
  graphs.engine = choices.engine.value_or(Engine::Kernels);
  graphs.lower.fuse = choices.fuse;
  graphs.threads = choices.threads;
  graphs.pin_threads = choices.pin_threads;
  graphs.cache = cache;
  graphs.target = choices.target;
  if (graphs.target) {
    graphs.engine = Engine::Cpu;
    return graphs;  // (tuning tables are of the machine here)
  }
  if (executor) {
    SLIPWAY_TRY(const launch::ExecutorInfo info, executor->info());
    if (info.runs_graphs_on_host && !choices.engine) graphs.engine = Engine::Cpu;
    if (choices.native) graphs.native = info.vulkan.get();  // the executor keeps it
    if (graphs.engine == Engine::Kernels && info.vulkan)
      graphs.lower.device = tuned_facts(*info.vulkan, cache, diagnostics);
  }
  if (graphs.engine == Engine::Cpu) add_tuning({cpu::engine_name()}, cache, graphs.lower.device, diagnostics);
  return graphs;
}

namespace {

bool has_graphs_of_tensors_only(const vgf::File& file) {
  return std::ranges::all_of(file.segments,
                             [](const vgf::Segment& one) { return one.kind == vgf::ModuleKind::Graph; }) &&
         std::ranges::none_of(file.resources, vgf::is_image);
}

// Whether graphs are slow there: they would become kernels on a driver for CPUs, or there is no device.
bool has_no_gpu(launch::Executor& executor) {
  const Result<launch::ExecutorInfo> info = executor.info();
  if (!info) return true;
  return info->vulkan && info->vulkan->type == vk::DeviceType::Cpu && !vk::missing_for_graphs(*info->vulkan).empty();
}

}  // namespace

std::shared_ptr<launch::Executor> executor_for(const vgf::File& file, const GraphChoices& choices,
                                               std::shared_ptr<launch::Executor> opened, bool is_free) {
  if (!opened || !has_graphs_of_tensors_only(file)) return opened;
  const bool named = choices.engine && *choices.engine != Engine::Kernels;
  const executors::ExecutorKind& host = executors::host_kind();
  const bool preferred = !choices.engine && is_free && !host.list().value_or({}).empty() && has_no_gpu(*opened);
  return named || preferred ? host.open({}) : opened;
}

}  // namespace slipway::model
