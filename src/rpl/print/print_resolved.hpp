// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A resolved program as RPL text, module by module (docs/spec/rpl.md#printable-steps): no options, no conditionals, no
// constants, aliases replaced, expressions folded. It is a valid program: compiled without options it has the same
// interface, settings and SPIR-V.
#pragma once

#include <string>
#include <vector>

#include "rpl/resolved.hpp"

namespace slipway::rpl {

struct ResolvedModule {
  std::string name;  // as in Program::modules
  std::string text;
};

std::vector<ResolvedModule> print_resolved(const Resolved& resolved);

}  // namespace slipway::rpl
