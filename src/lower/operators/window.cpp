// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions, matrix products and pooling, one element at a time (docs/spec/tosa.md#tensor-operators). Padding
// contributes exactly nothing.
#include "lower/operators/math.hpp"
#include "lower/operators/operation.hpp"

namespace slipway::lower {

using tosa::DataType;

namespace {

// Sums are 32-bit floats, 32-bit integers that wrap, or 64-bit integers where the accumulator is an i48.
Value widened(Kernel& k, DataType accumulator, Value value) {
  return accumulator == DataType::I48 ? k.to_long(value) : value;
}
Value zero_of(Kernel& k, DataType accumulator) {
  return tosa::is_float(accumulator) ? k.real(0)
                                     : k.constant(accumulator == DataType::I48 ? Scalar::Long : Scalar::Int, 0);
}

// One dimension of a window: the positions at which its taps read.
struct WindowTaps {
  std::int64_t count, extent, pad, pad_after, stride, dilation;
  // Sizes divide exactly, so that without padding every tap is inside.
  bool is_padded() const { return pad > 0 || pad_after > 0; }
};

class Sum {
 public:
  Sum(Operation& operation, std::string_view zero_a, std::string_view zero_b)
      : operation_(operation),
        k_(operation.kernel),
        type_(operation.out_type()),
        zero_a_(operation.integer(zero_a)),
        zero_b_(operation.integer(zero_b)),
        sum_(k_.variable(zero_of(k_, type_))) {}

  // Of an element of each of the first two inputs. Adds nothing where `counts` is false. The buffers of a kernel have
  // the order in which they are first read, which must not depend on the compiler.
  void add_product(const Coordinates& of_a, const Coordinates& of_b, Value counts) {
    Value b = operation_.in(1, of_b);
    Value a = operation_.in(0, of_a);
    if (!tosa::is_float(type_)) {
      a = widened(k_, type_, a - zero_a_);
      b = widened(k_, type_, b - zero_b_);
    }
    const Value sum = k_.get(sum_);
    k_.set(sum_, k_.select(counts, sum + a * b, sum));
  }
  void add_product(const Coordinates& of_a, const Coordinates& of_b) { add_product(of_a, of_b, k_.boolean(true)); }
  Value value() { return k_.get(sum_); }

