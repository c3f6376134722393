// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one function that the shared object exports.
#include "layer/dispatch.hpp"

extern "C" __attribute__((visibility("default"))) VkResult
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* version) {
  return slipway::layer::negotiate(version);
}

#ifdef SLIPWAY_LAYER_OWNS_LIBSTDCXX
namespace __gnu_cxx {
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
void __freeres();  // exported by libstdc++ for leak checkers, but declared in none of its headers
}  // namespace __gnu_cxx

namespace {
// The C++ library inside the layer keeps 72 KiB for exceptions that are thrown when the memory is exhausted. A program
// that loads and unloads the layer many times would lose them each time.
[[gnu::destructor]] void free_exception_pool() { __gnu_cxx::__freeres(); }
}  // namespace
#endif
