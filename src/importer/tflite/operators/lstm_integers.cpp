// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LSTM of int8 with gates and cells of int16, as the kernels compute it: gates have 12 bits after the point, their
// functions 15.
#include <algorithm>
#include <cmath>

#include "importer/quant/fixed_point.hpp"
#include "importer/tflite/operators/recurrent.hpp"

namespace slipway::importer {
namespace {

// Operands: input weights, recurrent weights, peepholes, biases of the gates i f c o, from 1 on.
constexpr std::size_t kInput = 1, kRecurrent = 5, kPeephole = 9, kBias = 12, kProjection = 16, kProjectionBias = 17,
                      kState = 18, kCell = 19, kNorm = 20;
constexpr std::size_t kNoPeephole = 3;
constexpr std::size_t kIntermediates = 5, kHidden = 4;
constexpr int kFraction = 15;

float scale_of(const NodeContext& node, std::size_t i) {
  const Term& x = node.in(i);
  if (!x.quantization || x.quantization->scales.size() != 1)
    throw Refused("an operand of the LSTM has no single scale");
  return x.quantization->scale();
}

Quantization hidden_quantization(const NodeContext& node) {
  const auto list = node.list("intermediates");
  if (!list || list->size() != kIntermediates)
    throw Refused("an LSTM of integers needs five intermediate tensors; others are not supported");
  const std::int64_t id = (*list)[kHidden];
  const auto& by = id < 0 ? nullptr : node.value(static_cast<NetValueId>(id)).quantization;
  if (!by || by->scales.size() != 1) throw Refused("an intermediate tensor of the LSTM has no single scale");
  return *by;
}

}  // namespace

IntegerLstm::IntegerLstm(NodeContext& node) : node_(node), b_(node.b) {
  if (arithmetic_of(node) == Arithmetic::Float) throw Refused("an LSTM of integers has no float arithmetic");
  for (std::size_t i = 0; i < 4; ++i) {
    if (node.has(kNorm + i)) throw Refused("layer normalisation in an LSTM of integers is not supported");
  }
  if (activation_of(node) != Activation::Tanh) throw Refused("an LSTM of integers has another activation than TANH");
  // The kernel takes the peepholes for as many as the results.
  if (node.has(kPeephole + 1) && node.has(kProjection) && node.in(kState).extent(-1) != node.in(kCell).extent(-1))
    throw Refused("peepholes with a projection to another size are not supported in an LSTM of integers");
  coupled_ = !node.has(kInput);
  hidden_ = hidden_quantization(node);
  const float cell_scale = scale_of(node, kCell);
  int exponent = 0;
  if (std::frexp(cell_scale, &exponent) != 0.5F) throw Refused("the scale of the cells is not a power of two");
  cell_exponent_ = exponent - 1;
  if (cell_exponent_ < -kFraction || cell_exponent_ > 6 - kFraction)
    throw Refused("the scale of the cells is not supported");
  const double cell_clip = node.real("cell_clip", 0), clip = node.real("proj_clip", 0);
  if (cell_clip > 0) cell_limit_ = std::trunc(std::min(static_cast<float>(cell_clip) / cell_scale, 32767.0F));
  if (clip > 0) result_limit_ = std::trunc(std::min(static_cast<float>(clip) / scale_of(node, kState), 127.0F));
  const auto table = [&](const IntegerFunction& function) {
    return b_.term(b_.value(table_of(b_, FileType::I16, FileType::I16, function)), FileType::I16);
  };
  const auto tanh = [](int bits) {
    return [bits](std::int64_t x) { return tanh_of_16_bits(static_cast<std::int16_t>(x), bits); };
  };
  logistic_ = table([](std::int64_t x) { return logistic_of_16_bits(static_cast<std::int16_t>(x)); });
  tanh_ = table(tanh(3));
  const int cell_bits = kFraction + cell_exponent_;
  tanh_of_cell_ = cell_bits == 3 ? tanh_ : table(tanh(cell_bits));
}

// Sums of products with the zero point and bias, scaled.
Term IntegerLstm::product(const Term& x, std::int64_t zero, std::size_t weights, std::size_t bias, float scale,
                          FileType to) const {
  const QuantisedTerm of_weights = quantised_operand(node_, weights);
  if (of_weights.term.type != FileType::I8 || of_weights.type.zero != 0)
    throw Refused("weights of an LSTM are not int8");
  const std::int64_t rows = x.extent(0), inputs = of_weights.term.extent(1), units = of_weights.term.extent(0);
  const Term* const added = bias != 0 && node_.has(bias) ? &node_.in(bias) : nullptr;
  const Term sums =
      convolution(b_, b_.reshape(x, {rows, 1, 1, inputs}), b_.reshape(of_weights.term, {units, 1, 1, inputs}), added,
                  windows_of({1, 1}), {.input_zero = zero});
  return scaled(b_.reshape(sums, {rows, units}), scale, to);
}

Term IntegerLstm::scaled(const Term& x, float scale, FileType to) const {
  return rescale(b_, x, to, {.by = {multiplier_of(scale)}, .arithmetic = arithmetic_of(node_)});
}

Term IntegerLstm::sum(const Term& a, const Term& b) const {
  const Term wide = b_.add(b_.widen(a), b_.widen(b));
  return b_.narrow(b_.binary(Binary::Min, b_.binary(Binary::Max, wide, -32768), 32767), FileType::I16);
}

// A product of int16, divided by a power of two.
Term IntegerLstm::product(const Term& a, const Term& b, int shift) const {
  return b_.cast(divide_by_power(b_, b_.mul(b_.widen(a), b_.widen(b)), shift), FileType::I16);
}

Term IntegerLstm::gate(std::size_t which, const Term& x, const Term& h, std::size_t peephole, const Term& cell) const {
  constexpr float kGateScale = 0x1p-12F;
  const QuantisedType of_x = quantised_operand(node_, 0).type, of_h = quantised_operand(node_, kState).type;
  const auto effective = [&](std::size_t weights, float scale) {
    return scale_of(node_, weights) * scale / kGateScale;
  };
  Term made =
      product(x, of_x.zero, kInput + which, kBias + which, effective(kInput + which, of_x.scale), FileType::I16);
  made =
      sum(product(h, of_h.zero, kRecurrent + which, 0, effective(kRecurrent + which, of_h.scale), FileType::I32), made);
  if (peephole == kNoPeephole || !node_.has(kPeephole + peephole)) return made;
  const Term products = b_.mul(b_.widen(node_.in(kPeephole + peephole)), b_.widen(cell));
  const float scale = std::ldexp(1.0F, cell_exponent_) * scale_of(node_, kPeephole + peephole) / kGateScale;
  return sum(scaled(products, scale, FileType::I32), made);
}

std::vector<Term> IntegerLstm::step(const Term& x, const Term& h, const Term& cell) const {
  const Term forget = looked_up(b_, logistic_, gate(1, x, h, 1, cell));
  const Term input =
      coupled_ ? b_.sub(b_.number(FileType::I16, 32767), forget) : looked_up(b_, logistic_, gate(0, x, h, 0, cell));
  const Term fresh = looked_up(b_, tanh_, gate(2, x, h, kNoPeephole, cell));
  Term next = sum(product(forget, cell, kFraction), product(input, fresh, 2 * kFraction + cell_exponent_));
  if (cell_limit_ > 0) next = b_.clamp(next, -cell_limit_, cell_limit_);
  const Term output = looked_up(b_, logistic_, gate(3, x, h, 2, next));
  const Term products = b_.mul(b_.widen(output), b_.widen(looked_up(b_, tanh_of_cell_, next)));
  const float to_hidden = 0x1p-15F / hidden_.scale() * 0x1p-15F;
  const auto bytes = [&](const Term& sums, std::int64_t zero) {
    const Term moved = b_.binary(Binary::Add, sums, static_cast<double>(zero));
    return b_.narrow(b_.binary(Binary::Min, b_.binary(Binary::Max, moved, -128), 127), FileType::I8);
  };
  Term made = bytes(scaled(products, to_hidden, FileType::I32), hidden_.zero_point());
  if (node_.has(kProjection)) {
    const QuantisedType to = quantised_operand(node_, kState).type;
    const float scale = scale_of(node_, kProjection) * hidden_.scale() / to.scale;
    made = bytes(product(made, hidden_.zero_point(), kProjection, kProjectionBias, scale, FileType::I32), to.zero);
    if (result_limit_ > 0) made = b_.clamp(made, -result_limit_, result_limit_);
  }
  return {made, next};
}

}  // namespace slipway::importer
