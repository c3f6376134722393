// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and pooling over one, two or three spatial dimensions, with the channels last: x [N, spatial..., C].
//
//   Windows windows{.kernel = {3, 3}, .stride = {2, 2}, .dilation = {1, 1}, .before = {0, 0}, .after = {0, 0}};
//   set_padding(windows, {224, 224}, Padding::SameUpper);
//   const Term y = convolution(builder, x, weights, &bias, windows);
#pragma once

#include "importer/emit/builder.hpp"

namespace slipway::importer {

// Lists have one element for each spatial dimension.
struct Windows {
  tensor::Shape kernel, stride, dilation;
  tensor::Shape before, after;  // padding; negative amounts crop

  std::size_t rank() const { return kernel.size(); }
  // The elements from the first to the last of a window.
  std::int64_t reach(std::size_t d) const { return (kernel[d] - 1) * dilation[d] + 1; }
};

// Of strides and dilations 1, without padding.
Windows windows_of(const tensor::Shape& kernel);

// Same: ceil(extent / stride) windows, with the odd row of padding at the end (upper) or at the beginning (lower).
enum class Padding : std::uint8_t { Valid, SameUpper, SameLower };
void set_padding(Windows& windows, tensor::ShapeView extents, Padding padding);
// How many windows there are along each dimension; a remainder does not count. Refused: none fits.
tensor::Shape window_counts(const Windows& windows, tensor::ShapeView extents);

// x [N, spatial..., C] without what no window reads; the padding becomes what windows read of it. TOSA demands that
// both are used up exactly.
Term fitted(Builder& b, const Term& x, Windows& windows);

struct ConvolutionForm {
  std::int64_t groups = 1;
  std::int64_t input_zero = 0, weight_zero = 0;  // zero points of int8; padding has the value of that of the input
};

// x [N, spatial..., I], weights [O, spatial..., I / groups], a bias [O] or null. Floats have results of their type. The
// results of int8 are int32, with a bias of int32. Those of int16 (with int8 weights) have 48 bits, which only a
// RESCALE takes: a term of the type int64 whose value is i48.
Term convolution(Builder& b, const Term& x, const Term& weights, const Term* bias, Windows windows,
                 const ConvolutionForm& form = {});
// x [N, H, W, C], weights [H, W, C, M]: [N, H, W, C * M]. The groups of the form do not count.
Term depthwise(Builder& b, const Term& x, const Term& weights, const Term* bias, Windows windows,
               const ConvolutionForm& form = {});
// The gradient of a convolution. x [N, spatial..., I], weights [O, spatial..., I / groups]; each input adds a window of
// (extent - 1) * stride + reach elements, from which `before` and `after` are cropped; negative amounts add elements
// that are the bias.
Term transposed_convolution(Builder& b, const Term& x, const Term& weights, const Term* bias, const Windows& windows,
                            const ConvolutionForm& form = {});

// Padding is less than any element.
Term max_pool(Builder& b, const Term& x, const Windows& windows);
// Elements inside of x count. Floats, int8 and int16; integers without dilation, whose averages are those of their
// differences to `zero`, to nearest with halves away from 0.
Term average_pool(Builder& b, const Term& x, const Windows& windows, std::int64_t zero = 0);
// Of floats; padding is 0. Of int8 over at most two dimensions: the sums of the differences to `zero`, as int32.
Term sum_pool(Builder& b, const Term& x, const Windows& windows, std::int64_t zero = 0);

// The sum of each element and of those before and after it along an axis; what is outside is 0.
Term neighbour_sum(Builder& b, const Term& x, std::int64_t axis, std::int64_t before, std::int64_t after);

// `count - 1` zeros between the elements of a dimension.
Term with_zeros_between(Builder& b, const Term& x, std::size_t axis, std::int64_t count);

// [N, C, ...] as [N, ..., C] and back.
Term channels_last(Builder& b, const Term& x);
Term channels_first(Builder& b, const Term& x);

}  // namespace slipway::importer
