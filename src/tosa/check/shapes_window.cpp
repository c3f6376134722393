// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes of operators that move a window: convolutions, pooling, matrix products, motion search.
#include "tosa/check/shape_rules.hpp"
#include "tosa/check/shapes.hpp"

namespace slipway::tosa {
namespace {

// Bias and zero points of all convolutions: the bias has one element or one for each output channel.
bool bias_fits(ShapeContext& node, std::int64_t channels, std::size_t bias = 2) {
  const std::int64_t size = node.input(bias)[0];
  if (size < 0 || channels < 0 || size == 1 || size == channels) return true;
  node.mismatch("the bias has {} elements; it has 1 or one for each of the {} output channels", size, channels);
  return false;
}

bool conv_attributes(ShapeContext& node) {
  // All three are checked, so that all errors are reported.
  const bool pads = node.at_least("pad", 0), strides = node.at_least("stride", 1),
             dilations = node.at_least("dilation", 1);
  return pads && strides && dilations;
}

// Spatial dimensions of a convolution: input dimension 1 + i against weight dimension `first` + i.
std::optional<tensor::Shape> conv_extents(ShapeContext& node, std::size_t dimensions, std::size_t first,
                                          std::size_t weight = 1) {
  static constexpr std::string_view kNames[] = {"depth", "height", "width"};
  const auto pad = node.list("pad"), stride = node.list("stride"), dilation = node.list("dilation");
  tensor::Shape extents;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::int64_t kernel = node.input(weight)[first + i];
    const std::int64_t extent = kernel < 0 ? kDynamic : (kernel - 1) * dilation[i] + 1;
    const auto steps =
        node.window(kNames[i + 3 - dimensions], node.input(0)[1 + i], pad[2 * i], pad[2 * i + 1], extent, stride[i]);
    if (!steps) return std::nullopt;
    extents.push_back(*steps);
  }
  return extents;
}

Shapes conv(ShapeContext& node, std::size_t dimensions) {
  if (!conv_attributes(node)) return std::nullopt;
  const tensor::Shape &input = node.input(0), &weight = node.input(1);
  if (!node.equal("the number of input channels", {input.back(), weight.back()}) || !bias_fits(node, weight[0]))
    return std::nullopt;
  const auto extents = conv_extents(node, dimensions, 1);
  if (!extents) return std::nullopt;
  tensor::Shape shape = {input[0]};
  shape.insert(shape.end(), extents->begin(), extents->end());
  shape.push_back(weight[0]);
  return {{std::move(shape)}};
}

}  // namespace

Shapes shape_of_conv2d(ShapeContext& node) { return conv(node, 2); }
Shapes shape_of_conv3d(ShapeContext& node) { return conv(node, 3); }

Shapes shape_of_depthwise_conv2d(ShapeContext& node) {
  if (!conv_attributes(node)) return std::nullopt;
  const tensor::Shape &input = node.input(0), &weight = node.input(1);
  const auto channels = node.equal("the number of channels", {input[3], weight[2]});
  if (!channels) return std::nullopt;
  const std::int64_t outputs = times(*channels, weight[3]);
  if (!bias_fits(node, outputs)) return std::nullopt;
  const auto extents = conv_extents(node, 2, 0);
  if (!extents) return std::nullopt;
  return {{{input[0], (*extents)[0], (*extents)[1], outputs}}};
}

Shapes shape_of_transpose_conv2d(ShapeContext& node) {
  if (!node.at_least("stride", 1)) return std::nullopt;
  const tensor::Shape &input = node.input(0), &weight = node.input(1);
  const auto pad = node.list("out_pad"), stride = node.list("stride");
  if (!node.equal("the number of input channels", {input[3], weight[3]}) || !bias_fits(node, weight[0]))
    return std::nullopt;
  tensor::Shape shape = {input[0], kDynamic, kDynamic, weight[0]};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t kernel = weight[1 + i];
    if (kernel < 0) continue;
    if (pad[2 * i] <= -kernel || pad[2 * i + 1] <= -kernel) {
      return node.out_of_range("`out_pad` is {}; a kernel of {} can be cropped by less than itself",
                               tensor::list_text(pad), kernel);
    }
    if (input[1 + i] < 0) continue;
    shape[1 + i] = (input[1 + i] - 1) * stride[i] + pad[2 * i] + pad[2 * i + 1] + kernel;
    if (shape[1 + i] < 1) return node.mismatch("`out_pad` {} leaves nothing of the output", tensor::list_text(pad));
  }
  return {{std::move(shape)}};
}

