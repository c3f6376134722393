// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recurrent layers of floats, unrolled over their steps. Weights may be int8: then each product quantises its rows.
#include <algorithm>
#include <array>
#include <functional>

#include "base/format.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"
#include "importer/tflite/operators/hybrid.hpp"
#include "importer/tflite/operators/recurrent.hpp"

namespace slipway::importer {
namespace {

constexpr std::int64_t kMaxSteps = 4096;

// Operands and results of one direction.
struct RecurrentStep {
  std::vector<Term> state;
  Term result;
};
using Step = std::function<RecurrentStep(const Term& x, const std::vector<Term>& state)>;

// Steps along an axis of x; the results are put together along it.
RecurrentStep unrolled(Builder& b, const Term& x, std::int64_t axis, bool backwards, std::vector<Term> state,
                       const Step& step) {
  const std::int64_t count = x.extent(axis);
  if (count == 0 || count > kMaxSteps) throw Refused(formatted("{} steps are too many or too few", count));
  std::vector<Term> results;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = backwards ? count - 1 - i : i;
    RecurrentStep made = step(b.squeeze(b.slice_axis(x, axis, at, 1), axis), state);
    state = std::move(made.state);
    results.push_back(b.unsqueeze(made.result, axis));
  }
  if (backwards) std::ranges::reverse(results);
  return {std::move(state), b.concat(results, axis)};
}

const Term* optional_operand(const NodeContext& node, std::size_t i) { return node.has(i) ? &node.in(i) : nullptr; }

void check_floats(const NodeContext& node, std::initializer_list<std::size_t> operands) {
  for (const std::size_t i : operands) {
    if (node.has(i) && !is_real(node.in(i).type)) throw Refused("recurrent layers of integers are not supported");
  }
}

// Floats by weights of floats or int8. Rows are quantised once for all weights.
class Rows {
 public:
  Rows(NodeContext& node, Term x) : node_(node), x_(std::move(x)) {}

  Term linear(std::size_t weights, const Term* bias) {
    if (!is_quantised(node_.in(weights))) return node_.b.linear(x_, node_.in(weights), bias);
    if (!stored_) stored_ = quantise_rows(node_.b, x_, 1, node_.flag("asymmetric_quantize_inputs"));
    return hybrid_linear(node_, *stored_, weights, bias);
  }

 private:
  NodeContext& node_;
  Term x_;
  std::optional<QuantisedRows> stored_;
};

Term activation_in_step(NodeContext& node, const Term& x) { return activated(node, x); }

// RNN: act(W x + R h + b).
RecurrentStep rnn_step(NodeContext& node, std::size_t first, const Term& x, const Term& h) {
  const Term sum =
      node.b.add(Rows(node, x).linear(first, &node.in(first + 2)), Rows(node, h).linear(first + 1, nullptr));
  const Term made = activation_in_step(node, sum);
  return {{made}, made};
}

// Where the operands of an LSTM are: input weights, recurrent weights, peepholes, biases of the gates i f c o, and the
// rest.
struct LstmOperands {
  std::size_t first = 1, state = 18, cell = 19, norm = 20;
};

class Lstm {
 public:
  Lstm(NodeContext& node, const LstmOperands& at) : node_(node), b_(node.b), at_(at) {
    for (const std::size_t i : {11, 12, 13, 14, 16}) check_floats(node, {at.first + i});
    coupled_ = !node.has(at.first);
    cell_clip_ = node.real("cell_clip", 0);
    projection_clip_ = node.real("proj_clip", 0);
  }

  RecurrentStep step(const Term& x, const std::vector<Term>& state) {
    Rows of_x(node_, x), of_h(node_, state[0]);
    const Term& c = state[1];
    const Term forget = b_.unary(Unary::Sigmoid, gate(1, of_x, of_h, 1, c));
    const Term input =
        coupled_ ? b_.sub(b_.number(FileType::F32, 1), forget) : b_.unary(Unary::Sigmoid, gate(0, of_x, of_h, 0, c));
    const Term fresh = activation_in_step(node_, gate(2, of_x, of_h, kNone, c));
    Term cell = b_.add(b_.mul(forget, c), b_.mul(input, fresh));
    if (cell_clip_ > 0) cell = b_.clamp(cell, -cell_clip_, cell_clip_);
    const Term output = b_.unary(Unary::Sigmoid, gate(3, of_x, of_h, 2, cell));
    Term made = b_.mul(output, activation_in_step(node_, cell));
    if (node_.has(at_.first + 15)) {
      made = Rows(node_, made).linear(at_.first + 15, optional_operand(node_, at_.first + 16));
      if (projection_clip_ > 0) made = b_.clamp(made, -projection_clip_, projection_clip_);
    }
    return {{made, cell}, made};
  }

