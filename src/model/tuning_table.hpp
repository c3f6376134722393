// What was measured to be best on a device, as a file: JSON, to be shipped with a model or kept in the program's cache.
//
//   {"device": "NVIDIA H200", "vendor_id": 4318, "device_id": 9019, "driver_version": 2434170880,
//    "tuned": [{"kernel": "matrices f16 1x196x256x2304 in runs of 2304", "parameters": {"down": 2, ...}}]}
//
// The numbers of device and driver are Vulkan's. A table is used only where all of them are the same: parameters that
// are not the best still compute the same, but not as quickly.
#pragma once

#include <memory>
#include <string>

#include "base/cache.hpp"
#include "base/diagnostic.hpp"
#include "gpu/device/snapshot.hpp"
#include "lower/device_facts.hpp"

namespace slipway::model {

struct TunedKernel {
  std::string kernel;
  lower::Parameters parameters;
};

struct TuningTable {
  std::string device;
  std::uint32_t vendor_id = 0, device_id = 0, driver_version = 0;
  std::vector<TunedKernel> tuned;

  static TuningTable of(const gpu::Snapshot& snapshot, const lower::Tuning& tuning);
  lower::Tuning tuning() const;
  bool is_for(const gpu::Snapshot& snapshot) const;
};

std::string write_tuning(const TuningTable& table);
// Errors: what reading JSON and its keys says.
std::optional<TuningTable> read_tuning(const SourcePtr& source, Diagnostics& diagnostics);

// A JSON Schema of the file.
std::string tuning_schema();

// The table of a device in the cache; empty where there is none.
lower::Tuning cached_tuning(const gpu::Snapshot& snapshot, const Cache& cache);
// Adds to it; what was known of a kernel is replaced.
void cache_tuning(const gpu::Snapshot& snapshot, const lower::Tuning& tuning, const Cache& cache);

// The facts of a device together with what was measured on it: by the table that the environment variable
// SLIPWAY_TUNING names, or else by that in the cache. Errors: file-not-found and what read_tuning says, of the former;
// a table of another device or driver is a warning (file-mismatch).
lower::DeviceFacts tuned_facts(const gpu::Snapshot& snapshot, const Cache& cache, Diagnostics& diagnostics);

}  // namespace slipway::model
