// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/device_state.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace slipway::cli {
namespace {

class DeviceStates : public ::testing::Test {
 protected:
  void file(const std::string& path, std::string_view text) const {
    ASSERT_TRUE(make_directories((sysfs() / path).parent_path()));
    ASSERT_TRUE(write_file(sysfs() / path, text));
  }
  Path sysfs() const {
    return Path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(sysfs(), ignored);
  }
  std::string text_of(const vk::Snapshot* device) const {
    return device_state_text(read_device_state(device, {.sysfs = sysfs(), .nvml = {}}));
  }
};

TEST_F(DeviceStates, OfACpu) {
  EXPECT_EQ(text_of(nullptr), "");
  file("devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1200000\n");
  file("devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3400000\n");
  file("devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "9\n");
  file("class/hwmon/hwmon0/name", "acpitz\n");
  file("class/hwmon/hwmon0/temp1_input", "20000\n");
  EXPECT_EQ(text_of(nullptr), "3400 MHz");
  file("class/hwmon/hwmon1/name", "k10temp\n");
  file("class/hwmon/hwmon1/temp1_input", "61500\n");
  const vk::Snapshot software{.type = vk::DeviceType::Cpu};
  EXPECT_EQ(text_of(&software), "3400 MHz, 62 C");
}

TEST_F(DeviceStates, OfAGpuOfWhichThereIsOne) {
  const vk::Snapshot device{.type = vk::DeviceType::Discrete, .vendor_id = 0x1002, .device_id = 0x73bf};
  const std::string node = "class/drm/renderD128/device/";
  file(node + "vendor", "0x1002\n");
  file(node + "device", "0x73bf\n");
  EXPECT_EQ(text_of(&device), "");
  file(node + "hwmon/hwmon4/freq1_input", "2150000000\n");
  file(node + "hwmon/hwmon4/freq2_input", "1000000000\n");
  file(node + "hwmon/hwmon4/temp1_input", "54000\n");
  EXPECT_EQ(text_of(&device), "2150 MHz, memory 1000 MHz, 54 C");
  const vk::Snapshot other{.type = vk::DeviceType::Discrete, .vendor_id = 0x1002, .device_id = 0x73b0};
  EXPECT_EQ(text_of(&other), "");
  file("class/drm/renderD129/device/vendor", "0x1002\n");
  file("class/drm/renderD129/device/device", "0x73bf\n");
  EXPECT_EQ(text_of(&device), "");
}

TEST_F(DeviceStates, OfAGpuOfIntel) {
  const vk::Snapshot device{.type = vk::DeviceType::Integrated, .vendor_id = 0x8086, .device_id = 0x46a6};
  const std::string node = "class/drm/renderD128/device/";
  file(node + "vendor", "0x8086\n");
  file(node + "device", "0x46a6\n");
  file(node + "drm/card1/gt/gt0/rps_act_freq_mhz", "1300\n");
  EXPECT_EQ(text_of(&device), "1300 MHz");
  file(node + "drm/card1/gt/gt0/rps_act_freq_mhz", "0\n");  // it sleeps
  EXPECT_EQ(text_of(&device), "");
}

std::string nvml_uuid;
int nvml_status = 0;

void* stub_of_nvml(const char* symbol) {
  const std::string_view name = symbol;
  if (name == "nvmlInit_v2") return reinterpret_cast<void*>(+[]() -> int { return nvml_status; });
  if (name == "nvmlDeviceGetHandleByUUID") {
    return reinterpret_cast<void*>(+[](const char* uuid, void** handle) -> int {
      nvml_uuid = uuid;
      *handle = &nvml_uuid;
      return 0;
    });
  }
  if (name == "nvmlDeviceGetClockInfo") {
    return reinterpret_cast<void*>(+[](void* handle, int which, unsigned* value) -> int {
      if (handle != &nvml_uuid || which == 2) return 3;  // NVML_ERROR_NOT_SUPPORTED
      *value = 1980;
      return 0;
    });
  }
  if (name == "nvmlDeviceGetTemperature") {
    return reinterpret_cast<void*>(+[](void*, int, unsigned* value) -> int {
      *value = 41;
      return 0;
    });
  }
  return nullptr;
}

TEST_F(DeviceStates, OfNvidiaComeFromItsLibrary) {
  vk::Snapshot device{.type = vk::DeviceType::Discrete, .vendor_id = 0x10de, .device_id = 0x2335};
  device.device_uuid = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0, 1, 2, 3, 4, 5, 6, 7};
  const DeviceStateSources sources{.sysfs = sysfs(), .nvml = stub_of_nvml};
  EXPECT_EQ(device_state_text(read_device_state(&device, sources)), "1980 MHz, 41 C");
  EXPECT_EQ(nvml_uuid, "GPU-01234567-89ab-cdef-0001-020304050607");
  nvml_status = 9;
  EXPECT_FALSE(read_device_state(&device, sources).is_known());
  nvml_status = 0;
  EXPECT_FALSE(read_device_state(&device, {.sysfs = sysfs(), .nvml = {}}).is_known());
  const DeviceStateSources old{.sysfs = sysfs(), .nvml = [](const char* name) {
                                 return std::string_view(name) == "nvmlInit_v2" ? nullptr : stub_of_nvml(name);
                               }};
  EXPECT_FALSE(read_device_state(&device, old).is_known());
}

}  // namespace
}  // namespace slipway::cli
