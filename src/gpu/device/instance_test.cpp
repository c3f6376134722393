// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/device/instance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "gpu/device/device_core.hpp"
#include "platform/cpu.hpp"
#include "platform/process.hpp"
#include "testing/gpu_fixture.hpp"

namespace slipway::gpu {
namespace {

using slipway::testing::GpuTest;
using slipway::testing::must;
using slipway::testing::text_of;

// Sets a variable of the environment for the length of a scope.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    platform::set_environment(name, value);
  }
  Environment(const Environment&) = delete;
  ~Environment() {
    if (old_) {
      platform::set_environment(name_, *old_);
    } else {
      platform::remove_environment(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(Instance, NeedsADriver) {
  const Environment no_driver("VK_DRIVER_FILES", "/nowhere.json");
  const Result<Instance> instance = create_instance();
  ASSERT_FALSE(instance);
  EXPECT_EQ(text_of(instance.error()),
            "no usable Vulkan driver on this machine; install one (a software driver: Mesa's lavapipe) [no-device]\n");
}

TEST(Instance, ReportsAMissingValidationLayer) {
  const Environment no_layers("VK_LAYER_PATH", "/nowhere");
  const Result<Instance> instance = create_instance({.validation = true});
  ASSERT_FALSE(instance);
  EXPECT_EQ(text_of(instance.error()),
            "validation needs the layer `VK_LAYER_KHRONOS_validation`, which is not installed [unsupported]\n");
}

TEST(Instance, ModelsOfArmCpusHaveCachesOfTheirOwn) {
  must(create_instance());
  const char* const cache = std::getenv("MESA_SHADER_CACHE_DIR");
  const platform::ArmFeatures cpu = platform::arm_features();
  if (cpu.first == 0) GTEST_SKIP() << "this machine is not of AArch64";
  ASSERT_NE(cache, nullptr);
  EXPECT_THAT(cache, ::testing::EndsWith(formatted("{:x}-{:x}-{:x}", cpu.identification, cpu.first, cpu.second)));
  EXPECT_TRUE(directory_exists(cache));
}

TEST(Instance, NumbersItsDevices) {
  const Instance instance = must(create_instance());
  ASSERT_FALSE(instance.snapshots().empty());
  for (std::size_t i = 0; i < instance.snapshots().size(); ++i) EXPECT_EQ(instance.snapshots()[i].index, i);
}

using InstanceOnDevice = GpuTest;

// The proof that the other tests would notice a mistake: validation and synchronisation validation both speak.
TEST_F(InstanceOnDevice, ValidationSpeaks) {
  const Buffer a = make_buffer<std::uint32_t>({1, 2, 3, 4});
  const Buffer b = make_buffer<std::uint32_t>({0, 0, 0, 0});
  run([&](CommandList& list) {
    list.fill(a, 0, 16, 7);
    list.copy(a, 0, b, 0, 16);  // without a barrier
  });
  std::vector<std::string> messages = take_messages();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_TRUE(messages[0].starts_with("SYNC-HAZARD-READ-AFTER-WRITE")) << messages[0];

  VkSamplerCreateInfo wrong{};  // without its type
  VkSampler sampler = nullptr;
  const DeviceCore& core = device().core();
  if (core.functions.vkCreateSampler(core.device, &wrong, nullptr, &sampler) == VK_SUCCESS)
    destroy_object(core, sampler);
  messages = take_messages();
  ASSERT_FALSE(messages.empty());
  EXPECT_TRUE(messages[0].starts_with("VUID-VkSamplerCreateInfo")) << messages[0];
}

TEST_F(InstanceOnDevice, LivesAsLongAsItsDevices) {
  std::optional<Instance> from = must(create_instance());
  Device made = must(create_device(*from, 0, must(vk::plan_device(from->snapshots()[0], {}))));
  from.reset();
  EXPECT_FALSE(made.snapshot().name.empty());
  EXPECT_FALSE(made.has_debug_names());
}

}  // namespace
}  // namespace slipway::gpu
