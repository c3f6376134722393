// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/snapshot.hpp"

#include <gmock/gmock.h>

#include "testing/gpu_fixture.hpp"

namespace slipway::vk {
namespace {

Snapshot small_snapshot() {
  Snapshot s;
  s.index = 1;
  s.name = "Made Up 3000";
  s.type = DeviceType::Integrated;
  s.vendor_id = 0x1234;
  s.device_id = 0x5678;
  s.api = {1, 3, 7};
  s.driver_version = 0x402001;
  s.driver_name = "made up";
  s.driver_info = "v1";
  for (std::uint8_t i = 0; i < 16; ++i) s.device_uuid[i] = static_cast<std::uint8_t>(i * 17);
  s.extensions = {"VK_EXT_b", "VK_EXT_a"};
  s.features = {"shaderInt8"};
  s.limits_by_name = {{"maxComputeWorkGroupCount[0]", 65535}, {"timestampPeriod", 0.5}};
  s.subgroup = {.size = 32, .min_size = 8, .max_size = 64};
  s.queue_families = {{queue_flag::kGraphics | queue_flag::kCompute, 16, 64},
                      {queue_flag::kDataGraph, 1, 0, {"TOSA.001000.1"}}};
  s.memory_heaps = {{1024, true}, {4096, false}};
  s.memory_types = {{memory_flag::kDeviceLocal, 0}, {memory_flag::kHostVisible | memory_flag::kHostCoherent, 1}};
  s.formats[Format::R8_UINT] = {.linear = format_feature::kSampledImage,
                                .optimal = format_feature::kStorageImage | format_feature::kBlitSource,
                                .linear_tensor = format_feature::kTensorShader};
  s.timestamp_period = 0.5;
  return s;
}

TEST(Snapshot, PrintsEverything) {
  EXPECT_EQ(print_snapshot(small_snapshot()),
            R"(device 1: Made Up 3000
type: IntegratedGpu
Vulkan: 1.3.7
vendor: 0x1234, device: 0x5678
driver: made up v1 (version 0x402001)
device UUID: 00112233-4455-6677-8899-aabbccddeeff
driver UUID: 00000000-0000-0000-0000-000000000000
pipeline cache UUID: 00000000-0000-0000-0000-000000000000
subgroup size: 32 (8 to 64)
timestamp period: 0.5 ns
tensors: emulated, lacks VK_ARM_tensors
graphs: emulated, lacks VK_ARM_data_graph
queue families:
  0: 16 x graphics compute, 64 timestamp bits
  1: 1 x data-graph, 0 timestamp bits
    graphs of TOSA.001000.1
memory heaps:
  0: 1024 bytes, device-local
  1: 4096 bytes
memory types:
  0: heap 0, device-local
  1: heap 1, host-visible host-coherent
extensions:
  VK_EXT_a
  VK_EXT_b
features:
  shaderInt8
limits:
  maxComputeWorkGroupCount[0]: 65535
  timestampPeriod: 0.5
formats (optimal | linear):
  VK_FORMAT_R8_UINT: storage | sampled tensor
)");
}

TEST(Snapshot, NamesDeviceTypesAsTheLogDoes) {
  EXPECT_EQ(name_of(DeviceType::Discrete), "DiscreteGpu");
  EXPECT_EQ(name_of(DeviceType::Integrated), "IntegratedGpu");
  EXPECT_EQ(name_of(DeviceType::Virtual), "VirtualGpu");
  EXPECT_EQ(name_of(DeviceType::Cpu), "Cpu");
  EXPECT_EQ(name_of(DeviceType::Other), "Other");
}

TEST(Snapshot, AnswersQuestions) {
  const Snapshot s = small_snapshot();
  EXPECT_TRUE(s.has_extension("VK_EXT_a"));
  EXPECT_FALSE(s.has_extension("VK_EXT_c"));
  EXPECT_TRUE(s.has_feature("shaderInt8"));
  EXPECT_FALSE(s.has_feature("shaderInt64"));
  EXPECT_EQ(s.device_memory(), 1024u);
  EXPECT_EQ(s.format_features(Format::R8_UINT).linear, format_feature::kSampledImage);
  EXPECT_EQ(s.format_features(Format::R8_SINT).optimal, 0u);
}

}  // namespace
}  // namespace slipway::vk
