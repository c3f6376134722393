// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/prints.hpp"

#include "base/bytes.hpp"

namespace slipway::spirv {

bool prints(WordSpan words) {
  constexpr std::uint32_t kExtInstImport = 11, kMemoryModel = 14;  // imports are before the memory model
  constexpr std::string_view kName = "NonSemantic.DebugPrintf";
  for (std::size_t at = kHeaderWords; at < words.size();) {
    const std::uint32_t op = words[at] & 0xffff, count = words[at] >> 16;
    if (count == 0 || count > words.size() - at || op == kMemoryModel) return false;
    if (op == kExtInstImport && count == 2 + string_words(kName) &&
        slipway::text_of(std::as_bytes(words.subspan(at + 2, count - 2))).starts_with(kName))
      return true;
    at += count;
  }
  return false;
}

}  // namespace slipway::spirv
