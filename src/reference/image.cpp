// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RESIZE and the Fourier transforms (docs/spec/tosa.md#resize, docs/spec/tosa.md#fft2d).
#include <algorithm>
#include <numbers>

#include "reference/operation.hpp"

namespace slipway::reference {
namespace {

// An output position between two input positions i0 and i1, `rest` of `scale` parts from the first.
struct Sample {
  std::int64_t i0, i1, rest, scale;
};

Sample sample(std::int64_t at, std::int64_t n, std::int64_t d, std::int64_t offset, std::int64_t extent) {
  const std::int64_t position = at * d + offset;
  const std::int64_t i = position >= 0 ? position / n : -((-position + n - 1) / n);  // floor
  return {std::clamp<std::int64_t>(i, 0, extent - 1), std::clamp<std::int64_t>(i + 1, 0, extent - 1), position - i * n,
          n};
}

}  // namespace

void run_RESIZE(Operation& operation) {
  const Tensor& in = operation.in();
  Tensor& out = operation.out();
  const bool nearest =
      operation.node.attributes.enumerant<tosa::ResizeMode>("mode") == tosa::ResizeMode::NearestNeighbor;
  const auto scale = operation.list("scale"), offset = operation.list("offset");
  std::size_t at = 0;
  for (std::int64_t n = 0; n < out.extent(0); ++n) {
    for (std::int64_t oy = 0; oy < out.extent(1); ++oy) {
      const Sample y = sample(oy, scale[0], scale[1], offset[0], in.extent(1));
      for (std::int64_t ox = 0; ox < out.extent(2); ++ox) {
        const Sample x = sample(ox, scale[2], scale[3], offset[1], in.extent(2));
        for (std::int64_t c = 0; c < out.extent(3); ++c, ++at) {
          go_on_at(at);
          const auto index = [&](std::int64_t iy, std::int64_t ix) {
            return static_cast<std::size_t>(((n * in.extent(1) + iy) * in.extent(2) + ix) * in.extent(3) + c);
          };
          if (nearest) {  // half goes up
            const std::size_t from = index(2 * y.rest >= y.scale ? y.i1 : y.i0, 2 * x.rest >= x.scale ? x.i1 : x.i0);
            with_elements(out, in, [&](auto& to, const auto& elements) { to[at] = elements[from]; });
            continue;
          }
          const std::size_t i00 = index(y.i0, x.i0), i01 = index(y.i0, x.i1), i10 = index(y.i1, x.i0),
                            i11 = index(y.i1, x.i1);
          if (!out.is_float()) {  // no division: the result is scaled by both scales
            const auto& v = in.integers;
            out.integers[at] = v[i00] * (y.scale - y.rest) * (x.scale - x.rest) + v[i01] * (y.scale - y.rest) * x.rest +
                               v[i10] * y.rest * (x.scale - x.rest) + v[i11] * y.rest * x.rest;
          } else {
            const auto& v = in.reals;
            const double dy = static_cast<double>(y.rest) / static_cast<double>(y.scale);
            const double dx = static_cast<double>(x.rest) / static_cast<double>(x.scale);
            out.reals[at] =
                v[i00] * (1 - dy) * (1 - dx) + v[i01] * (1 - dy) * dx + v[i10] * dy * (1 - dx) + v[i11] * dy * dx;
          }
        }
      }
    }
  }
}

namespace {

// Sums over one image for one output frequency. Without an imaginary part (`imaginary` null), terms whose sine is
// exactly zero are skipped, so that such outputs are exactly 0.
std::pair<double, double> frequency(const double* real, const double* imaginary, std::int64_t height,
                                    std::int64_t width, std::int64_t oy, std::int64_t ox, double sign) {
  double re = 0, im = 0;
  for (std::int64_t iy = 0; iy < height; ++iy) {
    for (std::int64_t ix = 0; ix < width; ++ix) {
      const std::int64_t ay = iy * oy % height, ax = ix * ox % width;
      const double angle = sign * 2 * std::numbers::pi *
                           (static_cast<double>(ay) / static_cast<double>(height) +
                            static_cast<double>(ax) / static_cast<double>(width));
      const double r = real[iy * width + ix];
      if (!imaginary) {
        re += r * std::cos(angle);
        if (2 * ay % height != 0 || 2 * ax % width != 0) im -= r * std::sin(angle);
      } else {
        const double i = imaginary[iy * width + ix];
        re += r * std::cos(angle) + i * std::sin(angle);
        im += -r * std::sin(angle) + i * std::cos(angle);
      }
    }
  }
  return {re, im};
}

void transform(Operation& operation, const std::vector<double>* imaginary, double sign) {
  const Tensor& in = operation.in();
  const std::int64_t height = in.extent(1), width = in.extent(2), out_width = operation.out().extent(2);
  for (std::int64_t n = 0; n < in.extent(0); ++n) {
    for (std::int64_t oy = 0; oy < height; ++oy) {
      for (std::int64_t ox = 0; ox < out_width; ++ox) {
        go_on();
        const std::int64_t image = n * height * width;
        const auto [re, im] = frequency(in.reals.data() + image, imaginary ? imaginary->data() + image : nullptr,
                                        height, width, oy, ox, sign);
        const auto at = static_cast<std::size_t>((n * height + oy) * out_width + ox);
        operation.out(0).reals[at] = re;
        operation.out(1).reals[at] = im;
      }
    }
  }
}

}  // namespace

void run_FFT2D(Operation& operation) {
  transform(operation, &operation.in(1).reals, operation.flag("inverse") ? -1 : 1);
}
void run_RFFT2D(Operation& operation) { transform(operation, nullptr, 1); }

}  // namespace slipway::reference