Shapes shape_of_pool2d(ShapeContext& node) {
  const bool kernels = node.at_least("kernel", 1), strides = node.at_least("stride", 1), pads = node.at_least("pad", 0);
  if (!kernels || !strides || !pads) return std::nullopt;
  const auto kernel = node.list("kernel"), stride = node.list("stride"), pad = node.list("pad");
  tensor::Shape shape = node.input(0);
  for (std::size_t i = 0; i < 2; ++i) {
    if (pad[2 * i] >= kernel[i] || pad[2 * i + 1] >= kernel[i]) {
      return node.out_of_range("`pad` is {}; padding is smaller than the kernel {}", tensor::list_text(pad),
                               tensor::list_text(kernel));
    }
    const auto steps =
        node.window(i == 0 ? "height" : "width", shape[1 + i], pad[2 * i], pad[2 * i + 1], kernel[i], stride[i]);
    if (!steps) return std::nullopt;
    shape[1 + i] = *steps;
  }
  return {{std::move(shape)}};
}

Shapes shape_of_matmul(ShapeContext& node) {
  const tensor::Shape &a = node.input(0), &b = node.input(1);
  const auto batch = node.equal("the batch size", {a[0], b[0]});
  if (!batch || !node.equal("the number of columns of A and rows of B", {a[2], b[1]})) return std::nullopt;
  return {{{*batch, a[1], b[2]}}};
}

namespace {

// B has the rows of its transpose; a B of one batch is that of all.
Shapes transposed_product(ShapeContext& node, const tensor::Shape& a, const tensor::Shape& b) {
  const auto batch = b[0] == 1 ? std::optional(a[0]) : node.equal("the batch size", {a[0], b[0]});
  if (!batch || !node.equal("the number of columns of A and of B", {a[2], b[2]})) return std::nullopt;
  return {{{*batch, a[1], b[1]}}};
}

}  // namespace

Shapes shape_of_matmul_t(ShapeContext& node) { return transposed_product(node, node.input(0), node.input(1)); }

Shapes shape_of_matmul_t_block_scaled(ShapeContext& node) {
  const tensor::Shape &a = node.input(0), &b = node.input(2);
  if (!is_scale(node, a, node.input(1)) || !is_scale(node, b, node.input(3))) return std::nullopt;
  return transposed_product(node, a, b);
}

Shapes shape_of_conv2d_block_scaled(ShapeContext& node) {
  const tensor::Shape &input = node.input(0), &weight = node.input(2);
  if (!is_scale(node, input, node.input(1)) || !is_scale(node, weight, node.input(3)) || !conv_attributes(node) ||
      !node.equal("the number of input channels", {input[3], weight[3]}) || !bias_fits(node, weight[0], 4))
    return std::nullopt;
  const auto extents = conv_extents(node, 2, 1, 2);
  if (!extents) return std::nullopt;
  return {{{input[0], (*extents)[0], (*extents)[1], weight[0]}}};
}

// Arm.MotionEngine.100 (docs/spec/vgf.md#motion-engine-instructions): [N, C, H, W]; sizes, strides and offsets are [y,
// x].
Shapes shape_of_motion(ShapeContext& node) {
  for (const std::string_view name : {"kernel_sizes", "search_window_sizes", "input_strides", "window_strides"}) {
    if (!node.at_least(name, 1)) return std::nullopt;
  }
  const tensor::Shape& frame = node.input(0);
  if (!may_be_equal(frame, node.input(1)) && (frame[0] != node.input(1)[0] || frame[1] != node.input(1)[1]))
    return node.mismatch("the two images have the shapes {} and {}", tensor::shape_text(frame),
                         tensor::shape_text(node.input(1)));
  const auto stride = node.list("input_strides");
  const auto steps = [&](std::size_t i) { return frame[2 + i] < 0 ? kDynamic : frame[2 + i] / stride[i]; };
  const tensor::Shape flow = {frame[0], frame[1], steps(0), times(2, steps(1))},
                      cost = {frame[0], frame[1], steps(0), steps(1)};
  if (steps(0) == 0 || steps(1) == 0)
    return node.mismatch("steps of {} over an image of {} leave no output", tensor::list_text(stride),
                         tensor::shape_text(frame));
  const auto window = node.list("search_window_sizes");
  if (!node.attributes().has("search_pattern"))
    return {{{frame[0], times(frame[1], window[0] * window[1]), steps(0), steps(1)}}};
  return {{flow, cost}};
}

}  // namespace slipway::tosa
