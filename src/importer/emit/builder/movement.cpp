// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/builder/movement.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"

namespace slipway::importer {
namespace {

using tosa::Op;
using tosa::ValueId;

// Of a dimension; the size of a tensor is checked by the verifier.
constexpr std::int64_t kMaxExtent = std::numeric_limits<std::int32_t>::max();

bool is_folded(const Term& x) { return x.known && x.count() <= kMaxFolded; }

bool is_identity(std::span<const std::int64_t> permutation) { return std::ranges::is_sorted(permutation); }

// The permutation only moves dimensions of size 1.
bool keeps_order(const tensor::Shape& shape, std::span<const std::int64_t> permutation) {
  std::vector<std::int64_t> moved;
  for (const std::int64_t from : permutation) {
    if (shape[static_cast<std::size_t>(from)] != 1) moved.push_back(from);
  }
  return std::ranges::is_sorted(moved);
}

}  // namespace

Term Movement::reshape(const Term& x, tensor::Shape shape) {
  if (shape == x.shape) return x;
  const bool is_one = (shape.empty() && x.shape == tensor::Shape{1}) || (x.shape.empty() && shape == tensor::Shape{1});
  if (product_of(shape) != x.count()) {
    throw Refused(formatted("a tensor of shape {} cannot be reshaped to {}", tensor::shape_text(x.shape),
                            tensor::shape_text(shape)));
  }
  Term made = x;
  made.shape = shape;
  made.quantization = nullptr;
  if (made.known) {
    made.known->shape = std::move(shape);
    made.value = tosa::kNoValue;
    return made;
  }
  // The tensor of the graph keeps its shape.
  if (is_one || shape.size() > kMaxGraphRank) return made;
  if (shape.empty()) return reshape(reshape(x, {1}), {});
  if (graph_[x.value].type.shape == shape) return made;
  made.value = add(Op::RESHAPE, {x.value}, {{"shape", std::vector(shape)}});
  return made;
}

Term Movement::with_rank(const Term& x, std::size_t rank) {
  tensor::Shape shape(rank > x.rank() ? rank - x.rank() : 0, 1);
  shape.insert(shape.end(), x.shape.begin(), x.shape.end());
  return reshape(x, std::move(shape));
}

Term Movement::unsqueeze(const Term& x, std::int64_t axis) {
  tensor::Shape shape = x.shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis_of(axis, x.rank() + 1)), 1);
  return reshape(x, std::move(shape));
}

Term Movement::squeeze(const Term& x, std::int64_t axis) {
  tensor::Shape shape = x.shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis_of(axis, x.rank())));
  return reshape(x, std::move(shape));
}

Term Movement::transpose(const Term& x, std::vector<std::int64_t> permutation) {
  if (permutation.size() != x.rank()) throw Refused("a permutation has another length than the rank of its tensor");
  tensor::Shape shape;
  for (std::int64_t& from : permutation) {
    from = static_cast<std::int64_t>(axis_of(from, x.rank()));
    shape.push_back(x.shape[static_cast<std::size_t>(from)]);
  }
  if (is_identity(permutation)) return x;
  if (keeps_order(x.shape, permutation)) return reshape(x, std::move(shape));
  if (is_folded(x)) {
    const tensor::Shape strides = strides_of(x.shape);
    tensor::Shape permuted;
    for (const std::int64_t from : permutation) permuted.push_back(strides[static_cast<std::size_t>(from)]);
    return known_term(copy_strided(*x.known, shape, 0, permuted));
  }
  return term(add(Op::TRANSPOSE, {value(x)}, {{"perms", std::move(permutation)}}), x.type);
}

Term Movement::slice(const Term& x, const tensor::Shape& start, const tensor::Shape& size) {
  if (size == x.shape) return x;
  if (is_folded(x) || product_of(size) == 0) {
    const tensor::Shape strides = strides_of(x.shape);
    const std::int64_t first = std::inner_product(start.begin(), start.end(), strides.begin(), std::int64_t{0});
    if (product_of(size) == 0) return known_term(array_of(x.type, size, std::vector<std::byte>()));
    return known_term(copy_strided(*x.known, size, first, strides));
  }
  return term(add(Op::SLICE, {value(x)}, {{"start", start}, {"size", size}}), x.type);
}

