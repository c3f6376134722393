// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/indexing/sorting.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"

namespace slipway::importer {
namespace {

// Numbers whose order is the opposite; exact for every number.
Term opposite(Builder& b, const Term& x) { return b.unary(is_real(x.type) ? Unary::Neg : Unary::Not, x); }

// What is compared: floats, or integers as int32.
Term comparable(Builder& b, const Term& x) { return is_real(x.type) ? b.computable(x) : b.widen(x); }

// The elements of x [G, n] at `indices` [G, k].
Term pick(Builder& b, const Term& x, const Term& indices) {
  const std::int64_t lines = x.shape[0], length = x.shape[1];
  const Term starts = b.reshape(b.arange(FileType::I32, 0, lines, length), {lines, 1});
  const Term linear = b.reshape(b.add(indices, starts), {indices.count()});
  return b.reshape(b.rows(b.reshape(x, {x.count(), 1}), linear), indices.shape);
}

// One after the other: each is the largest of those that are left.
Term largest_by_search(Builder& b, const Term& x, std::int64_t count) {
  const std::int64_t length = x.shape[1];
  const Term positions = b.reshape(b.arange(FileType::I32, 0, length), {1, length});
  const Term none = b.number(FileType::I32, static_cast<double>(length - 1));
  const Term lowest = b.number(x.type, neutral_of(Reduction::Max, x.type));
  std::vector<Term> found;
  Term left = b.number(FileType::Bool, 1, {1, length});
  for (std::int64_t k = 0; k < count; ++k) {
    const Term maximum = b.reduce(Reduction::Max, b.select(left, x, lowest), {1}, true);
    const Term is_largest = b.logical(Binary::BitAnd, b.binary(Binary::Equal, x, maximum), left);
    const Term at = b.reduce(Reduction::Min, b.select(is_largest, positions, none), {1}, true);
    found.push_back(at);
    if (k + 1 < count)
      left = b.logical(Binary::BitAnd, left, b.unary(Unary::Not, b.binary(Binary::Equal, positions, at)));
  }
  return b.concat(found, 1);
}

// By the number of elements that come before each.
Term largest_by_rank(Builder& b, const Term& x, std::int64_t count) {
  const std::int64_t lines = x.shape[0], length = x.shape[1];
  const Term positions = b.arange(FileType::I32, 0, length);
  const Term own = b.reshape(x, {lines, length, 1}), other = b.reshape(x, {lines, 1, length});
  const Term is_before = b.binary(Binary::Greater, b.reshape(positions, {length, 1}), positions);
  const Term ties = b.logical(Binary::BitAnd, b.binary(Binary::Equal, other, own), is_before);
  const Term before = b.logical(Binary::BitOr, b.binary(Binary::Greater, other, own), ties);
  const Term rank = b.reduce(Reduction::Sum, b.widen(before), {2}, false);  // [lines, length]
  // The position whose rank is k.
  const Term ranks = b.reshape(b.arange(FileType::I32, 0, count), {count, 1});
  const Term is_at = b.binary(Binary::Equal, b.reshape(rank, {lines, 1, length}), ranks);
  return b.reduce(Reduction::Max, b.select(is_at, positions, b.number(FileType::I32, 0)), {2}, false);
}

// One step of a bitonic network: pairs at a distance are put in order, descending in every other block of `block`
// elements.
Sorted exchange(Builder& b, const Sorted& of, std::int64_t distance, std::int64_t block) {
  const std::int64_t lines = of.values.shape[0], length = of.values.shape[1], pairs = length / (2 * distance);
  const tensor::Shape shape{lines, pairs, 2, distance};
  const Term values = b.reshape(of.values, shape), indices = b.reshape(of.indices, shape);
  const Term value = b.slice_axis(values, 2, 0, 1), other_value = b.slice_axis(values, 2, 1, 1);
  const Term index = b.slice_axis(indices, 2, 0, 1), other_index = b.slice_axis(indices, 2, 1, 1);
  const Term ties = b.logical(Binary::BitAnd, b.binary(Binary::Equal, value, other_value),
                              b.binary(Binary::Less, index, other_index));
  const Term is_first = b.logical(Binary::BitOr, b.binary(Binary::Greater, value, other_value), ties);
  std::vector<std::int64_t> descends(static_cast<std::size_t>(pairs));
  for (std::int64_t pair = 0; pair < pairs; ++pair)
    descends[static_cast<std::size_t>(pair)] = (pair * 2 * distance / block) % 2 == 0 ? 1 : 0;
  const Term keeps = b.binary(Binary::Equal, is_first, b.integers(FileType::Bool, {1, pairs, 1, 1}, descends));
  const auto ordered = [&](const Term& first, const Term& second) {
    const Term parts[] = {b.select(keeps, first, second), b.select(keeps, second, first)};
    return b.reshape(b.concat(parts, 2), {lines, length});
  };
  return {ordered(value, other_value), ordered(index, other_index)};
}

Term largest_by_network(Builder& b, const Term& x, std::int64_t count) {
  const std::int64_t lines = x.shape[0], length = x.shape[1];
  const auto padded = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(length)));
  constexpr std::int64_t kMaxLength = 1 << 20;
  if (padded > kMaxLength) throw Refused(formatted("a dimension of {} elements is too long to be sorted", length));
  const Term lowest = b.number(x.type, neutral_of(Reduction::Max, x.type));
  Sorted made{b.pad(x, {0, 0}, {0, padded - length}, lowest),
              b.broadcast(b.reshape(b.arange(FileType::I32, 0, padded), {1, padded}), {lines, padded})};
  for (std::int64_t block = 2; block <= padded; block *= 2) {
    for (std::int64_t distance = block / 2; distance >= 1; distance /= 2) made = exchange(b, made, distance, block);
  }
  return b.slice_axis(made.indices, 1, 0, count);
}

}  // namespace

