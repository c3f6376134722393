// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RNN, GRU and LSTM: their steps are unrolled (docs/spec/import.md#operators-that-need-more-words).
#include <algorithm>
#include <array>
#include <functional>

#include "base/format.hpp"
#include "importer/emit/network/activations.hpp"
#include "importer/onnx/operators.hpp"

namespace slipway::importer {
namespace {

struct Activation {
  std::string name;  // in lower case
  double alpha = 0, beta = 0;
};

struct ActivationDefaults {
  std::string_view name;
  double alpha, beta;
  bool has_alpha, has_beta;
};

constexpr std::array kActivations{
    ActivationDefaults{"relu", 0, 0, false, false},         ActivationDefaults{"tanh", 0, 0, false, false},
    ActivationDefaults{"sigmoid", 0, 0, false, false},      ActivationDefaults{"softsign", 0, 0, false, false},
    ActivationDefaults{"softplus", 0, 0, false, false},     ActivationDefaults{"affine", 1, 0, true, true},
    ActivationDefaults{"leakyrelu", 0.01F, 0, true, false}, ActivationDefaults{"thresholdedrelu", 1, 0, true, false},
    ActivationDefaults{"scaledtanh", 1, 1, true, true},     ActivationDefaults{"hardsigmoid", 0.2F, 0.5, true, true},
    ActivationDefaults{"elu", 1, 0, true, false},
};

// The numbers of the attributes are consumed by the functions that have them, in order.
std::vector<Activation> activations_of(const NodeContext& node, std::size_t count,
                                       const std::vector<std::string>& defaults) {
  std::vector<std::string> names = node.texts("activations").value_or(std::vector<std::string>());
  if (names.empty()) {
    while (names.size() < count) names.insert(names.end(), defaults.begin(), defaults.end());
  }
  if (names.size() != count) throw Refused(formatted("there are {} activations instead of {}", names.size(), count));
  const std::vector<double> alphas = node.reals("activation_alpha").value_or(std::vector<double>());
  const std::vector<double> betas = node.reals("activation_beta").value_or(std::vector<double>());
  std::size_t alpha = 0, beta = 0;
  std::vector<Activation> made;
  for (std::string name : names) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto found = std::ranges::find(kActivations, name, &ActivationDefaults::name);
    if (found == kActivations.end()) throw Refused(formatted("the activation `{}` is not known", name));
    Activation own{.name = name, .alpha = found->alpha, .beta = found->beta};
    if (found->has_alpha && alpha < alphas.size()) own.alpha = alphas[alpha++];
    if (found->has_beta && beta < betas.size()) own.beta = betas[beta++];
    made.push_back(std::move(own));
  }
  return made;
}

Term applied(Builder& b, const Activation& f, const Term& x) {
  if (f.name == "relu") return relu(b, x);
  if (f.name == "tanh") return b.unary(Unary::Tanh, x);
  if (f.name == "sigmoid") return b.unary(Unary::Sigmoid, x);
  if (f.name == "softsign") return softsign(b, x);
  if (f.name == "softplus") return b.unary(Unary::Softplus, x);
  if (f.name == "affine") return b.affine(x, f.alpha, f.beta);
  if (f.name == "leakyrelu") return leaky_relu(b, x, f.alpha);
  if (f.name == "thresholdedrelu") return thresholded_relu(b, x, f.alpha);
  if (f.name == "scaledtanh") return b.affine(b.unary(Unary::Tanh, b.affine(x, f.beta, 0)), f.alpha, 0);
  if (f.name == "hardsigmoid") return hard_sigmoid(b, x, f.alpha, f.beta);
  return elu(b, x, f.alpha);
}

// One direction of a layer. States and gates are [1, batch, gates * hidden], gates one after the other.
class Direction {
 public:
  Direction(const NodeContext& node, std::int64_t index, std::int64_t hidden, std::vector<Activation> activations)
      : node_(node), b(node.b), index_(index), hidden_(hidden), activations_(std::move(activations)) {
    if (node.has("clip")) clip_ = node.real("clip", 0);
  }

