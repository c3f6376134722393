// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels of operators that move a window over an image channel by channel have in common: which results a
// workgroup has, what an element contributes to a result, and how a result is finished and stored. A workgroup has one
// vector of channels, a panel, or several.
#pragma once

#include <array>

#include "lower/program_builder.hpp"
#include "lower/strategies/windows/window_match.hpp"

namespace slipway::lower {

class WindowWork {
 public:
  // `window` has the window, `node` stores; a workgroup computes up to `max_results` neighbours in `across` panels.
  // With several the channels must be whole panels.
  WindowWork(ProgramBuilder& program, const tosa::Node& window, const tosa::Node& node, std::int64_t max_results,
             std::int64_t across = 1);

 protected:
  Kernel& k() { return builder_->kernel(); }
  const tosa::TensorType& type(tosa::ValueId value) const { return program_.graph()[value].type; }
  bool convolves() const { return window_.op == tosa::Op::DEPTHWISE_CONV2D; }
  bool is_float() const { return tosa::is_float(type(window_.inputs[0]).data); }

  // Weights of integers as floats, where they are constants; empty where the stored weights are read.
  std::optional<std::uint32_t> weights_as_floats();
  void read_weights(std::optional<std::uint32_t> packed);

  // Chooses the channels and the columns of this workgroup, and returns the index of its row among the rows of all
  // images. The last group of a row is moved back so that it is full.
  Value place(std::int64_t groups);

  // The results whose window contains a position, and at which tap. Positions count from the leftmost one that any
  // result of the workgroup uses.
  std::vector<std::pair<std::int64_t, std::int64_t>> users(std::int64_t position) const;
  std::int64_t reach() const;  // positions

  // An element of the image in the form in which it is summed.
  Value as_term(Value element);
  // Of a row of taps. `panel`: counts from the first one of the workgroup.
  std::vector<Value> factors(Value y, std::int64_t panel = 0);
  Value start();  // neutral element of the sum or maximum
  void add(Value& sum, Value value, const std::vector<Value>& factors, std::int64_t tap);

  // Stores the results from `result` on that have these sums, in row `row` of image `batch`.
  void store(Value batch, Value row, const std::vector<Value>& sums, std::int64_t panel = 0, std::int64_t result = 0);

  ProgramBuilder& program_;
  const tosa::Node& window_;
  const tosa::Node& node_;
  std::uint32_t lanes_;
  std::array<Taps, 2> taps_;
  std::int64_t channels_ = 1, tiles_ = 1, tile_ = 1, panels_ = 1;
  std::int64_t across_ = 1, columns_ = 1;  // panels of a workgroup, and workgroups that have all panels
  KernelBuilder* builder_ = nullptr;
  Value first_, first_channel_, panel_;

 private:
  bool ignores_nan() const;
  Value result(const Coordinates& at, Value sum);

  BufferRef weights_;
};

// A depthwise convolution whose image is not stored: the pointwise convolution that makes the image is computed row by
// row on the way (may_compute_image).
void lower_pointwise_depthwise(ProgramBuilder& program, const tosa::Node& window, const tosa::Node& node);

}  // namespace slipway::lower
