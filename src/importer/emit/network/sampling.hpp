// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interpolation at positions that the run computes.
//
//   const std::vector<Neighbours> around{linear_neighbours(b, y, height), linear_neighbours(b, x, width)};
//   const Term values = weighted_sum(b, samples_at(b, image, first_rows, around));
#pragma once

#include <vector>

#include "importer/emit/builder.hpp"

namespace slipway::importer {

// An element along a dimension for each of [batches, points]: its index as int32, which is in range, and its weight, of
// float32.
struct Neighbour {
  Term index, weight;
};
using Neighbours = std::vector<Neighbour>;

// Whole numbers of float32 as int32.
Term whole_numbers(Builder& b, const Term& x);

// What indices outside of a dimension are. Of a position that is outside by more than the neighbours reach, nothing
// remains with Zero.
enum class Outside : std::uint8_t { Zero, Edge, ReflectCentres, ReflectEdges };

// Positions reflected at the edges or the centres of the outermost elements until they are inside.
Term reflected(Builder& b, const Term& positions, std::int64_t extent, Outside outside);

// `positions` [batches, points], float32, in elements from the centre of the first.
Neighbours nearest_neighbours(Builder& b, const Term& positions, std::int64_t extent, Outside outside);
Neighbours linear_neighbours(Builder& b, const Term& positions, std::int64_t extent, Outside outside);
// Cubic convolution with the parameter -0.75.
Neighbours cubic_neighbours(Builder& b, const Term& positions, std::int64_t extent, Outside outside);

struct Sample {
  Term value;   // [batches, points, C]
  Term weight;  // [batches, points, 1]
};

// All combinations of neighbours along the dimensions. x [N, extents..., C]; `first` [batches, 1] or [1, 1]: the row of
// x, seen as [N * extents, C], at which the image of each batch begins.
std::vector<Sample> samples_at(Builder& b, const Term& x, const Term& first, std::span<const Neighbours> dimensions);
Term weighted_sum(Builder& b, std::span<const Sample> samples);

}  // namespace slipway::importer
