// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms, as products with a constant matrix, and determinants.
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/parameters.hpp"

namespace slipway::importer {
namespace {

struct Transform {
  std::int64_t length = 0;  // of the signal, which is padded or truncated to it
  bool inverse = false, onesided = false;
};

// [length * parts, bins * 2]: e^(-2 pi i j k / length) as a matrix of real numbers. `parts`: 2 for complex signals, 1
// for real ones.
Term fourier_matrix(const Builder& b, const Transform& transform, std::int64_t parts, std::int64_t bins) {
  constexpr std::int64_t kMaxElements = 1 << 24;
  const std::int64_t length = transform.length;
  if (length * parts > kMaxElements / (bins * 2))
    throw Refused(formatted("a Fourier transform of {} elements is too long", length));
  b.will_make({length * parts, bins * 2});
  const double sign = transform.inverse ? 1 : -1, scale = transform.inverse ? 1.0 / static_cast<double>(length) : 1;
  std::vector<double> matrix;
  matrix.reserve(static_cast<std::size_t>(length * parts * bins * 2));
  for (std::int64_t j = 0; j < length; ++j) {
    for (std::int64_t part = 0; part < parts; ++part) {
      for (std::int64_t k = 0; k < bins; ++k) {
        const double turn = static_cast<double>(j * k % length) / static_cast<double>(length);
        const double angle = sign * 2 * std::numbers::pi * turn;
        const double real = scale * std::cos(angle), imaginary = scale * std::sin(angle);
        matrix.push_back(part == 0 ? real : -imaginary);
        matrix.push_back(part == 0 ? imaginary : real);
      }
    }
  }
  return known_term(array_of(FileType::F32, {length * parts, bins * 2}, std::span<const double>(matrix)));
}

// Of an axis of x, whose last dimension is 1 or 2, the real and the imaginary part.
Term fourier(Builder& b, const Term& x, std::int64_t axis, const Transform& transform) {
  const std::size_t at = axis_of(axis, x.rank());
  const std::int64_t parts = x.extent(-1);
  if (at + 1 == x.rank()) throw Refused("the axis is that of the real and imaginary parts");
  if (parts != 1 && parts != 2) throw Refused(formatted("the last dimension is {}; it has to be 1 or 2", parts));
  if (transform.length < 1) throw Refused(formatted("the length of the transform is {}", transform.length));
  if (transform.onesided && (transform.inverse || parts == 2))
    throw Refused("one side is computed only of forward transforms of real signals");
  const std::int64_t bins = transform.onesided ? transform.length / 2 + 1 : transform.length;
  Term signal = b.cast(x, FileType::F32);
  if (signal.shape[at] > transform.length) signal = b.slice_axis(signal, axis, 0, transform.length);
  tensor::Shape before(x.rank(), 0), after(x.rank(), 0);
  after[at] = transform.length - signal.shape[at];
  signal = b.pad(signal, before, after, b.number(FileType::F32, 0));
  // The axis moves before the parts.
  std::vector<std::int64_t> order, back(x.rank());
  for (std::size_t d = 0; d + 1 < x.rank(); ++d) {
    if (d != at) order.push_back(static_cast<std::int64_t>(d));
  }
  order.push_back(static_cast<std::int64_t>(at));
  order.push_back(static_cast<std::int64_t>(x.rank()) - 1);
  for (std::size_t d = 0; d < order.size(); ++d)
    back[static_cast<std::size_t>(order[d])] = static_cast<std::int64_t>(d);
  const Term moved = b.transpose(signal, order);
  const Term rows = b.reshape(moved, {moved.count() / (transform.length * parts), transform.length * parts});
  tensor::Shape shape = moved.shape;
  shape.back() = 2;
  shape[shape.size() - 2] = bins;
  const Term product = b.matmul(rows, fourier_matrix(b, transform, parts, bins));
  return b.cast(b.transpose(b.reshape(product, shape), back), x.type);
}

}  // namespace

void emit_onnx_DFT(NodeContext& node) {
  const Term& x = node.in(0);
  const bool by_attribute = node.version() < 20;
  const std::int64_t axis = by_attribute  ? node.integer("axis", 1)
                            : node.has(2) ? integer_operand(node, 2, "axis")
                                          : -2;
  Transform transform{.length = x.extent(axis), .inverse = node.flag("inverse"), .onesided = node.flag("onesided")};
  if (node.has(1)) transform.length = integer_operand(node, 1, "dft_length");
  node.out(0, fourier(node.b, x, axis, transform));
}

void emit_onnx_STFT(NodeContext& node) {
  Builder& b = node.b;
  Term signal = node.in(0);
  if (signal.rank() == 2) signal = b.unsqueeze(signal, 2);
  if (signal.rank() != 3) throw Refused(formatted("the signal has rank {}; it has to be 3", signal.rank()));
  const std::int64_t step = integer_operand(node, 1, "frame_step");
  const Term* const window = node.has(2) ? &node.in(2) : nullptr;
  const std::int64_t usual = window ? window->count() : signal.shape[1];
  const std::int64_t length = node.has(3) ? integer_operand(node, 3, "frame_length") : usual;
  if (step < 1 || length < 1 || length > signal.shape[1]) throw Refused("the frames do not fit the signal");
  const std::int64_t frames = (signal.shape[1] - length) / step + 1;
  std::vector<std::int64_t> at(static_cast<std::size_t>(frames * length));
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    at[i] = place / length * step + place % length;
  }
  Term framed =
      b.take(signal, 1, b.integers(FileType::I64, {frames, length}, at), true);  // [batch, frames, length, parts]
  if (window) {
    if (window->count() != length) throw Refused("the window has another length than the frames");
    framed = b.mul(framed, b.reshape(*window, {length, 1}));
  }
  const bool onesided = node.flag("onesided", true) && framed.extent(-1) == 1;
  node.out(0, fourier(b, framed, 2, {.length = length, .onesided = onesided}));
}

