// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocating device memory. Inside this module only.
#pragma once

#include <vk_mem_alloc.h>

#include <string_view>

#include "base/diagnostic.hpp"
#include "gpu/device/device_core.hpp"
#include "gpu/memory/memory.hpp"

namespace slipway::gpu {

// Memory of the needs given, for the object that a failure then names: "buffer `x`".
Result<MemoryPtr> allocate_memory(const DeviceCore& core, const MemoryNeeds& needs, const VmaAllocationCreateInfo& how,
                                  std::string_view object, std::string_view name);
// How the allocator is to choose for resources that the device works on.
VmaAllocationCreateInfo device_memory_request(const DeviceCore& core);

}  // namespace slipway::gpu
