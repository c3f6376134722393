// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of elements of tensors, of typed buffers and of image components.
//
//   info_of(ElementType::BF16).size == 2        element_type_from_name("u8") == ElementType::U8
//   visit_type(type, [&]<class T>() { ... });   // with the C++ type that stores an element
//
// Adding a type is one line in element_types.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "tensor/float16.hpp"

namespace slipway::tensor {

enum class ElementType : std::uint8_t {
#define ELEMENT_TYPE(identifier, name, cpp, kind, bits, descr) identifier,
#include "tensor/element_types.def"
#undef ELEMENT_TYPE
};

enum class ElementKind : std::uint8_t { Bool, Unsigned, Signed, Float };

struct ElementTypeInfo {
  ElementType type;
  std::string_view name;
  ElementKind kind;
  std::uint32_t size;      // bytes in memory
  std::uint32_t bits;      // of the value; at most 8 * size
  std::string_view descr;  // the numpy dtype that is written
};

std::span<const ElementTypeInfo> element_types();
const ElementTypeInfo& info_of(ElementType type);
std::optional<ElementType> element_type_from_name(std::string_view name);

inline std::string_view name_of(ElementType type) { return info_of(type).name; }
inline std::uint32_t size_of(ElementType type) { return info_of(type).size; }
// The last types of the table, which only tensors of graphs have.
constexpr bool is_block_scaled(ElementType type) { return type > ElementType::F8E5M2; }
inline bool is_float(ElementType type) { return info_of(type).kind == ElementKind::Float; }

// Calls `visitor.template operator()<T>()` with the C++ type that stores an element.
template <class Visitor>
decltype(auto) visit_type(ElementType type, Visitor&& visitor) {
  switch (type) {
#define ELEMENT_TYPE(identifier, name, cpp, kind, bits, descr) \
  case ElementType::identifier:                                \
    return std::forward<Visitor>(visitor).template operator()<cpp>();
#include "tensor/element_types.def"
#undef ELEMENT_TYPE
  }
  std::unreachable();
}

}  // namespace slipway::tensor