  // The part of an operand [directions, ...] for this direction.
  Term own(std::size_t operand) const {
    const Term& x = node_.in(operand);
    if (x.rank() == 0 || x.shape[0] <= index_)
      throw Refused(formatted("the operand {} has no part for a direction", operand));
    return b.squeeze(b.slice_axis(x, 0, index_, 1), 0);
  }

  Term gate(const Term& gates, std::int64_t i) const { return b.slice_axis(gates, -1, i * hidden_, hidden_); }

  Term activate(std::size_t which, const Term& x) const {
    return applied(b, activations_[which], clip_ ? b.clamp(x, -*clip_, *clip_) : x);
  }

  Term unclipped(std::size_t which, const Term& x) const { return applied(b, activations_[which], x); }

  // The recurrent weights of gates `first` to `first + count` as [1, hidden, count * hidden], once for all steps.
  Term recurrent_weights(std::int64_t first, std::int64_t count) const {
    const Term rows = b.slice_axis(own(2), 0, first * hidden_, count * hidden_);
    return once(b.unsqueeze(b.transpose(rows, {1, 0}), 0));
  }

  // A constant that all steps share.
  Term once(const Term& x) const { return b.term(b.value(x), x.type); }

  const NodeContext& node_;
  Builder& b;

 private:
  std::int64_t index_, hidden_;
  std::vector<Activation> activations_;
  std::optional<double> clip_;
};

struct State {
  Term hidden, cell;
};

// What a kind of layer computes in one step from its share of X * W^T and its state.
using Step = std::function<State(const Term& input, const State& state)>;
// Makes the step of a direction, and what is added to X * W^T.
struct Cell {
  Step step;
  std::optional<Term> bias;
};
using MakeCell = Cell (*)(const Direction& direction, std::int64_t hidden);

// The two halves of the bias [2 * gates * hidden].
std::pair<std::optional<Term>, std::optional<Term>> biases(const Direction& direction) {
  if (!direction.node_.has(3)) return {};
  const Term both = direction.own(3);
  const std::int64_t half = both.count() / 2;
  return {direction.b.slice_axis(both, 0, 0, half), direction.b.slice_axis(both, 0, half, half)};
}

std::optional<Term> sum_of(Builder& b, const std::pair<std::optional<Term>, std::optional<Term>>& halves) {
  return halves.first ? std::optional(b.add(*halves.first, *halves.second)) : std::nullopt;
}

Cell rnn_cell(const Direction& direction, std::int64_t) {
  const Term weights = direction.recurrent_weights(0, 1);
  const auto step = [direction, weights](const Term& input, const State& state) {
    const Term sum = direction.b.add(input, direction.b.matmul(state.hidden, weights));
    return State{direction.activate(0, sum), {}};
  };
  return {step, sum_of(direction.b, biases(direction))};
}

Cell gru_cell(const Direction& direction, std::int64_t hidden) {
  Builder& b = direction.b;
  const Term of_gates = direction.recurrent_weights(0, 2), of_new = direction.recurrent_weights(2, 1);
  const auto halves = biases(direction);
  const bool linear = direction.node_.flag("linear_before_reset");
  std::optional<Term> bias = sum_of(b, halves), new_bias;
  if (linear && halves.first) {
    // The recurrent bias of the new state is scaled by the reset gate.
    new_bias = direction.once(b.slice_axis(*halves.second, 0, 2 * hidden, hidden));
    bias = b.concat({b.slice_axis(*bias, 0, 0, 2 * hidden), b.slice_axis(*halves.first, 0, 2 * hidden, hidden)}, 0);
  }
  const auto step = [=, &b](const Term& input, const State& state) {
    const Term gates = b.add(b.slice_axis(input, -1, 0, 2 * hidden), b.matmul(state.hidden, of_gates));
    const Term update = direction.activate(0, direction.gate(gates, 0)),
               reset = direction.activate(0, direction.gate(gates, 1));
    const Term own = direction.gate(input, 2);
    Term from_state = b.matmul(linear ? state.hidden : b.mul(reset, state.hidden), of_new);
    if (new_bias) from_state = b.add(from_state, *new_bias);
    if (linear) from_state = b.mul(reset, from_state);
    const Term candidate = direction.activate(1, b.add(own, from_state));
    const Term rest = b.sub(b.number(update.type, 1), update);
    return State{b.add(b.mul(rest, candidate), b.mul(update, state.hidden)), {}};
  };
  return {step, bias};
}

Cell lstm_cell(const Direction& direction, std::int64_t hidden) {
  Builder& b = direction.b;
  const Term weights = direction.recurrent_weights(0, 4);
  const bool peeps = direction.node_.has(7), coupled = direction.node_.flag("input_forget");
  std::vector<Term> peepholes;
  for (std::int64_t i = 0; peeps && i < 3; ++i)
    peepholes.push_back(direction.once(b.slice_axis(direction.own(7), 0, i * hidden, hidden)));
  const auto peep = [=, &b](const Term& gate, const Term& cell, std::size_t i) {
    return peeps ? b.add(gate, b.mul(peepholes[i], cell)) : gate;
  };
  const auto step = [=, &b](const Term& input, const State& state) {
    const Term gates = b.add(input, b.matmul(state.hidden, weights));
    const Term in = direction.activate(0, peep(direction.gate(gates, 0), state.cell, 0));
    const Term forget = coupled ? b.sub(b.number(in.type, 1), in)
                                : direction.activate(0, peep(direction.gate(gates, 2), state.cell, 2));
    const Term candidate = direction.activate(1, direction.gate(gates, 3));
    const Term cell = b.add(b.mul(forget, state.cell), b.mul(in, candidate));
    const Term out = direction.activate(0, peep(direction.gate(gates, 1), cell, 1));
    // The cell is not clipped: it is a sum of gates that are.
    return State{b.mul(out, direction.unclipped(2, cell)), cell};
  };
  return {step, sum_of(b, biases(direction))};
}

struct Layer {
  std::int64_t gates;
  std::vector<std::string> activations;  // of a direction
  MakeCell make;
};

struct Sizes {
  std::int64_t steps, batch, inputs, hidden, directions;
};

// One direction: the hidden states of all steps in their order, and the last state.
std::pair<std::vector<Term>, State> run_direction(const NodeContext& node, const Layer& layer, const Sizes& sizes,
                                                  const Term& x, const Direction& direction, bool reversed) {
  Builder& b = node.b;
  const bool is_lstm = layer.gates == 4, by_batch = node.flag("layout");
  const auto initial = [&](std::size_t operand) {
    if (!node.has(operand)) return b.number(x.type, 0, {1, sizes.batch, sizes.hidden});
    // [directions, batch, hidden], or [batch, directions, hidden].
    const Term all = by_batch ? b.transpose(node.in(operand), {1, 0, 2}) : node.in(operand);
    return b.slice_axis(all, 0, reversed && sizes.directions == 2 ? 1 : 0, 1);
  };
  State state{initial(5), is_lstm ? initial(6) : Term{}};
  const Cell cell = layer.make(direction, sizes.hidden);
  const Term flat = b.reshape(x, {sizes.steps * sizes.batch, sizes.inputs});
  const Term all = b.reshape(b.linear(flat, direction.own(1), cell.bias ? &*cell.bias : nullptr),
                             {sizes.steps, sizes.batch, layer.gates * sizes.hidden});
  std::vector<Term> states(static_cast<std::size_t>(sizes.steps));
  for (std::int64_t i = 0; i < sizes.steps; ++i) {
    const std::int64_t t = reversed ? sizes.steps - 1 - i : i;
    State next = cell.step(b.slice_axis(all, 0, t, 1), state);
    Term result = next.hidden;
    if (node.has(4)) {
      // Sequences that have ended keep their state, and the result is 0.
      const Term lengths = b.reshape(node.in(4), {1, sizes.batch, 1});
      const Term runs = b.binary(Binary::Greater, lengths, static_cast<double>(t));
      if (!runs.known || std::ranges::contains(runs.known->integers(), 0)) {
        result = b.select(runs, next.hidden, b.number(x.type, 0));
        next.hidden = b.select(runs, next.hidden, state.hidden);
        if (is_lstm) next.cell = b.select(runs, next.cell, state.cell);
      }
    }
    state = std::move(next);
    states[static_cast<std::size_t>(t)] = b.reshape(result, {1, 1, sizes.batch, sizes.hidden});
  }
  return {std::move(states), state};
}

void recurrent(NodeContext& node, const Layer& layer) {
  constexpr std::int64_t kMaxSteps = 4096;
  Builder& b = node.b;
  const bool by_batch = node.flag("layout");
  if (node.in(0).rank() != 3 || node.in(1).rank() != 3 || node.in(2).rank() != 3)
    throw Refused("the operands X, W and R do not have rank 3");
  const Term x = by_batch ? b.transpose(node.in(0), {1, 0, 2}) : node.in(0);
  const std::string way = node.text("direction", "forward");
  if (way != "forward" && way != "reverse" && way != "bidirectional")
    throw Refused(formatted("`direction` is `{}`", way));
  const Sizes sizes{x.shape[0], x.shape[1], x.shape[2], node.in(2).shape[2], way == "bidirectional" ? 2 : 1};
  if (node.in(1).shape != tensor::Shape{sizes.directions, layer.gates * sizes.hidden, sizes.inputs} ||
      node.in(2).shape != tensor::Shape{sizes.directions, layer.gates * sizes.hidden, sizes.hidden})
    throw Refused("the shapes of X, W and R do not fit");
  if (sizes.steps * sizes.directions > kMaxSteps)
    throw Refused(formatted("{} steps are too many to be unrolled", sizes.steps * sizes.directions));
  const std::size_t per_direction = layer.activations.size();
  const std::vector<Activation> activations =
      activations_of(node, per_direction * static_cast<std::size_t>(sizes.directions), layer.activations);
  std::vector<std::vector<Term>> states;
  std::vector<Term> hidden, cells;
  for (std::int64_t d = 0; d < sizes.directions; ++d) {
    const auto first = activations.begin() + d * static_cast<std::ptrdiff_t>(per_direction);
    const Direction direction(node, d, sizes.hidden, {first, first + static_cast<std::ptrdiff_t>(per_direction)});
    auto [all, last] = run_direction(node, layer, sizes, x, direction, d == 1 || way == "reverse");
    states.push_back(std::move(all));
    const tensor::Shape shape =
        by_batch ? tensor::Shape{sizes.batch, 1, sizes.hidden} : tensor::Shape{1, sizes.batch, sizes.hidden};
    hidden.push_back(b.reshape(last.hidden, shape));
    if (layer.gates == 4) cells.push_back(b.reshape(last.cell, shape));
  }
  if (node.wants(0)) {
    std::vector<Term> directions;
    for (const std::vector<Term>& each : states) directions.push_back(b.concat(each, 0));
    const Term all = b.concat(directions, 1);  // [steps, directions, batch, hidden]
    node.out(0, by_batch ? b.transpose(all, {2, 0, 1, 3}) : all);
  }
  node.out(1, b.concat(hidden, by_batch ? 1 : 0));
  if (layer.gates == 4) node.out(2, b.concat(cells, by_batch ? 1 : 0));
}

}  // namespace

void emit_onnx_RNN(NodeContext& node) { recurrent(node, {1, {"Tanh"}, rnn_cell}); }
void emit_onnx_GRU(NodeContext& node) { recurrent(node, {3, {"Sigmoid", "Tanh"}, gru_cell}); }
void emit_onnx_LSTM(NodeContext& node) { recurrent(node, {4, {"Sigmoid", "Tanh", "Tanh"}, lstm_cell}); }

}  // namespace slipway::importer
