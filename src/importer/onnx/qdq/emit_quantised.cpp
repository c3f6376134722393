// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/qdq/emit_quantised.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "importer/emit/unsigned.hpp"
#include "importer/onnx/operators/network/products.hpp"
#include "importer/onnx/operators/network/window_attributes.hpp"
#include "importer/onnx/operators/quantised/products.hpp"
#include "importer/onnx/qdq/quantised_pairs.hpp"
#include "importer/quant/half_even.hpp"
#include "importer/quant/tables.hpp"

namespace slipway::importer {
namespace {

// An operand as int8: real = scale * (stored - zero).
struct Numbers {
  Term term;
  std::vector<float> scales;
  std::vector<std::int64_t> zeros;  // one, or as many as scales
  std::int64_t axis = 0;

  float scale() const { return scales[0]; }
  std::int64_t zero() const { return zeros[0]; }
};

Numbers numbers(const NodeContext& node, const QuantisedGroup& group, std::size_t k) {
  if (k >= group.sources.size() || !group.sources[k]) throw Refused("an operand is not quantised");
  const Quantization& by = *group.sources[k]->quantization;
  const Term& x = node.in(k);
  Numbers made{.term = {}, .scales = by.scales, .zeros = by.zero_points, .axis = by.axis};
  if (x.count() == 0) throw Refused("a tensor has no elements");
  if (x.type == FileType::I8 || x.type == FileType::U8)
    made.term = as_signed(node.b, x);
  else if (is_integer(x.type) && bits_of(x.type) < 8)
    made.term = node.b.relabel(x, FileType::I8);
  else
    throw Refused("an operand has more than 8 bits");
  for (std::int64_t& zero : made.zeros) zero -= x.type == FileType::U8 ? signed_offset(x.type) : 0;
  if (std::ranges::all_of(made.zeros, [&](std::int64_t zero) { return zero == made.zeros[0]; })) made.zeros.resize(1);
  return made;
}

// x is a quotient by the scale of the result.
void out_rounded(NodeContext& node, std::size_t k, const Term& x, const QuantisedResult& to) {
  node.out(k, rounded_within(node.b, x, {.type = to.type, .zero = to.zero, .low = to.low, .high = to.high}));
}

// --- one operand, element by element ---------------------------------------------------------------------------------

std::int64_t rounded_on_host(float real, const QuantisedResult& to) {
  const double whole = std::nearbyint(real / to.scale) + static_cast<double>(to.zero);
  const auto low = static_cast<double>(to.low), high = static_cast<double>(to.high);
  return std::isnan(whole) ? to.zero : static_cast<std::int64_t>(std::clamp(whole, low, high));
}

// x as numbers of the result, through a function of its reals.
template <class Function>
Term requantised_by(Builder& b, const Term& x, const Numbers& from, const QuantisedResult& to, Function function) {
  const std::int64_t moved = to.type == FileType::U8 ? signed_offset(to.type) : 0;
  const Term made = by_table(b, x, FileType::I8, [&](std::int64_t stored) {
    return rounded_on_host(function(stored, from.scale() * static_cast<float>(stored - from.zero())), to) - moved;
  });
  return from_signed(b, made, to.type);
}

// The same for the function that changes nothing.
Term requantised(Builder& b, const Term& x, const Numbers& from, const QuantisedResult& to) {
  const std::int64_t moved = to.type == FileType::U8 ? signed_offset(to.type) : 0;
  const bool is_same = from.scale() == to.scale && from.zero() == to.zero - moved;
  if (is_same && to.high - to.low == 255) return from_signed(b, x, to.type);
  return requantised_by(b, x, from, to, [](std::int64_t, float real) { return real; });
}

void emit_function(NodeContext& node, const QuantisedGroup& group) {
  std::size_t operand = 0;
  while (operand < group.sources.size() && !group.sources[operand]) ++operand;
  const Numbers x = numbers(node, group, operand);
  std::vector<double> reals;
  for (std::int64_t stored = -128; stored < 128; ++stored)
    reals.push_back(static_cast<double>(x.scale() * static_cast<float>(stored - x.zero())));
  const Term all = known_term(array_of(FileType::F32, {256}, std::span<const double>(reals)));
  const std::vector<Term> made = node.run(*group.function, std::span(&all, 1), node.node().kind);
  if (made.size() != 1 || !made[0].known || made[0].type != FileType::F32 || made[0].shape != tensor::Shape{256})
    throw Refused("the function is not known before the run");
  node.out(0, requantised_by(node.b, x.term, x, *group.results[0], [&](std::int64_t stored, float) {
             return static_cast<float>(made[0].known->real(static_cast<std::size_t>(stored + 128)));
           }));
}

// --- movement --------------------------------------------------------------------------------------------------------

// The operator itself on other operands.
std::vector<std::optional<Term>> run_plainly(const NodeContext& node, std::span<const Term* const> inputs) {
  std::vector<std::optional<Term>> outputs(node.outputs());
  NodeContext inner = node.with(inputs, outputs);
  find_onnx_operator(node.node().domain, node.node().kind)(inner);
  return outputs;
}

void check_moves(const NodeContext& node) {
  const std::string& kind = node.node().kind;
  if (kind == "Resize" && (node.text("mode", "nearest") != "nearest" ||
                           node.text("coordinate_transformation_mode", "") == "tf_crop_and_resize"))
    throw Refused("a resize that computes");
  if (kind == "Pad" && node.text("mode", "constant") == "constant") {
    const bool is_operand = node.has(2) && node.in(2).count() == 1;
    const double filling = node.version() < 11 ? node.real("value", 0)
                           : is_operand        ? node.known(2, "constant_value").real(0)
                                               : 0;
    if (filling != 0) throw Refused("a filling that is not 0");
  }
}

void emit_movement(NodeContext& node, const QuantisedGroup& group) {
  check_moves(node);
  const Numbers x = numbers(node, group, 0);
  std::vector<const Term*> inputs{&x.term};
  for (std::size_t k = 1; k < node.inputs(); ++k) inputs.push_back(node.has(k) ? &node.in(k) : nullptr);
  const Term filling = node.b.number(FileType::I8, static_cast<double>(x.zero()));
  if (node.node().kind == "Pad") {
    if (node.version() < 11) throw Refused("an operator of an old version");
    inputs.resize(std::max<std::size_t>(inputs.size(), 3));
    inputs[2] = &filling;
  }
  const auto made = run_plainly(node, inputs);
  for (std::size_t k = 0; k < made.size(); ++k) {
    if (made[k] && group.results[k]) node.out(k, requantised(node.b, *made[k], x, *group.results[k]));
  }
}

void emit_join(NodeContext& node, const QuantisedGroup& group) {
  const QuantisedResult& to = *group.results[0];
  std::vector<Term> parts;
  for (std::size_t k = 0; k < node.inputs(); ++k) {
    const Numbers x = numbers(node, group, k);
    parts.push_back(as_signed(node.b, requantised(node.b, x.term, x, to)));
  }
  std::vector<const Term*> inputs;
  for (const Term& part : parts) inputs.push_back(&part);
  const auto made = run_plainly(node, inputs);
  node.out(0, from_signed(node.b, *made[0], to.type));
}

// --- sums ------------------------------------------------------------------------------------------------------------

Term real_constant(tensor::Shape shape, const std::vector<double>& numbers) {
  if (numbers.size() == 1) shape.clear();
  return known_term(array_of(FileType::F32, std::move(shape), std::span(numbers)));
}

void emit_average(NodeContext& node, const QuantisedGroup& group) {
  Builder& b = node.b;
  const Numbers x = numbers(node, group, 0);
  const QuantisedResult& to = *group.results[0];
  WindowSums windows;
  if (node.node().kind == "AveragePool") {
    windows = onnx_window_sums(node, x.term, x.zero());
  } else {
    if (x.term.rank() < 3) throw Refused("the operand has few dimensions");
    std::vector<std::int64_t> axes(x.term.rank() - 2);
    std::iota(axes.begin(), axes.end(), 2);
    const Term sum = b.reduce(Reduction::Sum, b.widen(x.term), axes, true);
    const std::int64_t count = x.term.count() / sum.count();
    windows = {.sums = b.binary(Binary::Sub, sum, static_cast<double>(count * x.zero())),
               .shape = {},
               .counts = {static_cast<double>(count)}};
  }
  for (double& count : windows.counts) count = static_cast<double>(x.scale()) / (static_cast<double>(to.scale) * count);
  out_rounded(node, 0, b.mul(b.cast(windows.sums, FileType::F32), real_constant(windows.shape, windows.counts)), to);
}

// Sums of products before they are scaled.
struct QuantisedContraction {
  const NodeContext& node;
  Numbers x, weights;
  std::string_view kind;
  std::vector<float> scales;  // of the sums: one, or one for each channel
  tensor::Shape channels;     // to which a list for each channel is reshaped

