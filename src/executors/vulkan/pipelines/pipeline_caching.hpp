// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the driver's pipeline data is kept between runs: in the file that the user names
// (docs/spec/scenario.md#pipeline-cache-file), else in the program's own cache.
#pragma once

#include <optional>
#include <string>

#include "base/log.hpp"
#include "base/system/cache.hpp"
#include "base/system/files.hpp"
#include "executors/vulkan/pipelines/pipelines.hpp"
#include "gpu/pipeline/pipeline_cache.hpp"
#include "launch/pipeline_cache_file.hpp"
#include "launch/report/perf_counters.hpp"

namespace slipway::launch {

class PipelineCaching {
 public:
  const gpu::PipelineCache& cache() const { return cache_; }
  // A pipeline that is not in the cache is an error.
  bool fail_on_miss() const { return fail_on_miss_; }

  // The file is stored after the pipelines are made and again at the end of the run; `counter` names the time.
  Result<> store(const gpu::Device& device, std::string counter, PerfCounters& counters, const Log& log) const;
  // The program's own cache, when it does not have all pipelines yet.
  void keep(const gpu::Device& device, const Pipelines& pipelines) const;

 private:
  friend Result<PipelineCaching> load_pipeline_cache(const gpu::Device&, const PipelinePlan&,
                                                     const std::optional<PipelineCacheFile>&, const Cache&,
                                                     PerfCounters&, const Log&);
  gpu::PipelineCache cache_;
  std::optional<Path> file_;
  Cache own_;
  std::string own_key_;
  bool fail_on_miss_ = false;
};

// `own` is used when there is no file. A file for another device is ignored with a warning.
Result<PipelineCaching> load_pipeline_cache(const gpu::Device& device, const PipelinePlan& wanted,
                                            const std::optional<PipelineCacheFile>& file, const Cache& own,
                                            PerfCounters& counters, const Log& log);

}  // namespace slipway::launch
