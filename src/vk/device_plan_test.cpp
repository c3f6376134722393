// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/device_plan.hpp"

#include <gtest/gtest.h>

#include <set>

#include "testing/gpu_fixture.hpp"
#include "vk/feature_names.hpp"

namespace slipway::vk {
namespace {

using slipway::testing::text_of;

Snapshot modest_device() {
  Snapshot s;
  s.name = "modest";
  s.api = {1, 3, 0};
  s.features = {"synchronization2",
                "timelineSemaphore",
                "hostQueryReset",
                "dynamicRendering",
                "robustBufferAccess",
                "bufferDeviceAddress",
                "bufferDeviceAddressCaptureReplay",
                "shaderInt8"};
  s.queue_families = {{queue_flag::kTransfer, 1, 64},
                      {queue_flag::kCompute, 4, 0},
                      {queue_flag::kGraphics | queue_flag::kCompute, 1, 36}};
  return s;
}

std::string problems_of(const Snapshot& snapshot, const Needs& needs) {
  const Result<DevicePlan> plan = plan_device(snapshot, needs);
  return plan ? "a plan\n" : text_of(plan.error());
}

TEST(FeatureNames, AreUniqueAndKnowTheirExtension) {
  std::set<std::string_view> names;
  for (const FeatureInfo& feature : kFeatures) EXPECT_TRUE(names.insert(feature.name).second) << feature.name;
  EXPECT_EQ(struct_of(*find_feature("shaderInt64")).extension, "");
  EXPECT_EQ(struct_of(*find_feature("synchronization2")).extension, "");
  EXPECT_EQ(struct_of(*find_feature("cooperativeMatrix")).extension, "VK_KHR_cooperative_matrix");
  EXPECT_EQ(struct_of(*find_feature("nullDescriptor")).extension, "VK_EXT_robustness2");
  EXPECT_EQ(find_feature("shaderInt63"), nullptr);
}

TEST(DevicePlan, SwitchesOnWhatIsSupportedButNotWhatCosts) {
  const Result<DevicePlan> plan = plan_device(modest_device(), {});
  ASSERT_TRUE(plan) << text_of(plan.error());
  EXPECT_EQ(print_device_plan(*plan),
            "queue family: 1\n"
            "extensions:\n"
            "features:\n"
            "  bufferDeviceAddress\n"
            "  dynamicRendering\n"
            "  hostQueryReset\n"
            "  shaderInt8\n"
            "  synchronization2\n"
            "  timelineSemaphore\n");
}

TEST(DevicePlan, ChoosesTheQueueByWhatItMustDo) {
  const auto family = [](const Needs& needs) { return plan_device(modest_device(), needs)->queue_family; };
  EXPECT_EQ(family({}), 1u);
  EXPECT_EQ(family({.graphics = true}), 2u);
  EXPECT_EQ(family({.blit = true}), 2u);
  EXPECT_EQ(family({.timestamps = true}), 2u);
  EXPECT_EQ(plan_device(modest_device(), {.blit = true})->queue_flags, queue_flag::kGraphics | queue_flag::kCompute);

  Snapshot compute_only = modest_device();
  compute_only.queue_families.pop_back();
  EXPECT_EQ(plan_device(compute_only, {.blit = true})->queue_family, 1u);  // a preference, not a need
  EXPECT_EQ(problems_of(compute_only, {.graphics = true}),
            "device `modest` cannot run this: no queue family has compute and graphics [device-lacks]\n");
  EXPECT_EQ(problems_of(compute_only, {.timestamps = true}),
            "device `modest` cannot run this: no queue family with compute has timestamps [device-lacks]\n");
}

TEST(DevicePlan, TakesAsManyQueuesAsThereAre) {
  Snapshot s = modest_device();
  const auto queues = [&](std::uint32_t wanted) {
    const DevicePlan plan = *plan_device(s, {.queues = wanted});
    return std::pair(plan.queue_family, plan.queues);
  };
  EXPECT_EQ(queues(1), std::pair(1u, 1u));
  EXPECT_EQ(queues(3), std::pair(1u, 3u));
  EXPECT_EQ(queues(8), std::pair(1u, 4u));
  EXPECT_EQ(plan_device(s, {.graphics = true, .queues = 8})->queues, 1u);
  s.queue_families = {{queue_flag::kGraphics | queue_flag::kCompute, 16, 64}, {queue_flag::kCompute, 8, 64}};
  EXPECT_EQ(queues(1), std::pair(0u, 1u));
  EXPECT_EQ(queues(4), std::pair(1u, 4u));    // whose queues run beside each other
  EXPECT_EQ(queues(12), std::pair(0u, 12u));  // more of them
  EXPECT_EQ(plan_device(s, {.blit = true, .queues = 4})->queue_family, 0u);
  EXPECT_TRUE(print_device_plan(*plan_device(s, {.queues = 4})).starts_with("queue family: 1, 4 queues\n"));
}

TEST(DevicePlan, ReportsEverythingThatIsMissingTogether) {
  Snapshot s = modest_device();
  s.features.erase("synchronization2");
  s.features.erase("dynamicRendering");
  EXPECT_EQ(problems_of(s, {.graphics = true,
                            .custom_border_colors = true,
                            .capabilities = {"Int64", "Int8", "Shader"},
                            .features = {"wideLines"},
                            .extensions = {"VK_KHR_swapchain"}}),
            "device `modest` cannot run this: Error sampler custom border color extension is unsupported on this "
            "device/driver [device-lacks]\n"
            "device `modest` cannot run this: it lacks the extension `VK_KHR_swapchain` [device-lacks]\n"
            "device `modest` cannot run this: it lacks the feature `dynamicRendering` [device-lacks]\n"
            "device `modest` cannot run this: it lacks the feature `synchronization2` [device-lacks]\n"
            "device `modest` cannot run this: it lacks the feature `wideLines` [device-lacks]\n"
            "device `modest` cannot run this: capability `Int64` needs the device feature `shaderInt64` "
            "[device-lacks]\n");
}

TEST(DevicePlan, RefusesOldDevices) {
  Snapshot s = modest_device();
  s.api = {1, 2, 198};
  EXPECT_EQ(problems_of(s, {.graphics = true}),
            "device `modest` cannot run this: it has Vulkan 1.2.198, and 1.3 is needed [device-lacks]\n");
}

TEST(DevicePlan, TakesRobustnessOnlyOnRequest) {
  Snapshot s = modest_device();
  s.extensions = {"VK_EXT_robustness2", "VK_EXT_pipeline_robustness"};
  s.features.insert({"robustBufferAccess2", "nullDescriptor", "pipelineRobustness", "robustImageAccess"});
  const DevicePlan plain = *plan_device(s, {});
  EXPECT_TRUE(plain.extensions.empty());
  EXPECT_FALSE(plain.has_feature("robustBufferAccess"));
  EXPECT_FALSE(plain.has_feature("robustImageAccess"));
  const DevicePlan robust = *plan_device(s, {.robustness = true});
  EXPECT_TRUE(robust.has_extension("VK_EXT_robustness2"));
  EXPECT_TRUE(robust.has_extension("VK_EXT_pipeline_robustness"));
  for (std::string_view feature :
       {"robustBufferAccess", "robustImageAccess", "robustBufferAccess2", "nullDescriptor", "pipelineRobustness"}) {
    EXPECT_TRUE(robust.has_feature(feature)) << feature;
  }
  // Descriptors that may change after they are bound are not checked everywhere.
  s.features.insert({"descriptorBindingStorageBufferUpdateAfterBind", "descriptorBindingPartiallyBound"});
  EXPECT_TRUE(plan_device(s, {.robustness = true})->has_feature("descriptorBindingStorageBufferUpdateAfterBind"));
  s.limits_by_name["robustBufferAccessUpdateAfterBind"] = 0;
  EXPECT_FALSE(plan_device(s, {.robustness = true})->has_feature("descriptorBindingStorageBufferUpdateAfterBind"));
  EXPECT_TRUE(plan_device(s, {.robustness = true})->has_feature("descriptorBindingPartiallyBound"));
  EXPECT_TRUE(plan_device(s, {})->has_feature("descriptorBindingStorageBufferUpdateAfterBind"));
  // A device without it is never an error (docs/spec/scenario.md#command-line), and a feature that is requested by name
  // is enabled.
  EXPECT_TRUE(plan_device(modest_device(), {.robustness = true}));
  EXPECT_TRUE(plan_device(s, {.features = {"nullDescriptor"}})->has_feature("nullDescriptor"));
}

TEST(DevicePlan, SwitchesOnUsefulExtensionsWithWhatTheyNeed) {
  Snapshot s = modest_device();
  s.extensions = {"VK_KHR_cooperative_matrix", "VK_NV_cooperative_matrix2", "VK_KHR_portability_subset",
                  "VK_EXT_frame_boundary"};
  s.features.insert({"cooperativeMatrix", "cooperativeMatrixReductions", "frameBoundary"});
  const DevicePlan plan = *plan_device(s, {});
  EXPECT_TRUE(plan.has_extension("VK_KHR_cooperative_matrix"));
  EXPECT_TRUE(plan.has_feature("cooperativeMatrixReductions"));
  EXPECT_TRUE(plan.has_extension("VK_KHR_portability_subset"));
  EXPECT_FALSE(plan.has_extension("VK_EXT_frame_boundary"));
  EXPECT_TRUE(plan_device(s, {.frame_boundary = true})->has_feature("frameBoundary"));
  // Without the one that it needs it goes too.
  const DevicePlan without = *plan_device(s, {.disabled_extensions = {"VK_KHR_cooperative_matrix"}});
  EXPECT_FALSE(without.has_extension("VK_NV_cooperative_matrix2"));
  EXPECT_FALSE(without.has_feature("cooperativeMatrixReductions"));
  EXPECT_EQ(problems_of(
                s, {.extensions = {"VK_NV_cooperative_matrix2"}, .disabled_extensions = {"VK_KHR_cooperative_matrix"}}),
            "device `modest` cannot run this: `VK_NV_cooperative_matrix2` needs the extension "
            "`VK_KHR_cooperative_matrix` [device-lacks]\n");
}

TEST(DevicePlan, TreatsDisabledExtensionsAsAbsent) {
  Snapshot s = modest_device();
  s.extensions = {"VK_EXT_custom_border_color", "VK_KHR_maintenance5", "VK_VENDOR_own"};
  s.features.insert({"customBorderColors", "maintenance5"});
  EXPECT_TRUE(plan_device(s, {.custom_border_colors = true})->has_feature("customBorderColors"));
  EXPECT_EQ(problems_of(s, {.custom_border_colors = true, .disabled_extensions = {"VK_EXT_custom_border_color"}}),
            "device `modest` cannot run this: Error sampler custom border color extension is unsupported on this "
            "device/driver [device-lacks]\n");
  EXPECT_FALSE(plan_device(s, {.disabled_extensions = {"VK_KHR_maintenance_5"}})->has_extension("VK_KHR_maintenance5"));
  EXPECT_TRUE(plan_device(s, {.disabled_extensions = {"VK_VENDOR_own", "VK_KHR_deferred_host_operations"}}));
  EXPECT_EQ(problems_of(s, {.disabled_extensions = {"VK_KHR_maintenence5", ""}}),
            "Unrecognized extension, cannot disable: VK_KHR_maintenence5 [usage]\n"
            "Unrecognized extension, cannot disable:  [usage]\n");
}

TEST(DevicePlan, WantsTensorsAndGraphsWhole) {
  Snapshot s = modest_device();
  EXPECT_EQ(problems_of(s, {.tensors = true}),
            "device `modest` cannot run this: it lacks the extension `VK_ARM_tensors` [device-lacks]\n"
            "device `modest` cannot run this: it lacks the feature `shaderTensorAccess` [device-lacks]\n"
            "device `modest` cannot run this: it lacks the feature `tensorNonPacked` [device-lacks]\n"
            "device `modest` cannot run this: it lacks the feature `tensors` [device-lacks]\n");
  s.extensions = {"VK_ARM_tensors", "VK_ARM_data_graph", "VK_KHR_maintenance5", "VK_KHR_deferred_host_operations"};
  s.features.insert(
      {"tensors", "shaderTensorAccess", "tensorNonPacked", "dataGraph", "dataGraphShaderModule", "maintenance5"});
  EXPECT_EQ(problems_of(s, {.data_graph = true}),
            "device `modest` cannot run this: no queue family has compute and data graphs [device-lacks]\n");
  s.queue_families.push_back({queue_flag::kCompute | queue_flag::kDataGraph, 1, 64});
  const DevicePlan plan = *plan_device(s, {.data_graph = true});
  EXPECT_EQ(plan.queue_family, 3u);
  EXPECT_TRUE(plan.has_extension("VK_KHR_deferred_host_operations"));
  EXPECT_TRUE(plan.has_feature("dataGraphShaderModule"));
  EXPECT_FALSE(plan_device(s, {})->has_extension("VK_ARM_tensors"));
  // A shader that uses tensors needs them without a request.
  EXPECT_TRUE(plan_device(s, {.capabilities = {"TensorsARM"}})->has_feature("shaderTensorAccess"));
}

TEST(DevicePlan, ReportsWhatIsMissingForNativeWork) {
  Snapshot s = modest_device();
  EXPECT_EQ(missing_for_tensors(s), "VK_ARM_tensors");
  EXPECT_EQ(missing_for_graphs(s), "VK_ARM_data_graph");
  s.extensions = {"VK_ARM_tensors", "VK_ARM_data_graph"};
  s.features.insert({"tensors", "shaderTensorAccess"});
  EXPECT_EQ(missing_for_tensors(s), "the feature `tensorNonPacked` of VK_ARM_tensors");
  s.features.insert({"tensorNonPacked", "dataGraph", "dataGraphShaderModule"});
  EXPECT_EQ(missing_for_tensors(s), "");
  EXPECT_EQ(missing_for_graphs(s), "VK_KHR_maintenance5");
  s.extensions.insert({"VK_KHR_maintenance5", "VK_KHR_deferred_host_operations"});
  EXPECT_EQ(missing_for_graphs(s), "a queue family with compute and data graphs");
  s.queue_families = {{queue_flag::kDataGraph, 1, 64}, {queue_flag::kCompute | queue_flag::kDataGraph, 1, 64}};
  EXPECT_EQ(missing_for_graphs(s), "");
  EXPECT_EQ(missing_for_graphs(without_extensions(s, {{"VK_ARM_tensors"}})), "VK_ARM_tensors");
}

// Of two queues with graphs, the one that has the operators.
TEST(DevicePlan, ChoosesAQueueByItsInstructionSets) {
  Snapshot s = modest_device();
  s.extensions = {"VK_ARM_tensors", "VK_ARM_data_graph", "VK_KHR_maintenance5", "VK_KHR_deferred_host_operations"};
  s.features.insert({"tensors", "shaderTensorAccess", "tensorNonPacked", "dataGraph", "dataGraphShaderModule"});
  constexpr std::uint32_t both = queue_flag::kCompute | queue_flag::kDataGraph;
  s.queue_families = {{both, 1, 64, {"Other.1"}}, {both, 1, 64, {"Other.1", "TOSA.001000.1"}}};
  EXPECT_EQ(plan_device(s, {.data_graph = true, .graph_instruction_sets = {"TOSA.001000.1"}})->queue_family, 1u);
  EXPECT_EQ(plan_device(s, {.data_graph = true})->queue_family, 0u);
  EXPECT_EQ(problems_of(s, {.data_graph = true, .graph_instruction_sets = {"Mine.1"}}),
            "device `modest` cannot run this: no queue family has compute and data graphs [device-lacks]\n");
}

TEST(MissingForCapability, NamesCapabilityAndWhatItNeeds) {
  Snapshot s = modest_device();
  s.subgroup.operations = 0x1;  // basic
  EXPECT_EQ(missing_for_capability(s, "Shader"), "");
  EXPECT_EQ(missing_for_capability(s, "Int8"), "");
  EXPECT_EQ(missing_for_capability(s, "GroupNonUniform"), "");
  EXPECT_EQ(missing_for_capability(s, "Float16"), "capability `Float16` needs the device feature `shaderFloat16`");
  EXPECT_EQ(missing_for_capability(s, "AtomicFloat16AddEXT"),
            "capability `AtomicFloat16AddEXT` needs the device feature `shaderBufferFloat16AtomicAdd` or "
            "`shaderSharedFloat16AtomicAdd`");
  EXPECT_EQ(missing_for_capability(s, "StencilExportEXT"),
            "capability `StencilExportEXT` needs the device extension `VK_EXT_shader_stencil_export`");
  EXPECT_EQ(missing_for_capability(s, "GroupNonUniformBallot"),
            "capability `GroupNonUniformBallot` needs a subgroup operation that is not in "
            "`subgroupSupportedOperations`");
  EXPECT_EQ(missing_for_capability(s, "DenormFlushToZero"),
            "capability `DenormFlushToZero` needs the device property `shaderDenormFlushToZeroFloat16` or "
            "`shaderDenormFlushToZeroFloat32` or `shaderDenormFlushToZeroFloat64`");
  s.limits_by_name["shaderDenormFlushToZeroFloat32"] = 1;
  EXPECT_EQ(missing_for_capability(s, "DenormFlushToZero"), "");
  EXPECT_EQ(missing_for_capability(s, "Kernel"), "capability `Kernel` is not one that this program can offer");
  // The name of an extension that has become core.
  EXPECT_EQ(missing_for_capability(s, "PhysicalStorageBufferAddressesEXT"), "");
}

TEST(DevicePlan, EnablesTheExtensionOfACapability) {
  Snapshot s = modest_device();
  s.extensions = {"VK_EXT_shader_stencil_export"};
  EXPECT_FALSE(plan_device(s, {})->has_extension("VK_EXT_shader_stencil_export"));
  EXPECT_TRUE(plan_device(s, {.capabilities = {"StencilExportEXT"}})->has_extension("VK_EXT_shader_stencil_export"));
}

}  // namespace
}  // namespace slipway::vk
