// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/plan/locate.hpp"

namespace slipway::launch {

Diagnostic located(Diagnostic diagnostic, const Origin& origin) {
  if (diagnostic.location.kind == SourceLocation::Kind::None) {
    diagnostic.location = origin.location();
  } else if (origin.location().kind != SourceLocation::Kind::None) {
    diagnostic.note("asked for here", origin.location());
  }
  if (diagnostic.path.empty()) diagnostic.at(origin.path(), origin.uid());
  return diagnostic;
}

Failure located(Failure failure, const Origin& origin) {
  for (Diagnostic& diagnostic : failure) diagnostic = located(std::move(diagnostic), origin);
  return failure;
}

}  // namespace slipway::launch