Sorted top_k(Builder& b, const Term& x, std::int64_t axis, std::int64_t count, bool largest) {
  constexpr std::int64_t kMaxSearched = 8, kMaxRanked = 2048, kMaxPairs = 1 << 24;
  const std::size_t at = axis_of(axis, x.rank());
  const std::int64_t length = x.shape[at];
  if (count < 0 || count > length) throw Refused(formatted("{} of {} elements are wanted", count, length));
  tensor::Shape shape = x.shape;
  shape[at] = count;
  if (product_of(shape) == 0) return {b.number(x.type, 0, shape), b.number(FileType::I32, 0, shape)};
  std::vector<std::int64_t> to_last(x.rank()), back(x.rank());
  std::iota(to_last.begin(), to_last.end(), 0);
  std::rotate(to_last.begin() + static_cast<std::ptrdiff_t>(at), to_last.begin() + static_cast<std::ptrdiff_t>(at) + 1,
              to_last.end());
  for (std::size_t d = 0; d < x.rank(); ++d) back[static_cast<std::size_t>(to_last[d])] = static_cast<std::int64_t>(d);
  const std::int64_t lines = x.count() / length;
  const Term moved = b.transpose(x, to_last);
  const Term given = b.reshape(moved, {lines, length});
  const Term keys = largest ? comparable(b, given) : opposite(b, comparable(b, given));
  const Term indices = count <= kMaxSearched ? largest_by_search(b, keys, count)
                       : length <= kMaxRanked && lines * length * length <= kMaxPairs
                           ? largest_by_rank(b, keys, count)
                           : largest_by_network(b, keys, count);
  tensor::Shape shape_moved = moved.shape;
  shape_moved.back() = count;
  const auto restored = [&](const Term& term) { return b.transpose(b.reshape(term, shape_moved), back); };
  return {restored(pick(b, given, indices)), restored(indices)};
}

Term extreme_index(Builder& b, const Term& x, std::int64_t axis, bool largest, bool last) {
  const std::int64_t length = x.extent(axis);
  if (length == 0) throw Refused("there is no largest of no elements");
  Term keys = largest ? x : opposite(b, comparable(b, x));
  if (!last) return b.argmax(keys, axis);
  const Term from_end = b.argmax(b.reverse(keys, axis), axis);
  return b.sub(b.number(FileType::I32, static_cast<double>(length - 1)), from_end);
}

}  // namespace slipway::importer
