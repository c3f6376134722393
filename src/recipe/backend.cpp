// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backend.hpp"

#include <stdexcept>

#include "base/format.hpp"

namespace slipway::recipe {

std::string_view name_of(BackendKind kind) {
  switch (kind) {
    case BackendKind::Cpu:
      return "cpu";
    case BackendKind::Vulkan:
      return "vulkan";
    case BackendKind::OpenCl:
      return "opencl";
    case BackendKind::Xrt:
      return "xrt";
  }
  return "";
}

std::optional<BackendKind> kernel_backend_from_name(std::string_view name) {
  for (const BackendKind kind : {BackendKind::Vulkan, BackendKind::OpenCl, BackendKind::Xrt}) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

MutableBytes host_bytes(const buffer_storage& buffer) {
  return {static_cast<std::byte*>(buffer.host_address()), buffer.size()};
}

Result<> sync_buffer(buffer_storage& buffer, sync_direction direction, std::uint64_t offset, std::uint64_t size) {
  try {
    buffer.sync(direction, size, offset);
  } catch (const std::exception& error) {
    return fail(DiagnosticKind::DeviceFailed, {}, formatted("a buffer could not be synced: {}", error.what()));
  }
  return {};
}

}  // namespace slipway::recipe
