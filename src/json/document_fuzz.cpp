// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include "json/document.hpp"

namespace {

std::size_t walk(slipway::json::Value value) {
  std::size_t sum = value.text().size() + value.pointer().size();
  const bool has_keys = value.is(slipway::json::Type::Object);
  for (const slipway::json::Value child : value) {
    if (has_keys) sum += child.key_location().span.end;
    sum += walk(child);
  }
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document =
      slipway::json::parse(slipway::make_source("fuzz.json", std::string(reinterpret_cast<const char*>(data), size)));
  if (document && size < 4096) walk((*document)->root());
  return 0;
}
