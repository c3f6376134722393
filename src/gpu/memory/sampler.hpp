// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samplers (docs/spec/scenario.md#images).
#pragma once

#include "base/diagnostic.hpp"
#include "gpu/device/handles.hpp"
#include "vk/sampler_info.hpp"

namespace slipway::gpu {

class Device;

Result<Owned<VkSampler_T>> create_sampler(const Device& device, const vk::SamplerInfo& info);

}  // namespace slipway::gpu
