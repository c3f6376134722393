// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resampling of dimensions at positions that are known: each format computes its own positions.
//
//   resample(builder, x, linear_samples(2, 64, positions));
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "importer/emit/builder.hpp"

namespace slipway::importer {

// One element of the source for each element of the result.
struct Taps {
  std::vector<std::int64_t> index;
  std::vector<double> weight;
};

// What a dimension of the result is: the sum of taps, each of which has one index for each element of the result.
struct Samples {
  std::size_t axis = 0;
  std::vector<Taps> taps;  // one with weights 1 is nearest, two are linear
};

// `extent`: elements of the source. Positions count in its elements from the centre of the first; those outside clamp
// to the edge.
Samples linear_samples(std::size_t axis, std::int64_t extent, std::span<const double> positions);
// The elements at indices, which clamp.
Samples nearest_samples(std::size_t axis, std::int64_t extent, std::span<const std::int64_t> indices);

// Weights are computed in the type of x, which is a float unless all taps have weight 1.
Term resample(Builder& b, const Term& x, const Samples& samples);
// The same as a product with the matrix of the weights, for many taps.
Term resample_by_matrix(Builder& b, const Term& x, const Samples& samples);

// Both spatial dimensions of x [N, H, W, C] by the operator RESIZE, if its positions are these; empty otherwise.
// Floats; nearest also int8 and int16.
struct ResizeForm {
  std::vector<std::int64_t> scale, offset, border;
  bool nearest = false;
};
std::optional<ResizeForm> linear_form(std::span<const std::int64_t> extents,
                                      std::span<const std::vector<double>> positions);
Term resize(Builder& b, const Term& x, const ResizeForm& form);

}  // namespace slipway::importer
