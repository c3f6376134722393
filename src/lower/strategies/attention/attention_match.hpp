// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: softmax(Q K + ...) V, recognised by its structure.
//
//   scores = MATMUL(Q, K)                       [batches, rows, keys]
//   logits = pointwise operators, one after the other, from scores: scale, mask, casts, in any order
//   powers = EXP(SUB(logits, REDUCE_MAX(logits)))
//   shares = MUL(powers, RECIPROCAL(REDUCE_SUM(powers)))
//   result = MATMUL(shares, V)                  [batches, rows, columns]
//
// There may be reshapes between all of them, a cast of the shares, and reshapes and transposes of the result. Nothing
// between Q, K, V and the result may have other readers or be an output.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/device_facts.hpp"
#include "lower/uses.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

struct Attention {
  const tosa::Node *scores = nullptr, *max = nullptr, *difference = nullptr, *powers = nullptr, *sum = nullptr,
                   *reciprocal = nullptr, *shares = nullptr, *values = nullptr;
  std::vector<const tosa::Node*> path;   // from the scores to the logits, without the scores
  std::vector<const tosa::Node*> cast;   // from the shares to the operand of the second product
  std::vector<const tosa::Node*> after;  // reshapes and transposes of the result; the last one stores
  tosa::ValueId q{}, k{}, v{}, logits{};
  std::int64_t batches = 1, rows = 1, keys = 1, depth = 1, columns = 1;
  tosa::DataType type{};  // of the operands of both products

  const tosa::Node& last() const { return after.empty() ? *values : *after.back(); }
  std::int64_t products() const { return batches * rows * keys * (depth + columns); }
};

// The attention whose result a node stores. Nothing is required of readers and storage.
std::optional<Attention> match_attention(const tosa::Graph& graph, const tosa::Node& last);

// Makes each attention that the device has a kernel for one group. `stored` is a fusion plan without it.
void plan_attention(const tosa::Graph& graph, const DeviceFacts& device, const Uses& uses, std::vector<bool>& stored);

// The attention that plan_attention has planned, whose result a node stores.
std::optional<Attention> planned_attention(const tosa::Graph& graph, const std::vector<bool>& stored,
                                           const tosa::Node& last);

// For people, one line: `12 x 128 rows, 77 keys, depth 64, columns 64, f16: MATMUL + MUL + ADD, softmax, MATMUL`.
std::string print_attention(const Attention& attention);

// Whether the device has a kernel for it (scalar_attention.cpp).
bool has_attention_kernel(const Attention& attention, const DeviceFacts& device);

}  // namespace slipway::lower
