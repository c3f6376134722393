// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics as tests compare them: one line each, message and kind.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "base/format.hpp"

namespace slipway::testing {

inline std::string messages(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all())
    text += formatted("{} [{}]\n", diagnostic.message, name_of(diagnostic.kind));
  return text;
}

}  // namespace slipway::testing
