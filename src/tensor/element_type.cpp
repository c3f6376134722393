// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/element_type.hpp"

#include <array>

namespace slipway::tensor {
namespace {

constexpr std::array kElementTypes = {
#define ELEMENT_TYPE(identifier, name, cpp, kind, bits, descr) \
  ElementTypeInfo{ElementType::identifier, name, ElementKind::kind, sizeof(cpp), bits, descr},
#include "tensor/element_types.def"
#undef ELEMENT_TYPE
};

}  // namespace

std::span<const ElementTypeInfo> element_types() { return kElementTypes; }

const ElementTypeInfo& info_of(ElementType type) { return kElementTypes[static_cast<std::size_t>(type)]; }

std::optional<ElementType> element_type_from_name(std::string_view name) {
  for (const ElementTypeInfo& info : kElementTypes) {
    if (info.name == name) return info.type;
  }
  return std::nullopt;
}

}  // namespace slipway::tensor
