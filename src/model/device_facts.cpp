// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/device_facts.hpp"

#include <algorithm>
#include <cstdlib>

namespace slipway::model {
namespace {

using tensor::ElementType;

// Cooperative matrix types that kernels use, by VkComponentTypeKHR, and the features that they need.
struct MatrixKind {
  std::uint32_t factors, sum;
  ElementType factor_type, sum_type;
  std::string_view features[2];
};
constexpr MatrixKind kMatrixKinds[] = {
    {0, 1, ElementType::F16, ElementType::F32, {"shaderFloat16", "shaderFloat16"}},
    {0, 0, ElementType::F16, ElementType::F16, {"shaderFloat16", "shaderFloat16"}},
    {1000141000, 1, ElementType::BF16, ElementType::F32, {"shaderBFloat16Type", "shaderBFloat16CooperativeMatrix"}},
    {3, 5, ElementType::I8, ElementType::I32, {"shaderInt8", "shaderInt8"}},
};

constexpr std::uint32_t kSubgroupBasic = 0x1, kSubgroupBallot = 0x8;  // VkSubgroupFeatureFlagBits

constexpr double kIndependenceNone = 2;  // VkShaderFloatControlsIndependence

double limit_of(const vk::Snapshot& snapshot, std::string_view name, double otherwise) {
  const auto found = snapshot.limits_by_name.find(name);
  return found == snapshot.limits_by_name.end() ? otherwise : found->second;
}

// A product of limits; 0 where the device lacks one of them.
std::uint32_t product_of(const vk::Snapshot& snapshot, std::initializer_list<std::string_view> names) {
  double product = 1;
  for (const std::string_view name : names) product *= limit_of(snapshot, name, 0);
  return product < 1e9 ? static_cast<std::uint32_t>(product) : 0;
}

// The first number that is known; otherwise the default stays.
void set_first(std::uint32_t& fact, std::initializer_list<std::uint32_t> numbers) {
  const auto* known = std::ranges::find_if(numbers, [](std::uint32_t number) { return number != 0; });
  if (known != numbers.end()) fact = *known;
}

// From VK_NV_shader_sm_builtins, VK_AMD_shader_core_properties (1 and 2) and VK_ARM_shader_core_builtins.
void set_multiprocessors(const vk::Snapshot& snapshot, lower::DeviceFacts& facts) {
  const auto of = [&](std::initializer_list<std::string_view> names) { return product_of(snapshot, names); };
  set_first(
      facts.multiprocessors,
      {of({"shaderSMCount"}), of({"activeComputeUnitCount"}),
       of({"shaderEngineCount", "shaderArraysPerEngineCount", "computeUnitsPerShaderArray"}), of({"shaderCoreCount"})});
  set_first(facts.invocations_of_multiprocessor,
            {of({"shaderWarpsPerSM", "subgroupSize"}), of({"simdPerComputeUnit", "wavefrontsPerSimd", "wavefrontSize"}),
             of({"shaderWarpsPerCore", "subgroupSize"})});
  set_first(facts.registers_of_multiprocessor, {of({"vgprsPerSimd", "simdPerComputeUnit", "wavefrontSize"})});
}

bool is_of_nvidia(const vk::Snapshot& snapshot) { return snapshot.driver_name == "NVIDIA"; }

lower::FloatFacts float_facts(const vk::Snapshot& snapshot) {
  const auto limit = [&](std::string_view name, double otherwise) { return limit_of(snapshot, name, otherwise); };
  // Kernels set the modes for 32 bits only, and for 16 bits where they are used. Not every device permits that.
  const bool alone_denorm = limit("denormBehaviorIndependence", kIndependenceNone) != kIndependenceNone;
  const bool alone_rounding = limit("roundingModeIndependence", kIndependenceNone) != kIndependenceNone;
  return {
      .signed_zero_inf_nan_preserve = limit("shaderSignedZeroInfNanPreserveFloat32", 0) != 0,
      .denorm_preserve = alone_denorm && limit("shaderDenormPreserveFloat32", 0) != 0,
      .rounding_rte = alone_rounding && limit("shaderRoundingModeRTEFloat32", 0) != 0,
      // Drivers for CPUs use the division of the CPU.
      .exact_division = snapshot.type == vk::DeviceType::Cpu,
      .f16_conversions = snapshot.has_feature("shaderFloat16") && snapshot.has_feature("shaderInt16") && alone_denorm &&
                         alone_rounding && limit("shaderDenormPreserveFloat16", 0) != 0 &&
                         limit("shaderRoundingModeRTEFloat16", 0) != 0 &&
                         limit("shaderSignedZeroInfNanPreserveFloat16", 0) != 0,
      // Seen on an H200, whatever is done to the 16 bits between the conversions, and with every decoration and mode.
      .removes_conversions = is_of_nvidia(snapshot)};
}

// NVIDIA's GPUs give the workgroups of dispatches to multiprocessors in the order of the dispatches.
bool starts_in_order(const vk::Snapshot& snapshot) {
  const char* barriers = std::getenv("SLIPWAY_BARRIERS");
  if (barriers && std::string_view(barriers) == "all") return false;
  return is_of_nvidia(snapshot) && snapshot.has_feature("vulkanMemoryModel");
}

}  // namespace

lower::DeviceFacts device_facts(const vk::Snapshot& snapshot) {
  lower::DeviceFacts facts;
  facts.floats = float_facts(snapshot);
  facts.narrow_accesses =
      snapshot.has_feature("storageBuffer8BitAccess") && snapshot.has_feature("storageBuffer16BitAccess");
  facts.longs = snapshot.has_feature("shaderInt64");
  facts.addresses = snapshot.has_feature("bufferDeviceAddress") && facts.longs && facts.narrow_accesses;
  facts.subgroup_size = snapshot.subgroup.size;
  const bool is_processor = snapshot.type == vk::DeviceType::Cpu;
  const bool has_lanes = (snapshot.subgroup.operations & kSubgroupBasic) &&
                         (snapshot.subgroup.operations & kSubgroupBallot) && snapshot.subgroup.size >= 4;
  facts.lanes = is_processor && has_lanes ? snapshot.subgroup.size : 0;
  facts.shared_memory = snapshot.limits.max_compute_shared_memory_size;
  facts.max_invocations = snapshot.limits.max_compute_workgroup_invocations;
  set_multiprocessors(snapshot, facts);
  facts.starts_in_order = starts_in_order(snapshot);
  // Matrices are distributed over subgroups, so the subgroup size must be fixed.
  const bool fixed_size = snapshot.subgroup.min_size == snapshot.subgroup.max_size;
  if (!snapshot.has_feature("cooperativeMatrix") || !snapshot.has_feature("vulkanMemoryModel") || !fixed_size)
    return facts;
  for (const MatrixKind& kind : kMatrixKinds) {
    const auto has = [&](std::string_view feature) { return snapshot.has_feature(feature); };
    if (!std::ranges::all_of(kind.features, has)) continue;
    for (const vk::CooperativeMatrix& matrix : snapshot.cooperative_matrices) {
      if (matrix.a != kind.factors || matrix.b != kind.factors || matrix.c != kind.sum || matrix.result != kind.sum ||
          matrix.saturating)
        continue;
      const lower::MatrixShape shape{
          .m = matrix.m, .n = matrix.n, .k = matrix.k, .factors = kind.factor_type, .sum = kind.sum_type};
      if (!std::ranges::contains(facts.matrices, shape)) facts.matrices.push_back(shape);
    }
  }
  return facts;
}

}  // namespace slipway::model
