// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: what the operators of ai.onnx and of com.microsoft share.
#pragma once

#include "importer/emit/node_context.hpp"

namespace slipway::importer {

// [B, S, heads * D] as [B, heads, S, D]; a tensor of rank 4 is so already.
Term split_heads(Builder& b, const Term& x, std::int64_t heads);
// [B, heads, S, D] as [B, S, heads * D].
Term merge_heads(Builder& b, const Term& x);

// Products of queries [B, heads, S, D] with keys [B, key heads, T, D] times `scale`: [B, heads, S, T] as float32. Each
// key head serves heads / key heads consecutive query heads.
Term attention_scores(Builder& b, const Term& queries, const Term& keys, double scale);
// The sum of values [B, value heads, T, D] with shares [B, heads, S, T]: [B, heads, S, D].
Term attention_values(Builder& b, const Term& shares, const Term& values);
// 0 where a bool is true and minus infinity elsewhere.
Term bias_of_mask(Builder& b, const Term& mask, FileType type);
// The bias [S, T] by which query i sees keys up to i + past only.
Term causal_bias(Builder& b, FileType type, std::int64_t queries, std::int64_t keys, std::int64_t past);

struct Rotary {
  std::int64_t dimensions = 0;  // of a head that are rotated; 0: all
  bool interleaved = false;
};
// x [B, heads, S, D]; cosine and sine [.., S, dimensions / 2], broadcast to [B, 1, S, dimensions / 2].
Term rotated(Builder& b, const Term& x, const Term& cosine, const Term& sine, const Rotary& rotary);

}  // namespace slipway::importer
