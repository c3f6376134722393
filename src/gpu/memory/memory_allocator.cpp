// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one file with the code of the Vulkan Memory Allocator. Its warnings are silent, since it is a system header.

#include <volk.h>

// Its functions come from DeviceFunctions, so that injected failures reach it too.
#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 0
#define VMA_IMPLEMENTATION
#include <vk_mem_alloc.h>
