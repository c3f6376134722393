// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts diagnostics to the type of the public interface (include/slipway/problem.hpp).
#pragma once

#include <span>
#include <vector>

#include "base/diagnostic.hpp"
#include "slipway/problem.hpp"

namespace slipway {

std::vector<Problem> public_problems(std::span<const Diagnostic> diagnostics);

}  // namespace slipway
