// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations that several operators share.
#pragma once

#include "importer/emit/node_context.hpp"

namespace slipway::importer {

// Of one set of axes; mean and deviation keep them with one element.
struct Normalised {
  Term values, mean, inverse_deviation;
};

// (x - mean) / sqrt(variance + epsilon), the variance from the differences to the mean.
Normalised normalised(Builder& b, const Term& x, const std::vector<std::int64_t>& axes, double epsilon);
// x / sqrt(mean of squares + epsilon); the mean is not computed.
Normalised rms_normalised(Builder& b, const Term& x, const std::vector<std::int64_t>& axes, double epsilon);
// From `axis` to the last.
std::vector<std::int64_t> axes_from(std::int64_t axis, std::size_t rank);

// LayerNormalization and SimplifiedLayerNormalization: values computed as float32 where x has fewer bits; mean and
// deviation are float32 then. `scale` and `bias` are of the axes from `axis` on; the bias may be null.
Normalised layer_normalised(Builder& b, const Term& x, const Term& scale, const Term* bias, std::int64_t axis,
                            double epsilon, bool by_mean);

}  // namespace slipway::importer
