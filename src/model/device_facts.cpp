#include "model/device_facts.hpp"

#include <algorithm>

namespace slipway::model {
namespace {

// VkComponentTypeKHR.
constexpr std::uint32_t kFloat16 = 0, kFloat32 = 1;

constexpr std::uint32_t kSubgroupBasic = 0x1;  // VkSubgroupFeatureFlagBits

}  // namespace

lower::DeviceFacts device_facts(const gpu::Snapshot& snapshot) {
  lower::DeviceFacts facts;
  facts.addresses = snapshot.has_feature("bufferDeviceAddress") && snapshot.has_feature("shaderInt64") &&
                    snapshot.has_feature("storageBuffer8BitAccess") && snapshot.has_feature("storageBuffer16BitAccess");
  facts.subgroup_size = snapshot.subgroup.size;
  const bool is_processor = snapshot.type == gpu::DeviceType::Cpu;
  const bool has_lanes = (snapshot.subgroup.operations & kSubgroupBasic) && snapshot.subgroup.size >= 4;
  facts.lanes = is_processor && has_lanes ? snapshot.subgroup.size : 0;
  facts.shared_memory = snapshot.limits.max_compute_shared_memory_size;
  facts.most_invocations = snapshot.limits.max_compute_workgroup_invocations;
  if (!snapshot.has_feature("cooperativeMatrix") || !snapshot.has_feature("vulkanMemoryModel") ||
      !snapshot.has_feature("shaderFloat16"))
    return facts;
  for (const gpu::CooperativeMatrix& matrix : snapshot.cooperative_matrices) {
    if (matrix.a != kFloat16 || matrix.b != kFloat16 || matrix.c != kFloat32 || matrix.result != kFloat32) continue;
    const lower::MatrixShape shape{.m = matrix.m, .n = matrix.n, .k = matrix.k};
    if (!std::ranges::contains(facts.matrices, shape)) facts.matrices.push_back(shape);
  }
  return facts;
}

}  // namespace slipway::model