Term Movement::stride(const Term& x, std::int64_t axis, std::int64_t start, std::int64_t step, std::int64_t count) {
  const std::size_t at = axis_of(axis, x.rank());
  const std::int64_t last = start + step * std::max<std::int64_t>(count - 1, 0);
  if (count > 0 && (std::min(start, last) < 0 || std::max(start, last) >= x.shape[at]))
    throw Refused(formatted("a slice leaves the {} elements of axis {}", x.shape[at], at));
  tensor::Shape size = x.shape;
  if (is_folded(x)) {
    tensor::Shape strides = strides_of(x.shape);
    const std::int64_t first = start * strides[at];
    strides[at] *= step;
    size[at] = count;
    return known_term(copy_strided(*x.known, size, count == 0 ? 0 : first, strides));
  }
  tensor::Shape begin(x.rank(), 0);
  // The range that the elements lie in, ascending.
  begin[at] = std::min(start, last);
  const std::int64_t every = count < 2 ? 1 : std::abs(step);
  size[at] = count == 0 ? 0 : (count - 1) * every + 1;
  Term part;
  if (every == 1) {
    part = slice(x, begin, size);
  } else {
    // Whole groups of `every` elements, of each of which the first is taken.
    const std::int64_t grouped = count * every;
    Term source = x;
    if (begin[at] + grouped > x.shape[at]) {
      tensor::Shape after(x.rank(), 0);
      after[at] = begin[at] + grouped - x.shape[at];
      source = pad_with(x, tensor::Shape(x.rank(), 0), after, *number(x.type, 0).known);
    }
    size[at] = grouped;
    part = slice(source, begin, size);
    // Dimensions before and after the axis are merged, so that the rank stays within the limit.
    const std::span<const std::int64_t> dimensions = size;
    const std::int64_t outer = product_of(dimensions.first(at)), inner = product_of(dimensions.subspan(at + 1));
    part = reshape(part, {outer, count, every, inner});
    part = slice(part, {0, 0, 0, 0}, {outer, count, 1, inner});
    size[at] = count;
    part = reshape(part, size);
  }
  return step < 0 && count > 1 ? reverse(part, axis) : part;
}

Term Movement::reverse(const Term& x, std::int64_t axis) {
  const std::size_t at = axis_of(axis, x.rank());
  if (x.shape[at] <= 1) return x;
  if (is_folded(x)) return stride(x, axis, x.shape[at] - 1, -1, x.shape[at]);
  return term(add(Op::REVERSE, {value(x)}, {{"axis", {static_cast<std::int64_t>(at)}}}), x.type);
}

Term Movement::concat(std::span<const Term> parts, std::int64_t axis) {
  if (parts.empty()) throw Refused("nothing is concatenated");
  const std::size_t at = axis_of(axis, parts.front().rank());
  std::vector<Term> used;
  std::int64_t total = 0;
  bool folded = true;
  for (const Term& part : parts) {
    if (part.rank() != parts.front().rank()) throw Refused("tensors of different ranks are concatenated");
    total += part.count();
    folded = folded && part.known;
    if (part.count() != 0) used.push_back(part);
  }
  if (used.empty()) {
    tensor::Shape shape = parts.front().shape;
    shape[at] = 0;
    for (const Term& part : parts) shape[at] += part.shape[at];
    return number(parts.front().type, 0, std::move(shape));
  }
  if (used.size() == 1) return used.front();
  if (folded && total <= kMaxFolded) {
    std::vector<Array> arrays;
    for (const Term& part : used) {
      for (std::size_t d = 0; d < part.rank(); ++d) {
        if (d != at && part.shape[d] != used.front().shape[d])
          throw Refused("tensors whose other dimensions differ are concatenated");
      }
      arrays.push_back(*part.known);
    }
    return known_term(concatenated(arrays, at));
  }
  std::vector<ValueId> inputs;
  for (const Term& part : used) inputs.push_back(value(part));
  return term(add(Op::CONCAT, std::move(inputs), {{"axis", {static_cast<std::int64_t>(at)}}}), parts.front().type);
}

