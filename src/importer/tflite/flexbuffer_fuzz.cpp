// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes are read as a FlexBuffer or refused; what was read does not exceed the bytes by far.
#include <cstdlib>

#include "importer/tflite/flexbuffer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  const auto map = importer::read_flexbuffer(std::as_bytes(std::span(data, size)));
  if (!map) return 0;
  std::size_t elements = map->size();
  for (const auto& [key, value] : *map) {
    elements += key.size();
    if (const auto* text = std::get_if<std::string>(&value)) elements += text->size();
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) elements += list->size();
  }
  if (elements > 4 * size) std::abort();
  return 0;
}
