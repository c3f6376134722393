// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/windows/window_work.hpp"

namespace slipway::lower {

using tosa::DataType;
using tosa::Node;
using tosa::Op;

WindowWork::WindowWork(ProgramBuilder& program, const Node& window, const Node& node, std::int64_t max_results,
                       std::int64_t across)
    : program_(program),
      window_(window),
      node_(node),
      lanes_(program.device().lanes),
      taps_(taps_of(program.graph(), window)) {
  channels_ = type(window.inputs[0]).shape[3];
  tiles_ = (taps_[1].results + max_results - 1) / max_results;
  tile_ = (taps_[1].results + tiles_ - 1) / tiles_;
  panels_ = (channels_ + lanes_ - 1) / lanes_;
  across_ = across;
  columns_ = (panels_ + across - 1) / across;
}

std::optional<std::uint32_t> WindowWork::weights_as_floats() {
  if (!convolves() || is_float() || !program_.graph().constant(window_.inputs[1])) return std::nullopt;
  const tosa::ValueId value = window_.inputs[1];
  return program_.packed_constant(value, {.rows = taps_[0].count * taps_[1].count,
                                          .row_stride = channels_,
                                          .columns = channels_,
                                          .width = channels_,
                                          .from = tosa::storage_of(type(value).data),
                                          .to = ElementType::F32,
                                          .zero = window_.attributes.integer("weight_zp")});
}

void WindowWork::read_weights(std::optional<std::uint32_t> packed) {
  if (convolves())
    weights_ = packed ? builder_->read_packed(*packed, ElementType::F32) : builder_->read(window_.inputs[1]);
}

Value WindowWork::place(std::int64_t groups) {
  const Value group = k().min(k().group_index(), k().integer(groups - 1));
  const Value rest = k().unsigned_divide(group, k().integer(columns_));
  panel_ = group - rest * columns_;
  if (across_ > 1) panel_ = k().min(panel_ * across_, k().integer(panels_ - across_));
  first_channel_ = k().min(panel_ * lanes_, k().integer(channels_ - lanes_));
  const Value row = k().unsigned_divide(rest, k().integer(tiles_));
  first_ = k().min((rest - row * tiles_) * tile_, k().integer(taps_[1].results - tile_));
  return row;
}

std::vector<std::pair<std::int64_t, std::int64_t>> WindowWork::users(std::int64_t position) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (std::int64_t result = 0; result < tile_; ++result) {
    const std::int64_t distance = position - result * taps_[1].stride;
    if (distance >= 0 && distance % taps_[1].dilation == 0 && distance / taps_[1].dilation < taps_[1].count)
      all.emplace_back(result, distance / taps_[1].dilation);
  }
  return all;
}

std::int64_t WindowWork::reach() const {
  return (tile_ - 1) * taps_[1].stride + (taps_[1].count - 1) * taps_[1].dilation + 1;
}

Value WindowWork::as_term(Value element) {
  if (is_float()) return element;
  // A value that is widened is without a zero point already.
  const std::int64_t zero = window_.op == Op::MAX_POOL2D ? 0 : window_.attributes.integer("input_zp");
  const auto widened = program_.widened(window_.inputs[0]);
  const std::int64_t rest = (widened ? widened->zero : 0) - zero;
  if (element.type() == Scalar::Float) {
    const Value moved = rest ? element + k().real(static_cast<float>(rest)) : element;
    return convolves() ? moved : k().int_of_whole(moved, kWidenedBits + 1);
  }
  const Value without_zero = element + rest;
  return convolves() ? k().to_float(without_zero) : without_zero;
}

std::vector<Value> WindowWork::factors(Value y, std::int64_t panel) {
  std::vector<Value> all;
  if (!convolves()) return all;
  const Pointer weights = k().pointer(weights_, y * (taps_[1].count * channels_) + first_channel_ + panel * lanes_);
  for (std::int64_t x = 0; x < taps_[1].count; ++x) {
    const Value weight = k().load_lanes(weights, x * channels_);
    all.push_back(weight.type() == Scalar::Float ? weight
                                                 : k().to_float(weight - window_.attributes.integer("weight_zp")));
  }
  return all;
}

Value WindowWork::start() {
  if (window_.op == Op::MAX_POOL2D) return start_of_max_pool(k(), type(window_.outputs[0]).data, ignores_nan());
  return is_float() || convolves() ? k().real(0) : k().integer(0);
}

bool WindowWork::ignores_nan() const {
  return window_.attributes.enumerant<tosa::NanMode>("nan_mode") == tosa::NanMode::Ignore;
}

void WindowWork::add(Value& sum, Value value, const std::vector<Value>& factors, std::int64_t tap) {
  if (window_.op == Op::MAX_POOL2D)
    sum = max_with(k(), sum, value, ignores_nan());
  else if (window_.op == Op::AVG_POOL2D)
    sum = sum + value;
  else
    sum = k().multiply_add(value, factors[static_cast<std::size_t>(tap)], sum);
}

void WindowWork::store(Value batch, Value row, const std::vector<Value>& sums, std::int64_t panel,
                       std::int64_t first_result) {
  const tensor::Shape& shape = type(node_.outputs[0]).shape;
  const Value first_channel = first_channel_ + panel * lanes_, first = first_ + first_result;
  std::vector<Value> elements;
  builder_->add_node(window_);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Coordinates at = {batch, row, first + static_cast<std::int64_t>(i), first_channel + k().local_index()};
    builder_->fix(window_.outputs[0], result(at, sums[i]));
    const Value element = &node_ == &window_ ? builder_->at(node_.outputs[0], at) : builder_->compute(node_, 0, at);
    elements.push_back(builder_->stored_form(node_.outputs[0], element));
  }
  const BufferRef to = builder_->write(node_.outputs[0]);
  const Value line = ((batch * shape[1] + row) * shape[2] + first) * channels_ + first_channel;
  for (std::size_t i = 0; i < elements.size(); ++i)
    k().store(to, line + static_cast<std::int64_t>(i) * channels_ + k().local_index(), elements[i]);
}

Value WindowWork::result(const Coordinates& at, Value sum) {
  const DataType data = type(window_.outputs[0]).data;
  Operation operation{k(), program_.graph(), window_, *builder_};
  if (convolves())
    sum = with_bias(operation, is_float() ? sum : k().int_of_whole(sum, bits_of_sum(window_, taps_)), at.back());
  if (window_.op == Op::AVG_POOL2D) sum = mean_of_pool(operation, at, sum);
  return is_float() ? rounded(k(), tosa::storage_of(data), sum) : sum;
}

}  // namespace slipway::lower
