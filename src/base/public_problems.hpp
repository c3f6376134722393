// Diagnostics as the public interface has them (include/slipway/problem.hpp).
#pragma once

#include <span>
#include <vector>

#include "base/diagnostic.hpp"
#include "slipway/problem.hpp"

namespace slipway {

std::vector<Problem> public_problems(std::span<const Diagnostic> diagnostics);

}  // namespace slipway
