// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RESIZE, the Fourier transforms and block matching (docs/spec/tosa.md#resize, docs/spec/tosa.md#fft2d,
// docs/spec/vgf.md#motion-engine-instructions).
#include <numbers>

#include "lower/operators/math.hpp"
#include "lower/operators/operation.hpp"

namespace slipway::lower {

using tosa::DataType;

namespace {

struct Sample {
  Value i0, i1, rest;
  std::int64_t scale;
};

Sample sample(Kernel& k, Value at, std::int64_t n, std::int64_t d, std::int64_t offset, std::int64_t extent) {
  // position / n rounded down: positions are above -n, so adding n makes them positive.
  const Value position = at * d + offset;
  const Value i = k.unsigned_divide(position + n, k.integer(n)) - 1;
  const Value last = k.integer(extent - 1), zero = k.integer(0);
  return {k.clamp(i, zero, last), k.clamp(i + 1, zero, last), position - i * n, n};
}

}  // namespace

Value emit_RESIZE(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const auto scale = operation.list("scale"), offset = operation.list("offset");
  const Sample y = sample(k, at[1], scale[0], scale[1], offset[0], operation.in_shape()[1]);
  const Sample x = sample(k, at[2], scale[2], scale[3], offset[1], operation.in_shape()[2]);
  const auto pixel = [&](Value row, Value column) { return operation.in(0, {at[0], row, column, at[3]}); };
  if (operation.node.attributes.enumerant<tosa::ResizeMode>("mode") == tosa::ResizeMode::NearestNeighbor) {
    const auto nearest = [&](const Sample& s) { return k.select(s.rest * 2 >= s.scale, s.i1, s.i0); };
    return pixel(nearest(y), nearest(x));
  }
  const Value v00 = pixel(y.i0, x.i0), v01 = pixel(y.i0, x.i1), v10 = pixel(y.i1, x.i0), v11 = pixel(y.i1, x.i1);
  if (tosa::is_float(operation.out_type())) {
    const Value dy = k.to_float(y.rest) / k.real(static_cast<float>(y.scale)),
                dx = k.to_float(x.rest) / k.real(static_cast<float>(x.scale));
    const Value one = k.real(1);
    return v00 * (one - dy) * (one - dx) + v01 * (one - dy) * dx + v10 * dy * (one - dx) + v11 * dy * dx;
  }
  // There is no division: the result is scaled by both scales.
  const auto wide = [&](Value v) { return operation.out_type() == DataType::I48 ? k.to_long(v) : v; };
  const Value ry = wide(y.rest), rx = wide(x.rest), qy = wide(k.integer(y.scale) - y.rest),
              qx = wide(k.integer(x.scale) - x.rest);
  return wide(v00) * qy * qx + wide(v01) * qy * rx + wide(v10) * ry * qx + wide(v11) * ry * rx;
}

namespace {

// One frequency: the sum over the image of input times twiddle factor, real part or imaginary part.
Value frequency(Operation& operation, const Coordinates& at, std::size_t part, bool has_imaginary, bool inverse) {
  Kernel& k = operation.kernel;
  const std::int64_t height = operation.in_shape()[1], width = operation.in_shape()[2];
  const Variable sum = k.variable(k.real(0));
  k.loop(k.integer(height), [&](Value y) {
    k.loop(k.integer(width), [&](Value x) {
      // The angle in turns, exactly: height and width are powers of two of at most 2^13.
      const Value ay = (y * at[1]) & (height - 1), ax = (x * at[2]) & (width - 1);
      const Value turn = k.to_float(ay) * k.real(1.0f / static_cast<float>(height)) +
                         k.to_float(ax) * k.real(1.0f / static_cast<float>(width));
      Value cosine = cos_2pi(k, turn), sine = sin_2pi(k, turn);
      if (inverse) sine = -sine;
      const Value real = operation.in(0, {at[0], y, x});
      Value term;
      if (!has_imaginary) {
        // Terms whose sine is exactly zero are left out, so that the four real frequencies have exactly no imaginary
        // part.
        const Value zero_sine = (((ay * 2) & (height - 1)) == 0) & (((ax * 2) & (width - 1)) == 0);
        term = part == 0 ? real * cosine : k.select(zero_sine, k.real(0), -(real * sine));
      } else {
        const Value imaginary = operation.in(1, {at[0], y, x});
        term = part == 0 ? real * cosine + imaginary * sine : imaginary * cosine - real * sine;
      }
      k.set(sum, k.get(sum) + term);
    });
  });
  return k.get(sum);
}

}  // namespace

Value emit_FFT2D(Operation& operation, const Coordinates& at, std::size_t result) {
  return frequency(operation, at, result, true, operation.flag("inverse"));
}
Value emit_RFFT2D(Operation& operation, const Coordinates& at, std::size_t result) {
  return frequency(operation, at, result, false, false);
}

namespace {

// The position [x, y] of a candidate in the search window. Ring r of the spiral has 8r positions; the rings inside it
// have (2r-1)^2 together.
struct Candidate {
  Value x, y;
};

class Matcher {
 public:
  explicit Matcher(Operation& operation) : operation_(operation), k_(operation.kernel) {}

