// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of a file, their bytes and their sparsity (docs/spec/converter.md#graph-constants,
// docs/spec/converter.md#sparsity).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "convert/passes/simplify.hpp"
#include "tosa/graph.hpp"

namespace slipway::convert {

// Constants with more elements are stored in the file's constant section; others are part of the module.
inline constexpr std::uint64_t kMaxInlinedElements = 16;

// Constants of equal elements with more bytes are part of the module too, where they take a few words; expanded,
// 16 GiB of them take minutes to write.
inline constexpr std::uint64_t kMaxExpandedSplat = 256 << 20;

// Assigns indices to the constants that operators of graph segments use, in order, and returns their values by index;
// all other constants lose their index. `replicate`: modules may have replicated composites.
std::vector<tosa::ValueId> number_constants(tosa::Graph& graph, const std::vector<bool>& shaders, bool replicate);

std::uint64_t constant_bytes(const tosa::TensorType& type);
// Passes the bytes as stored in the file to `put`: splats expanded, booleans as 0x00 and 0xff. Everything else is
// passed without a copy.
void put_constant(const tosa::Constant& constant, const tosa::TensorType& type, const std::function<void(Bytes)>& put);
void put_constant(const DeferredTranspose& constant, const tosa::TensorType& type,
                  const std::function<void(Bytes)>& put);

// 3 if a constant is weights with 2:4 sparsity along their innermost dimension, else -1.
std::int64_t sparsity_of(const tosa::Graph& graph, tosa::ValueId constant, bool is_weights,
                         const DeferredTransposes& deferred);
// By value: whether it is operand 1 of a CONV2D or TRANSPOSE_CONV2D.
std::vector<bool> weights(const tosa::Graph& graph);

}  // namespace slipway::convert
