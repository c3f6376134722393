// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/read/locate.hpp"

#include "zeinfo/read/reader.hpp"

namespace slipway::zeinfo {

EntryLocation locate(const Document& document, std::uint32_t at, std::string_view key) {
  Document nothing;
  const Reader::Found found = Reader(document.text, nothing, nullptr, false).find_entry(at, key);
  return found.found ? EntryLocation{found.key, found.value} : EntryLocation{found.first_key, found.first_key};
}

Span first_key(const Document& document, std::uint32_t at) { return locate(document, at, "").key; }

}  // namespace slipway::zeinfo
