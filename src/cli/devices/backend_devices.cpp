// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/devices/backend_devices.hpp"

#include "base/format.hpp"
#include "cli/devices/device_lists.hpp"
#include "recipe/backends/opencl/backend.hpp"
#include "recipe/backends/xrt/module.hpp"

namespace slipway::cli {
namespace {

using recipe::opencl::DeviceDescription;

std::string opencl_text(const std::vector<DeviceDescription>& devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceDescription& device = devices[i];
    text += formatted("  {}  {}  {}, {} {}, {}\n", i, device.name, device.type, device.platform, device.driver,
                      device.il_version.empty() ? "takes no SPIR-V" : device.il_version);
  }
  return text;
}

Result<std::string> list_opencl(bool json) {
  SLIPWAY_TRY(const std::vector<DeviceDescription> devices, recipe::opencl::describe_devices());
  return json ? opencl_list_text(devices) : opencl_text(devices);
}

Result<std::string> list_xrt(bool json) {
  const auto module = recipe::xrt_module::load_module();
  if (!module) return fail(module.error());
  const auto names = (*module)->list_devices();
  if (!names) return fail(names.error());
  if (names->empty()) return fail(DiagnosticKind::NoDevice, {}, "XRT found no device (0 devices)");
  if (json) return xrt_list_text(*names);
  std::string text;
  for (std::size_t i = 0; i < names->size(); ++i) text += formatted("  {}  {}\n", i, (*names)[i]);
  return text;
}

struct BackendLister {
  recipe::BackendKind backend;
  Result<std::string> (*list)(bool json);
};

// The back ends whose devices are not those of Vulkan.
constexpr BackendLister kListers[] = {{recipe::BackendKind::OpenCl, list_opencl}, {recipe::BackendKind::Xrt, list_xrt}};

}  // namespace

std::vector<std::string> backends_with_devices() {
  std::vector<std::string> names;
  for (const BackendLister& lister : kListers) names.emplace_back(name_of(lister.backend));
  return names;
}

std::vector<std::string> xrt_devices() {
  const auto module = recipe::xrt_module::load_module();
  if (!module) return {};
  return (*module)->list_devices().value_or(std::vector<std::string>());
}

Result<std::string> list_backend_devices(const std::string& backend, bool json) {
  for (const BackendLister& lister : kListers) {
    if (backend == name_of(lister.backend)) return lister.list(json);
  }
  return fail(DiagnosticKind::NoBackend, {}, formatted("there is no list of devices of the back end `{}`", backend));
}

}  // namespace slipway::cli
