// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backend.hpp"

#include <algorithm>
#include <ranges>
#include <stdexcept>

#include "base/format.hpp"

namespace slipway::recipe {

std::string kernel_backend_list() {
  // (GCC 16.2 compiles std::views::join_with to an endless loop here for Windows.)
  std::string list;
  for (const std::string_view name : kKernelBackendNames)
    append_formatted(list, "{}{}", list.empty() ? "" : ", ", name);
  return list;
}

std::optional<BackendKind> kernel_backend_from_name(std::string_view name) {
  const auto found = std::ranges::find(kKernelBackendNames, name);
  if (found == kKernelBackendNames.end()) return std::nullopt;
  return static_cast<BackendKind>(&*found - kBackendNames.data());
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
