// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices that several operators share.
#pragma once

#include "importer/emit/node_context.hpp"

namespace slipway::importer {

// The last two dimensions exchanged.
Term swapped(Builder& b, const Term& x);
// With the attributes alpha, beta, transA and transB; `c` may be null.
Term gemm(const NodeContext& node, const Term& a, const Term& weights, const Term* c);

}  // namespace slipway::importer