 private:
  static constexpr std::size_t kNone = 3;

  // W x + R h + P c + b, whose sum may be normalised.
  Term gate(std::size_t which, Rows& x, Rows& h, std::size_t peephole, const Term& c) {
    const Term* const bias = optional_operand(node_, at_.first + 11 + which);
    const Term* const norm = at_.norm == 0 ? nullptr : optional_operand(node_, at_.norm + which);
    Term sum = b_.add(x.linear(at_.first + which, norm ? nullptr : bias), h.linear(at_.first + 4 + which, nullptr));
    const Term* const from_cell = peephole == kNone ? nullptr : optional_operand(node_, at_.first + 8 + peephole);
    if (from_cell) sum = b_.add(sum, b_.mul(c, is_quantised(*from_cell) ? dequantised(b_, *from_cell) : *from_cell));
    if (!norm) return sum;
    const Term centre = b_.sub(sum, b_.reduce(Reduction::Mean, sum, {-1}, true));
    const Term variance = b_.reduce(Reduction::Mean, b_.mul(centre, centre), {-1}, true);
    const Term normal = b_.mul(centre, b_.unary(Unary::Rsqrt, b_.binary(Binary::Add, variance, 1e-8)));
    const Term scaled = b_.mul(normal, *norm);
    return bias ? b_.add(scaled, *bias) : scaled;
  }

  NodeContext& node_;
  Builder& b_;
  LstmOperands at_;
  bool coupled_ = false;
  double cell_clip_ = 0, projection_clip_ = 0;
};

// Of LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM.
Step lstm_step(NodeContext& node) {
  if (is_quantised(node)) {
    return [lstm = IntegerLstm(node)](const Term& x, const std::vector<Term>& state) -> RecurrentStep {
      std::vector<Term> made = lstm.step(x, state[0], state[1]);
      const Term result = made[0];
      return {std::move(made), result};
    };
  }
  check_floats(node, {0});
  return [lstm = Lstm(node, {})](const Term& x, const std::vector<Term>& state) mutable { return lstm.step(x, state); };
}

std::int64_t time_axis(const NodeContext& node, bool otherwise) { return node.flag("time_major", otherwise) ? 0 : 1; }

}  // namespace

void emit_tflite_RNN(NodeContext& node) {
  check_floats(node, {0, 3});
  RecurrentStep made = rnn_step(node, 1, node.in(0), node.in(4));
  node.update(4, made.state[0]);
  node.out(0, made.result);
}

void emit_tflite_UNIDIRECTIONAL_SEQUENCE_RNN(NodeContext& node) {
  check_floats(node, {0, 3});
  const Step step = [&](const Term& x, const std::vector<Term>& state) { return rnn_step(node, 1, x, state[0]); };
  RecurrentStep made = unrolled(node.b, node.in(0), time_axis(node, false), false, {node.in(4)}, step);
  node.update(4, made.state[0]);
  node.out(0, made.result);
}

void emit_tflite_BIDIRECTIONAL_SEQUENCE_RNN(NodeContext& node) {
  check_floats(node, {0, 3, 7});
  if (node.has(9)) throw Refused("an auxiliary input is not supported");
  std::vector<Term> results;
  for (const bool backwards : {false, true}) {
    const std::size_t first = backwards ? 5 : 1;
    const Step step = [&](const Term& x, const std::vector<Term>& state) { return rnn_step(node, first, x, state[0]); };
    RecurrentStep made = unrolled(node.b, node.in(0), time_axis(node, false), backwards, {node.in(first + 3)}, step);
    node.update(first + 3, made.state[0]);
    results.push_back(made.result);
  }
  if (node.flag("merge_outputs")) return node.out(0, node.b.concat(results, -1));
  for (std::size_t i = 0; i < 2; ++i) node.out(i, results[i]);
}

