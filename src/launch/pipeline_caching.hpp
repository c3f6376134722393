// Where the driver's pipeline data are kept between runs: the file that the user names (scenario page 3.17, 5.3), else
// the program's own cache.
#pragma once

#include <optional>
#include <string>

#include "gpu/pipeline_cache.hpp"
#include "launch/pipelines.hpp"
#include "launch/run.hpp"

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
  friend Result<PipelineCaching> load_pipeline_cache(const gpu::Device&, const PipelinePlan&, const RunOptions&,
                                                     PerfCounters&, const Log&);
  gpu::PipelineCache cache_;
  std::optional<Path> file_;
  Cache own_;
  std::string own_key_;
  bool fail_on_miss_ = false;
};

Result<PipelineCaching> load_pipeline_cache(const gpu::Device& device, const PipelinePlan& wanted,
                                            const RunOptions& options, PerfCounters& counters, const Log& log);

}  // namespace slipway::launch
