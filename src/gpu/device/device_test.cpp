// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/device/device.hpp"

#include <gtest/gtest.h>

#include "gpu/device/device_functions.hpp"
#include "gpu/device/vulkan_error.hpp"
#include "testing/gpu_fixture.hpp"
#include "vk/device_failure.hpp"

namespace slipway::gpu {
namespace {

using slipway::testing::GpuTest;
using slipway::testing::must;
using slipway::testing::text_of;

TEST(VulkanError, NamesCallResultAndObject) {
  EXPECT_EQ(text_of(vulkan_failed("vkCreateBuffer", VK_ERROR_OUT_OF_DEVICE_MEMORY, "buffer", "x").error()),
            "`vkCreateBuffer` failed with `VK_ERROR_OUT_OF_DEVICE_MEMORY` (buffer `x`) [device-failed]\n");
  EXPECT_EQ(text_of(vulkan_failed("vkQueueSubmit2", VK_ERROR_DEVICE_LOST, "submission").error()),
            "`vkQueueSubmit2` failed with `VK_ERROR_DEVICE_LOST` (submission) [device-failed]\n");
  EXPECT_EQ(name_of(static_cast<VkResult>(-77)), "VkResult -77");
}

TEST(VulkanError, DistinguishesWhatACallerTreats) {
  const auto failure = [](VkResult result) { return vulkan_failed("vkCall", result, "thing").error(); };
  EXPECT_TRUE(vk::is_device_lost(failure(VK_ERROR_DEVICE_LOST)));
  EXPECT_TRUE(vk::is_device_lost({{.kind = DiagnosticKind::TimedOut}}));
  EXPECT_FALSE(vk::is_device_lost(failure(VK_ERROR_OUT_OF_HOST_MEMORY)));
  EXPECT_TRUE(vk::is_out_of_memory(failure(VK_ERROR_OUT_OF_HOST_MEMORY)));
  EXPECT_TRUE(vk::is_out_of_memory(failure(VK_ERROR_OUT_OF_DEVICE_MEMORY)));
  EXPECT_FALSE(vk::is_out_of_memory(failure(VK_ERROR_DEVICE_LOST)));
}

using DeviceTest = GpuTest;

TEST_F(DeviceTest, IsMadeFromItsPlan) {
  vk::DevicePlan plan = must(vk::plan_device(snapshot(), {.robustness = true}));
  must(make_device(plan));
  EXPECT_EQ(device().plan().features, plan.features);
  EXPECT_EQ(device().snapshot().name, snapshot().name);
  EXPECT_FALSE(device().has_debug_names());
}

TEST_F(DeviceTest, HasDebugNamesWhenAsked) {
  use_debug_names();
  EXPECT_TRUE(device().has_debug_names());
}

TEST_F(DeviceTest, ReportsAFailedCreation) {
  vk::DevicePlan plan = must(vk::plan_device(snapshot(), {}));
  plan.extensions.insert("VK_EXT_that_is_not_there");
  const Result<> made = make_device(plan);
  ASSERT_FALSE(made);
  EXPECT_EQ(text_of(made.error()), "`vkCreateDevice` failed with `VK_ERROR_EXTENSION_NOT_PRESENT` (device `" +
                                       snapshot().name + "`) [device-failed]\n");
  EXPECT_FALSE(take_messages().empty());
}

TEST_F(DeviceTest, CanBeMoved) {
  Device first = must(create_device(instance(), 0, must(vk::plan_device(snapshot(), {}))));
  const DeviceCore* const core = &first.core();
  Device second = std::move(first);
  EXPECT_EQ(&second.core(), core);
}

TEST_F(DeviceTest, LetsAHookReplaceFunctions) {
  bool called = false;
  must(make_device(must(vk::plan_device(snapshot(), {})), {.hook = [&](DeviceFunctions& functions) {
                     called = functions.vkCreateBuffer != nullptr && functions.vkCmdDispatch != nullptr;
                   }}));
  EXPECT_TRUE(called);
}

}  // namespace
}  // namespace slipway::gpu
