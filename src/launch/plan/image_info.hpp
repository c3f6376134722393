// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan's images and samplers in the terms of the module vk.
#pragma once

#include "launch/plan/plan.hpp"
#include "vk/device_plan.hpp"
#include "vk/image_plan.hpp"
#include "vk/sampler_info.hpp"

namespace slipway::launch {

// `image` is the kind of `resource`. Missing mips are made by a compute shader when the queue has no graphics, which
// samples and stores.
vk::ImageInfo image_info(const Resource& resource, const Image& image, const vk::DevicePlan& device);
vk::SamplerInfo sampler_info(const Resource& resource, const Image& image);

}  // namespace slipway::launch
