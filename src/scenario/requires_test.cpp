// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "scenario/plan.hpp"

namespace slipway::scenario {
namespace {

vk::Snapshot device() {
  vk::Snapshot made;
  made.api = {1, 3, 250};
  made.extensions = {"VK_EXT_a"};
  made.features = {"shaderInt64"};
  made.limits_by_name = {{"maxComputeWorkGroupInvocations", 256}};
  made.formats[vk::Format::R8_UNORM] = {.linear = vk::format_feature::kSampledImage,
                                        .optimal = vk::format_feature::kSampledImage |
                                                   vk::format_feature::kStorageImage | vk::format_feature::kBlitSource};
  made.memory_heaps = {{.size = 1000, .device_local = true}};
  return made;
}

TEST(Requires, SupportedRequirementsAreMet) {
  Requirements all;
  all.api = {1, 3};
  all.extensions = {"VK_EXT_a"};
  all.features = {"shaderInt64"};
  all.limits = {{.name = "maxComputeWorkGroupInvocations", .value = 256, .at = {}}};
  all.formats = {{.format = {"VK_FORMAT_R8_UNORM", vk::Format::R8_UNORM},
                  .tiling = vk::Tiling::Optimal,
                  .usage = {FormatUse::Sampled, FormatUse::Storage},
                  .at = {}}};
  all.memory = 1000;
  EXPECT_EQ(check_requires(all, device()), std::vector<std::string>());
  EXPECT_EQ(check_requires({}, device()), std::vector<std::string>());
}

TEST(Requires, EachUnmetRequirementIsALine) {
  Requirements all;
  all.api = {1, 4};
  all.extensions = {"VK_EXT_a", "VK_EXT_b"};
  all.features = {"shaderInt64", "shaderFloat64"};
  all.limits = {{.name = "maxComputeWorkGroupInvocations", .value = 257, .at = {}},
                {.name = "maxNothing", .value = 1, .at = {}}};
  all.formats = {{.format = {"VK_FORMAT_R8_UNORM", vk::Format::R8_UNORM},
                  .tiling = vk::Tiling::Linear,
                  .usage = {FormatUse::Sampled, FormatUse::Storage},
                  .at = {}},
                 {.format = {"VK_FORMAT_R8_UNORM", vk::Format::R8_UNORM},
                  .tiling = vk::Tiling::Optimal,
                  .usage = {FormatUse::ColorAttachment, FormatUse::Blit},
                  .at = {}}};
  all.native = {NativeFeature::Tensors, NativeFeature::DataGraph, NativeFeature::OpticalFlow};
  all.memory = 1001;
  EXPECT_EQ(check_requires(all, device()),
            (std::vector<std::string>{
                "skipped: requires Vulkan 1.4, the device has 1.3",
                "skipped: requires extension VK_EXT_b",
                "skipped: requires feature shaderFloat64",
                "skipped: requires maxComputeWorkGroupInvocations >= 257, the device has 256",
                "skipped: requires limit maxNothing, which the device does not report",
                "skipped: requires VK_FORMAT_R8_UNORM with LINEAR tiling as storage",
                "skipped: requires VK_FORMAT_R8_UNORM with OPTIMAL tiling as color_attachment",
                "skipped: requires VK_FORMAT_R8_UNORM with OPTIMAL tiling as blit",
                "skipped: requires native tensors",
                "skipped: requires native data_graph",
                "skipped: requires native optical_flow",
                "skipped: requires 1001 bytes of device memory, the device has 1000",
            }));
}

TEST(Requires, NativeGraphsNeedNativeTensors) {
  Requirements graphs;
  graphs.native = {NativeFeature::DataGraph};
  vk::Snapshot made = device();
  made.extensions.insert("VK_ARM_data_graph");
  made.features.insert({"dataGraph", "dataGraphShaderModule"});
  EXPECT_EQ(check_requires(graphs, made).size(), 1u);
  made.extensions.insert("VK_ARM_tensors");
  made.features.insert({"tensors", "shaderTensorAccess", "tensorNonPacked"});
  // Also the requirements of the extension itself, and a queue.
  EXPECT_EQ(check_requires(graphs, made).size(), 1u);
  made.extensions.insert({"VK_KHR_maintenance5", "VK_KHR_deferred_host_operations"});
  EXPECT_EQ(check_requires(graphs, made).size(), 1u);
  made.queue_families = {{vk::queue_flag::kCompute | vk::queue_flag::kDataGraph, 1, 64}};
  EXPECT_EQ(check_requires(graphs, made).size(), 0u);
}

}  // namespace
}  // namespace slipway::scenario
