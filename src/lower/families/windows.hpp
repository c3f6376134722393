// What the kernels of operators that move a window over an image channel by channel have in common: which results a
// workgroup has, what an element does to a result, and what becomes of it. A workgroup is one vector of channels.
#pragma once

#include <array>

#include "lower/families/contraction.hpp"
#include "lower/program_builder.hpp"

namespace slipway::lower {

// One dimension of a window.
struct Taps {
  std::int64_t count = 1, extent = 1, before = 0, behind = 0, stride = 1, dilation = 1, results = 1;
  bool is_padded() const { return before > 0 || behind > 0; }
};
std::array<Taps, 2> taps_of(const tosa::Graph& graph, const tosa::Node& window);

inline constexpr std::int64_t kMaxTaps = 25;  // of a window that become straight code

bool is_channelwise_window(tosa::Op op);
// Whether vectors of channels compute it: without a channel multiplier, sums of integers inside what floats hold.
bool is_vector_window(const tosa::Graph& graph, const std::vector<bool>& stored, const tosa::Node& window,
                      const DeviceFacts& device);

class WindowWork {
 public:
  // `window` has the window, `node` stores; a workgroup computes up to `most_results` neighbours.
  WindowWork(ProgramBuilder& program, const tosa::Node& window, const tosa::Node& node, std::int64_t most_results);

 protected:
  Kernel& k() { return maker_->kernel(); }
  const tosa::TensorType& type(tosa::ValueId value) const { return program_.graph()[value].type; }
  bool convolves() const { return window_.op == tosa::Op::DEPTHWISE_CONV2D; }
  bool is_float() const { return tosa::is_float(type(window_.inputs[0]).data); }

  // Weights of integers as floats, where they are constants; none where the stored ones are read.
  std::optional<std::uint32_t> weights_as_floats();
  void read_weights(std::optional<std::uint32_t> packed);

  // Chooses the channels and the columns of this workgroup, and gives the number of its row of all images. The last
  // ones of a row are moved back to be as many as the others.
  Value place(std::int64_t groups);

  // The results whose window has a position, counted from the leftmost one that any of these uses, and at which tap.
  std::vector<std::pair<std::int64_t, std::int64_t>> users(std::int64_t position) const;
  std::int64_t reach() const;  // positions

  // An element of the image as it is added up.
  Value as_term(Value element);
  std::vector<Value> factors(Value y);  // of a row of taps
  Value start();                        // what changes no sum, and no maximum
  void add(Value& sum, Value value, const std::vector<Value>& factors, std::int64_t tap);

  // Stores the results that have these sums, in row `row` of image `batch`.
  void store(Value batch, Value row, const std::vector<Value>& sums);

  ProgramBuilder& program_;
  const tosa::Node& window_;
  const tosa::Node& node_;
  std::uint32_t lanes_;
  std::array<Taps, 2> taps_;
  std::int64_t channels_ = 1, tiles_ = 1, tile_ = 1, panels_ = 1;
  KernelMaker* maker_ = nullptr;
  Value first_, first_channel_, panel_;

 private:
  bool ignores_nan() const;
  Value result(const Coordinates& at, Value sum);

  BufferRef weights_;
};

// A depthwise convolution whose image is not stored: the convolution of points that makes it is computed row by row on
// the way. `may_compute_image` decides for fusion: `image` is what the reader's window moves over.
bool may_compute_image(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId image,
                       const tosa::Node& reader, const DeviceFacts& device);
void lower_block(ProgramBuilder& program, const tosa::Node& window, const tosa::Node& node);

}  // namespace slipway::lower
