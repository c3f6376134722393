// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Vulkan device offers, as plain data.
//
// A snapshot is read once from the driver (instance.hpp) and never changes. Everything that is decided before a device
// exists is decided from it: which device, which features and queue (device_plan.hpp), which tiling an image gets
// (image_plan.hpp). Tests make snapshots up by hand.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/vk_names.hpp"

namespace slipway::vk {

struct Version {
  std::uint32_t major = 0, minor = 0, patch = 0;
  auto operator<=>(const Version&) const = default;
};

// The numbers are Vulkan's.
enum class DeviceType : std::uint8_t { Other, Integrated, Discrete, Virtual, Cpu };

// Bits of VkQueueFlagBits, VkMemoryPropertyFlagBits and VkFormatFeatureFlagBits2 that the code uses.
namespace queue_flag {
inline constexpr std::uint32_t kGraphics = 0x1, kCompute = 0x2, kTransfer = 0x4, kDataGraph = 0x400;
}
namespace memory_flag {
inline constexpr std::uint32_t kDeviceLocal = 0x1, kHostVisible = 0x2, kHostCoherent = 0x4, kHostCached = 0x8;
}
namespace format_feature {
inline constexpr std::uint64_t kSampledImage = 0x1, kStorageImage = 0x2, kUniformTexelBuffer = 0x8,
                               kStorageTexelBuffer = 0x10, kColorAttachment = 0x80, kDepthAttachment = 0x200,
                               kVertexBuffer = 0x40, kColorAttachmentBlend = 0x100, kBlitSource = 0x400,
                               kBlitDestination = 0x800, kSampledLinear = 0x1000, kTransferSource = 0x4000,
                               kTransferDestination = 0x8000, kStorageReadWithoutFormat = 0x80000000,
                               kStorageWriteWithoutFormat = 0x100000000, kTensorShader = 0x8000000000,
                               kTensorDataGraph = 0x1000000000000;
}

struct QueueFamily {
  std::uint32_t flags = 0;
  std::uint32_t queues = 0;
  std::uint32_t timestamp_bits = 0;  // 0: no timestamps
  // Of graphs, on the family's own engine: `TOSA.001000.1`.
  std::set<std::string, std::less<>> graph_instruction_sets = {};
};

struct MemoryType {
  std::uint32_t flags = 0;
  std::uint32_t heap = 0;
};

struct MemoryHeap {
  std::uint64_t size = 0;
  bool device_local = false;
};

// How the texels of an image, or the elements of a tensor, are arranged in memory.
enum class Tiling : std::uint8_t { Optimal, Linear };

struct FormatFeatures {
  std::uint64_t linear = 0;
  std::uint64_t optimal = 0;
  std::uint64_t buffer = 0;
  std::uint64_t linear_tensor = 0;
};

// The limits that the program itself compares with. All of them, under Vulkan's names, are in Snapshot::limits_by_name.
struct Limits {
  std::uint32_t max_image_1d = 4096, max_image_2d = 4096, max_image_3d = 256;
  std::uint32_t max_uniform_buffer_range = 16384;
  std::uint32_t max_storage_buffer_range = 1u << 27;
  std::uint32_t max_push_constants_size = 128;
  std::uint32_t max_bound_descriptor_sets = 4;
  std::uint32_t max_color_attachments = 4;
  std::uint32_t max_framebuffer_width = 4096, max_framebuffer_height = 4096;
  std::uint32_t max_compute_shared_memory_size = 16384;
  std::array<std::uint32_t, 3> max_compute_workgroup_count = {65535, 65535, 65535};
  std::uint32_t max_compute_workgroup_invocations = 128;
  std::array<std::uint32_t, 3> max_compute_workgroup_size = {128, 128, 64};
  std::uint64_t min_storage_buffer_offset_alignment = 256;
  std::uint64_t min_uniform_buffer_offset_alignment = 256;
  std::uint64_t max_memory_allocation_size = 1u << 30;
  std::uint64_t max_buffer_size = 1u << 30;
};

struct SubgroupFacts {
  std::uint32_t size = 1, min_size = 1, max_size = 1;
  std::uint32_t stages = 0;      // VkShaderStageFlags
  std::uint32_t operations = 0;  // VkSubgroupFeatureFlags
  std::uint32_t required_size_stages = 0;
};

// One supported shape of VK_KHR_cooperative_matrix at subgroup scope; the types are VkComponentTypeKHR's numbers.
struct CooperativeMatrix {
  std::uint32_t m = 0, n = 0, k = 0;
  std::uint32_t a = 0, b = 0, c = 0, result = 0;
  bool saturating = false;
};

using Uuid = std::array<std::uint8_t, 16>;

struct Snapshot {
  std::uint32_t index = 0;  // in the loader's list
  std::string name;
  DeviceType type = DeviceType::Other;
  std::uint32_t vendor_id = 0, device_id = 0;
  Version api;
  std::uint32_t driver_version = 0;  // the vendor's own encoding
  std::string driver_name, driver_info;
  Uuid device_uuid{}, driver_uuid{}, pipeline_cache_uuid{};

  std::set<std::string, std::less<>> extensions;
  std::set<std::string, std::less<>> features;  // the true VkBool32 members of the feature structs
  Limits limits;
  std::map<std::string, double, std::less<>> limits_by_name;  // elements of arrays as `maxComputeWorkGroupCount[0]`
  SubgroupFacts subgroup;
  std::vector<CooperativeMatrix> cooperative_matrices;
  std::vector<QueueFamily> queue_families;
  std::vector<MemoryType> memory_types;
  std::vector<MemoryHeap> memory_heaps;
  std::map<Format, FormatFeatures> formats;  // without those that have no feature at all
  double timestamp_period = 1;               // nanoseconds a tick

  bool has_extension(std::string_view extension) const { return extensions.contains(extension); }
  bool has_feature(std::string_view feature) const { return features.contains(feature); }
  FormatFeatures format_features(Format format) const;
  std::uint64_t device_memory() const;  // bytes of the largest device-local heap
};

// `DiscreteGpu`, `IntegratedGpu`, `VirtualGpu`, `Cpu`, `Other`: the words of the log line that scripts match
// (docs/spec/scenario.md#log-lines).
std::string_view name_of(DeviceType type);
// Its name and version: `llvmpipe Mesa 26.1.6 (LLVM 21.1.8)`.
std::string driver_of(const Snapshot& snapshot);
std::string format_uuid(const Uuid& uuid);  // 01234567-89ab-cdef-0123-456789abcdef

// For people: everything, one fact a line.
std::string print_snapshot(const Snapshot& snapshot);

}  // namespace slipway::vk
