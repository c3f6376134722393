// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions (docs/spec/import.md#matrix-products-convolutions-pooling).
#include <numeric>

#include "base/format.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/operators/network/window_attributes.hpp"

namespace slipway::importer {

tensor::Shape spatial_list(const NodeContext& node, std::string_view name, std::size_t rank, std::int64_t otherwise) {
  const auto list = node.list(name);
  if (!list || list->empty()) return tensor::Shape(rank, otherwise);
  if (list->size() != rank)
    throw Refused(formatted("`{}` has {} elements for {} spatial dimensions", name, list->size(), rank));
  return *list;
}

tensor::Shape kernel_shape(const NodeContext& node, const tensor::Shape& otherwise) {
  return node.list("kernel_shape").value_or(otherwise);
}

std::optional<Padding> automatic_padding(const NodeContext& node) {
  const std::string automatic = node.text("auto_pad", "NOTSET");
  if (automatic == "NOTSET" || automatic.empty()) return std::nullopt;
  if (automatic == "VALID") return Padding::Valid;
  if (automatic == "SAME_UPPER") return Padding::SameUpper;
  if (automatic == "SAME_LOWER") return Padding::SameLower;
  throw Refused(formatted("`auto_pad` is `{}`", automatic));
}

Windows window_attributes(const NodeContext& node, const tensor::Shape& kernel, tensor::ShapeView extents) {
  const std::size_t rank = extents.size();
  if (kernel.size() != rank)
    throw Refused(formatted("`kernel_shape` has {} elements for {} spatial dimensions", kernel.size(), rank));
  Windows windows = windows_of(kernel);
  windows.stride = spatial_list(node, "strides", rank, 1);
  windows.dilation = spatial_list(node, "dilations", rank, 1);
  for (std::size_t d = 0; d < rank; ++d) {
    if (windows.kernel[d] < 1 || windows.stride[d] < 1 || windows.dilation[d] < 1)
      throw Refused("windows, strides and dilations are at least 1");
  }
  if (const auto padding = automatic_padding(node)) {
    set_padding(windows, extents, *padding);
    return windows;
  }
  const tensor::Shape pads = spatial_list(node, "pads", 2 * rank, 0);
  windows.before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
  windows.after.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
  return windows;
}

Term onnx_convolution(const NodeContext& node, const Term& x, const Term& weights, const Term* bias,
                      ConvolutionForm form) {
  if (x.rank() < 3 || weights.rank() != x.rank())
    throw Refused(formatted("weights of rank {} meet a tensor of rank {}", weights.rank(), x.rank()));
  const tensor::Shape taps(weights.shape.begin() + 2, weights.shape.end());
  const Windows windows = window_attributes(node, kernel_shape(node, taps), std::span(x.shape).subspan(2));
  form.groups = node.integer("group", 1);
  Builder& b = node.b;
  return channels_first(b, convolution(b, channels_last(b, x), channels_last(b, weights), bias, windows, form));
}

void emit_onnx_Conv(NodeContext& node) {
  const Term* bias = node.has(2) ? &node.in(2) : nullptr;
  node.out(0, onnx_convolution(node, node.in(0), node.in(1), bias, {}));
}

namespace {

// [C, M / group, spatial...] as [M, spatial..., C / group].
Term transposed_weights(Builder& b, const Term& weights, std::int64_t groups) {
  const std::int64_t inputs = weights.shape[0] / groups, outputs = weights.shape[1];
  tensor::Shape grouped{groups, inputs, outputs}, shape{groups * outputs};
  grouped.insert(grouped.end(), weights.shape.begin() + 2, weights.shape.end());
  shape.insert(shape.end(), weights.shape.begin() + 2, weights.shape.end());
  shape.push_back(inputs);
  std::vector<std::int64_t> permutation(grouped.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  permutation.erase(permutation.begin() + 1);
  permutation.push_back(1);
  return b.reshape(b.transpose(b.reshape(weights, grouped), std::move(permutation)), std::move(shape));
}

// What is cropped from the result, so that it has the extents of `output_shape` or those of auto_pad.
void crop_to_output(const NodeContext& node, Windows& windows, tensor::ShapeView extents,
                    const tensor::Shape& output_padding) {
  const std::size_t rank = extents.size();
  const auto automatic = automatic_padding(node);
  const bool has_output = node.list("output_shape").has_value();
  tensor::Shape wanted = spatial_list(node, "output_shape", rank, 0);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t whole = (extents[d] - 1) * windows.stride[d] + windows.reach(d) + output_padding[d];
    if (!has_output) wanted[d] = extents[d] * windows.stride[d];
    const std::int64_t total = whole - wanted[d];
    const std::int64_t half = total < 0 ? -((1 - total) / 2) : total / 2;  // rounded down
    const std::int64_t before = automatic == Padding::SameUpper ? half : total - half;
    windows.before[d] = before;
    windows.after[d] = total - before - output_padding[d];
  }
}

}  // namespace

Term onnx_transposed_convolution(const NodeContext& node, const Term& x, const Term& weights, const Term* bias,
                                 ConvolutionForm form) {
  const std::int64_t groups = node.integer("group", 1);
  if (x.rank() < 3 || weights.rank() != x.rank() || weights.rank() > 5)
    throw Refused(formatted("weights of rank {} meet a tensor of rank {}", weights.rank(), x.rank()));
  if (groups < 1 || weights.shape[0] % groups != 0) throw Refused("`group` does not divide the channels");
  const tensor::Shape taps(weights.shape.begin() + 2, weights.shape.end());
  const tensor::ShapeView extents = std::span(x.shape).subspan(2);
  Windows windows = window_attributes(node, kernel_shape(node, taps), extents);
  const tensor::Shape output_padding = spatial_list(node, "output_padding", extents.size(), 0);
  const auto automatic = automatic_padding(node);
  const bool is_same = automatic && *automatic != Padding::Valid;
  if (is_same || (node.list("output_shape") && !node.has("pads"))) {
    crop_to_output(node, windows, extents, output_padding);
  } else {
    for (std::size_t d = 0; d < extents.size(); ++d) windows.after[d] -= output_padding[d];
  }
  Builder& b = node.b;
  form.groups = groups;
  return channels_first(
      b, transposed_convolution(b, channels_last(b, x), transposed_weights(b, weights, groups), bias, windows, form));
}

void emit_onnx_ConvTranspose(NodeContext& node) {
  const Term* bias = node.has(2) ? &node.in(2) : nullptr;
  node.out(0, onnx_transposed_convolution(node, node.in(0), node.in(1), bias, {}));
}

}  // namespace slipway::importer
