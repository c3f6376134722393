// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms. A complex tensor is a pair of terms, its real and its imaginary part; an interface cannot have
// it.
#include <cmath>
#include <numbers>

#include "base/format.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {
namespace {

// [length, bins]: a function of 2 pi j k / length.
template <class Function>
Term wave_matrix(std::int64_t length, std::int64_t bins, Function function) {
  constexpr std::int64_t kMaxElements = 1 << 24;
  if (length > kMaxElements / bins) throw Refused(formatted("a Fourier transform of {} elements is too long", length));
  std::vector<double> matrix;
  for (std::int64_t j = 0; j < length; ++j) {
    for (std::int64_t k = 0; k < bins; ++k) {
      const double turn = static_cast<double>(j * k % length) / static_cast<double>(length);
      matrix.push_back(function(2 * std::numbers::pi * turn));
    }
  }
  return known_term(array_of(FileType::F32, {length, bins}, std::span<const double>(matrix)));
}

double cosine(double angle) { return std::cos(angle); }
double sine(double angle) { return std::sin(angle); }

const Term& part_of(const NodeContext& node, std::size_t part) {
  const Term& x = node.operand(0);
  if (!x.sequence || x.sequence->size() != 2) throw Refused("the operand is not complex");
  return (*x.sequence)[part];
}

}  // namespace

void emit_tflite_RFFT2D(NodeContext& node) {
  Builder& b = node.b;
  Term x = node.in(0);
  const std::vector<std::int64_t> lengths = node.integers(1, "fft_length");
  if (x.type != FileType::F32 || x.rank() < 2 || lengths.size() != 2 || lengths[0] < 1 || lengths[1] < 1)
    throw Refused("the operand and the lengths are not those of pictures of floats");
  tensor::Shape none(x.rank(), 0), more(x.rank(), 0);
  for (std::size_t d = 0; d < 2; ++d) more[x.rank() - 2 + d] = lengths[d] - x.extent(static_cast<std::int64_t>(d) - 2);
  x = b.pad(x, none, more, b.number(FileType::F32, 0));
  const std::int64_t bins = lengths[1] / 2 + 1;
  Term real = b.matmul(x, wave_matrix(lengths[1], bins, cosine));
  Term imaginary = b.unary(Unary::Neg, b.matmul(x, wave_matrix(lengths[1], bins, sine)));
  if (lengths[0] > 1) {
    const Term turned = wave_matrix(lengths[0], lengths[0], cosine),
               shifted = wave_matrix(lengths[0], lengths[0], sine);
    const Term sum = b.add(b.matmul(turned, real), b.matmul(shifted, imaginary));
    imaginary = b.sub(b.matmul(turned, imaginary), b.matmul(shifted, real));
    real = sum;
  }
  node.out(0, sequence_of({real, imaginary}));
}

void emit_tflite_REAL(NodeContext& node) { node.out(0, part_of(node, 0)); }
void emit_tflite_IMAG(NodeContext& node) { node.out(0, part_of(node, 1)); }

void emit_tflite_COMPLEX_ABS(NodeContext& node) {
  Builder& b = node.b;
  const Term &real = part_of(node, 0), &imaginary = part_of(node, 1);
  node.out(0, b.unary(Unary::Sqrt, b.add(b.mul(real, real), b.mul(imaginary, imaginary))));
}

}  // namespace slipway::importer
