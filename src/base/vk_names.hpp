// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and values of Vulkan enumerants, for the modules that must not include Vulkan headers. Scenarios contain the
// names, VGF files the values, and launch plans use both. The enumerators have the names of Vulkan without the prefix:
//
//   vk::from_name<vk::Format>("VK_FORMAT_R8_UINT") == vk::Format::R8_UINT
//   vk::name_of(vk::Filter::LINEAR) == "VK_FILTER_LINEAR"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::vk {

enum class Format : std::uint32_t {
#define FORMAT(name, value) name = value,
#include "base/vk_names.def"
};

enum class Filter : std::uint32_t {
#define FILTER(name, value) name = value,
#include "base/vk_names.def"
};

enum class AddressMode : std::uint32_t {
#define ADDRESS_MODE(name, value) name = value,
#include "base/vk_names.def"
};

enum class BorderColor : std::uint32_t {
#define BORDER_COLOR(name, value) name = value,
#include "base/vk_names.def"
};

enum class DescriptorType : std::uint32_t {
#define DESCRIPTOR_TYPE(name, value) name = value,
#include "base/vk_names.def"
};

struct EnumName {
  std::string_view name;  // with the prefix
  std::uint32_t value;
};

template <class E>
const std::vector<EnumName>& names();
template <>
const std::vector<EnumName>& names<Format>();
template <>
const std::vector<EnumName>& names<Filter>();
template <>
const std::vector<EnumName>& names<AddressMode>();
template <>
const std::vector<EnumName>& names<BorderColor>();
template <>
const std::vector<EnumName>& names<DescriptorType>();

template <class E>
std::optional<E> from_name(std::string_view name) {
  for (const EnumName& known : names<E>()) {
    if (known.name == name) return static_cast<E>(known.value);
  }
  return std::nullopt;
}

// For a value without a name: the value in decimal.
template <class E>
std::string name_of(E value) {
  for (const EnumName& known : names<E>()) {
    if (known.value == static_cast<std::uint32_t>(value)) return std::string(known.name);
  }
  return std::to_string(static_cast<std::uint32_t>(value));
}

enum class Layout : std::uint32_t {
  Undefined = 0,
  General = 1,
  ColorAttachment = 2,
  ShaderReadOnly = 5,
  TransferSource = 6,
  TransferDestination = 7,
  TensorAliasing = 1000460000,
};

// The bits of VkPipelineStageFlagBits2 and VkAccessFlagBits2 that plans use.
using StageFlags = std::uint64_t;
namespace stage {
inline constexpr StageFlags kVertexInput = 0x4, kVertexShader = 0x8, kFragmentShader = 0x80,
                            kEarlyFragmentTests = 0x100, kLateFragmentTests = 0x200, kColorAttachmentOutput = 0x400,
                            kComputeShader = 0x800, kTransfer = 0x1000, kHost = 0x4000, kAllGraphics = 0x8000,
                            kAllCommands = 0x10000, kDataGraph = 0x40000000000;
}
using AccessFlags = std::uint64_t;
namespace access {
inline constexpr AccessFlags kIndexRead = 0x2, kVertexAttributeRead = 0x4, kUniformRead = 0x8, kShaderRead = 0x20,
                             kShaderWrite = 0x40, kColorAttachmentRead = 0x80, kColorAttachmentWrite = 0x100,
                             kDepthStencilRead = 0x200, kDepthStencilWrite = 0x400, kTransferRead = 0x800,
                             kTransferWrite = 0x1000, kHostRead = 0x2000, kHostWrite = 0x4000, kMemoryRead = 0x8000,
                             kMemoryWrite = 0x10000, kDataGraphRead = 0x800000000000, kDataGraphWrite = 0x1000000000000;
}

}  // namespace slipway::vk