  std::int64_t outputs() const {
    const std::size_t axis = channel_axis();
    return weights.term.shape[axis] * (kind == "ConvTranspose" ? node.integer("group", 1) : 1);
  }
  // Of the weights.
  std::size_t channel_axis() const {
    if (kind == "Conv") return 0;
    if (kind == "ConvTranspose") return 1;
    if (kind == "Gemm") return node.flag("transB") ? 0 : 1;
    return weights.term.rank() - 1;
  }
  bool is_convolution() const { return kind == "Conv" || kind == "ConvTranspose"; }
};

QuantisedContraction quantised_contraction(const NodeContext& node, const QuantisedGroup& group) {
  QuantisedContraction made{.node = node,
                            .x = numbers(node, group, 0),
                            .weights = numbers(node, group, 1),
                            .kind = node.node().kind,
                            .scales = {},
                            .channels = {}};
  const std::size_t needed = made.kind == "Gemm" ? 2 : made.is_convolution() ? 3 : 1;
  if (made.x.term.rank() < needed || made.weights.term.rank() < needed)
    throw Refused("the operands have few dimensions");
  if (made.weights.scales.size() > 1) {
    const std::size_t axis = axis_of(made.weights.axis, made.weights.term.rank());
    const bool fits = made.kind == "MatMul" ? made.weights.term.rank() == 2 && made.x.term.rank() >= 2
                                            : made.kind != "ConvTranspose" || node.integer("group", 1) == 1;
    if (axis != made.channel_axis() || !fits ||
        static_cast<std::int64_t>(made.weights.scales.size()) != made.weights.term.shape[axis])
      throw Refused("the scales of the weights are not those of the channels");
  }
  const std::int64_t groups = node.integer("group", 1);
  if (groups < 1 || groups > made.weights.term.shape[0]) throw Refused("`group` does not divide the channels");
  for (const float scale : made.weights.scales) made.scales.push_back(made.x.scale() * scale);
  made.channels = {made.outputs()};
  if (made.is_convolution()) made.channels.resize(made.x.term.rank() - 1, 1);
  return made;
}

Term sums_of(const QuantisedContraction& of, const Term* bias) {
  const NodeContext& node = of.node;
  Builder& b = node.b;
  if (of.kind == "Conv")
    return integer_convolution(node, of.x.term, of.weights.term, bias, of.x.zeros, of.weights.zeros);
  if (of.kind == "ConvTranspose") {
    if (of.weights.zeros.size() > 1 || of.weights.zeros[0] != 0) throw Refused("the weights have zero points");
    return onnx_transposed_convolution(node, of.x.term, of.weights.term, bias, {.input_zero = of.x.zero()});
  }
  Term x = of.x.term, weights = of.weights.term;
  if (of.kind == "Gemm") {
    if (node.flag("transA")) x = swapped(b, x);
    if (node.flag("transB")) weights = swapped(b, weights);
  }
  const Term sums = integer_matmul(node, x, weights, of.x.zeros, of.weights.zeros);
  return bias ? b.add(sums, *bias) : sums;
}

struct Bias {
  std::optional<Term> sums;                  // as int32, added to the sums of products
  std::optional<std::vector<double>> reals;  // known, one for each channel or one for all
  std::optional<Term> term;                  // of floats
};

// Whether numbers with these scales can be added to the sums: the scales agree but for a rounding.
bool agrees(const std::vector<float>& scales, const std::vector<float>& sums) {
  if (scales.size() != 1 && scales.size() != sums.size()) return false;
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const float own = scales[scales.size() == 1 ? 0 : c];
    if (std::nextafter(own, 0.0F) > sums[c] || std::nextafter(own, INFINITY) < sums[c]) return false;
  }
  return true;
}

Bias bias_of(const QuantisedContraction& of, const QuantisedGroup& group) {
  const NodeContext& node = of.node;
  const double beta = of.kind == "Gemm" ? node.real("beta", 1) : 1;
  if (of.kind == "MatMul" || !node.has(2) || beta == 0) return {};
  const Term& c = node.in(2);
  const bool is_line = c.count() == of.outputs() && c.rank() >= 1 && c.extent(-1) == of.outputs();
  if (c.count() != 1 && !is_line) throw Refused("the bias is not of the channels");
  if (!group.sources[2]) {
    if (c.type != FileType::F32) throw Refused("the bias has another type");
    if (c.known) {
      std::vector<double> reals = c.known->reals();
      for (double& each : reals) each *= beta;
      return {.sums = {}, .reals = reals, .term = real_constant(of.channels, reals)};
    }
    const Term shaped = node.b.reshape(c, c.count() == 1 ? tensor::Shape{} : of.channels);
    return {.sums = {}, .reals = {}, .term = node.b.affine(shaped, beta, 0)};
  }
  const Quantization& by = *group.sources[2]->quantization;
  if (!c.known) throw Refused("the bias is not known before the run");
  const bool has_zero = std::ranges::any_of(by.zero_points, [](std::int64_t zero) { return zero != 0; });
  const bool is_plain = beta == 1 && (of.kind != "Gemm" || node.real("alpha", 1) == 1);
  if (c.type == FileType::I32 && !has_zero && is_plain && is_line && agrees(by.scales, of.scales))
    return {.sums = node.b.reshape(c, {of.outputs()}), .reals = {}, .term = {}};
  if (by.scales.size() != 1 && by.scales.size() != static_cast<std::size_t>(c.count()))
    throw Refused("the scales of the bias are not those of the channels");
  std::vector<double> reals;
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.count()); ++i) {
    const std::size_t s = by.scales.size() == 1 ? 0 : i;
    const auto centred = static_cast<float>(c.known->integer(i) - by.zero_points[s]);
    reals.push_back(static_cast<double>(centred * by.scales[s]) * beta);
  }
  return {.sums = {}, .reals = reals, .term = real_constant(of.channels, reals)};
}

