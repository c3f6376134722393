#include <algorithm>
#include <bit>
#include <cstdlib>

#include "lower/families/products.hpp"
#include "lower/families/windows.hpp"

namespace slipway::lower {

using tosa::DataType;
using tosa::Node;
using tosa::Op;

namespace {

// Bits that are enough for the sums of a window of 8-bit integers.
std::uint32_t bits_of_sum(const Node& window, const std::array<Taps, 2>& taps) {
  const auto largest = [&](std::string_view zero) { return 128 + std::abs(window.attributes.integer(zero)); };
  return static_cast<std::uint32_t>(std::bit_width(
      static_cast<std::uint64_t>(taps[0].count * taps[1].count * largest("input_zp") * largest("weight_zp"))));
}

bool is_wide_float(DataType type) { return tensor::size_of(tosa::storage_of(type)) > 1; }

}  // namespace

std::array<Taps, 2> taps_of(const tosa::Graph& graph, const Node& window) {
  const tensor::Shape &in = graph[window.inputs[0]].type.shape, &out = graph[window.outputs[0]].type.shape;
  const auto pad = window.attributes.list("pad"), stride = window.attributes.list("stride");
  const bool convolves = window.op == Op::DEPTHWISE_CONV2D;
  std::array<Taps, 2> taps;
  for (std::size_t d = 0; d < 2; ++d)
    taps[d] = {.count = convolves ? graph[window.inputs[1]].type.shape[d] : window.attributes.list("kernel")[d],
               .extent = in[1 + d],
               .before = pad[2 * d],
               .behind = pad[2 * d + 1],
               .stride = stride[d],
               .dilation = convolves ? window.attributes.list("dilation")[d] : 1,
               .results = out[1 + d]};
  return taps;
}

bool is_channelwise_window(Op op) { return op == Op::DEPTHWISE_CONV2D || op == Op::MAX_POOL2D || op == Op::AVG_POOL2D; }

bool is_vector_window(const tosa::Graph& graph, const std::vector<bool>& stored, const Node& window,
                      const DeviceFacts& device) {
  const tosa::TensorType& image = graph[window.inputs[0]].type;
  if (!device.addresses || !device.lanes || image.shape[3] < device.lanes) return false;
  if (tosa::is_float(image.data) && !is_wide_float(image.data)) return false;
  if (window.op != Op::DEPTHWISE_CONV2D) return true;
  const tosa::TensorType& weights = graph[window.inputs[1]].type;
  if (weights.shape[3] != 1 || !stored[index(window.inputs[1])]) return false;
  if (tosa::is_float(image.data)) return is_wide_float(weights.data);
  return graph[window.outputs[0]].type.data == DataType::I32 && bits_of_sum(window, taps_of(graph, window)) <= kSumBits;
}

WindowWork::WindowWork(ProgramBuilder& program, const Node& window, const Node& node, std::int64_t most_results)
    : program_(program),
      window_(window),
      node_(node),
      lanes_(program.device().lanes),
      taps_(taps_of(program.graph(), window)) {
  channels_ = type(window.inputs[0]).shape[3];
  tiles_ = (taps_[1].results + most_results - 1) / most_results;
  tile_ = (taps_[1].results + tiles_ - 1) / tiles_;
  panels_ = (channels_ + lanes_ - 1) / lanes_;
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
  if (convolves()) weights_ = packed ? maker_->read_packed(*packed, ElementType::F32) : maker_->read(window_.inputs[1]);
}

Value WindowWork::place(std::int64_t groups) {
  const Value number = k().min(k().group_index(), k().integer(groups - 1));
  const Value rest = k().unsigned_divide(number, k().integer(panels_));
  panel_ = number - rest * panels_;
  first_channel_ = k().min(panel_ * lanes_, k().integer(channels_ - lanes_));
  const Value row = k().unsigned_divide(rest, k().integer(tiles_));
  first_ = k().min((rest - row * tiles_) * tile_, k().integer(taps_[1].results - tile_));
  return row;
}

std::vector<std::pair<std::int64_t, std::int64_t>> WindowWork::users(std::int64_t position) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (std::int64_t result = 0; result < tile_; ++result) {
    const std::int64_t behind = position - result * taps_[1].stride;
    if (behind >= 0 && behind % taps_[1].dilation == 0 && behind / taps_[1].dilation < taps_[1].count)
      all.emplace_back(result, behind / taps_[1].dilation);
  }
  return all;
}

std::int64_t WindowWork::reach() const {
  return (tile_ - 1) * taps_[1].stride + (taps_[1].count - 1) * taps_[1].dilation + 1;
}

Value WindowWork::as_term(Value element) {
  if (is_float()) return element;
  // Stored as a float it lacks a zero point already.
  const std::int64_t zero = window_.op == Op::MAX_POOL2D ? 0 : window_.attributes.integer("input_zp");
  if (element.type() == Scalar::Float) {
    const std::int64_t rest = *program_.widened(window_.inputs[0]) - zero;
    const Value moved = rest ? element + k().real(static_cast<float>(rest)) : element;
    return convolves() ? moved : k().int_of_whole(moved, kWidenedBits + 1);
  }
  const Value number = element - zero;
  return convolves() ? k().to_float(number) : number;
}

std::vector<Value> WindowWork::factors(Value y) {
  std::vector<Value> all;
  if (!convolves()) return all;
  const Pointer weights = k().pointer(weights_, y * (taps_[1].count * channels_) + first_channel_);
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

void WindowWork::store(Value batch, Value row, const std::vector<Value>& sums) {
  const tensor::Shape& shape = type(node_.outputs[0]).shape;
  std::vector<Value> elements;
  maker_->add_node(window_);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Coordinates at = {batch, row, first_ + static_cast<std::int64_t>(i), first_channel_ + k().local_index()};
    maker_->fix(window_.outputs[0], result(at, sums[i]));
    const Value element = &node_ == &window_ ? maker_->at(node_.outputs[0], at) : maker_->compute(node_, 0, at);
    elements.push_back(maker_->stored_form(node_.outputs[0], element));
  }
  const BufferRef to = maker_->write(node_.outputs[0]);
  const Value line = ((batch * shape[1] + row) * shape[2] + first_) * channels_ + first_channel_;
  for (std::size_t i = 0; i < elements.size(); ++i)
    k().store(to, line + static_cast<std::int64_t>(i) * channels_ + k().local_index(), elements[i]);
}

Value WindowWork::result(const Coordinates& at, Value sum) {
  const DataType data = type(window_.outputs[0]).data;
  Operation operation{k(), program_.graph(), window_, *maker_};
  if (convolves())
    sum = with_bias(operation, is_float() ? sum : k().int_of_whole(sum, bits_of_sum(window_, taps_)), at.back());
  if (window_.op == Op::AVG_POOL2D) sum = mean_of_pool(operation, at, sum);
  return is_float() ? rounded(k(), tosa::storage_of(data), sum) : sum;
}

}  // namespace slipway::lower