Term Movement::pad_with(const Term& x, const tensor::Shape& before, const tensor::Shape& after, const Array& filling) {
  tensor::Shape start(x.rank(), 0), size = x.shape, first(x.rank(), 0), shape = x.shape;
  std::vector<std::int64_t> padding;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    if (std::max(before[d], after[d]) > kMaxExtent || std::min(before[d], after[d]) < -kMaxExtent)
      throw Refused(formatted("a dimension is padded by {} and {} elements", before[d], after[d]));
    start[d] = std::max<std::int64_t>(-before[d], 0);
    size[d] -= start[d] + std::max<std::int64_t>(-after[d], 0);
    if (size[d] < 0) throw Refused("more than the whole tensor is cropped");
    first[d] = std::max<std::int64_t>(before[d], 0);
    padding.insert(padding.end(), {first[d], std::max<std::int64_t>(after[d], 0)});
    shape[d] = size[d] + padding[2 * d] + padding[2 * d + 1];
  }
  Term cropped = slice(x, start, size);
  if (shape == cropped.shape) return cropped;
  if (cropped.count() == 0) return number(x.type, filling.real(0), shape);
  if (is_folded(cropped) && product_of(shape) <= kMaxFolded)
    return known_term(padded(*cropped.known, shape, first, filling));
  tosa::Attributes attributes{{"padding", padding}};
  if (is_real(x.type)) attributes.set_real("pad_const", filling.real(0));
  // The bits in the signed type of the graph.
  else if (filling.element_size() == 1 && x.type != FileType::Bool)
    attributes.set("pad_const", static_cast<std::int8_t>(filling.integer(0)));
  else if (x.type == FileType::U16)
    attributes.set("pad_const", static_cast<std::int16_t>(filling.integer(0)));
  else if (x.type == FileType::U32)
    attributes.set("pad_const", static_cast<std::int32_t>(filling.integer(0)));
  else
    attributes.set("pad_const", filling.integer(0));
  return term(add(Op::PAD, {value(cropped)}, std::move(attributes)), x.type);
}

Term Movement::tile(const Term& x, const tensor::Shape& multiples) {
  if (multiples.size() != x.rank()) throw Refused("the number of repeats is not the rank of the tensor");
  if (std::ranges::all_of(multiples, [](std::int64_t times) { return times == 1; })) return x;
  tensor::Shape shape = x.shape;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    if (multiples[d] < 0 || (multiples[d] != 0 && shape[d] > kMaxExtent / multiples[d]))
      throw Refused(formatted("a dimension of {} elements is repeated {} times", shape[d], multiples[d]));
    shape[d] *= multiples[d];
  }
  if (product_of(shape) == 0) return known_term(array_of(x.type, shape, std::vector<std::byte>()));
  if (is_folded(x) && product_of(shape) <= kMaxFolded) {
    Term made = x;
    for (std::size_t d = 0; d < x.rank(); ++d) {
      const std::vector<Array> copies(static_cast<std::size_t>(multiples[d]), *made.known);
      made = known_term(concatenated(copies, d));
    }
    return made;
  }
  return term(add(Op::TILE, {value(x)}, {{"multiples", multiples}}), x.type);
}

Term Movement::broadcast(const Term& x, const tensor::Shape& shape) {
  const Term aligned = with_rank(x, shape.size());
  tensor::Shape multiples(shape.size(), 1);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (aligned.shape[d] == shape[d]) continue;
    if (aligned.shape[d] != 1) {
      throw Refused(
          formatted("the shape {} cannot be broadcast to {}", tensor::shape_text(x.shape), tensor::shape_text(shape)));
    }
    multiples[d] = shape[d];
  }
  return tile(aligned, multiples);
}

Term Movement::relabel(const Term& x, FileType type) {
  if (x.type == type) return x;
  Term made = x;
  made.type = type;
  made.value = tosa::kNoValue;
  if (x.known) {
    made.known->type = type;
    return made;
  }
  made.value = x.value;
  return made;
}

}  // namespace slipway::importer
