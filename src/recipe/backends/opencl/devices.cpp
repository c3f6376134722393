// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backends/opencl/devices.hpp"

#include <algorithm>
#include <charconv>

#include "base/format.hpp"

namespace slipway::recipe::opencl {
namespace {

std::string trimmed(std::string text) {
  text.erase(std::ranges::find(text, '\0'), text.end());
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string device_text(const OpenClFunctions& cl, cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  if (cl.clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string text(size, '\0');
  if (cl.clGetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
  return trimmed(std::move(text));
}

template <class T>
T device_number(const OpenClFunctions& cl, cl_device_id device, cl_device_info what, T otherwise) {
  T value{};
  return cl.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

DeviceInfo describe(const OpenClFunctions& cl, cl_device_id device) {
  return {.id = device,
          .type = device_number<cl_device_type>(cl, device, CL_DEVICE_TYPE, 0),
          .name = device_text(cl, device, CL_DEVICE_NAME),
          .driver = device_text(cl, device, CL_DRIVER_VERSION),
          .platform = {},
          .il_version = device_text(cl, device, CL_DEVICE_IL_VERSION),
          // In bits.
          .base_alignment =
              std::max<std::uint64_t>(device_number<cl_uint>(cl, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024) / 8, 1),
          .max_allocation = device_number<cl_ulong>(cl, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0)};
}

std::string names_of(const std::vector<DeviceInfo>& devices) {
  std::string text;
  for (const DeviceInfo& device : devices) {
    text += formatted("{}`{}`", text.empty() ? "" : ", ", device.name);
  }
  return text;
}

}  // namespace

Result<std::vector<DeviceInfo>> list_devices(const OpenClFunctions& cl, const SourceLocation& location) {
  cl_uint count = 0;
  // Without drivers the loader returns an error that only an extension defines.
  if (cl.clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) count = 0;
  std::vector<cl_platform_id> platforms(count);
  if (count != 0 && cl.clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) platforms.clear();
  std::vector<DeviceInfo> devices;
  for (const cl_platform_id platform : platforms) {
    std::size_t size = 0;
    cl.clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, nullptr, &size);
    std::string name(size, '\0');
    cl.clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, name.data(), nullptr);
    cl_uint of_platform = 0;
    if (cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &of_platform) != CL_SUCCESS) continue;
    std::vector<cl_device_id> ids(of_platform);
    if (cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, of_platform, ids.data(), nullptr) != CL_SUCCESS) continue;
    for (const cl_device_id id : ids) {
      devices.push_back(describe(cl, id));
      devices.back().platform = trimmed(name);
    }
  }
  if (devices.empty()) {
    return fail(DiagnosticKind::NoDevice, location,
                "there is no OpenCL device; install a driver, `pocl-opencl-icd` for the CPU");
  }
  return devices;
}

Result<DeviceInfo> choose_device(const std::vector<DeviceInfo>& devices, std::string_view selector,
                                 const SourceLocation& location) {
  if (selector.empty()) {
    const auto accepts_spirv = [](const DeviceInfo& device) { return !device.il_version.empty(); };
    const auto fast = std::ranges::find_if(devices, [&](const DeviceInfo& device) {
      return accepts_spirv(device) && (device.type & CL_DEVICE_TYPE_CPU) == 0;
    });
    if (fast != devices.end()) return *fast;
    const auto any = std::ranges::find_if(devices, accepts_spirv);
    if (any != devices.end()) return *any;
    return fail(DiagnosticKind::DeviceLacks, location,
                formatted("none of the OpenCL devices accepts SPIR-V: {}", names_of(devices)));
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(selector.data(), selector.data() + selector.size(), index);
  auto found = devices.end();
  if (error == std::errc() && end == selector.data() + selector.size()) {
    if (index < devices.size()) found = devices.begin() + static_cast<std::ptrdiff_t>(index);
  } else {
    found = std::ranges::find_if(devices, [&](const DeviceInfo& device) { return device.name.contains(selector); });
  }
  if (found == devices.end()) {
    return fail(DiagnosticKind::NoDevice, location,
                formatted("there is no OpenCL device `{}`; there are {}", selector, names_of(devices)));
  }
  if (found->il_version.empty()) {
    return fail(DiagnosticKind::DeviceLacks, location,
                formatted("OpenCL device `{}` does not accept SPIR-V", found->name));
  }
  return *found;
}

}  // namespace slipway::recipe::opencl
