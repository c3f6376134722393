// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include "json/document.hpp"

namespace {

std::size_t walk(slipway::json::Value value) {
  std::size_t sum = value.text().size() + value.pointer().size();
  for (const slipway::json::Value child : value) sum += walk(child);
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document =
      slipway::json::parse(slipway::make_source("fuzz.json", std::string(reinterpret_cast<const char*>(data), size)));
  if (document && size < 4096) walk((*document)->root());
  return 0;
}
