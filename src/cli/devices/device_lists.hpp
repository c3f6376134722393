// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON documents of `slipway devices --json`: Vulkan devices, or the devices of another back end of recipes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recipe/backends/opencl/backend.hpp"
#include "vk/snapshot.hpp"

namespace slipway::cli {

std::string version_text(const vk::Version& version);  // "1.3.250"

struct ListedDevice {
  const vk::Snapshot* snapshot;
  bool is_default = false;
};

// The CPU engine, which runs graphs.
struct ListedCpu {
  std::string name;
  std::uint64_t threads = 1;
  std::uint64_t vector_bits = 0;
  bool products_of_bytes = false;  // dot products of 8-bit integers
  std::vector<std::string> unused_instructions;
};
// That of this machine; nothing if this build or the CPU has none.
std::optional<ListedCpu> listed_cpu();

struct DeviceList {
  std::vector<ListedDevice> devices;
  std::optional<ListedCpu> cpu;
  std::vector<std::string> xrt;  // names of NPUs; without one, the document has no such key
};

std::string device_list_text(const DeviceList& list);
std::string opencl_list_text(const std::vector<recipe::opencl::DeviceDescription>& devices);
std::string xrt_list_text(const std::vector<std::string>& names);

}  // namespace slipway::cli
