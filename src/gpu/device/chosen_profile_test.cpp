// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The profile that the environment names holds for everything that is made of an instance.
#include <gtest/gtest.h>

#include <cstdlib>

#include "platform/process.hpp"
#include "testing/gpu_fixture.hpp"
#include "vk/device_profile.hpp"

namespace slipway::gpu {
namespace {

class ChosenProfile : public slipway::testing::GpuTest {
 protected:
  ~ChosenProfile() override {
    if (before_)
      platform::set_environment("SLIPWAY_DEVICE_PROFILE", *before_);
    else
      platform::remove_environment("SLIPWAY_DEVICE_PROFILE");
  }

 private:
  const std::optional<std::string> before_ = [] {
    const char* value = std::getenv("SLIPWAY_DEVICE_PROFILE");
    return value ? std::optional<std::string>(value) : std::nullopt;
  }();
};

TEST_F(ChosenProfile, LimitsDevicesAndWhatIsMadeOfThem) {
  for (const vk::DeviceProfile& profile : vk::device_profiles()) {
    platform::set_environment("SLIPWAY_DEVICE_PROFILE", std::string(profile.name));
    const Instance limited = slipway::testing::must(create_instance());
    ASSERT_FALSE(limited.snapshots().empty());
    for (std::size_t i = 0; i < limited.snapshots().size(); ++i) {
      const vk::Snapshot& device = limited.snapshots()[i];
      if (device.api < vk::Version{1, 3, 0}) continue;
      EXPECT_TRUE(device.name.ends_with(profile.name));
      EXPECT_EQ(device.subgroup.size, profile.subgroup_size);
      EXPECT_LE(device.limits.max_compute_shared_memory_size, profile.shared_memory);
      const vk::DevicePlan plan = slipway::testing::must(vk::plan_device(device, {}));
      for (const std::string_view feature : profile.without_features)
        EXPECT_FALSE(plan.has_feature(feature)) << feature;
      EXPECT_TRUE(create_device(limited, i, plan));
    }
  }
}

TEST_F(ChosenProfile, IsRefusedByAnUnknownName) {
  platform::set_environment("SLIPWAY_DEVICE_PROFILE", "");
  EXPECT_EQ(slipway::testing::must(vk::chosen_profile()), nullptr);
  platform::set_environment("SLIPWAY_DEVICE_PROFILE", "phone");
  const auto chosen = vk::chosen_profile();
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().front().kind, DiagnosticKind::Usage);
  EXPECT_EQ(chosen.error().front().message,
            "unknown device profile `phone` in the environment variable SLIPWAY_DEVICE_PROFILE; accepted are "
            "`small-gpu-4`, `small-gpu-8`, `mobile-gpu`");
  EXPECT_FALSE(create_instance());
}

}  // namespace
}  // namespace slipway::gpu
