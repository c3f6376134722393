// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text in HTML and Graphviz output.
#pragma once

#include <string>

namespace slipway::model {

// A coordinate in pixels, to a tenth of a pixel.
std::string pixel_text(double value);

}  // namespace slipway::model
