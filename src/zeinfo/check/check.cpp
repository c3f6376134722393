// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/check/check.hpp"

#include "zeinfo/check/rules.hpp"

namespace slipway::zeinfo {

void check(const Document& document, const Target& target, const CheckOptions& options, TextDiagnostics& diagnostics) {
  RuleContext context(document, target, options, diagnostics);
  check_spec(context);
  if (options.level == Level::Spec) return;
  check_consistency(context);
  check_names(context);
  if (target.has_container()) check_container(context);
  if (options.level == Level::Runtime) check_runtime(context);
}

}  // namespace slipway::zeinfo
