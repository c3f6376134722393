// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan's enumerants as the dump tools print them.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "base/format.hpp"
#include "base/vk_names.hpp"

namespace slipway::vgf {

// All names of a value, in the order of the registry: `VK_FILTER_CUBIC_EXT / VK_FILTER_CUBIC_IMG`
// (docs/spec/vgf.md#vulkan-names).
template <class E>
std::string printed_name(E value) {
  std::string text;
  for (const vk::EnumName& known : vk::names<E>()) {
    if (known.value != static_cast<std::uint32_t>(value)) continue;
    text += (text.empty() ? "" : " / ") + std::string(known.name);
  }
  if (!text.empty()) return text;
  // Sampler fields are printed as unsigned numbers, formats and descriptor types as signed ones, as the existing tool
  // does.
  constexpr bool is_signed = std::is_same_v<E, vk::Format> || std::is_same_v<E, vk::DescriptorType>;
  if constexpr (is_signed) return formatted("Unknown({})", static_cast<std::int32_t>(value));
  return formatted("Unknown({})", static_cast<std::uint32_t>(value));
}

}  // namespace slipway::vgf
