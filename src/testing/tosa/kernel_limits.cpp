// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "testing/tosa/kernel_limits.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/format.hpp"
#include "spirv/module.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::testing {
namespace {

// Numbers of SPIR-V, and the feature of the device that each needs; empty: every device has it, or properties decide.
struct KnownCapability {
  std::uint32_t number;
  std::string_view feature;
};
constexpr KnownCapability kKnownCapabilities[] = {
    {1, ""},  // Shader
    {9, "shaderFloat16"},
    {10, "shaderFloat64"},
    {11, "shaderInt64"},
    {22, "shaderInt16"},
    {39, "shaderInt8"},
    {4433, "storageBuffer16BitAccess"},
    {4434, "uniformAndStorageBuffer16BitAccess"},
    {4435, "storagePushConstant16"},
    {4448, "storageBuffer8BitAccess"},
    {4449, "uniformAndStorageBuffer8BitAccess"},
    {4450, "storagePushConstant8"},
    {4464, ""},  // DenormPreserve, SignedZeroInfNanPreserve, RoundingModeRTE
    {4466, ""},
    {4467, ""},
    {5116, "shaderBFloat16Type"},
    {5118, "shaderBFloat16CooperativeMatrix"},
    {5345, "vulkanMemoryModel"},
    {5347, "bufferDeviceAddress"},
    {6016, "shaderIntegerDotProduct"},
    {6017, "shaderIntegerDotProduct"},
    {6018, "shaderIntegerDotProduct"},
    {6019, "shaderIntegerDotProduct"},
    {6022, "cooperativeMatrix"},
};
constexpr std::uint32_t kFirstOfSubgroups = 61, kLastOfSubgroups = 68;

constexpr std::uint32_t kHeader = 5, kOpExecutionMode = 16, kOpCapability = 17, kLocalSize = 17;

class ModuleWalk {
 public:
  ModuleWalk(const lower::ProgramKernel& kernel, const vk::Snapshot& device, std::vector<std::string>& beyond)
      : kernel_(kernel), words_(*kernel.spirv), device_(device), beyond_(beyond) {}

  void run() {
    for (std::size_t at = kHeader; at < words_.size(); at += std::max(words_[at] >> 16, 1u)) {
      const std::uint32_t op = words_[at] & 0xffff;
      if (op == kOpCapability) check_capability(words_[at + 1]);
      if (op == kOpExecutionMode && words_[at + 2] == kLocalSize)
        check_workgroup({words_[at + 3], words_[at + 4], words_[at + 5]});
    }
    if (!has_workgroup_) add("declares no workgroup size");
    check_memory();
    check_buffers();
  }

 private:
  void add(const std::string& what) { beyond_.push_back(formatted("{} {}", kernel_.name, what)); }

  void check_capability(std::uint32_t number) {
    if (number >= kFirstOfSubgroups && number <= kLastOfSubgroups) {
      if (device_.type != vk::DeviceType::Cpu && !device_.has_feature("cooperativeMatrix"))
        add(formatted("depends on subgroups (capability {})", number));
      return;
    }
    const auto* const known = std::ranges::find(kKnownCapabilities, number, &KnownCapability::number);
    if (known == std::end(kKnownCapabilities))
      add(formatted("needs the unknown capability {}", number));
    else if (!known->feature.empty() && !device_.has_feature(known->feature))
      add(formatted("needs {}", known->feature));
  }

  void check_workgroup(std::array<std::uint32_t, 3> size) {
    has_workgroup_ = true;
    std::uint64_t invocations = 1;
    for (std::size_t i = 0; i < size.size(); ++i) {
      invocations *= size[i];
      if (size[i] > device_.limits.max_compute_workgroup_size[i])
        add(formatted("has a workgroup size of {} in dimension {}", size[i], i));
    }
    if (invocations > device_.limits.max_compute_workgroup_invocations)
      add(formatted("has {} invocations in a workgroup", invocations));
  }

  void check_memory() {
    const auto module = spirv::read_module(spirv::Words(words_), kernel_.name);
    const auto reflection = module ? spirv::reflect(*module) : fail(module.error());
    const spirv::EntryPoint* entry = reflection ? reflection->find("main", spirv::Stage::Compute) : nullptr;
    if (!entry)
      add("cannot be read");
    else if (entry->shared_memory > device_.limits.max_compute_shared_memory_size)
      add(formatted("has {} bytes of shared memory", entry->shared_memory));
  }

  void check_buffers() {
    constexpr std::uint32_t kAddressBytes = 8;
    if (kernel_.addresses) {
      const std::uint32_t numbers = kernel_.linked ? kAddressBytes : 0;
      if (numbers + kernel_.bindings * kAddressBytes > device_.limits.max_push_constants_size)
        add(formatted("has {} addresses as push constants", kernel_.bindings));
      return;
    }
    const auto most = device_.limits_by_name.find("maxPerStageDescriptorStorageBuffers");
    if (most != device_.limits_by_name.end() && kernel_.bindings > most->second)
      add(formatted("has {} storage buffers", kernel_.bindings));
  }

  const lower::ProgramKernel& kernel_;
  const spirv::Words& words_;
  const vk::Snapshot& device_;
  std::vector<std::string>& beyond_;
  bool has_workgroup_ = false;
};

}  // namespace

std::vector<std::string> beyond_device(const lower::KernelProgram& program, const vk::Snapshot& device) {
  std::vector<std::string> beyond;
  for (const lower::ProgramKernel& kernel : program.kernels) ModuleWalk(kernel, device, beyond).run();
  return beyond;
}

}  // namespace slipway::testing