  // Visits all candidates in order.
  void for_each(const std::function<void(const Candidate&)>& use) {
    const auto size = operation_.list("search_window_sizes");
    const bool spiral =
        operation_.node.attributes.has("search_pattern") &&
        operation_.node.attributes.enumerant<tosa::SearchPattern>("search_pattern") == tosa::SearchPattern::Spiral;
    if (!spiral) {
      k_.loop(k_.integer(size[0]), [&](Value y) { k_.loop(k_.integer(size[1]), [&](Value x) { use({x, y}); }); });
      return;
    }
    const std::int64_t radius = std::max<std::int64_t>(operation_.list("window_offsets")[0], 0);
    const Value r = k_.integer(radius);
    use({r, r});
    k_.loop(k_.integer(radius), [&](Value inner) {
      const Value ring = inner + 1;
      for (int side = 0; side < 4; ++side) {
        k_.loop(ring * 2, [&](Value i) {
          const Value step = i - ring;
          const Candidate at[4] = {
              {r + step, r + ring}, {r + ring, r - step}, {r - step, r - ring}, {r - ring, r + step}};
          use(at[side]);
        });
      }
    });
  }

  Candidate displacement(const Candidate& candidate) {
    const auto offset = operation_.list("window_offsets");
    return {candidate.x - offset[1], candidate.y - offset[0]};
  }

  // The sum of absolute differences, of 16 bits.
  Value cost(const Coordinates& image, Value oy, Value ox, const Candidate& candidate) {
    const auto kernel = operation_.list("kernel_sizes"), stride = operation_.list("input_strides");
    const auto window = operation_.list("window_strides"), padding = operation_.list("padding");
    const Candidate by = displacement(candidate);
    const Value y0 = oy * stride[0] - padding[0], x0 = ox * stride[1] - padding[1];
    const Variable sum = k_.variable(k_.integer(0));
    k_.loop(k_.integer(kernel[0]), [&](Value y) {
      k_.loop(k_.integer(kernel[1]), [&](Value x) {
        const Value here = pixel(0, image, y0 + y, x0 + x);
        const Value there = pixel(1, image, y0 + y + by.y * window[0], x0 + x + by.x * window[1]);
        k_.set(sum, k_.get(sum) + k_.select(here < there, there - here, here - there));
      });
    });
    return k_.get(sum) & 0xffff;
  }

 private:
  // As an unsigned byte; 0 outside the image.
  Value pixel(std::size_t input, const Coordinates& image, Value y, Value x) {
    const tensor::Shape& shape = operation_.in_shape(input);
    const Value zero = k_.integer(0);
    const Value inside = (y >= 0) & (x >= 0) & (y < shape[2]) & (x < shape[3]);
    const Value value = operation_.in(input, {image[0], image[1], k_.clamp(y, zero, k_.integer(shape[2] - 1)),
                                              k_.clamp(x, zero, k_.integer(shape[3] - 1))});
    return k_.select(inside, value & 0xff, zero);
  }

  Operation& operation_;
  Kernel& k_;
};

// Displacement or cost of the first candidate with the smallest cost.
Value best_match(Operation& operation, const Coordinates& at, bool cost) {
  Kernel& k = operation.kernel;
  Matcher matcher(operation);
  const Value ox = cost ? at[3] : at[3] >> 1;
  const Variable best_cost = k.variable(k.integer(0x10000)), best_x = k.variable(k.integer(0)),
                 best_y = k.variable(k.integer(0));
  matcher.for_each([&](const Candidate& candidate) {
    const Value c = matcher.cost({at[0], at[1]}, at[2], ox, candidate);
    k.when(c < k.get(best_cost), [&] {
      const Candidate by = matcher.displacement(candidate);
      k.set(best_cost, c);
      k.set(best_x, by.x);
      k.set(best_y, by.y);
    });
  });
  const auto narrow = [](Value value, int width) { return (value << (32 - width)) >> (32 - width); };
  if (cost) return narrow(k.get(best_cost), 16);
  return narrow(k.select((at[3] & 1) == 0, k.get(best_x), k.get(best_y)), 8);
}

}  // namespace

Value emit_MIN_SAD(Operation& operation, const Coordinates& at, std::size_t) {
  return best_match(operation, at, false);
}
Value emit_MIN_SAD_COST(Operation& operation, const Coordinates& at, std::size_t result) {
  return best_match(operation, at, result == 1);
}

// Channel c * S + candidate, candidates in raster order.
Value emit_RAW_SAD(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  Matcher matcher(operation);
  const auto size = operation.list("search_window_sizes");
  const Value count = k.integer(size[0] * size[1]);
  const Value channel = k.unsigned_divide(at[1], count), candidate_index = k.unsigned_remainder(at[1], count);
  const Candidate candidate = {k.unsigned_remainder(candidate_index, k.integer(size[1])),
                               k.unsigned_divide(candidate_index, k.integer(size[1]))};
  return (matcher.cost({at[0], channel}, at[2], at[3], candidate) << 16) >> 16;
}

}  // namespace slipway::lower
