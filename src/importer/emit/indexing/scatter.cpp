// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/indexing/scatter.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/indexing/indexing.hpp"

namespace slipway::importer {
namespace {

// Elements of a tensor that compares all pairs of indices.
constexpr std::int64_t kMaxComparisons = 1 << 20;
constexpr std::int64_t kMaxCombined = 1 << 24;

Binary pairwise(Combine how) {
  switch (how) {
    case Combine::Mul:
      return Binary::Mul;
    case Combine::Max:
      return Binary::Max;
    case Combine::Min:
      return Binary::Min;
    default:
      return Binary::Add;
  }
}

Reduction reduction_of(Combine how) {
  switch (how) {
    case Combine::Mul:
      return Reduction::Product;
    case Combine::Max:
      return Reduction::Max;
    case Combine::Min:
      return Reduction::Min;
    default:
      return Reduction::Sum;
  }
}

// Rows of x [K, C] at known, unique indices are replaced.
Term put_rows(Builder& b, const Term& x, std::span<const std::int64_t> at, const Term& rows) {
  const auto count = static_cast<std::int64_t>(at.size());
  bool in_order = true;
  for (std::size_t i = 1; i < at.size(); ++i) in_order = in_order && at[i] == at[i - 1] + 1;
  if (!in_order) return b.scatter_rows(x, b.integers(FileType::I32, {count}, at), rows);
  const std::int64_t end = at.front() + count;
  return b.concat({b.slice_axis(x, 0, 0, at.front()), rows, b.slice_axis(x, 0, end, x.shape[0] - end)}, 0);
}

// The positions of known indices, so that none of a list writes what another one of it writes: the first occurrences,
// the second ones, and so on.
std::vector<std::vector<std::int64_t>> rounds_of(std::span<const std::int64_t> indices, bool last_only) {
  std::vector<std::vector<std::int64_t>> rounds;
  if (last_only) {
    std::map<std::int64_t, std::int64_t> last;
    for (std::size_t i = 0; i < indices.size(); ++i) last[indices[i]] = static_cast<std::int64_t>(i);
    rounds.emplace_back();
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (last[indices[i]] == static_cast<std::int64_t>(i)) rounds[0].push_back(static_cast<std::int64_t>(i));
    }
    return rounds;
  }
  std::map<std::int64_t, std::size_t> seen;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::size_t round = seen[indices[i]]++;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back(static_cast<std::int64_t>(i));
  }
  return rounds;
}

// Along the axis 2 of [G, L, L] pairs: for each update what is combined of all that have its index.
Term combined(Builder& b, const Term& same, const Term& updates, Combine how) {
  const std::int64_t groups = updates.shape[0], length = updates.shape[1], columns = updates.shape[2];
  const std::int64_t expanded = groups * length * length * columns;
  if (how == Combine::Add && updates.type == FileType::F32 && expanded > kMaxComparisons)
    return b.matmul(b.cast(same, updates.type), updates);
  if (expanded > kMaxCombined) throw Refused(formatted("a reduction of {} updates is too large", groups * length));
  const Reduction op = reduction_of(how);
  const Term none = b.number(updates.type, neutral_of(op, updates.type));
  const Term chosen = b.select(b.unsqueeze(same, 3), b.unsqueeze(updates, 1), none);
  return b.reduce(op, chosen, {2}, false);
}

// Indices that the run decides.
Term combine_unknown(Builder& b, const Term& x, const Term& indices, const Term& updates, Combine how) {
  const std::int64_t groups = indices.shape[0], length = indices.shape[1], count = groups * length;
  const std::int64_t rows = x.shape[0], columns = x.shape[1];
  const Term flat = b.reshape(indices, {count});
  if (length == 1 || (how == Combine::Replace && count * length > kMaxComparisons)) {
    const Term given = b.reshape(updates, {count, columns});
    return b.scatter_rows(x, flat, how == Combine::Replace ? given : b.binary(pairwise(how), b.rows(x, flat), given));
  }
  if (count * length > kMaxCombined) throw Refused(formatted("a reduction of {} updates is too large", count));
  const Term same = b.binary(Binary::Equal, b.unsqueeze(indices, 2), b.unsqueeze(indices, 1));
  const Term positions = b.arange(FileType::I32, 0, length);
  const Term later = b.binary(Binary::Greater, positions, b.unsqueeze(positions, 1));
  const Term is_replaced = b.reduce(Reduction::Any, b.logical(Binary::BitAnd, same, later), {2}, false);
  // What a later one replaces goes to a row of its own at the end.
  const Term spare = b.reshape(b.arange(FileType::I32, rows, count), {groups, length});
  const Term target = b.reshape(b.select(is_replaced, spare, indices), {count});
  Term written = b.reshape(updates, {count, columns});
  if (how != Combine::Replace) {
    const Term all = b.reshape(combined(b, same, updates, how), {count, columns});
    written = b.binary(pairwise(how), b.rows(x, flat), all);
  }
  const Term padded = b.pad(x, {0, 0}, {count, 0}, b.number(x.type, 0));
  return b.slice_axis(b.scatter_rows(padded, target, written), 0, 0, rows);
}

}  // namespace

