// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and matrix products (docs/spec/tosa.md#tensor-operators). Sums are in the order of the specification;
// padding contributes exactly nothing.
#include "reference/operation.hpp"

namespace slipway::reference {
namespace {

// Reads either kind of tensor as the type of sums.
template <class T>
const std::vector<T>& elements(const Tensor& tensor) {
  if constexpr (std::is_same_v<T, double>)
    return tensor.reals;
  else
    return tensor.integers;
}

// A convolution over up to three spatial dimensions; missing outer ones count as 1. `Weight` returns the index of the
// weight.
struct Window {
  std::int64_t batch, in[3], out[3], kernel[3];
  std::int64_t pad[3], stride[3], dilation[3];
  std::int64_t in_channels, out_channels;
};

Window window_of(const Operation& operation, std::size_t dimensions, std::size_t first_kernel, std::string_view pads) {
  const tensor::Shape &in = operation.in(0).type.shape, &weight = operation.in(1).type.shape,
                      &out = operation.out().type.shape;
  Window window{in[0], {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, in.back(), out.back()};
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t d = i + 3 - dimensions;
    window.in[d] = in[1 + i];
    window.out[d] = out[1 + i];
    window.kernel[d] = weight[first_kernel + i];
    window.pad[d] = operation.list(pads)[2 * i];
    window.stride[d] = operation.list("stride")[i];
    if (operation.node.attributes.has("dilation")) window.dilation[d] = operation.list("dilation")[i];
  }
  return window;
}

// Calls `use(kernel index, input position)` for each kernel element whose input position lies inside the image.
template <class Use>
void for_each_tap(const Window& w, const std::int64_t (&at)[3], Use&& use) {
  std::int64_t position[3];
  for (std::int64_t kd = 0; kd < w.kernel[0]; ++kd) {
    position[0] = at[0] * w.stride[0] - w.pad[0] + kd * w.dilation[0];
    if (position[0] < 0 || position[0] >= w.in[0]) continue;
    for (std::int64_t ky = 0; ky < w.kernel[1]; ++ky) {
      position[1] = at[1] * w.stride[1] - w.pad[1] + ky * w.dilation[1];
      if (position[1] < 0 || position[1] >= w.in[1]) continue;
      for (std::int64_t kx = 0; kx < w.kernel[2]; ++kx) {
        position[2] = at[2] * w.stride[2] - w.pad[2] + kx * w.dilation[2];
        if (position[2] < 0 || position[2] >= w.in[2]) continue;
        use((kd * w.kernel[1] + ky) * w.kernel[2] + kx, (position[0] * w.in[1] + position[1]) * w.in[2] + position[2]);
      }
    }
  }
}

// Calls `use(batch, position, pixel)` for each output pixel in order.
template <class Use>
void for_each_pixel(const Window& w, Use&& use) {
  std::int64_t at[3], pixel = 0;
  for (std::int64_t n = 0; n < w.batch; ++n) {
    for (at[0] = 0; at[0] < w.out[0]; ++at[0]) {
      for (at[1] = 0; at[1] < w.out[1]; ++at[1]) {
        for (at[2] = 0; at[2] < w.out[2]; ++at[2]) {
          use(n, at, pixel++);
        }
      }
    }
  }
}

template <class T>
struct Convolution {
  explicit Convolution(const Operation& operation)
      : operation(operation),
        in(elements<T>(operation.in(0))),
        weight(elements<T>(operation.in(1))),
        in_zero(static_cast<T>(operation.integer("input_zp"))),
        weight_zero(static_cast<T>(operation.integer("weight_zp"))) {}

  // The bias is added to the sum after that is rounded to the type of the result.
  void store(std::int64_t pixel, std::int64_t channel, std::int64_t channels, T sum) const {
    const std::vector<T>& bias = elements<T>(operation.in(2));
    sum += bias[bias.size() == 1 ? 0 : static_cast<std::size_t>(channel)];
    const auto at = static_cast<std::size_t>(pixel * channels + channel);
    if constexpr (std::is_same_v<T, double>)
      operation.out().reals[at] = sum;
    else
      operation.out().integers[at] = wrap_to(operation.out().type.data, sum);
  }
  T product(std::int64_t in_index, std::int64_t weight_index) const {
    return (in[static_cast<std::size_t>(in_index)] - in_zero) *
           (weight[static_cast<std::size_t>(weight_index)] - weight_zero);
  }

