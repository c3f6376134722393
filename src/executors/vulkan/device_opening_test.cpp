// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/device_opening.hpp"

#include <gtest/gtest.h>

#include <mutex>

#include "testing/gpu_fixture.hpp"
#include "testing/validation.hpp"

namespace slipway::launch {
namespace {

using testing::must;

// Requests of this test run under the validation layer; any message fails the test.
class OpenDevice : public ::testing::Test {
 protected:
  OpenDeviceOptions request(std::string selector = {}) {
    OpenDeviceOptions made{.selector = std::move(selector)};
    made.instance.validation = testing::with_validation();
    made.instance.on_message = [this](const vk::InstanceMessage& message) {
      const std::scoped_lock lock(mutex_);
      messages_.push_back(message.text);
    };
    return made;
  }
  void TearDown() override { EXPECT_EQ(messages_, std::vector<std::string>{}); }

  std::mutex mutex_;
  std::vector<std::string> messages_;
};

TEST_F(OpenDevice, OpenedAheadAndUsedForSeveralPlans) {
  DeviceOpening opening(request());
  const auto snapshot = must(opening.snapshot());
  gpu::Device* device = must(opening.get({}));
  EXPECT_EQ(device->snapshot().name, snapshot->name);
  EXPECT_EQ(must(opening.get({.graphics = true, .blit = true, .frame_boundary = true})), device);
  EXPECT_TRUE(device->plan().queue_flags & vk::queue_flag::kCompute);
}

TEST_F(OpenDevice, IsDestroyedBeforeTheDeviceIsAskedFor) { DeviceOpening opening(request()); }

TEST_F(OpenDevice, ChosenByName) {
  const std::string name =
      must(DeviceOpening(request()).snapshot().transform([](const auto& found) { return found->name; }));
  DeviceOpening opening(request(name.substr(0, 8)));
  EXPECT_EQ(must(opening.get({}))->snapshot().name, name);
}

TEST_F(OpenDevice, NoSuchDevice) {
  DeviceOpening opening(request("no such device"));
  for (int i = 0; i < 2; ++i) {
    const Result<gpu::Device*> device = opening.get({});
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().at(0).kind, DiagnosticKind::NoDevice);
  }
  EXPECT_FALSE(opening.snapshot());
}

TEST_F(OpenDevice, NeedsThatTheDeviceDoesNotMeet) {
  DeviceOpening opening(request());
  vk::Needs needs;
  needs.extensions = {"VK_KHR_not_there"};
  const Result<gpu::Device*> device = opening.get(needs);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().at(0).kind, DiagnosticKind::DeviceLacks);
  EXPECT_TRUE(opening.get({}));
}

// What was made without knowing the needs is made again when it does not serve them.
TEST_F(OpenDevice, MadeAgainForOtherNeeds) {
  DeviceOpening opening(request());
  const auto snapshot = must(opening.snapshot());
  if (!snapshot->has_feature("robustBufferAccess2")) GTEST_SKIP() << "the device has no robustness to ask for";
  EXPECT_FALSE(must(opening.get({}))->plan().has_feature("robustBufferAccess2"));
  EXPECT_TRUE(must(opening.get({.robustness = true}))->plan().has_feature("robustBufferAccess2"));
}

TEST_F(OpenDevice, RequestsThatAreKnownAhead) {
  OpenDeviceOptions made = request();
  made.timestamps = made.robustness = true;
  made.disabled_extensions = {"VK_EXT_custom_border_color"};
  DeviceOpening opening(std::move(made));
  const gpu::Device* device = must(opening.get({}));
  EXPECT_FALSE(device->plan().has_extension("VK_EXT_custom_border_color"));
  EXPECT_EQ(device->plan().has_feature("robustBufferAccess2"), device->snapshot().has_feature("robustBufferAccess2"));
  EXPECT_FALSE(opening.get({.custom_border_colors = true}));
}

}  // namespace
}  // namespace slipway::launch
