// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one function that the shared object exports.
#include "layer/dispatch.hpp"

extern "C" __attribute__((visibility("default"))) VkResult
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* pVersionStruct) {
  return slipway::layer::negotiate(pVersionStruct);
}