  const Operation& operation;
  const std::vector<T>&in, &weight;
  T in_zero, weight_zero;
};

template <class T>
void convolve(const Operation& operation, std::size_t dimensions) {
  const Convolution<T> conv(operation);
  const Window w = window_of(operation, dimensions, 1, "pad");
  const std::int64_t taps = w.kernel[0] * w.kernel[1] * w.kernel[2], image = w.in[0] * w.in[1] * w.in[2];
  for_each_pixel(w, [&](std::int64_t n, const std::int64_t (&at)[3], std::int64_t pixel) {
    for (std::int64_t oc = 0; oc < w.out_channels; ++oc) {
      go_on_after(taps * w.in_channels);
      T sum = 0;
      for_each_tap(w, at, [&](std::int64_t tap, std::int64_t position) {
        const std::int64_t from = (n * image + position) * w.in_channels, with = (oc * taps + tap) * w.in_channels;
        for (std::int64_t ic = 0; ic < w.in_channels; ++ic) sum += conv.product(from + ic, with + ic);
      });
      conv.store(pixel, oc, w.out_channels, sum);
    }
  });
}

// weight [KH, KW, C, M]; output channel c * M + m.
template <class T>
void convolve_depthwise(const Operation& operation) {
  const Convolution<T> conv(operation);
  const Window w = window_of(operation, 2, 0, "pad");
  const std::int64_t multiplier = operation.in(1).extent(3), image = w.in[1] * w.in[2];
  for_each_pixel(w, [&](std::int64_t n, const std::int64_t (&at)[3], std::int64_t pixel) {
    for (std::int64_t oc = 0; oc < w.out_channels; ++oc) {
      go_on_after(w.kernel[1] * w.kernel[2]);
      T sum = 0;
      for_each_tap(w, at, [&](std::int64_t tap, std::int64_t position) {
        sum += conv.product((n * image + position) * w.in_channels + oc / multiplier, tap * w.out_channels + oc);
      });
      conv.store(pixel, oc, w.out_channels, sum);
    }
  });
}

// In gather form: the input, if any, that each kernel element contributes to an output.
template <class T>
void convolve_transposed(const Operation& operation) {
  const Convolution<T> conv(operation);
  const Window w = window_of(operation, 2, 1, "out_pad");
  const auto source = [](std::int64_t out, std::int64_t pad, std::int64_t k, std::int64_t stride, std::int64_t extent) {
    const std::int64_t at = out - pad - k;
    return at >= 0 && at % stride == 0 && at / stride < extent ? at / stride : -1;
  };
  for_each_pixel(w, [&](std::int64_t n, const std::int64_t (&at)[3], std::int64_t pixel) {
    for (std::int64_t oc = 0; oc < w.out_channels; ++oc) {
      go_on_after(w.kernel[1] * w.kernel[2] * w.in_channels);
      T sum = 0;
      for (std::int64_t ky = 0; ky < w.kernel[1]; ++ky) {
        const std::int64_t iy = source(at[1], w.pad[1], ky, w.stride[1], w.in[1]);
        for (std::int64_t kx = 0; iy >= 0 && kx < w.kernel[2]; ++kx) {
          const std::int64_t ix = source(at[2], w.pad[2], kx, w.stride[2], w.in[2]);
          if (ix < 0) continue;
          const std::int64_t from = ((n * w.in[1] + iy) * w.in[2] + ix) * w.in_channels;
          const std::int64_t with = ((oc * w.kernel[1] + ky) * w.kernel[2] + kx) * w.in_channels;
          for (std::int64_t ic = 0; ic < w.in_channels; ++ic) sum += conv.product(from + ic, with + ic);
        }
      }
      conv.store(pixel, oc, w.out_channels, sum);
    }
  });
}

// `transposed`: B has a row for each column of the result, and may have one batch for all.
template <class T>
void multiply(const Operation& operation, std::vector<T>& out, bool transposed) {
  const tensor::Shape &a = operation.in(0).type.shape, &b = operation.in(1).type.shape;
  const std::vector<T>&left = elements<T>(operation.in(0)), &right = elements<T>(operation.in(1));
  const T left_zero = static_cast<T>(operation.integer("A_zp")), right_zero = static_cast<T>(operation.integer("B_zp"));
  const std::int64_t rows = a[1], common = a[2], columns = transposed ? b[1] : b[2];
  const std::int64_t row_stride = transposed ? 1 : columns, column_stride = transposed ? common : 1;
  std::size_t at = 0;
  for (std::int64_t n = 0; n < a[0]; ++n) {
    const std::int64_t from = (b[0] == 1 ? 0 : n) * common * columns;
    for (std::int64_t y = 0; y < rows; ++y) {
      for (std::int64_t x = 0; x < columns; ++x) {
        go_on_after(common);
        T sum = 0;
        for (std::int64_t c = 0; c < common; ++c) {
          sum += (left[static_cast<std::size_t>((n * rows + y) * common + c)] - left_zero) *
                 (right[static_cast<std::size_t>(from + c * row_stride + x * column_stride)] - right_zero);
        }
        out[at++] = sum;
      }
    }
  }
}

}  // namespace

void run_CONV2D(Operation& operation) {
  operation.out().is_float() ? convolve<double>(operation, 2) : convolve<std::int64_t>(operation, 2);
}
void run_CONV3D(Operation& operation) {
  operation.out().is_float() ? convolve<double>(operation, 3) : convolve<std::int64_t>(operation, 3);
}
void run_DEPTHWISE_CONV2D(Operation& operation) {
  operation.out().is_float() ? convolve_depthwise<double>(operation) : convolve_depthwise<std::int64_t>(operation);
}
void run_TRANSPOSE_CONV2D(Operation& operation) {
  operation.out().is_float() ? convolve_transposed<double>(operation) : convolve_transposed<std::int64_t>(operation);
}

namespace {

void multiply(Operation& operation, bool transposed) {
  if (operation.out().is_float()) return multiply(operation, operation.out().reals, transposed);
  multiply(operation, operation.out().integers, transposed);
  for (std::int64_t& value : operation.out().integers) value = wrap_to(operation.out().type.data, value);
}

}  // namespace

void run_MATMUL(Operation& operation) { multiply(operation, false); }

// Sums are f32 where the result is bf16.
void run_MATMUL_T(Operation& operation) {
  multiply(operation, true);
  if (operation.out().type.data != DataType::BF16) return;
  for (double& value : operation.out().reals) value = static_cast<float>(value);
}

}  // namespace slipway::reference
