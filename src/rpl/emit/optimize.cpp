// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/optimize.hpp"

#include <array>
#include <utility>

#include "spirv/tools.hpp"

namespace slipway::rpl {

Result<spirv::Words> optimize_spirv(const SpirvModule& module, Target target) {
  constexpr std::array kEnvironments = {spirv::Environment::Vulkan11, spirv::Environment::Vulkan12,
                                        spirv::Environment::Vulkan13, spirv::Environment::Vulkan14};
  return spirv::optimize(module.words, "module", spirv::Optimize::Performance,
                         kEnvironments[std::to_underlying(target)]);
}

Result<> optimize_modules(std::span<SpirvModule> modules, Target target) {
  for (SpirvModule& module : modules) {
    SLIPWAY_TRY(module.words, optimize_spirv(module, target));
  }
  return {};
}

}  // namespace slipway::rpl