void emit_tflite_UNIDIRECTIONAL_SEQUENCE_LSTM(NodeContext& node) {
  if (node.flag("diagonal_recurrent_tensors")) throw Refused("diagonal recurrent weights are not supported");
  const Step step = lstm_step(node);
  RecurrentStep made = unrolled(node.b, node.in(0), time_axis(node, false), false, {node.in(18), node.in(19)}, step);
  node.update(18, made.state[0]);
  node.update(19, made.state[1]);
  node.out(0, made.result);
}

void emit_tflite_BIDIRECTIONAL_SEQUENCE_LSTM(NodeContext& node) {
  check_floats(node, {0});
  for (std::size_t i = 39; i < 48; ++i) {
    if (node.has(i)) throw Refused("an auxiliary input is not supported");
  }
  std::vector<Term> results;
  for (const bool backwards : {false, true}) {
    const LstmOperands at{
        .first = backwards ? 18U : 1U, .state = backwards ? 37U : 35U, .cell = backwards ? 38U : 36U, .norm = 0};
    Lstm lstm(node, at);
    const Step step = [&](const Term& x, const std::vector<Term>& state) { return lstm.step(x, state); };
    RecurrentStep made =
        unrolled(node.b, node.in(0), time_axis(node, true), backwards, {node.in(at.state), node.in(at.cell)}, step);
    node.update(at.state, made.state[0]);
    node.update(at.cell, made.state[1]);
    results.push_back(made.result);
  }
  if (node.flag("merge_outputs")) return node.out(0, node.b.concat(results, -1));
  for (std::size_t i = 0; i < 2; ++i) node.out(i, results[i]);
}

namespace {

// All weights in one matrix of the input and the last result; the gates are i c f o.
void basic_lstm(NodeContext& node) {
  Builder& b = node.b;
  check_floats(node, {0, 2});
  const Term sums = b.linear(b.concat({node.in(0), node.in(1)}, -1), node.in(2), &node.in(3));
  const std::int64_t units = sums.extent(-1) / 4;
  std::array<Term, 4> gates;
  for (std::size_t i = 0; i < 4; ++i) {
    const Term part = b.slice_axis(sums, -1, static_cast<std::int64_t>(i) * units, units);
    gates[i] = b.unary(i == 1 ? Unary::Tanh : Unary::Sigmoid, part);
  }
  const Term cell = b.add(b.mul(gates[0], gates[1]), b.mul(gates[2], node.in(4)));
  const Term made = b.mul(gates[3], b.unary(Unary::Tanh, cell));
  node.out(0, made);
  if (node.wants(1)) node.out(1, cell);
  for (std::size_t i = 2; i < node.outputs(); ++i) node.out(i, sums);
}

}  // namespace

void emit_tflite_LSTM(NodeContext& node) {
  if (node.integer("kernel_type", 0) == 1) return basic_lstm(node);
  RecurrentStep made = lstm_step(node)(node.in(0), {node.in(18), node.in(19)});
  node.update(18, made.state[0]);
  node.update(19, made.state[1]);
  node.out(0, made.result);
}

void emit_tflite_SVDF(NodeContext& node) {
  Builder& b = node.b;
  const bool is_integer = is_quantised(node);
  if (!is_integer) check_floats(node, {1, 2});
  const Term& x = node.in(0);
  const Term& time = node.in(2);
  const std::int64_t rank = node.integer("rank", 1), filters = time.extent(0), memory = time.extent(1),
                     batch = x.extent(0);
  if (rank < 1 || filters % rank != 0) throw Refused(formatted("the rank is {}", rank));
  const Term feature = is_integer ? svdf_feature(node) : b.linear(x, node.in(1), nullptr);
  // The oldest entry of each filter goes.
  const Term before = b.slice_axis(b.reshape(node.in(4), {batch, filters, memory}), 2, 1, memory - 1);
  const Term state = b.concat({before, b.reshape(feature, {batch, filters, 1})}, 2);
  node.update(4, b.reshape(state, node.in(4).shape));
  const Term products = is_integer ? b.mul(b.widen(state), b.reshape(b.widen(time), {1, filters, memory}))
                                   : b.mul(state, b.reshape(time, {1, filters, memory}));
  const Term sums = b.reduce(Reduction::Sum, b.reshape(products, {batch, filters / rank, rank * memory}), {2}, false);
  const Term moved = node.has(3) ? b.add(sums, node.in(3)) : sums;
  if (is_integer) return svdf_result(node, moved);
  node.out(0, activated(node, moved));
}

}  // namespace slipway::importer
