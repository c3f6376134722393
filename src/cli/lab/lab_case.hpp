// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A case of a run of many: a file, or a row of `slipway conformance`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"

namespace slipway::cli {

struct LabCase {
  std::string file;
  std::uint32_t copy = 1;
  std::string format;                     // empty: the file is not run
  std::optional<Diagnostic> why_not_run;  // then
};

}  // namespace slipway::cli
