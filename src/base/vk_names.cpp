// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/vk_names.hpp"

namespace slipway::vk {

template <>
const std::vector<EnumName>& names<Format>() {
  static const std::vector<EnumName> table = {
#define FORMAT(name, value) {"VK_FORMAT_" #name, value},
#include "base/vk_names.def"
  };
  return table;
}

template <>
const std::vector<EnumName>& names<Filter>() {
  static const std::vector<EnumName> table = {
#define FILTER(name, value) {"VK_FILTER_" #name, value},
#include "base/vk_names.def"
  };
  return table;
}

template <>
const std::vector<EnumName>& names<AddressMode>() {
  static const std::vector<EnumName> table = {
#define ADDRESS_MODE(name, value) {"VK_SAMPLER_ADDRESS_MODE_" #name, value},
#include "base/vk_names.def"
  };
  return table;
}

template <>
const std::vector<EnumName>& names<BorderColor>() {
  static const std::vector<EnumName> table = {
#define BORDER_COLOR(name, value) {"VK_BORDER_COLOR_" #name, value},
#include "base/vk_names.def"
  };
  return table;
}

template <>
const std::vector<EnumName>& names<DescriptorType>() {
  static const std::vector<EnumName> table = {
#define DESCRIPTOR_TYPE(name, value) {"VK_DESCRIPTOR_TYPE_" #name, value},
#include "base/vk_names.def"
  };
  return table;
}

}  // namespace slipway::vk
