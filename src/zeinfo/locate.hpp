// Finds the places of keys and values again, from the offset of their mapping's first key.
//
// The model keeps one 32-bit offset a mapping; exact places are worked out when a message needs them, by reading that
// mapping's lines once more.
#pragma once

#include "zeinfo/model.hpp"
#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {

struct EntryPlace {
  Span key;
  Span value;  // empty, behind the key, where there is none
};

// Of a field of the mapping at `at`; if the field is absent there, both are the mapping's first key.
EntryPlace locate(const Document& document, std::uint32_t at, std::string_view key);
// The first key of the mapping: where what is missing is reported.
Span first_key(const Document& document, std::uint32_t at);

template <class T>
EntryPlace locate(const Document& document, const T& object, typename T::Key key) {
  return locate(document, object.at, field_of<T>(key).key);
}

}  // namespace slipway::zeinfo
