// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes of convolutions and pools: strides, dilations, pads and auto_pad.
#pragma once

#include "importer/emit/network/windows.hpp"
#include "importer/emit/node_context.hpp"

namespace slipway::importer {

// `extents`: the spatial dimensions of the operand.
Windows window_attributes(const NodeContext& node, const tensor::Shape& kernel, tensor::ShapeView extents);
// The attribute `kernel_shape`, or `otherwise`.
tensor::Shape kernel_shape(const NodeContext& node, const tensor::Shape& otherwise);
// A list with one element for each spatial dimension, or `otherwise` for each.
tensor::Shape spatial_list(const NodeContext& node, std::string_view name, std::size_t rank, std::int64_t otherwise);
// Whether the attribute auto_pad, which may be NOTSET, asks for SAME padding, and for which.
std::optional<Padding> automatic_padding(const NodeContext& node);

// The convolution of the attributes: x [N, C, spatial...], weights [M, C / group, spatial...], a bias or null.
Term onnx_convolution(const NodeContext& node, const Term& x, const Term& weights, const Term* bias,
                      ConvolutionForm form);

// ConvTranspose of x [N, C, spatial...] with weights [C, M / group, spatial...] and a bias, or null.
Term onnx_transposed_convolution(const NodeContext& node, const Term& x, const Term& weights, const Term* bias,
                                 ConvolutionForm form);

// AveragePool of integers: the sums of the differences to `zero` over each window of x [N, C, spatial...], and how many
// elements count in each: one number, or one for each window, with a shape that broadcasts to that of the sums.
struct WindowSums {
  Term sums;
  tensor::Shape shape;
  std::vector<double> counts;
};
WindowSums onnx_window_sums(const NodeContext& node, const Term& x, std::int64_t zero);

// AveragePool of x [N, C, spatial...].
Term onnx_average_pool(const NodeContext& node, const Term& x);

}  // namespace slipway::importer
