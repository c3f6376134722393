// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/escape.hpp"

namespace slipway {

std::string escape_markup(std::string_view text, std::string_view newline) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += newline;
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

}  // namespace slipway
