// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/device/snapshot_read.hpp"

#include <gmock/gmock.h>

#include "testing/gpu_fixture.hpp"

namespace slipway::gpu {
namespace {

using ::testing::HasSubstr;
using SnapshotOnDevice = slipway::testing::GpuTest;

TEST_F(SnapshotOnDevice, IsComplete) {
  const vk::Snapshot& s = snapshot();
  EXPECT_FALSE(s.name.empty());
  EXPECT_FALSE(s.driver_name.empty());
  EXPECT_GE(s.api, (vk::Version{1, 3, 0}));
  EXPECT_TRUE(s.has_feature("synchronization2"));  // Vulkan 1.3 demands it
  EXPECT_TRUE(s.has_feature("dynamicRendering"));
  EXPECT_TRUE(s.has_feature("robustBufferAccess"));
  EXPECT_GE(s.limits.max_compute_workgroup_invocations, 128u);
  EXPECT_EQ(s.limits_by_name.at("maxComputeWorkGroupInvocations"), s.limits.max_compute_workgroup_invocations);
  EXPECT_EQ(s.limits_by_name.at("maxComputeWorkGroupCount[2]"), s.limits.max_compute_workgroup_count[2]);
  EXPECT_EQ(s.limits_by_name.at("subgroupSize"), s.subgroup.size);
  EXPECT_GE(s.limits.max_buffer_size, 1u << 30);
  EXPECT_FALSE(s.queue_families.empty());
  EXPECT_FALSE(s.memory_types.empty());
  EXPECT_GT(s.device_memory(), 0u);
  EXPECT_NE(s.device_uuid, vk::Uuid{});
  const vk::FormatFeatures rgba = s.format_features(vk::Format::R8G8B8A8_UNORM);
  EXPECT_TRUE(rgba.optimal & vk::format_feature::kSampledImage);
  EXPECT_TRUE(rgba.optimal & vk::format_feature::kStorageImage);
  EXPECT_THAT(vk::print_snapshot(s),
              HasSubstr("VK_FORMAT_R8G8B8A8_UNORM: sampled linear-filter storage color_attachment blit"));
}

}  // namespace
}  // namespace slipway::gpu