void emit_contraction(NodeContext& node, const QuantisedGroup& group) {
  Builder& b = node.b;
  const QuantisedContraction of = quantised_contraction(node, group);
  const Bias bias = bias_of(of, group);
  const auto alpha = of.kind == "Gemm" ? static_cast<float>(node.real("alpha", 1)) : 1.0F;
  const Term sums = b.cast(sums_of(of, bias.sums ? &*bias.sums : nullptr), FileType::F32);
  const auto& to = group.results[0];
  std::vector<double> scales;
  for (const float scale : of.scales)
    scales.push_back(static_cast<double>(to ? scale * alpha / to->scale : scale * alpha));
  const Term scaled = b.mul(sums, real_constant(of.channels, scales));
  if (!to) return node.out(0, bias.term ? b.add(scaled, *bias.term) : scaled);
  if (bias.term && !bias.reals) throw Refused("the bias is not known before the run");
  if (!bias.reals) return out_rounded(node, 0, scaled, *to);
  std::vector<double> moved;
  for (const double each : *bias.reals) moved.push_back(each / static_cast<double>(to->scale));
  out_rounded(node, 0, b.add(scaled, real_constant(of.channels, moved)), *to);
}

// --- two operands ----------------------------------------------------------------------------------------------------

void emit_pair(NodeContext& node, const QuantisedGroup& group) {
  Builder& b = node.b;
  const Numbers x = numbers(node, group, 0), y = numbers(node, group, 1);
  const QuantisedResult& to = *group.results[0];
  const PairOperands operands{
      .scales = {x.scale(), y.scale()}, .zeros = {x.zero(), y.zero()}, .result_scale = to.scale};
  const auto centred = [&](const Numbers& of) {
    return b.cast(b.binary(Binary::Sub, b.widen(of.term), static_cast<double>(of.zero())), FileType::F32);
  };
  const std::string& kind = node.node().kind;
  const Binary op = kind == "Add" ? Binary::Add : kind == "Sub" ? Binary::Sub : Binary::Mul;
  const Term left = centred(x), right = centred(y);
  if (const auto factors = pair_factors(op, operands, {.low = to.low - to.zero, .high = to.high - to.zero})) {
    const auto scaled = [&](const Term& of, float by) { return b.binary(Binary::Mul, of, static_cast<double>(by)); };
    const Term made = op == Binary::Mul ? scaled(b.mul(left, right), factors->first)
                                        : b.binary(op, scaled(left, factors->first), scaled(right, factors->second));
    return out_rounded(node, 0, made, to);
  }
  const auto real = [&](const Term& of, float scale) { return b.binary(Binary::Mul, of, static_cast<double>(scale)); };
  const Term made = b.binary(op, real(left, x.scale()), real(right, y.scale()));
  out_rounded(node, 0, rounding_quotient(b, made, b.number(FileType::F32, static_cast<double>(to.scale)), to.type), to);
}

}  // namespace

void emit_quantised(NodeContext& node, const QuantisedGroup& group) {
  switch (group.form) {
    case QuantisedForm::Contraction:
      return emit_contraction(node, group);
    case QuantisedForm::Movement:
      return emit_movement(node, group);
    case QuantisedForm::Join:
      return emit_join(node, group);
    case QuantisedForm::Average:
      return emit_average(node, group);
    case QuantisedForm::Pair:
      return emit_pair(node, group);
    case QuantisedForm::Function:
      return emit_function(node, group);
  }
}

}  // namespace slipway::importer
