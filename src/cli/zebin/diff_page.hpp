// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page of `slipway diff --html`.
#pragma once

#include <string>

namespace slipway::cli {

// `document`: what `slipway diff --json` prints.
std::string diff_page(const std::string& document);

}  // namespace slipway::cli
