// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recurrent layers of int8: SVDF, whose state is int16, and LSTM, whose cells are.
#pragma once

#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {

// [batch, filters] in the type of the state.
Term svdf_feature(NodeContext& node);
// Scales sums of int32 to the result.
void svdf_result(NodeContext& node, const Term& sums);

// The operands are those of LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM.
class IntegerLstm {
 public:
  explicit IntegerLstm(NodeContext& node);
  // The result, which is the next state too, and the next cells, of x [batch, inputs].
  std::vector<Term> step(const Term& x, const Term& h, const Term& cell) const;

 private:
  Term product(const Term& x, std::int64_t zero, std::size_t weights, std::size_t bias, float scale, FileType to) const;
  Term product(const Term& a, const Term& b, int shift) const;
  Term scaled(const Term& x, float scale, FileType to) const;
  Term sum(const Term& a, const Term& b) const;  // as int16, saturated
  Term gate(std::size_t which, const Term& x, const Term& h, std::size_t peephole, const Term& cell) const;

  NodeContext& node_;
  Builder& b_;
  bool coupled_ = false;
  Quantization hidden_;  // of the result before its projection
  int cell_exponent_ = 0;
  double cell_limit_ = 0, result_limit_ = 0;  // 0: none
  Term logistic_, tanh_, tanh_of_cell_;       // tables
};

}  // namespace slipway::importer
