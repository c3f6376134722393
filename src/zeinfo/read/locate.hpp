// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the locations of keys and values from the offset of their mapping's first key.
//
// The model keeps one 32-bit offset per mapping; exact locations are computed when a message needs them, by reading
// that mapping's lines again.
#pragma once

#include "zeinfo/model.hpp"
#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {

struct EntryLocation {
  Span key;
  Span value;  // empty, after the key, if it has no value
};

// Of a field of the mapping at `at`; if the field is absent there, both are the mapping's first key.
EntryLocation locate(const Document& document, std::uint32_t at, std::string_view key);
// The first key of the mapping, at which missing keys are reported.
Span first_key(const Document& document, std::uint32_t at);

template <class T>
EntryLocation locate(const Document& document, const T& object, typename T::Key key) {
  return locate(document, object.at, field_of<T>(key).key);
}

}  // namespace slipway::zeinfo
