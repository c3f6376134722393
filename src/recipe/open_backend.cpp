// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/open_backend.hpp"

#include <algorithm>

#include "executors/open.hpp"
#include "recipe/backends/opencl/backend.hpp"
#include "recipe/backends/plan/backend.hpp"
#include "recipe/backends/xrt/module.hpp"

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

Result<BackendPtr> Backends::open_new(BackendKind kind) {
  const std::string_view selector = selector_for(kind, selector_);
  switch (kind) {
    case BackendKind::Cpu:
      break;
    case BackendKind::Vulkan:
      // Out-of-range accesses of kernels do not end the process if the device has robust buffer access. Copies of a
      // recipe that are in flight, and lists of several runners, run concurrently on the queues.
      vulkan_ =
          std::ranges::find(executors::kinds(), name_of(kind), &executors::ExecutorKind::name)
              ->open(
                  {.selector = std::string(selector), .robustness = true, .queues = 4, .shader_prints = wants_prints_});
      return make_plan_backend(kind, vulkan_, cache_);
    case BackendKind::OpenCl:
      return opencl::open_backend(selector, {});
    case BackendKind::Xrt:
      return xrt_device_ ? xrt_module::adopt_device(xrt_device_.get()) : xrt_module::open_backend(selector);
    case BackendKind::Engine:
      return make_plan_backend(kind, executors::host_kind().open({}), cache_);
  }
  return fail(DiagnosticKind::NoBackend, {}, "the CPU is not a back end of kernels");
}

Result<BackendPtr> Backends::open(BackendKind kind) {
  const std::scoped_lock lock(mutex_);
  const auto known = opened_.find(kind);
  if (known != opened_.end()) return known->second;
  return opened_.emplace(kind, open_new(kind)).first->second;
}

BackendKind Backends::preferred() const {
  if (xrt_device_ || selector_.starts_with("xrt:")) return BackendKind::Xrt;
  return selector_.starts_with("opencl:") ? BackendKind::OpenCl : BackendKind::Vulkan;
}

}  // namespace slipway::recipe
