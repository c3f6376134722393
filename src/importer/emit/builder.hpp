// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Building blocks of operators (docs/spec/import.md#building-blocks). Each takes terms of any type that graphs compute
// with and any rank up to 6, follows the rules of numpy for broadcasting, computes on the host what is known and small,
// and adds TOSA operators for the rest. They throw Refused for what TOSA cannot express.
//
// Each class of the chain uses only what those below it have: a graph, movement of data, arithmetic, sums.
//
//   builder.clamp(builder.binary(Binary::Add, x, bias), 0, 6)
//
// A term of rank 0 is a tensor [1] of the graph. Integers are computed in 32 bits and wrap to their type afterwards;
// unsigned ones are bits in the signed type of the graph. Axes may be counted from the end.
#pragma once

#include <cstdint>
#include <vector>

#include "importer/emit/builder/elementwise.hpp"

namespace slipway::importer {

enum class Reduction : std::uint8_t { Sum, Mean, Product, Max, Min, Any, All };

class TermBuilder : public Elementwise {
 public:
  Term reduce(Reduction op, const Term& x, std::vector<std::int64_t> axes, bool keep);
  Term matmul(const Term& a, const Term& b);
  // Of floats, as float32: products of narrow floats are not rounded to their type.
  Term matmul_wide(const Term& a, const Term& b);
  // Of int8 with zero points, as int32.
  Term matmul_int8(const Term& a, const Term& b, std::int64_t a_zero, std::int64_t b_zero);
  // x [..., I] with weights [O, I] and a bias [O] or nothing: [..., O].
  Term linear(const Term& x, const Term& weights, const Term* bias);
  // Computed in float32.
  Term softmax(const Term& x, std::int64_t axis);
  Term log_softmax(const Term& x, std::int64_t axis);
  Term cumsum(const Term& x, std::int64_t axis, bool exclusive, bool reverse);
  // The index of the first of the largest elements, as int32, without the axis.
  Term argmax(const Term& x, std::int64_t axis);
};

// Its name in the functions of operators.
using Builder = TermBuilder;

// What remains of no elements.
double neutral_of(Reduction op, FileType type);

}  // namespace slipway::importer
