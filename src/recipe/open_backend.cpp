// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/open_backend.hpp"

#include "recipe/backends/engine/backend.hpp"
#include "recipe/backends/opencl/backend.hpp"
#include "recipe/backends/xrt/module.hpp"
#include "recipe/backends/plan/vulkan_device.hpp"

namespace slipway::recipe {

namespace {

// The selector without the prefix of the back end; empty if it has the prefix of another one.
std::string_view selector_for(BackendKind kind, std::string_view selector) {
  for (const std::string_view name : kKernelBackendNames) {
    if (!selector.starts_with(name) || !selector.substr(name.size()).starts_with(':')) continue;
    return name == name_of(kind) ? selector.substr(name.size() + 1) : std::string_view();
  }
  return kind == BackendKind::OpenCl ? std::string_view() : selector;
}

}  // namespace

Result<BackendPtr> open_backend(BackendKind kind, std::string_view selected, const Cache& cache,
                                const vk::InstanceOptions& instance) {
  const std::string_view selector = selector_for(kind, selected);
  switch (kind) {
    case BackendKind::Cpu:
      break;
    case BackendKind::Vulkan:
      return open_vulkan({.selector = std::string(selector), .cache = cache, .instance = instance})
          .and_then(make_vulkan_backend);
    case BackendKind::OpenCl:
      return opencl::open_backend(selector, {});
    case BackendKind::Xrt:
      return xrt_module::open_backend(selector);
    case BackendKind::Engine:
      return make_engine_backend();
  }
  return fail(DiagnosticKind::NoBackend, {}, "the CPU is not a back end of kernels");
}

Result<BackendPtr> Backends::open(BackendKind kind) {
  const std::scoped_lock lock(mutex_);
  const auto known = opened_.find(kind);
  if (known != opened_.end()) return known->second;
  const bool adopts = kind == BackendKind::Xrt && xrt_device_;
  return opened_
      .emplace(kind,
               adopts ? xrt_module::adopt_device(xrt_device_.get()) : open_backend(kind, selector_, cache_, instance_))
      .first->second;
}

BackendKind Backends::preferred() const {
  if (xrt_device_ || selector_.starts_with("xrt:")) return BackendKind::Xrt;
  return selector_.starts_with("opencl:") ? BackendKind::OpenCl : BackendKind::Vulkan;
}

}  // namespace slipway::recipe
