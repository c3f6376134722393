// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts and lists of FlatBuffers, which may be absent; for all readers of such files.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <ranges>
#include <string_view>

namespace slipway::tosa {

inline std::string_view string_of(const flatbuffers::String* text) {
  return text ? text->string_view() : std::string_view();
}
template <class T>
std::size_t count_of(const flatbuffers::Vector<T>* list) {
  return list ? list->size() : 0;
}

template <class T>
auto items_of(const flatbuffers::Vector<T>* list) {
  return std::views::iota(flatbuffers::uoffset_t{0}, static_cast<flatbuffers::uoffset_t>(count_of(list))) |
         std::views::transform([list](flatbuffers::uoffset_t i) { return list->Get(i); });
}
using Names = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;
inline auto names_in(const Names* list) { return items_of(list) | std::views::transform(string_of); }
inline std::string_view name_at(const Names* list, std::size_t i) {
  return string_of(list->Get(static_cast<flatbuffers::uoffset_t>(i)));
}

}  // namespace slipway::tosa
