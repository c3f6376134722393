#include "model/device_facts.hpp"

#include <algorithm>

namespace slipway::model {
namespace {

// VkComponentTypeKHR.
constexpr std::uint32_t kFloat16 = 0, kFloat32 = 1;

constexpr std::uint32_t kSubgroupBasic = 0x1;  // VkSubgroupFeatureFlagBits

constexpr double kIndependenceNone = 2;  // VkShaderFloatControlsIndependence

lower::FloatFacts float_facts(const gpu::Snapshot& snapshot) {
  const auto limit = [&](std::string_view name, double otherwise) {
    const auto found = snapshot.limits_by_name.find(name);
    return found == snapshot.limits_by_name.end() ? otherwise : found->second;
  };
  // Kernels set the modes of 32 bits alone, which not every device can.
  const bool alone_denorm = limit("denormBehaviorIndependence", kIndependenceNone) != kIndependenceNone;
  const bool alone_rounding = limit("roundingModeIndependence", kIndependenceNone) != kIndependenceNone;
  return {.signed_zero_inf_nan_preserve = limit("shaderSignedZeroInfNanPreserveFloat32", 0) != 0,
          .denorm_preserve = alone_denorm && limit("shaderDenormPreserveFloat32", 0) != 0,
          .rounding_rte = alone_rounding && limit("shaderRoundingModeRTEFloat32", 0) != 0,
          // Drivers for processors use the processor's own division.
          .exact_division = snapshot.type == gpu::DeviceType::Cpu};
}

}  // namespace

lower::DeviceFacts device_facts(const gpu::Snapshot& snapshot) {
  lower::DeviceFacts facts;
  facts.floats = float_facts(snapshot);
  facts.addresses = snapshot.has_feature("bufferDeviceAddress") && snapshot.has_feature("shaderInt64") &&
                    snapshot.has_feature("storageBuffer8BitAccess") && snapshot.has_feature("storageBuffer16BitAccess");
  facts.subgroup_size = snapshot.subgroup.size;
  const bool is_processor = snapshot.type == gpu::DeviceType::Cpu;
  const bool has_lanes = (snapshot.subgroup.operations & kSubgroupBasic) && snapshot.subgroup.size >= 4;
  facts.lanes = is_processor && has_lanes ? snapshot.subgroup.size : 0;
  facts.shared_memory = snapshot.limits.max_compute_shared_memory_size;
  facts.most_invocations = snapshot.limits.max_compute_workgroup_invocations;
  // Matrices are spread over subgroups, so that their size must be known.
  const bool fixed_size = snapshot.subgroup.min_size == snapshot.subgroup.max_size;
  if (!snapshot.has_feature("cooperativeMatrix") || !snapshot.has_feature("vulkanMemoryModel") ||
      !snapshot.has_feature("shaderFloat16") || !fixed_size)
    return facts;
  for (const gpu::CooperativeMatrix& matrix : snapshot.cooperative_matrices) {
    if (matrix.a != kFloat16 || matrix.b != kFloat16 || matrix.c != kFloat32 || matrix.result != kFloat32) continue;
    const lower::MatrixShape shape{.m = matrix.m, .n = matrix.n, .k = matrix.k};
    if (!std::ranges::contains(facts.matrices, shape)) facts.matrices.push_back(shape);
  }
  return facts;
}

}  // namespace slipway::model
