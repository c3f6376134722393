// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/backend_devices.hpp"

#include "base/format.hpp"
#include "json/writer.hpp"
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

std::string opencl_json(const std::vector<DeviceDescription>& devices) {
  json::Writer out;
  out.object([&] {
    out.key("devices").array([&] {
      for (std::size_t i = 0; i < devices.size(); ++i) {
        const DeviceDescription& device = devices[i];
        out.object([&] {
          out.member("index", i).member("name", device.name).member("type", device.type);
          out.member("platform", device.platform).member("driver", device.driver);
          out.member("il_version", device.il_version).member("base_alignment", device.base_alignment);
          out.member("max_allocation", device.max_allocation);
        });
      }
    });
  });
  return out.text();
}

Result<std::string> list_opencl(bool json) {
  SLIPWAY_TRY(const std::vector<DeviceDescription> devices, recipe::opencl::describe_devices());
  return json ? opencl_json(devices) : opencl_text(devices);
}

Result<std::string> list_xrt(bool json) {
  const auto module = recipe::xrt_module::load_module();
  if (!module) return fail(module.error());
  const auto names = (*module)->list_devices();
  if (!names) return fail(names.error());
  if (names->empty()) return fail(DiagnosticKind::NoDevice, {}, "XRT found no device (0 devices)");
  if (!json) {
    std::string text;
    for (std::size_t i = 0; i < names->size(); ++i) text += formatted("  {}  {}\n", i, (*names)[i]);
    return text;
  }
  json::Writer out;
  out.object([&] {
    out.key("devices").array([&] {
      for (std::size_t i = 0; i < names->size(); ++i) {
        out.object([&] { out.member("index", i).member("name", (*names)[i]); });
      }
    });
  });
  return out.text();
}

}  // namespace

std::vector<std::string> xrt_devices() {
  const auto module = recipe::xrt_module::load_module();
  if (!module) return {};
  return (*module)->list_devices().value_or(std::vector<std::string>());
}

Result<std::string> list_backend_devices(const std::string& backend, bool json) {
  if (backend == "opencl") return list_opencl(json);
  if (backend == "xrt") return list_xrt(json);
  return fail(DiagnosticKind::NoBackend, {}, formatted("there is no list of devices of the back end `{}`", backend));
}

}  // namespace slipway::cli
