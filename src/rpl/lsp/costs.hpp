// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the variants of the programs of a source cost, by entry point.
#pragma once

#include <utility>
#include <vector>

#include "rpl/lsp/workspace.hpp"

namespace slipway::rpl::lsp {

struct CostRange {
  std::size_t min = 0, max = 0;
};

// Of a function that is an entry point.
struct EntryCost {
  std::size_t programs = 0;  // of which it is one
  std::size_t too_many = 0;  // programs with more than kMaxEditorVariants
  std::size_t variants = 0, failing = 0;
  std::size_t modules = 0;        // that differ in this stage
  CostRange bytes, instructions;  // of SPIR-V with this stage alone
};

// By the name in the source, in order. `views`: of one source.
std::vector<std::pair<Span, EntryCost>> entry_costs(const std::vector<SourceView>& views);

}  // namespace slipway::rpl::lsp
