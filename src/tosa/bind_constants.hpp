// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binds data to the graph constants of a graph.
#pragma once

#include <functional>

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

// `data_of` returns the bytes of a GraphConstantID, or nothing. They must outlive the graph. Errors: unknown-reference,
// file-mismatch (another number of bytes than the type has).
void bind_constants(Graph& graph, const std::function<std::optional<Bytes>(std::uint32_t)>& data_of,
                    Diagnostics& diagnostics);

}  // namespace slipway::tosa
