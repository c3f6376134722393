// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The measured best parameters of a device as a JSON file, shipped with a model or stored in the program's cache.
//
//   {"device": "NVIDIA H200", "vendor_id": 4318, "device_id": 9019, "driver_version": 2434170880,
//    "rates": {"further_dispatch": 3, ...}, "tuned": [{"kernel": "matrices f16 1x196x256x2304 in runs of 2304",
//    "parameters": {"down": 2, ...}}]}
//
// The ids of device and driver are Vulkan's. A table is used only where all of them match; the tables of
// src/model/tuning/tables, which the program contains, are used with every driver of their device. Other parameters
// would compute the same results, but more slowly.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "base/system/cache.hpp"
#include "launch/device_key.hpp"
#include "lower/device_facts.hpp"

namespace slipway::model {

struct TunedKernel {
  std::string kernel;
  lower::Parameters parameters;
};

struct TuningTable {
  std::string device;
  std::uint32_t vendor_id = 0, device_id = 0, driver_version = 0;
  std::optional<lower::Rates> rates;
  std::vector<TunedKernel> tuned;

  static TuningTable of(const launch::DeviceKey& device, const lower::Tuning& tuning,
                        const std::optional<lower::Rates>& rates = std::nullopt);
  lower::Tuning tuning() const;
  bool is_for(const launch::DeviceKey& key) const;
};

std::string write_tuning(const TuningTable& table);
// Errors: those of reading JSON and its keys.
std::optional<TuningTable> read_tuning(const SourcePtr& source, Diagnostics& diagnostics);

// A JSON Schema of the file.
std::string tuning_schema();

// The table of a device in the cache; empty where the cache has no table.
lower::Tuning cached_tuning(const launch::DeviceKey& device, const Cache& cache);
std::optional<lower::Rates> cached_rates(const launch::DeviceKey& device, const Cache& cache);
// Adds to it; earlier entries of a kernel are replaced, and rates if there are new ones.
void cache_tuning(const launch::DeviceKey& device, const lower::Tuning& tuning, const Cache& cache,
                  const std::optional<lower::Rates>& rates = std::nullopt);

// The table of a device that the program contains; empty where it contains none.
lower::Tuning shipped_tuning(const launch::DeviceKey& device);
// For GPUs without any table: what was better than the estimate on all GPUs that were measured, and does not depend on
// the number of multiprocessors. The estimates are fitted to the same GPUs, so that they are wrong there if anywhere.
lower::Tuning generic_tuning(const vk::Snapshot& snapshot);

// Adds to `facts` the tuning and the rates of a device: from the table that the environment variable SLIPWAY_TUNING
// names (`none`: no tuning), otherwise from the table in the cache, and for kernels that it lacks from the shipped
// table. Returns false if neither has one, so that a generic one may be used. Errors: file-not-found and those of
// read_tuning, for the former; a table of another device or driver is a warning (file-mismatch).
bool add_tuning(const launch::DeviceKey& device, const Cache& cache, lower::DeviceFacts& facts,
                Diagnostics& diagnostics);
// The facts of a Vulkan device with its tuning, or the generic one.
lower::DeviceFacts tuned_facts(const vk::Snapshot& snapshot, const Cache& cache, Diagnostics& diagnostics);

}  // namespace slipway::model
