// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/format.hpp"
#include "vk/device_plan.hpp"

namespace slipway::vk {
namespace {

struct FlagName {
  std::uint64_t flag;
  std::string_view name;
};

constexpr std::array kQueueFlags = {
    FlagName{queue_flag::kGraphics, "graphics"},
    FlagName{queue_flag::kCompute, "compute"},
    FlagName{queue_flag::kTransfer, "transfer"},
    FlagName{queue_flag::kDataGraph, "data-graph"},
};
constexpr std::array kMemoryFlags = {
    FlagName{memory_flag::kDeviceLocal, "device-local"},
    FlagName{memory_flag::kHostVisible, "host-visible"},
    FlagName{memory_flag::kHostCoherent, "host-coherent"},
    FlagName{memory_flag::kHostCached, "host-cached"},
};
// The uses that a scenario may ask a format for.
constexpr std::array kFormatFlags = {
    FlagName{format_feature::kSampledImage, "sampled"},
    FlagName{format_feature::kSampledLinear, "linear-filter"},
    FlagName{format_feature::kStorageImage, "storage"},
    FlagName{format_feature::kColorAttachment, "color_attachment"},
    FlagName{format_feature::kBlitSource | format_feature::kBlitDestination, "blit"},
};
constexpr std::array kTensorFlags = {
    FlagName{format_feature::kTensorShader, "tensor"},
    FlagName{format_feature::kTensorDataGraph, "graph-tensor"},
};

// A name holds when all of its bits are there.
std::string flag_names(std::uint64_t flags, std::span<const FlagName> names) {
  std::string text;
  for (const FlagName& name : names) {
    if ((flags & name.flag) != name.flag) continue;
    if (!text.empty()) text += ' ';
    text += name.name;
  }
  return text.empty() ? "-" : text;
}

template <class Names>
void print_list(std::string& text, std::string_view title, const Names& names) {
  text += formatted("{}:\n", title);
  for (const std::string& name : names) text += formatted("  {}\n", name);
}

void print_memory(std::string& text, const Snapshot& snapshot) {
  text += "memory heaps:\n";
  for (std::size_t i = 0; i < snapshot.memory_heaps.size(); ++i) {
    const MemoryHeap& heap = snapshot.memory_heaps[i];
    text += formatted("  {}: {} bytes{}\n", i, heap.size, heap.device_local ? ", device-local" : "");
  }
  text += "memory types:\n";
  for (std::size_t i = 0; i < snapshot.memory_types.size(); ++i) {
    const MemoryType& type = snapshot.memory_types[i];
    text += formatted("  {}: heap {}, {}\n", i, type.heap, flag_names(type.flags, kMemoryFlags));
  }
}

}  // namespace

FormatFeatures Snapshot::format_features(Format format) const {
  const auto found = formats.find(format);
  return found == formats.end() ? FormatFeatures{} : found->second;
}

std::uint64_t Snapshot::device_memory() const {
  std::uint64_t largest = 0;
  for (const MemoryHeap& heap : memory_heaps) {
    if (heap.device_local) largest = std::max(largest, heap.size);
  }
  return largest;
}

std::string_view name_of(DeviceType type) {
  switch (type) {
    case DeviceType::Integrated:
      return "IntegratedGpu";
    case DeviceType::Discrete:
      return "DiscreteGpu";
    case DeviceType::Virtual:
      return "VirtualGpu";
    case DeviceType::Cpu:
      return "Cpu";
    case DeviceType::Other:
      break;
  }
  return "Other";
}

std::string driver_of(const Snapshot& snapshot) {
  return snapshot.driver_info.empty() ? snapshot.driver_name
                                      : formatted("{} {}", snapshot.driver_name, snapshot.driver_info);
}

std::string format_uuid(const Uuid& uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += formatted("{:02x}", uuid[i]);
  }
  return text;
}

std::string print_snapshot(const Snapshot& snapshot) {
  const Snapshot& s = snapshot;
  std::string text = formatted("device {}: {}\n", s.index, s.name);
  text += formatted("type: {}\n", name_of(s.type));
  text += formatted("Vulkan: {}.{}.{}\n", s.api.major, s.api.minor, s.api.patch);
  text += formatted("vendor: {:#06x}, device: {:#06x}\n", s.vendor_id, s.device_id);
  text += formatted("driver: {} {} (version {:#x})\n", s.driver_name, s.driver_info, s.driver_version);
  text += formatted("device UUID: {}\n", format_uuid(s.device_uuid));
  text += formatted("driver UUID: {}\n", format_uuid(s.driver_uuid));
  text += formatted("pipeline cache UUID: {}\n", format_uuid(s.pipeline_cache_uuid));
  text += formatted("subgroup size: {} ({} to {})\n", s.subgroup.size, s.subgroup.min_size, s.subgroup.max_size);
  text += formatted("timestamp period: {} ns\n", s.timestamp_period);
  const auto native = [](const std::string& missing) {
    return missing.empty() ? "native" : "emulated, lacks " + missing;
  };
  text += formatted("tensors: {}\n", native(missing_for_tensors(s)));
  text += formatted("graphs: {}\n", native(missing_for_graphs(s)));
  text += "queue families:\n";
  for (std::size_t i = 0; i < s.queue_families.size(); ++i) {
    const QueueFamily& family = s.queue_families[i];
    text += formatted("  {}: {} x {}, {} timestamp bits\n", i, family.queues, flag_names(family.flags, kQueueFlags),
                      family.timestamp_bits);
    for (const std::string& set : family.graph_instruction_sets) text += formatted("    graphs of {}\n", set);
  }
  print_memory(text, s);
  print_list(text, "extensions", s.extensions);
  print_list(text, "features", s.features);
  text += "limits:\n";
  for (const auto& [name, value] : s.limits_by_name) text += formatted("  {}: {}\n", name, value);
  text += "formats (optimal | linear):\n";
  for (const auto& [format, features] : s.formats) {
    text += formatted("  {}: {} | {}", name_of(format), flag_names(features.optimal, kFormatFlags),
                      flag_names(features.linear, kFormatFlags));
    if (features.linear_tensor) text += formatted(" {}", flag_names(features.linear_tensor, kTensorFlags));
    text += "\n";
  }
  return text;
}

}  // namespace slipway::vk
