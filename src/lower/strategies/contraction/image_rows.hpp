// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of A of a convolution, read directly from the image: each read computes its offset and whether it is
// padding, and the image may be a slice of a larger tensor. Nothing is copied.
//
// All products of a row are one K block. A unit is what one load reads: an element, or a chunk of neighbouring
// channels. Where channels are not whole chunks, 16-bit elements can be read in pairs: a row of the window is then one
// run of pairs through the columns and channels. If it begins or ends in the middle of a pair, it has a gap there, an
// element that counts as zero.
#pragma once

#include "lower/program_builder.hpp"
#include "lower/strategies/contraction/contraction.hpp"

namespace slipway::lower {

class ImageRows {
 public:
  // `unit`: elements of a unit. Empty where channels are not whole units, or the image is neither stored nor a slice of
  // a stored value.
  static std::optional<ImageRows> of(const ProgramBuilder& program, const Contraction& c, std::int64_t unit);
  // Pairs of 16-bit elements. Empty also where a window could begin in the middle of a pair in one place and not in
  // another.
  static std::optional<ImageRows> of_pairs(const ProgramBuilder& program, const Contraction& c);

  tosa::ValueId source() const { return source_; }
  std::int64_t unit() const { return unit_; }
  std::int64_t channels() const { return kernel_.back(); }  // units
  bool is_pairs() const { return run_ > 0; }
  std::int64_t products() const;  // of a row, with gaps

  // The window of a result: the offset of its first unit (outside the image if that is padding), and its first
  // coordinate along each spatial dimension.
  struct Row {
    Value begin;
    std::vector<Value> first;
  };
  Row row(Kernel& k, Value index) const;

  // A product of a window: its distance from the window's first unit, and its offset along each spatial dimension.
  struct Tap {
    Value distance;
    std::vector<Value> offset;
  };
  Tap tap(Kernel& k, Value product) const;

  // Whether a product reads the image, and not its padding.
  Value inside(Kernel& k, const Row& row, const Tap& tap) const;

  // A pair with its gaps cleared. `pair`: its index among the products.
  Value without_gaps(Kernel& k, Value pair, Value bits) const;
  // The row of B that a product is multiplied by, and whether there is one: gaps have none.
  struct Factor {
    Value row, exists;
  };
  Factor factor(Kernel& k, Value product) const;

 private:
  tosa::ValueId source_{};
  std::int64_t unit_ = 1;
  tensor::Shape counts_;               // results: images, then along each spatial dimension
  std::vector<std::int64_t> strides_;  // of the source, in units: of an image, then of each spatial dimension
  tensor::Shape kernel_;               // the window: along each spatial dimension, then channels in units
  std::vector<std::int64_t> extent_, pad_, step_;  // of the image, by spatial dimension
  std::vector<std::int64_t> dilation_;
  std::vector<bool> padded_;
  std::int64_t start_ = 0;  // offset of the image in the source, in units
  // Of pairs: elements of a row of the window, and of the gap before it (0 or 1).
  std::int64_t run_ = 0, gap_ = 0;
};

}  // namespace slipway::lower
