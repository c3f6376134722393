// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/open_backend.hpp"

#include "recipe/backends/engine/backend.hpp"
#include "recipe/backends/opencl/backend.hpp"
#include "recipe/backends/xrt/module.hpp"
#include "recipe/vulkan/vulkan_device.hpp"

namespace slipway::recipe {

Result<BackendPtr> open_backend(BackendKind kind, std::string_view selector, const Cache& cache) {
  switch (kind) {
    case BackendKind::Cpu:
      break;
    case BackendKind::Vulkan:
      return open_vulkan({.selector = std::string(selector), .cache = cache}).and_then(make_vulkan_backend);
    case BackendKind::OpenCl:
      return opencl::open_backend();
    case BackendKind::Xrt:
      return xrt_module::open_backend();
    case BackendKind::Engine:
      return make_engine_backend();
  }
  return fail(DiagnosticKind::NoBackend, {}, "the CPU is not a back end of kernels");
}

Result<BackendPtr> Backends::open(BackendKind kind) {
  const std::scoped_lock lock(mutex_);
  const auto known = opened_.find(kind);
  if (known != opened_.end()) return known->second;
  return opened_.emplace(kind, open_backend(kind, selector_, cache_)).first->second;
}

}  // namespace slipway::recipe