 private:
  Operation& operation_;
  Kernel& k_;
  DataType type_;
  std::int64_t zero_a_, zero_b_;
  Variable sum_;
};

// Called for a tap: its position in the kernel, its position in the image, whether it counts.
using UseTap = std::function<void(const Coordinates&, const Coordinates&, Value)>;

// Loops over all dimensions, with the taps inside the image.
void loop_over_taps(Kernel& k, std::span<const WindowTaps> taps, const Coordinates& at, Coordinates kernel,
                    Coordinates input, const UseTap& use) {
  const std::size_t d = kernel.size();
  if (d == taps.size()) return use(kernel, input, k.boolean(true));
  const WindowTaps& tap = taps[d];
  k.loop(k.integer(tap.count), [&](Value i) {
    const Value position = at[d] * tap.stride + i * tap.dilation - tap.pad;
    kernel.push_back(i);
    input.push_back(position);
    const Value inside = tap.is_padded() ? (position >= 0) & (position < tap.extent) : k.boolean(true);
    k.when(inside, [&] { loop_over_taps(k, taps, at, kernel, input, use); });
    kernel.pop_back();
    input.pop_back();
  });
}

std::int64_t count_of(std::span<const WindowTaps> taps) {
  std::int64_t count = 1;
  for (const WindowTaps& tap : taps) count *= tap.count;
  return count;
}

// All taps as straight code; one outside the image reads the nearest element, and does not count.
void write_out_taps(Kernel& k, std::span<const WindowTaps> taps, const Coordinates& at, const UseTap& use) {
  for (std::int64_t i = 0; i < count_of(taps); ++i) {
    Coordinates kernel(taps.size()), input(taps.size());
    Value inside = k.boolean(true);
    std::int64_t rest = i;
    for (std::size_t d = taps.size(); d-- > 0; rest /= taps[d].count) {
      const WindowTaps& tap = taps[d];
      kernel[d] = k.integer(rest % tap.count);
      input[d] = at[d] * tap.stride + (rest % tap.count * tap.dilation - tap.pad);
      if (!tap.is_padded()) continue;
      inside = inside & (input[d] >= 0) & (input[d] < tap.extent);
      input[d] = k.clamp(input[d], k.integer(0), k.integer(tap.extent - 1));
    }
    use(kernel, input, inside);
  }
}

// For taps whose cost is dominated by the load. Small windows are straight code on GPUs, so that all loads are in
// flight at once.
void for_each_tap(Kernel& k, std::span<const WindowTaps> taps, const Coordinates& at, const UseTap& use) {
  constexpr std::int64_t kMaxTaps = 64;
  if (k.is_for_gpu() && count_of(taps) <= kMaxTaps)
    write_out_taps(k, taps, at, use);
  else
    loop_over_taps(k, taps, at, {}, {}, use);
}

std::vector<WindowTaps> conv_taps(const Operation& operation, std::size_t dimensions, std::size_t first_kernel) {
  std::vector<WindowTaps> taps;
  for (std::size_t i = 0; i < dimensions; ++i) {
    taps.push_back({operation.in_shape(1)[first_kernel + i], operation.in_shape(0)[1 + i], operation.list("pad")[2 * i],
                    operation.list("pad")[2 * i + 1], operation.list("stride")[i], operation.list("dilation")[i]});
  }
  return taps;
}

}  // namespace

Value with_bias(Operation& operation, Value sum, Value channel) {
  const Value bias = operation.in(2, {operation.in_shape(2)[0] == 1 ? operation.kernel.integer(0) : channel});
  if (!tosa::is_float(operation.out_type())) return sum + bias;
  // The sum is rounded to the type of the result before the bias is added to it.
  return rounded(operation.kernel, tosa::storage_of(operation.out_type()), sum) + bias;
}

namespace {

Value conv(Operation& operation, const Coordinates& at, std::size_t dimensions) {
  Kernel& k = operation.kernel;
  Sum sum(operation, "input_zp", "weight_zp");
  const Coordinates place(at.begin() + 1, at.end() - 1);
  loop_over_taps(k, conv_taps(operation, dimensions, 1), place, {}, {},
                 [&](const Coordinates& kernel, const Coordinates& position, Value) {
                   k.loop(k.integer(operation.in_shape(0).back()), [&](Value channel) {
                     Coordinates from = {at[0]}, with = {at.back()};
                     from.insert(from.end(), position.begin(), position.end());
                     with.insert(with.end(), kernel.begin(), kernel.end());
                     from.push_back(channel);
                     with.push_back(channel);
                     sum.add_product(from, with);
                   });
                 });
  return with_bias(operation, sum.value(), at.back());
}

}  // namespace

Value emit_CONV2D(Operation& operation, const Coordinates& at, std::size_t) { return conv(operation, at, 2); }
Value emit_CONV3D(Operation& operation, const Coordinates& at, std::size_t) { return conv(operation, at, 3); }

Value emit_DEPTHWISE_CONV2D(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  Sum sum(operation, "input_zp", "weight_zp");
  const Value multiplier = k.integer(operation.in_shape(1)[3]);
  const Value channel = k.unsigned_divide(at[3], multiplier), m = k.unsigned_remainder(at[3], multiplier);
  for_each_tap(k, conv_taps(operation, 2, 0), {at[1], at[2]},
               [&](const Coordinates& kernel, const Coordinates& position, Value inside) {
                 sum.add_product({at[0], position[0], position[1], channel}, {kernel[0], kernel[1], channel, m},
                                 inside);
               });
  return with_bias(operation, sum.value(), at[3]);
}

// Each output gathers what the inputs scatter: tap k reads input (out - pad - k) / stride, where that is an integer.
Value emit_TRANSPOSE_CONV2D(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  Sum sum(operation, "input_zp", "weight_zp");
  const auto pad = operation.list("out_pad"), stride = operation.list("stride");
  const tensor::Shape &in = operation.in_shape(0), &weight = operation.in_shape(1);
  const auto with_source = [&](std::size_t d, Value tap, const std::function<void(Value)>& use) {
    const Value position = at[1 + d] - pad[2 * d] - tap;
    const Value safe = k.max(position, k.integer(0)), source = k.unsigned_divide(safe, k.integer(stride[d]));
    k.when((position >= 0) & (source * stride[d] == safe) & (source < in[1 + d]), [&] { use(source); });
  };
  k.loop(k.integer(weight[1]), [&](Value ky) {
    with_source(0, ky, [&](Value y) {
      k.loop(k.integer(weight[2]), [&](Value kx) {
        with_source(1, kx, [&](Value x) {
          k.loop(k.integer(in[3]),
                 [&](Value channel) { sum.add_product({at[0], y, x, channel}, {at[3], ky, kx, channel}); });
        });
      });
    });
  });
  return with_bias(operation, sum.value(), at[3]);
}

Value emit_MATMUL(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  Sum sum(operation, "A_zp", "B_zp");
  k.loop(k.integer(operation.in_shape(0)[2]), [&](Value c) { sum.add_product({at[0], at[1], c}, {at[0], c, at[2]}); });
  return sum.value();
}

Value emit_MATMUL_T(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  Sum sum(operation, "A_zp", "B_zp");
  const Value batch = operation.in_shape(1)[0] == 1 ? k.integer(0) : at[0];
  k.loop(k.integer(operation.in_shape(0)[2]), [&](Value c) { sum.add_product({at[0], at[1], c}, {batch, at[2], c}); });
  return sum.value();
}

namespace {

std::vector<WindowTaps> pool_taps(const Operation& operation) {
  std::vector<WindowTaps> taps;
  for (std::size_t i = 0; i < 2; ++i)
    taps.push_back({operation.list("kernel")[i], operation.in_shape()[1 + i], operation.list("pad")[2 * i],
                    operation.list("pad")[2 * i + 1], operation.list("stride")[i], 1});
  return taps;
}

}  // namespace

Value start_of_max_pool(Kernel& k, DataType type, bool ignore_nan) {
  if (!tosa::is_float(type)) return min_value(k, type);
  return ignore_nan ? nan_of(k) : k.float_of_bits(k.integer(static_cast<std::int32_t>(0xff800000)));
}

Value emit_MAX_POOL2D(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const bool ignore = operation.ignores_nan();
  const Variable best = k.variable(start_of_max_pool(k, operation.out_type(), ignore));
  for_each_tap(k, pool_taps(operation), {at[1], at[2]},
               [&](const Coordinates&, const Coordinates& position, Value inside) {
                 const Value x = operation.in(0, {at[0], position[0], position[1], at[3]}), so_far = k.get(best);
                 k.set(best, k.select(inside, max_with(k, so_far, x, ignore), so_far));
               });
  return k.get(best);
}

Value emit_AVG_POOL2D(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const bool is_float = tosa::is_float(operation.out_type());
  const Variable sum = k.variable(is_float ? k.real(0) : k.integer(0));
  for_each_tap(k, pool_taps(operation), {at[1], at[2]},
               [&](const Coordinates&, const Coordinates& position, Value inside) {
                 const Value x = operation.in(0, {at[0], position[0], position[1], at[3]}), so_far = k.get(sum);
                 const Value next = so_far + (is_float ? x : x - operation.integer("input_zp"));
                 k.set(sum, k.select(inside, next, so_far));
               });
  return mean_of_pool(operation, at, k.get(sum));
}

Value mean_of_pool(Operation& operation, const Coordinates& at, Value sum) {
  Kernel& k = operation.kernel;
  // The number of positions of the window inside the image.
  Value count = k.integer(1);
  for (std::size_t i = 0; i < 2; ++i) {
    const Value first = at[1 + i] * operation.list("stride")[i] - operation.list("pad")[2 * i];
    const Value last = k.min(first + operation.list("kernel")[i], k.integer(operation.in_shape()[1 + i]));
    count = count * (last - k.max(first, k.integer(0)));
  }
  if (sum.type() == Scalar::Float) return quotient(k, sum, k.to_float(count));
  // The exact reciprocal of docs/spec/tosa.md#scaling-helpers: 2^(k-1) < count <= 2^k.
  const Value bits = k.find_most_significant(count - 1) + 1;
  const Value multiplier = k.unsigned_divide(k.long_integer((std::int64_t{1} << 30) + 1) << bits, k.to_long(count));
  const Value mean = k.to_int(scaled(k, k.to_long(sum), multiplier, bits + 30, false));
  return saturated(k, operation.out_type(), mean + operation.integer("output_zp"));
}

}  // namespace slipway::lower
