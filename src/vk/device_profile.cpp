// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/device_profile.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "vk/device_plan.hpp"

namespace slipway::vk {
namespace {

// The subgroup size is the driver's, so that a choice of another one would fail.
constexpr std::string_view kMobileLacks[] = {
    "subgroupSizeControl",
    "computeFullSubgroups",
    "shaderIntegerDotProduct",
    "shaderFloat64",
};
constexpr std::string_view kSmallLacks[] = {
    "subgroupSizeControl",
    "computeFullSubgroups",
    "shaderIntegerDotProduct",
    "shaderFloat64",
    "shaderFloat16",
    "shaderInt8",
    "shaderInt16",
    "shaderInt64",
    "storageBuffer8BitAccess",
    "uniformAndStorageBuffer8BitAccess",
    "storagePushConstant8",
    "storageBuffer16BitAccess",
    "uniformAndStorageBuffer16BitAccess",
    "storagePushConstant16",
    "storageInputOutput16",
    "bufferDeviceAddress",
    "bufferDeviceAddressCaptureReplay",
    "bufferDeviceAddressMultiDevice",
};
constexpr std::string_view kMobileLacksExtensions[] = {
    "VK_KHR_cooperative_matrix", "VK_NV_cooperative_matrix2", "VK_NV_cooperative_vector",
    "VK_KHR_shader_bfloat16",    "VK_EXT_shader_float8",
};
constexpr std::string_view kSmallLacksExtensions[] = {
    "VK_KHR_cooperative_matrix",
    "VK_NV_cooperative_matrix2",
    "VK_NV_cooperative_vector",
    "VK_KHR_shader_bfloat16",
    "VK_EXT_shader_float8",
    // They need buffers by address.
    "VK_EXT_descriptor_buffer",
    "VK_KHR_acceleration_structure",
    "VK_KHR_ray_tracing_pipeline",
    "VK_KHR_ray_query",
};

constexpr DeviceProfile small_gpu(std::string_view name, std::string_view description, std::uint32_t subgroup_size) {
  return {.name = name,
          .description = description,
          .subgroup_size = subgroup_size,
          .shared_memory = 16384,
          .invocations = 128,
          .workgroup_size = {128, 128, 64},
          .push_constants = 128,
          .descriptor_sets = 4,
          .storage_buffers = 8,
          .storage_buffer_range = 1u << 27,
          .uniform_buffer_range = 16384,
          .buffer_alignment = 256,
          .without_features = kSmallLacks,
          .without_extensions = kSmallLacksExtensions};
}

constexpr DeviceProfile kProfiles[] = {
    small_gpu("small-gpu-4", "an integrated GPU with little more than Vulkan guarantees, and subgroups of 4", 4),
    small_gpu("small-gpu-8", "the same with subgroups of 8", 8),
    {.name = "mobile-gpu",
     .description = "a GPU of a phone: 16-bit floats, buffers by address, subgroups of 16, no product of bytes",
     .subgroup_size = 16,
     .shared_memory = 32768,
     .invocations = 512,
     .workgroup_size = {512, 512, 64},
     .push_constants = 128,
     .descriptor_sets = 4,
     .storage_buffers = 35,
     .storage_buffer_range = 1u << 27,
     .uniform_buffer_range = 65536,
     .buffer_alignment = 64,
     .without_features = kMobileLacks,
     .without_extensions = kMobileLacksExtensions},
};

// Changes a limit in both of its forms.
class Limiter {
 public:
  explicit Limiter(Snapshot& snapshot) : by_name_(snapshot.limits_by_name) {}

  template <class Number>
  void at_most(std::string_view name, Number& limit, std::uint32_t most) {
    limit = std::min(limit, Number{most});
    at_most(name, most);
  }
  void at_most(std::string_view name, std::uint32_t most) {
    if (const auto found = by_name_.find(name); found != by_name_.end())
      found->second = std::min(found->second, static_cast<double>(most));
  }
  void at_least(std::string_view name, std::uint64_t& limit, std::uint32_t least) {
    limit = std::max(limit, std::uint64_t{least});
    if (const auto found = by_name_.find(name); found != by_name_.end())
      found->second = std::max(found->second, static_cast<double>(least));
  }
  void exactly(std::string_view name, double value) {
    if (const auto found = by_name_.find(name); found != by_name_.end()) found->second = value;
  }
  // Facts of VkPhysicalDeviceShaderIntegerDotProductProperties.
  void without_dot_products() {
    for (auto& [name, value] : by_name_) {
      if (name.starts_with("integerDotProduct")) value = 0;
    }
  }

