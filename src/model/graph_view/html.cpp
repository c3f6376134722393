// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/graph_view/html.hpp"

#include "base/format.hpp"

namespace slipway::model {

std::string pixel_text(double value) {
  std::string text = formatted("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace slipway::model
