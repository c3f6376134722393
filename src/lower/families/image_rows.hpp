// The rows of A of a convolution, read from the image where it stands: padding is told by the place that is read, and
// the image may be a slice of a larger one. Nothing is copied.
//
// All products of a row are one run. A unit is what is read at once: an element, or a chunk of neighbouring channels.
#pragma once

#include "lower/families/contraction.hpp"
#include "lower/program_builder.hpp"

namespace slipway::lower {

class ImageRows {
 public:
  // Of units of so many elements; nothing where channels are not whole units, or the image is neither stored nor a
  // slice of what is stored.
  static std::optional<ImageRows> of(const ProgramBuilder& program, const Contraction& c, std::int64_t unit);

  tosa::ValueId source() const { return source_; }
  std::int64_t unit() const { return unit_; }
  std::int64_t channels() const { return kernel_.back(); }  // units

  // The window of a result: where its first unit stands, or would, and its place along each spatial dimension.
  struct Row {
    Value begin;
    std::vector<Value> first;
  };
  Row row(Kernel& k, Value number) const;

  // A product of a window: its distance from the window's first unit, and its place in the window.
  struct Tap {
    Value distance;
    std::vector<Value> offset;
  };
  Tap tap(Kernel& k, Value product) const;

  // Whether a product is of the image, and not of its padding.
  Value inside(Kernel& k, const Row& row, const Tap& tap) const;

 private:
  tosa::ValueId source_{};
  std::int64_t unit_ = 1;
  tensor::Shape counts_;                           // results: images, then along each spatial dimension
  std::vector<std::int64_t> strides_;              // of the source, units: of an image, then of each spatial dimension
  tensor::Shape kernel_;                           // the window: along each spatial dimension, then channels, units
  std::vector<std::int64_t> extent_, pad_, step_;  // of the image, by spatial dimension
  std::vector<std::int64_t> dilation_;
  std::vector<bool> padded_;
  std::int64_t start_ = 0;  // of the image in the source, units
};

}  // namespace slipway::lower
