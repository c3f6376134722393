// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that move a window over an image channel by channel, on CPUs: depthwise convolutions and pooling.
//
// Channels are neighbours in memory. A workgroup is one vector of them, and computes a row of neighbouring results:
// each element that it loads is used by all results whose window contains it. Positions outside the image are read at
// its edge, and replaced by the neutral element.
#include <algorithm>

#include "lower/strategies/strategy.hpp"
#include "lower/strategies/windows/window_work.hpp"

namespace slipway::lower {
namespace {

using tosa::Node;

// Results of a workgroup: as many sums as stay in registers, with the factors of a row of taps and an element.
std::int64_t max_results(const ProgramBuilder& program, const Node& window) {
  constexpr std::int64_t kMaxResults = 14, kMinResults = 4;
  if (!program.device().native_vectors) return kMaxResults;
  const std::int64_t factors = window.op == tosa::Op::DEPTHWISE_CONV2D ? taps_of(program.graph(), window)[1].count : 0;
  return std::clamp(program.device().vector_registers - factors - 2, kMinResults, kMaxResults);
}

class WindowGenerator : private WindowWork {
 public:
  WindowGenerator(ProgramBuilder& program, const Node& window, const Node& node)
      : WindowWork(program, window, node, max_results(program, window)) {}

  void run() {
    const std::optional<std::uint32_t> weights = weights_as_floats();
    const GroupKey key = key_of_group(program_.graph(), program_.stored(), node_.outputs[0], "windows");
    const std::vector<std::uint32_t> packed = weights ? std::vector{*weights} : std::vector<std::uint32_t>{};
    if (program_.repeat(key, packed)) return;
    KernelBuilder builder = program_.kernel({.local_size = lanes_, .addresses = true, .lanes = lanes_});
    builder_ = &builder;
    image_ = builder.read(window_.inputs[0]);
    read_weights(weights);
    const std::int64_t groups = type(window_.outputs[0]).shape[0] * taps_[0].results * tiles_ * panels_;
    const Value row = place(groups);
    batch_ = k().unsigned_divide(row, k().integer(taps_[0].results));
    row_ = row - batch_ * taps_[0].results;
    slide();
    std::vector<Value> sums;
    for (const Variable& sum : sums_) sums.push_back(k().get(sum));
    store(batch_, row_, sums);
    program_.dispatch(builder, static_cast<std::uint64_t>(groups), key, packed);
  }

 private:
  void slide() {
    for (std::int64_t i = 0; i < tile_; ++i) sums_.push_back(k().variable(start()));
    if (taps_[0].count * taps_[1].count <= kMaxTaps) {
      for (std::int64_t y = 0; y < taps_[0].count; ++y) row_of_taps(k().integer(y));
    } else {
      k().loop(k().integer(taps_[0].count), [&](Value y) { row_of_taps(y); });
    }
  }

  void row_of_taps(Value y) {
    const Taps &down = taps_[0], &across = taps_[1];
    Value row = row_ * down.stride + y * down.dilation - down.before;
    Value inside = k().boolean(true);
    if (down.is_padded()) {
      inside = (row >= 0) & (row < down.extent);
      row = k().clamp(row, k().integer(0), k().integer(down.extent - 1));
    }
    const Value line = (batch_ * down.extent + row) * (across.extent * channels_) + first_channel_;
    const Value left = first_ * across.stride - across.before;
    const Pointer in_row = k().pointer(image_, line), at_left = k().pointer(image_, line + left * channels_);
    const std::vector<Value> with = factors(y);
    std::vector<Value> sums;
    for (const Variable& sum : sums_) sums.push_back(k().get(sum));
    for (std::int64_t position = 0; position < reach(); ++position) {
      if (users(position).empty()) continue;
      const Value value = term(in_row, at_left, left, position, inside);
      for (const auto& [result, tap] : users(position)) add(sums[static_cast<std::size_t>(result)], value, with, tap);
    }
    for (std::size_t i = 0; i < sums.size(); ++i) k().set(sums_[i], sums[i]);
  }

  // The element `position` columns right of the leftmost one that the results of this workgroup use.
  Value term(Pointer in_row, Pointer at_left, Value left, std::int64_t position, Value row_is_inside) {
    const Taps& across = taps_[1];
    // The first and the last column of the image where any workgroup reads it.
    const std::int64_t min = position - across.before;
    const std::int64_t max = (across.results - tile_) * across.stride + min;
    if (min >= 0 && max < across.extent)
      return k().select(row_is_inside, as_term(k().load_lanes(at_left, position * channels_)), start());
    const Value column = left + position;
    const Value inside = row_is_inside & (column >= 0) & (column < across.extent);
    const Value safe = k().clamp(column, k().integer(0), k().integer(across.extent - 1));
    return k().select(inside, as_term(k().load_lanes(k().advanced(in_row, safe * channels_), 0)), start());
  }

  BufferRef image_;
  Value batch_, row_;
  std::vector<Variable> sums_;  // by result
};

}  // namespace

bool lower_windows(ProgramBuilder& program, const Node& node, std::size_t result) {
  if (!program.device().lanes || result != 0) return false;
  const auto anchor = find_anchor(program.graph(), program.stored(), node, is_channelwise_window);
  if (!anchor || anchor->is_reshaped ||
      !is_vector_window(program.graph(), program.stored(), *anchor->node, program.device()))
    return false;
  const tosa::ValueId image = anchor->node->inputs[0];
  if (program.stored()[index(image)]) {
    WindowGenerator(program, *anchor->node, node).run();
    return true;
  }
  if (!may_compute_image(program.graph(), program.stored(), image, *anchor->node, program.device())) return false;
  lower_pointwise_depthwise(program, *anchor->node, node);
  return true;
}

}  // namespace slipway::lower
