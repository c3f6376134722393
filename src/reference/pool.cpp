// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling (docs/spec/tosa.md#avg_pool2d): only positions inside the image count.
#include <algorithm>

#include "reference/operation.hpp"
#include "reference/scale.hpp"

namespace slipway::reference {
namespace {

// Calls `use(output index, input index)` for each input of each window, and `finish(output index, inputs counted)`
// after each window.
template <class Use, class Finish>
void for_each_window(const Operation& operation, Use&& use, Finish&& finish) {
  const tensor::Shape &in = operation.in().type.shape, &out = operation.out().type.shape;
  const auto kernel = operation.list("kernel"), stride = operation.list("stride"), pad = operation.list("pad");
  std::size_t at = 0;
  for (std::int64_t n = 0; n < out[0]; ++n) {
    for (std::int64_t oy = 0; oy < out[1]; ++oy) {
      for (std::int64_t ox = 0; ox < out[2]; ++ox) {
        const std::int64_t y0 = oy * stride[0] - pad[0], x0 = ox * stride[1] - pad[2];
        for (std::int64_t c = 0; c < out[3]; ++c, ++at) {
          std::int64_t count = 0;
          go_on_after(kernel[0] * kernel[1]);
          for (std::int64_t y = std::max<std::int64_t>(y0, 0); y < std::min(y0 + kernel[0], in[1]); ++y) {
            for (std::int64_t x = std::max<std::int64_t>(x0, 0); x < std::min(x0 + kernel[1], in[2]); ++x, ++count)
              use(at, static_cast<std::size_t>(((n * in[1] + y) * in[2] + x) * in[3] + c));
          }
          finish(at, count);
        }
      }
    }
  }
}

}  // namespace

void run_AVG_POOL2D(Operation& operation) {
  const Tensor& in = operation.in();
  Tensor& out = operation.out();
  if (out.is_float()) {
    return for_each_window(
        operation, [&](std::size_t to, std::size_t from) { out.reals[to] += in.reals[from]; },
        [&](std::size_t to, std::int64_t count) { out.reals[to] /= static_cast<double>(count); });
  }
  const std::int64_t in_zero = operation.integer("input_zp"), out_zero = operation.integer("output_zp");
  for_each_window(
      operation, [&](std::size_t to, std::size_t from) { out.integers[to] += in.integers[from] - in_zero; },
      [&](std::size_t to, std::int64_t count) {
        const auto [multiplier, shift] = reciprocal(count);
        out.integers[to] = saturate_to(out.type.data, scale32(out.integers[to], multiplier, shift, false) + out_zero);
      });
}

void run_MAX_POOL2D(Operation& operation) {
  const Tensor& in = operation.in();
  Tensor& out = operation.out();
  if (!out.is_float()) {
    std::ranges::fill(out.integers, min_integer(out.type.data));
    return for_each_window(
        operation,
        [&](std::size_t to, std::size_t from) { out.integers[to] = std::max(out.integers[to], in.integers[from]); },
        [](std::size_t, std::int64_t) {});
  }
  const bool ignore = operation.ignores_nan();
  std::ranges::fill(out.reals, ignore ? kNan : -kInfinity);
  for_each_window(
      operation,
      [&](std::size_t to, std::size_t from) { out.reals[to] = max_with(out.reals[to], in.reals[from], ignore); },
      [](std::size_t, std::int64_t) {});
}

}  // namespace slipway::reference
