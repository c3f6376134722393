// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts that all pages share: one HTML file each, without references to other files.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

// Its script finds `data` as `D`, and functions that make elements; it sets texts of the data only as text, never as
// markup.
struct PageParts {
  std::string title;        // plain text
  std::string_view style;   // after the common style: light and dark, narrow screens, print
  std::string_view body;    // markup
  std::string data;         // JSON
  std::string_view script;  // after the common one
};
std::string write_page(const PageParts& parts);

}  // namespace slipway
