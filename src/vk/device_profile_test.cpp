// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profiles lower what a device reports, and nothing else.
#include "vk/device_profile.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "testing/gpu_fixture.hpp"

namespace slipway::vk {
namespace {

using ::testing::HasSubstr;

const DeviceProfile& profile_named(std::string_view name) {
  const DeviceProfile* found = find_profile(name);
  if (!found) throw std::runtime_error("no such profile");
  return *found;
}

// A device that has more than every profile.
Snapshot large_device() {
  Snapshot s{.name = "large", .type = DeviceType::Cpu};
  s.extensions = {"VK_KHR_cooperative_matrix", "VK_EXT_descriptor_buffer", "VK_EXT_custom_border_color"};
  s.features = {"cooperativeMatrix",        "bufferDeviceAddress", "shaderInt64",       "shaderFloat16",
                "storageBuffer16BitAccess", "customBorderColors",  "robustBufferAccess"};
  s.limits.max_compute_shared_memory_size = 65536;
  s.limits.max_compute_workgroup_invocations = 1024;
  s.limits.max_compute_workgroup_size = {1024, 1024, 1024};
  s.limits.min_storage_buffer_offset_alignment = 16;
  s.limits_by_name = {{"maxComputeSharedMemorySize", 65536},
                      {"maxComputeWorkGroupSize[2]", 1024},
                      {"maxPerStageDescriptorStorageBuffers", 1000},
                      {"minStorageBufferOffsetAlignment", 16},
                      {"subgroupSize", 8},
                      {"integerDotProduct8BitSignedAccelerated", 1}};
  s.subgroup = {.size = 8, .min_size = 8, .max_size = 8, .stages = 0x20, .operations = 9, .required_size_stages = 0x20};
  s.cooperative_matrices = {{.m = 8, .n = 8, .k = 8}};
  return s;
}

TEST(DeviceProfile, LowersWhatADeviceReports) {
  const Snapshot small = with_profile(large_device(), profile_named("small-gpu-4"));
  EXPECT_EQ(small.name, "large, as small-gpu-4");
  EXPECT_EQ(small.type, DeviceType::Integrated);
  EXPECT_EQ(small.limits.max_compute_shared_memory_size, 16384u);
  EXPECT_EQ(small.limits.max_compute_workgroup_invocations, 128u);
  EXPECT_EQ(small.limits.max_compute_workgroup_size, (std::array{128u, 128u, 64u}));
  EXPECT_EQ(small.limits.min_storage_buffer_offset_alignment, 256u);
  EXPECT_EQ(small.subgroup.size, 4u);
  EXPECT_EQ(small.subgroup.required_size_stages, 0u) << "the driver has subgroups of another size";
  EXPECT_EQ(small.subgroup.operations, 9u);
  EXPECT_TRUE(small.cooperative_matrices.empty());
  EXPECT_THAT(small.features, ::testing::ElementsAre("customBorderColors", "robustBufferAccess"));
  EXPECT_THAT(small.extensions, ::testing::ElementsAre("VK_EXT_custom_border_color"));
  const std::map<std::string, double, std::less<>> limits = {{"maxComputeSharedMemorySize", 16384},
                                                             {"maxComputeWorkGroupSize[2]", 64},
                                                             {"maxPerStageDescriptorStorageBuffers", 8},
                                                             {"minStorageBufferOffsetAlignment", 256},
                                                             {"subgroupSize", 4},
                                                             {"integerDotProduct8BitSignedAccelerated", 0}};
  EXPECT_EQ(small.limits_by_name, limits);

  const Snapshot mobile = with_profile(large_device(), profile_named("mobile-gpu"));
  EXPECT_EQ(mobile.limits.max_compute_workgroup_invocations, 512u);
  EXPECT_EQ(mobile.subgroup.size, 16u);
  for (const std::string_view feature : {"bufferDeviceAddress", "shaderFloat16", "storageBuffer16BitAccess"})
    EXPECT_TRUE(mobile.has_feature(feature)) << feature;
}

TEST(DeviceProfile, NeverRaisesALimit) {
  Snapshot tiny = large_device();
  tiny.type = DeviceType::Discrete;
  tiny.limits = {};
  tiny.limits.max_compute_shared_memory_size = 1;
  tiny.limits.min_uniform_buffer_offset_alignment = 512;
  const Snapshot limited = with_profile(tiny, profile_named("mobile-gpu"));
  EXPECT_EQ(limited.type, DeviceType::Discrete);
  EXPECT_EQ(limited.limits.max_compute_shared_memory_size, 1u);
  EXPECT_EQ(limited.limits.max_compute_workgroup_invocations, 128u);
  EXPECT_EQ(limited.limits.min_uniform_buffer_offset_alignment, 512u);
}

// The layer of this project and the program above it both read the environment.
TEST(DeviceProfile, AppliesOnce) {
  for (const DeviceProfile& profile : device_profiles()) {
    const Snapshot once = with_profile(large_device(), profile), twice = with_profile(once, profile);
    EXPECT_EQ(once.name, twice.name);
    EXPECT_EQ(print_snapshot(once), print_snapshot(twice));
  }
}

}  // namespace
}  // namespace slipway::vk
