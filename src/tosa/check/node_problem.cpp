// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/check/node_problem.hpp"

#include "base/format.hpp"

namespace slipway::tosa {

Diagnostic node_problem(Severity severity, DiagnosticKind kind, const Node& node, std::string_view text) {
  const std::string name = node.name.empty() ? std::string() : formatted(" `{}`", node.name);
  return {.severity = severity,
          .kind = kind,
          .message = formatted("{}{}: {}", name_of(node.op), name, text),
          .location = node.location,
          .names_operator = true};
}

}  // namespace slipway::tosa
