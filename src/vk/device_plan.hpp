// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device is created with, decided from what the driver offers and what a run needs. A pure function: data in,
// data out.
//
// Supported features with the policy Always are switched on (docs/spec/scenario.md#shaders); those with OnRequest, and
// robustness, which costs speed, only for runs that need them.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "vk/snapshot.hpp"

namespace slipway::vk {

struct Needs {
  bool graphics = false;  // fragment dispatches: a queue with graphics, dynamic rendering
  bool blit = false;      // mips, depth images: prefers a queue with graphics, but compute may do
  bool timestamps = false;
  bool custom_border_colors = false;
  bool frame_boundary = false;                                // used when it is there
  bool tensors = false;                                       // native ones
  bool data_graph = false;                                    // native graphs; needs native tensors too
  std::set<std::string, std::less<>> graph_instruction_sets;  // of native graphs
  bool robustness = false;  // used when it is there (docs/spec/scenario.md#command-line)
  // The most queues to use; a family may have fewer. Work that may overlap prefers a family without graphics: drivers
  // run the queues of such a family beside each other.
  std::uint32_t queues = 1;
  std::set<std::string> capabilities;            // of the shaders, by their SPIR-V names
  std::set<std::string> features;                // VkBool32 member names that must be there
  std::set<std::string> extensions;              // that must be there
  std::vector<std::string> disabled_extensions;  // treated as absent
};

struct DevicePlan {
  std::set<std::string, std::less<>> extensions;
  std::set<std::string, std::less<>> features;
  std::uint32_t queue_family = 0;
  std::uint32_t queue_flags = 0;  // of that family: queue_flag
  std::uint32_t queues = 1;       // of that family; 0 to queues - 1

  bool has_extension(std::string_view extension) const { return extensions.contains(extension); }
  bool has_feature(std::string_view feature) const { return features.contains(feature); }
};

// Reports everything that is missing together, as device-lacks; an extension to disable that is not known is a usage
// error.
Result<DevicePlan> plan_device(const Snapshot& snapshot, const Needs& needs);

// What the device lacks to run shaders with tensors, or whole graphs, itself
// (docs/spec/scenario.md#devices-and-emulation): the extension
// (`VK_ARM_tensors`) or a feature; empty when it has all. Graphs need tensors too, and a queue that also computes.
std::string missing_for_tensors(const Snapshot& snapshot);
std::string missing_for_graphs(const Snapshot& snapshot);

// What the device lacks for a SPIR-V capability: empty when it is supported, otherwise a phrase such as
// "capability `Int64` needs the device feature `shaderInt64`".
std::string missing_for_capability(const Snapshot& snapshot, std::string_view capability);

// The same device as if it did not have these extensions, nor the features that come with them.
Snapshot without_extensions(Snapshot snapshot, std::span<const std::string> extensions);

// Whether images need the storage use (and the sampled one) for mips that are made from other levels: the queue has no
// graphics.
bool mips_need_storage(const DevicePlan& plan);

std::string print_device_plan(const DevicePlan& plan);

}  // namespace slipway::vk