 private:
  std::map<std::string, double, std::less<>>& by_name_;
};

void lower_limits(Snapshot& snapshot, const DeviceProfile& profile) {
  Limits& limits = snapshot.limits;
  Limiter limiter(snapshot);
  limiter.at_most("maxComputeSharedMemorySize", limits.max_compute_shared_memory_size, profile.shared_memory);
  limiter.at_most("maxComputeWorkGroupInvocations", limits.max_compute_workgroup_invocations, profile.invocations);
  for (std::size_t i = 0; i < profile.workgroup_size.size(); ++i)
    limiter.at_most(formatted("maxComputeWorkGroupSize[{}]", i), limits.max_compute_workgroup_size[i],
                    profile.workgroup_size[i]);
  limiter.at_most("maxPushConstantsSize", limits.max_push_constants_size, profile.push_constants);
  limiter.at_most("maxBoundDescriptorSets", limits.max_bound_descriptor_sets, profile.descriptor_sets);
  limiter.at_most("maxPerStageDescriptorStorageBuffers", profile.storage_buffers);
  limiter.at_most("maxStorageBufferRange", limits.max_storage_buffer_range, profile.storage_buffer_range);
  limiter.at_most("maxUniformBufferRange", limits.max_uniform_buffer_range, profile.uniform_buffer_range);
  limiter.at_least("minStorageBufferOffsetAlignment", limits.min_storage_buffer_offset_alignment,
                   profile.buffer_alignment);
  limiter.at_least("minUniformBufferOffsetAlignment", limits.min_uniform_buffer_offset_alignment,
                   profile.buffer_alignment);
  for (const std::string_view name : {"subgroupSize", "minSubgroupSize", "maxSubgroupSize"})
    limiter.exactly(name, profile.subgroup_size);
  limiter.exactly("requiredSubgroupSizeStages", 0);
  limiter.without_dot_products();
}

}  // namespace

std::span<const DeviceProfile> device_profiles() { return kProfiles; }

const DeviceProfile* find_profile(std::string_view name) {
  const auto* const found = std::ranges::find(kProfiles, name, &DeviceProfile::name);
  return found == std::end(kProfiles) ? nullptr : found;
}

Result<const DeviceProfile*> chosen_profile() {
  const char* const wish = std::getenv("SLIPWAY_DEVICE_PROFILE");
  if (!wish || !*wish) return nullptr;
  if (const DeviceProfile* known = find_profile(wish)) return known;
  std::string names;
  for (const DeviceProfile& profile : kProfiles) names += formatted("{}`{}`", names.empty() ? "" : ", ", profile.name);
  return fail(
      DiagnosticKind::Usage, SourceLocation::nowhere(),
      formatted("unknown device profile `{}` in the environment variable SLIPWAY_DEVICE_PROFILE; accepted are {}", wish,
                names));
}

Snapshot with_profile(Snapshot snapshot, const DeviceProfile& profile) {
  const std::string suffix = formatted(", as {}", profile.name);
  if (!snapshot.name.ends_with(suffix)) snapshot.name += suffix;
  if (snapshot.type == DeviceType::Cpu) snapshot.type = DeviceType::Integrated;
  snapshot = without_extensions(std::move(snapshot), std::vector<std::string>(profile.without_extensions.begin(),
                                                                              profile.without_extensions.end()));
  for (const std::string_view feature : profile.without_features) {
    if (const auto found = snapshot.features.find(feature); found != snapshot.features.end())
      snapshot.features.erase(found);
  }
  snapshot.cooperative_matrices.clear();
  snapshot.subgroup.size = snapshot.subgroup.min_size = snapshot.subgroup.max_size = profile.subgroup_size;
  snapshot.subgroup.required_size_stages = 0;
  lower_limits(snapshot, profile);
  return snapshot;
}

}  // namespace slipway::vk
