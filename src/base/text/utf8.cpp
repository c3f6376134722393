// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/utf8.hpp"

#include <cstddef>

namespace slipway {

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[i + at]); };
    const unsigned char lead = byte(0);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    bool ok = length != 0 && i + length <= text.size();
    for (std::size_t at = 1; ok && at < length; ++at) ok = (byte(at) & 0xc0) == 0x80;
    // Overlong forms, surrogates, and what is past U+10FFFF.
    if (ok && length > 2) {
      ok = !(lead == 0xe0 && byte(1) < 0xa0) && !(lead == 0xed && byte(1) > 0x9f) &&
           !(lead == 0xf0 && byte(1) < 0x90) && !(lead == 0xf4 && byte(1) > 0x8f);
    }
    if (ok)
      valid += text.substr(i, length);
    else
      valid += "\xef\xbf\xbd";
    i += ok ? length : 1;
  }
  return valid;
}

}  // namespace slipway
