// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts that lowering depends on follow from the properties of the driver.
#include "model/device_facts.hpp"

#include <gmock/gmock.h>

#include <set>

#include "platform/process.hpp"
#include "spirv/module.hpp"
#include "spirv/tools.hpp"

namespace slipway::model {
namespace {

vk::Snapshot gpu_with(std::map<std::string, double, std::less<>> limits) {
  vk::Snapshot snapshot{.name = "made up", .type = vk::DeviceType::Discrete};
  snapshot.limits_by_name = std::move(limits);
  return snapshot;
}

// The execution modes of the kernel of an addition, as SPIR-V values.
constexpr std::uint32_t kDenormPreserve = 4459, kSignedZeroInfNanPreserve = 4461, kRoundingModeRTE = 4462;
std::set<std::uint32_t> float_modes(const lower::DeviceFacts& facts) {
  constexpr std::uint32_t kExecutionMode = 16, kHeader = 5;
  tosa::Graph graph;
  const tosa::ValueId x = graph.add_input({tosa::DataType::F32, {16}});
  graph.outputs = {graph.add(tosa::Op::ADD, {x, x}, {}, {tosa::DataType::F32, {16}})};
  const auto program = lower::lower_graph(graph, {.device = facts});
  std::set<std::uint32_t> modes;
  const spirv::Words& words = *program.value().kernels[0].spirv;
  EXPECT_TRUE(spirv::validate(words, "kernel.spv"));
  for (std::size_t at = kHeader; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffff) == kExecutionMode && words[at + 2] > 4000) modes.insert(words[at + 2]);
  }
  return modes;
}

TEST(DeviceFacts, KernelsRequestTheFloatModesOfTheDevice) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  constexpr double kAll = 1, kNone = 2;
  EXPECT_THAT(float_modes(device_facts(gpu_with({}))), IsEmpty());
  std::map<std::string, double, std::less<>> limits = {{"shaderSignedZeroInfNanPreserveFloat32", 1},
                                                       {"shaderDenormPreserveFloat32", 1},
                                                       {"shaderRoundingModeRTEFloat32", 1},
                                                       {"denormBehaviorIndependence", kAll},
                                                       {"roundingModeIndependence", kAll}};
  EXPECT_THAT(float_modes(device_facts(gpu_with(limits))),
              ElementsAre(kDenormPreserve, kSignedZeroInfNanPreserve, kRoundingModeRTE));
  // Kernels set the modes of one width, which such a device does not permit.
  limits["denormBehaviorIndependence"] = limits["roundingModeIndependence"] = kNone;
  EXPECT_THAT(float_modes(device_facts(gpu_with(limits))), ElementsAre(kSignedZeroInfNanPreserve));
}

TEST(DeviceFacts, DispatchesStartInOrderOnGpusThatAreKnownToDoSo) {
  vk::Snapshot snapshot = gpu_with({});
  snapshot.driver_name = "NVIDIA";
  EXPECT_FALSE(device_facts(snapshot).starts_in_order);
  snapshot.features.insert("vulkanMemoryModel");
  EXPECT_TRUE(device_facts(snapshot).starts_in_order);
  platform::set_environment("SLIPWAY_BARRIERS", "all");
  EXPECT_FALSE(device_facts(snapshot).starts_in_order);
  platform::remove_environment("SLIPWAY_BARRIERS");
  snapshot.driver_name = "radv";
  EXPECT_FALSE(device_facts(snapshot).starts_in_order);
}

TEST(DeviceFacts, ADriverIsKnownToRemoveConversions) {
  vk::Snapshot snapshot = gpu_with({});
  EXPECT_FALSE(device_facts(snapshot).floats.removes_conversions);
  snapshot.driver_name = "NVIDIA";
  EXPECT_TRUE(device_facts(snapshot).floats.removes_conversions);
}

TEST(DeviceFacts, OnlyCpusAreTrustedToDivide) {
  vk::Snapshot snapshot = gpu_with({});
  EXPECT_FALSE(device_facts(snapshot).floats.exact_division);
  snapshot.type = vk::DeviceType::Cpu;
  EXPECT_TRUE(device_facts(snapshot).floats.exact_division);
}

TEST(DeviceFacts, MultiprocessorsAreWhatTheVendorReports) {
  const auto facts = [](std::map<std::string, double, std::less<>> limits) {
    const lower::DeviceFacts all = device_facts(gpu_with(std::move(limits)));
    return std::array{all.multiprocessors, all.invocations_of_multiprocessor, all.registers_of_multiprocessor};
  };
  EXPECT_EQ(facts({{"shaderSMCount", 132}, {"shaderWarpsPerSM", 64}, {"subgroupSize", 32}}),
            (std::array{132u, 2048u, 65536u}));
  EXPECT_EQ(facts({{"shaderEngineCount", 4},
                   {"shaderArraysPerEngineCount", 2},
                   {"computeUnitsPerShaderArray", 8},
                   {"simdPerComputeUnit", 2},
                   {"wavefrontsPerSimd", 16},
                   {"wavefrontSize", 64},
                   {"vgprsPerSimd", 1024}}),
            (std::array{64u, 2048u, 131072u}));
  EXPECT_EQ(facts({{"shaderCoreCount", 10}, {"shaderWarpsPerCore", 64}, {"subgroupSize", 16}}),
            (std::array{10u, 1024u, 65536u}));
  // Others count as a GPU of middle size.
  EXPECT_EQ(facts({}), (std::array{16u, 1024u, 65536u}));
}

TEST(DeviceFacts, AccessesOfNarrowElementsNeedTheirFeatures) {
  vk::Snapshot snapshot = gpu_with({});
  snapshot.features = {"storageBuffer16BitAccess", "bufferDeviceAddress", "shaderInt64"};
  EXPECT_FALSE(device_facts(snapshot).narrow_accesses);
  EXPECT_FALSE(device_facts(snapshot).addresses);
  snapshot.features.insert("storageBuffer8BitAccess");
  EXPECT_TRUE(device_facts(snapshot).narrow_accesses);
  EXPECT_TRUE(device_facts(snapshot).addresses);
}

}  // namespace
}  // namespace slipway::model
