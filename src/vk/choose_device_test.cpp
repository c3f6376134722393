// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/choose_device.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/print_diagnostic.hpp"

namespace slipway::vk {
namespace {

Snapshot named(std::string name, DeviceType type, std::uint8_t uuid) {
  Snapshot s;
  s.name = std::move(name);
  s.type = type;
  s.device_uuid.fill(uuid);
  return s;
}

const std::vector<Snapshot> kDevices = {
    named("llvmpipe", DeviceType::Cpu, 0x11), named("GeForce 1", DeviceType::Discrete, 0x22),
    named("GeForce 2", DeviceType::Discrete, 0x33), named("Iris", DeviceType::Integrated, 0x44)};

std::string error_of(std::span<const Snapshot> devices, std::string_view selector) {
  const Result<std::size_t> chosen = choose_device(devices, selector);
  return chosen ? "chosen" : format_diagnostics(chosen.error());
}

TEST(ChooseDevice, PrefersByTypeWithoutASelector) {
  EXPECT_EQ(*choose_device(kDevices, ""), 1u);
  const std::vector<Snapshot> no_card = {kDevices[0], named("any", DeviceType::Other, 1),
                                         named("virtual", DeviceType::Virtual, 2), kDevices[3]};
  EXPECT_EQ(*choose_device(no_card, ""), 3u);
  EXPECT_EQ(*choose_device(std::span(no_card).first(3), ""), 2u);
  EXPECT_EQ(*choose_device(std::span(no_card).first(2), ""), 0u);
}

TEST(ChooseDevice, TakesAnIndexAPartOfANameOrAUuid) {
  EXPECT_EQ(*choose_device(kDevices, "3"), 3u);
  EXPECT_EQ(*choose_device(kDevices, "LLVM"), 0u);
  EXPECT_EQ(*choose_device(kDevices, "geforce"), 1u);
  EXPECT_EQ(*choose_device(kDevices, "e 2"), 2u);
  EXPECT_EQ(*choose_device(std::vector{kDevices[0], named("GeForce 4090", DeviceType::Discrete, 5)}, "4090"), 1u);
  EXPECT_EQ(*choose_device(kDevices, "44444444-4444-4444-4444-444444444444"), 3u);
}

TEST(ChooseDevice, ANumberThatIsNotAnIndexMustBeAWordOfTheName) {
  const std::vector devices = {named("llvmpipe (LLVM 21.1.8, 256 bits)", DeviceType::Cpu, 0x11)};
  EXPECT_TRUE(error_of(devices, "1").starts_with("error: no device 1: the last one is device 0 [no-device]\n"));
  EXPECT_TRUE(error_of(devices, "25").starts_with("error: no device 25: the last one is device 0 [no-device]\n"));
  EXPECT_EQ(*choose_device(devices, "256"), 0u);
  EXPECT_EQ(*choose_device(devices, "21.1"), 0u);
}

TEST(ChooseDevice, ListsWhatThereIsWhenNothingFits) {
  EXPECT_EQ(error_of(std::span(kDevices).first(2), "9"),
            "error: no device 9: the last one is device 1 [no-device]\n"
            "  note: device 0: `llvmpipe`, Cpu, UUID 11111111-1111-1111-1111-111111111111\n"
            "  note: device 1: `GeForce 1`, DiscreteGpu, UUID 22222222-2222-2222-2222-222222222222\n");
  EXPECT_EQ(error_of(std::span(kDevices).first(1), "radeon"),
            "error: no device has the name or UUID `radeon` [no-device]\n"
            "  note: device 0: `llvmpipe`, Cpu, UUID 11111111-1111-1111-1111-111111111111\n");
  EXPECT_EQ(
      error_of(std::span(kDevices).first(1), "CPU"),
      "error: a Vulkan device is needed here; `cpu`, the CPU engine, runs graphs only: those of models, scenarios and "
      "recipes [no-device]\n"
      "  note: device 0: `llvmpipe`, Cpu, UUID 11111111-1111-1111-1111-111111111111\n");
  EXPECT_EQ(
      error_of({}, ""),
      "error: there is no Vulkan device on this machine; `slipway doctor` says what to install, and the packages with "
      "`-full` in their names bring a driver [no-device]\n");
}

}  // namespace
}  // namespace slipway::vk
