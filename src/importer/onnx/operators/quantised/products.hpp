// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of integers that several operators share.
#pragma once

#include "importer/emit/node_context.hpp"

namespace slipway::importer {

// The zero points of an operand, in the signed type that as_signed makes of x: one, or as many as it has. An absent
// operand is 0.
std::vector<std::int64_t> zero_points(const NodeContext& node, std::size_t operand, std::string_view what,
                                      const Term& x);
// A convolution of the attributes, as int32: of int8 or uint8 with a bias of int32 or null. Zero points of weights are
// one, or of the output channels.
Term integer_convolution(const NodeContext& node, const Term& x, const Term& weights, const Term* bias,
                         const std::vector<std::int64_t>& x_zeros, const std::vector<std::int64_t>& weight_zeros);
// The product as int32; zero points are one, or of the rows of `a` and of the columns of `weights`.
Term integer_matmul(const NodeContext& node, const Term& a, const Term& weights,
                    const std::vector<std::int64_t>& a_zeros, const std::vector<std::int64_t>& weight_zeros);
// Sums of int32 by a scale of float32 as `type`.
Term requantised(Builder& b, const Term& sums, const Term& scale, FileType type, const Term* zero_point);

}  // namespace slipway::importer
