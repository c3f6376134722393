// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/pipelines/pipeline_caching.hpp"

#include "base/format.hpp"
#include "gpu/device/device.hpp"

namespace slipway::launch {
namespace {

// A cache without pipelines is a header alone: VkPipelineCacheHeaderVersionOne.
constexpr std::size_t kHeaderBytes = 32;

// The contents of the file if they are for this device. Others are ignored with a warning, never an error.
std::vector<std::byte> read_file(const vk::Snapshot& snapshot, const PipelineCacheFile& file, const Log& log) {
  log.info("Load Pipeline Cache");
  if (file.clear && file_exists(file.path)) {
    remove_file(file.path);
    log.info("Pipeline Cache cleared");
    return {};
  }
  const Result<MappedFile> mapped = map_file(file.path);
  if (!mapped) return {};
  const Bytes data = mapped->bytes();
  const std::vector<std::string> problems = gpu::check_pipeline_cache(snapshot, data);
  for (const std::string& problem : problems) log.warning(problem);
  if (!problems.empty()) {
    if (!data.empty()) log.warning("Pipeline Cache skipped: failed to validate.");
    return {};
  }
  log.info("Pipeline Cache loaded and validated.");
  return {data.begin(), data.end()};
}

// One entry for the pipelines of one plan on one driver.
std::string own_key(const vk::Snapshot& snapshot, const PipelinePlan& wanted) {
  std::string pipelines;
  for (const PlannedPipeline& request : wanted.requests) pipelines += request.key;
  return Cache::key({"driver pipelines", pipelines, vk::format_uuid(snapshot.device_uuid),
                     vk::format_uuid(snapshot.pipeline_cache_uuid), formatted("{}", snapshot.driver_version)});
}

}  // namespace

Result<PipelineCaching> load_pipeline_cache(const gpu::Device& device, const PipelinePlan& wanted,
                                            const std::optional<PipelineCacheFile>& file, const Cache& own,
                                            PerfCounters& counters, const Log& log) {
  PipelineCaching caching;
  std::vector<std::byte> data;
  if (file) {
    const ScopedTimer timer(counters, CounterCategory::LoadPipelineCache, "Load Pipeline Cache.");
    data = read_file(device.snapshot(), *file, log);
    caching.file_ = file->path;
    caching.fail_on_miss_ = file->fail_on_miss && !data.empty();
  } else if (own.enabled()) {
    caching.own_ = own;
    caching.own_key_ = own_key(device.snapshot(), wanted);
    data = caching.own_.find(caching.own_key_).value_or(std::vector<std::byte>{});
  }
  return gpu::create_pipeline_cache(device, data).transform([&](gpu::PipelineCache cache) {
    caching.cache_ = std::move(cache);
    return std::move(caching);
  });
}

Result<> PipelineCaching::store(const gpu::Device& device, std::string counter, PerfCounters& counters,
                                const Log& log) const {
  if (!file_) return {};
  if (fail_on_miss_) {
    log.info("Pipeline Cache not stored");
    return {};
  }
  const ScopedTimer timer(counters, CounterCategory::SavePipelineCache, std::move(counter));
  return gpu::save_pipeline_cache(device, cache_)
      .and_then([&](const std::vector<std::byte>& data) { return write_file(*file_, data); })
      .transform([&] { log.info("Pipeline Cache stored"); });
}

void PipelineCaching::keep(const gpu::Device& device, const Pipelines& pipelines) const {
  if (!own_.enabled() || pipelines.all_cached()) return;
  // A cache never fails: data that the driver does not return is not kept.
  const Result<std::vector<std::byte>> data = gpu::save_pipeline_cache(device, cache_);
  if (data && data->size() > kHeaderBytes) own_.store(own_key_, *data);
}

}  // namespace slipway::launch