Term combine_rows(Builder& b, const Term& x, const Term& indices, const Term& updates, Combine how) {
  if (how != Combine::Replace && !is_real(x.type)) {  // in 32 bits, in which the largest and smallest numbers are known
    if (x.type != FileType::I32 && !(x.known && updates.known))
      return b.narrow(combine_rows(b, b.widen(x), indices, b.widen(updates), how), x.type);
  }
  if (!indices.known) return combine_unknown(b, x, indices, updates, how);
  const std::vector<std::int64_t> at = indices.known->integers();
  const std::vector<std::vector<std::int64_t>> rounds = rounds_of(at, how == Combine::Replace);
  constexpr std::size_t kMaxRounds = 64;
  if (rounds.size() > kMaxRounds) return combine_unknown(b, x, indices, updates, how);
  const Term flat = b.reshape(updates, {indices.count(), x.shape[1]});
  Term made = x;
  for (const std::vector<std::int64_t>& positions : rounds) {
    std::vector<std::int64_t> rows;
    for (const std::int64_t position : positions) rows.push_back(at[static_cast<std::size_t>(position)]);
    Term written = take_list(b, flat, 0, positions);
    if (how != Combine::Replace) written = b.binary(pairwise(how), take_list(b, made, 0, rows), written);
    made = put_rows(b, made, rows, written);
  }
  return made;
}

Term scatter_nd(Builder& b, const Term& x, const Term& indices, const Term& updates, Combine how) {
  const auto depth = static_cast<std::size_t>(indices.extent(-1));
  if (depth > x.rank()) throw Refused("the indices have more coordinates than the tensor has dimensions");
  const std::span<const std::int64_t> extents(x.shape);
  tensor::Shape shape(indices.shape.begin(), indices.shape.end() - 1);
  shape.insert(shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(depth), x.shape.end());
  if (updates.shape != shape) {
    throw Refused(formatted("the updates have the shape {}; it has to be {}", tensor::shape_text(updates.shape),
                            tensor::shape_text(shape)));
  }
  if (updates.count() == 0 || x.count() == 0) return x;
  const std::int64_t inner = product_of(extents.subspan(depth)), count = updates.count() / inner;
  const Term coordinates = b.reshape(indices, {1, count, static_cast<std::int64_t>(depth)});
  const Term linear = linear_indices(b, coordinates, extents.first(depth));
  const Term rows = b.reshape(x, {x.count() / inner, inner});
  return b.reshape(combine_rows(b, rows, linear, b.reshape(updates, {1, count, inner}), how), x.shape);
}

Term scatter_elements(Builder& b, const Term& x, std::int64_t axis, const Term& indices, const Term& updates,
                      Combine how) {
  const std::size_t at = axis_of(axis, x.rank());
  if (indices.rank() != x.rank() || updates.shape != indices.shape)
    throw Refused("the indices and the updates do not have the same shape, with the rank of the tensor");
  if (updates.count() == 0) return x;
  const Term normal = normal_indices(b, indices, x.shape[at]);
  const Term scaled = b.binary(Binary::Mul, normal, static_cast<double>(strides_of(x.shape)[at]));
  const Term linear = b.add(scaled, line_starts(b, indices.shape, x.shape, at));
  // Only elements of one line along the axis can meet.
  std::vector<std::int64_t> to_last(x.rank());
  std::iota(to_last.begin(), to_last.end(), 0);
  std::rotate(to_last.begin() + static_cast<std::ptrdiff_t>(at), to_last.begin() + static_cast<std::ptrdiff_t>(at) + 1,
              to_last.end());
  const std::int64_t length = indices.shape[at], lines = indices.count() / length;
  const Term grouped = b.reshape(b.transpose(linear, to_last), {lines, length});
  const Term values = b.reshape(b.transpose(updates, to_last), {lines, length, 1});
  return b.reshape(combine_rows(b, b.reshape(x, {x.count(), 1}), grouped, values, how), x.shape);
}

namespace {

Term segments_of_known(Builder& b, Reduction op, const Term& x, const std::vector<std::int64_t>& ids,
                       std::int64_t count) {
  tensor::Shape row = x.shape;
  row[0] = 1;
  std::vector<Term> parts;
  for (std::int64_t segment = 0; segment < count; ++segment) {
    std::vector<std::int64_t> members;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == segment) members.push_back(static_cast<std::int64_t>(i));
    }
    parts.push_back(members.empty() ? b.number(x.type, neutral_of(op, x.type), row)
                                    : b.reduce(op, take_list(b, x, 0, members), {0}, true));
  }
  return b.concat(parts, 0);
}

}  // namespace

Term reduce_segments(Builder& b, Reduction op, const Term& x, const Term& ids, std::int64_t count) {
  constexpr std::int64_t kMaxSegments = 1024;
  if (x.rank() == 0 || ids.shape != tensor::Shape{x.shape[0]}) throw Refused("the segments are not one for each row");
  tensor::Shape shape = x.shape;
  shape[0] = count;
  if (product_of(shape) == 0 || x.count() == 0) return b.number(x.type, neutral_of(op, x.type), shape);
  if (ids.known && count <= kMaxSegments) return segments_of_known(b, op, x, ids.known->integers(), count);
  const std::int64_t rows = x.shape[0], columns = x.count() / rows;
  const Term positions = b.reshape(b.arange(FileType::I32, 0, count), {count, 1});
  const Term is_member = b.binary(Binary::Equal, b.cast(ids, FileType::I32), positions);  // [count, rows]
  if (op == Reduction::Sum && x.type == FileType::F32 && count * x.count() > kMaxComparisons)
    return b.reshape(b.matmul(b.cast(is_member, x.type), b.reshape(x, {rows, columns})), shape);
  if (count * x.count() > kMaxCombined)
    throw Refused(formatted("a reduction of {} rows to {} is too large", rows, count));
  const FileType type = is_real(x.type) ? x.type : FileType::I32;
  const Term wide = is_real(x.type) ? x : b.widen(x);
  const Term none = b.number(type, neutral_of(op, type));
  const Term chosen = b.select(b.unsqueeze(is_member, 2), b.reshape(wide, {1, rows, columns}), none);
  const Term reduced = b.reduce(op, chosen, {1}, false);
  return b.reshape(is_real(x.type) ? reduced : b.narrow(reduced, x.type), shape);
}

}  // namespace slipway::importer
