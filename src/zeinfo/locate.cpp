#include "zeinfo/locate.hpp"

#include "zeinfo/reader.hpp"

namespace slipway::zeinfo {

EntryPlace locate(const Document& document, std::uint32_t at, std::string_view key) {
  Document nothing;
  const Reader::Found found = Reader(document.text, nothing, nullptr, false).find_entry(at, key);
  return found.found ? found.location : EntryPlace{found.first_key, found.first_key};
}

Span first_key(const Document& document, std::uint32_t at) { return locate(document, at, "").key; }

}  // namespace slipway::zeinfo
