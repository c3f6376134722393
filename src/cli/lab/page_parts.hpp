// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fixed parts of the report page.
#pragma once

#include <string_view>

namespace slipway::cli {

std::string_view page_style();
std::string_view page_body();
std::string_view page_script();

}  // namespace slipway::cli
