// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems of one operator of a graph.
#pragma once

#include <string_view>

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

// "CONV2D `name`: text", located at the operator.
Diagnostic node_problem(Severity severity, DiagnosticKind kind, const Node& node, std::string_view text);

}  // namespace slipway::tosa
