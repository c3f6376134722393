// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fixed parts of the page of results.
#pragma once

#include <string_view>

#include "base/text/page.hpp"

namespace slipway::cli {

std::string_view page_body();
std::string_view page_script();

}  // namespace slipway::cli
