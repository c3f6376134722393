// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/format.hpp"

#include <iterator>

namespace slipway {

std::string vformatted(std::string_view pattern, std::format_args arguments) {
  return std::vformat(pattern, arguments);
}

void append_vformatted(std::string& out, std::string_view pattern, std::format_args arguments) {
  std::vformat_to(std::back_inserter(out), pattern, arguments);
}

}  // namespace slipway