namespace {

// One column after the other is eliminated, with the row whose number in it is the largest.
Term determinant(Builder& b, const Term& matrices) {
  const std::int64_t batch = matrices.shape[0];
  Term product = b.number(matrices.type, 1, {1, 1, 1});
  Term rest = matrices;
  while (rest.shape[1] > 1) {
    const std::int64_t n = rest.shape[1];
    const Term column = b.slice_axis(rest, 2, 0, 1);
    const Term chosen = b.argmax(b.reshape(b.unary(Unary::Abs, column), {batch, n}), 1);  // [batch]
    const Term row = b.reshape(chosen, {batch, 1});
    const Term is_chosen = b.reshape(b.binary(Binary::Equal, row, b.arange(FileType::I32, 0, n)), {batch, n, 1});
    const Term zero = b.number(rest.type, 0);
    const Term pivots = b.reduce(Reduction::Sum, b.select(is_chosen, rest, zero), {1}, true);  // [batch, 1, n]
    const Term swapped = b.select(is_chosen, b.slice_axis(rest, 1, 0, 1), rest);
    const Term below = b.slice_axis(swapped, 1, 1, n - 1);
    const Term pivot = b.slice_axis(pivots, 2, 0, 1);
    const Term divisor = b.select(b.binary(Binary::Equal, pivot, 0), b.number(rest.type, 1), pivot);
    const Term factors = b.div(b.slice_axis(below, 2, 0, 1), divisor);
    const Term is_first = b.reshape(b.binary(Binary::Equal, row, 0), {batch, 1, 1});
    const Term sign = b.select(is_first, b.number(rest.type, 1), b.number(rest.type, -1));
    product = b.mul(product, b.mul(pivot, sign));
    rest = b.sub(b.slice_axis(below, 2, 1, n - 1), b.mul(factors, b.slice_axis(pivots, 2, 1, n - 1)));
  }
  return b.mul(product, rest);
}

}  // namespace

void emit_onnx_Det(NodeContext& node) {
  constexpr std::int64_t kMaxSize = 64;
  const Term& x = node.in(0);
  if (x.rank() < 2 || x.extent(-1) != x.extent(-2) || x.count() == 0) throw Refused("it is not of square matrices");
  const std::int64_t n = x.extent(-1);
  if (n > kMaxSize) throw Refused(formatted("a determinant of {0} x {0} elements is too large", n));
  const tensor::Shape batch(x.shape.begin(), x.shape.end() - 2);
  const Term matrices = node.b.reshape(x, {product_of(batch), n, n});
  node.out(0, node.b.reshape(determinant(node.b, node.b.computable(matrices)), batch));
}

}  // namespace slipway::importer
