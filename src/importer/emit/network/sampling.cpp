// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/network/sampling.hpp"

#include "importer/emit/host.hpp"

namespace slipway::importer {
namespace {

bool reflects(Outside outside) { return outside == Outside::ReflectCentres || outside == Outside::ReflectEdges; }

// `index` is a whole number of float32.
Neighbour neighbour(Builder& b, const Term& index, const Term& weight, std::int64_t extent, Outside outside) {
  Term own = weight, at = index;
  if (outside == Outside::Zero) {
    const Term from = b.binary(Binary::GreaterEqual, index, 0);
    const Term to = b.binary(Binary::Less, index, static_cast<double>(extent));
    own = b.mul(weight, b.cast(b.logical(Binary::BitAnd, from, to), weight.type));
  }
  if (reflects(outside)) at = reflected(b, index, extent, outside);
  return {whole_numbers(b, b.clamp(at, 0, static_cast<double>(extent - 1))), own};
}

// Positions whose whole neighbourhood is outside stay there, and their numbers are small.
Term limited(Builder& b, const Term& positions, std::int64_t extent, double reach, Outside outside) {
  constexpr double kFar = 1 << 22;  // whole numbers are exact
  if (reflects(outside)) return b.clamp(positions, -kFar, kFar);
  return b.clamp(positions, -1 - reach, static_cast<double>(extent) + reach);
}

}  // namespace

Term whole_numbers(Builder& b, const Term& x) {
  if (x.known) return b.cast(x, FileType::I32);
  return b.term(b.add(tosa::Op::CAST, {b.value(x)}, {}, tosa::DataType::I32), FileType::I32);
}

Term reflected(Builder& b, const Term& positions, std::int64_t extent, Outside outside) {
  const bool at_centres = outside == Outside::ReflectCentres;
  const double low = at_centres ? 0 : -0.5, range = static_cast<double>(at_centres ? extent - 1 : extent);
  if (range == 0) return b.number(positions.type, 0, positions.shape);
  const Term distance = b.unary(Unary::Abs, b.affine(positions, 1, -low));
  const Term turns = b.unary(Unary::Floor, b.affine(distance, 1 / (2 * range), 0));
  const Term rest = b.sub(distance, b.affine(turns, 2 * range, 0));
  return b.sub(b.number(rest.type, low + range), b.unary(Unary::Abs, b.affine(rest, 1, -range)));
}

Neighbours nearest_neighbours(Builder& b, const Term& positions, std::int64_t extent, Outside outside) {
  const Term index = b.unary(Unary::RoundEven, limited(b, positions, extent, 1, outside));
  return {neighbour(b, index, b.number(positions.type, 1, {1, 1}), extent, outside)};
}

Neighbours linear_neighbours(Builder& b, const Term& positions, std::int64_t extent, Outside outside) {
  const Term position = limited(b, positions, extent, 0, outside);
  const Term floor = b.unary(Unary::Floor, position), part = b.sub(position, floor);
  const Term one = b.number(part.type, 1);
  return {neighbour(b, floor, b.sub(one, part), extent, outside),
          neighbour(b, b.binary(Binary::Add, floor, 1), part, extent, outside)};
}

Neighbours cubic_neighbours(Builder& b, const Term& positions, std::int64_t extent, Outside outside) {
  constexpr double kA = -0.75;
  const Term position = limited(b, positions, extent, 2, outside);
  const Term floor = b.unary(Unary::Floor, position), part = b.sub(position, floor);
  const Term rest = b.sub(b.number(part.type, 1), part);
  // ((A d - 5A) d + 8A) d - 4A for the outer two, ((A + 2) d - (A + 3)) d d + 1 for the inner ones.
  const auto outer = [&](const Term& distance) {
    const Term first = b.affine(distance, kA, -5 * kA);
    return b.affine(b.mul(b.affine(b.mul(first, distance), 1, 8 * kA), distance), 1, -4 * kA);
  };
  const auto inner = [&](const Term& distance) {
    return b.affine(b.mul(b.mul(b.affine(distance, kA + 2, -(kA + 3)), distance), distance), 1, 1);
  };
  const auto at = [&](double shift, const Term& weight) {
    return neighbour(b, b.binary(Binary::Add, floor, shift), weight, extent, outside);
  };
  return {at(-1, outer(b.affine(part, 1, 1))), at(0, inner(part)), at(1, inner(rest)),
          at(2, outer(b.affine(rest, 1, 1)))};
}

std::vector<Sample> samples_at(Builder& b, const Term& x, const Term& first, std::span<const Neighbours> dimensions) {
  const std::int64_t channels = x.extent(-1);
  const Term rows = b.reshape(x, {x.count() / channels, channels});
  // Combinations of the dimensions so far: the row within an image, and the weight.
  std::vector<Neighbour> combinations{{b.number(FileType::I32, 0, {1, 1}), b.number(FileType::F32, 1, {1, 1})}};
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    std::vector<Neighbour> next;
    for (const Neighbour& so_far : combinations) {
      const Term scaled = b.binary(Binary::Mul, so_far.index, static_cast<double>(x.shape[1 + d]));
      for (const Neighbour& each : dimensions[d])
        next.push_back({d == 0 ? each.index : b.add(scaled, each.index),
                        d == 0 ? each.weight : b.mul(so_far.weight, each.weight)});
    }
    combinations = std::move(next);
  }
  std::vector<Sample> samples;
  for (const Neighbour& each : combinations) {
    const Term index = b.add(each.index, first);
    samples.push_back({b.rows(rows, index), b.unsqueeze(b.cast(each.weight, x.type), -1)});
  }
  return samples;
}

Term weighted_sum(Builder& b, std::span<const Sample> samples) {
  Term sum;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Term part = b.mul(samples[i].value, samples[i].weight);
    sum = i == 0 ? part : b.add(sum, part);
  }
  return sum;
}

}  // namespace slipway::importer
