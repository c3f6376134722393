// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/escape.hpp"

#include "base/text/utf8.hpp"

namespace slipway {

std::string escape_markup(std::string_view text, std::string_view newline) {
  std::string out;
  const std::string valid = valid_utf8(text);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const char c = valid[i];
    const std::string_view rest = std::string_view(valid).substr(i);
    if (rest.starts_with("\xef\xbf\xbe") || rest.starts_with("\xef\xbf\xbf")) {
      out += "\xef\xbf\xbd";
      i += 2;
      continue;
    }
    if (rest.starts_with('\xc2') &&
        static_cast<unsigned char>(rest[1]) < 0xa0) {  // the control characters of ISO 8859-1
      out += ' ';
      ++i;
      continue;
    }
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
        out += (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f' ? ' ' : c;
    }
  }
  return out;
}

}  // namespace slipway
