// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that only move elements (docs/spec/tosa.md#data-layout, docs/spec/tosa.md#gather-and-scatter).
#include "lower/operators/operation.hpp"

namespace slipway::lower {
namespace {

// The row-major index of coordinates.
Value linear(Kernel& k, const tensor::Shape& shape, const Coordinates& at) {
  Value index = k.integer(0);
  for (std::size_t d = 0; d < shape.size(); ++d) index = index * shape[d] + at[d];
  return index;
}

}  // namespace

Coordinates coordinates_of(Kernel& k, const tensor::Shape& shape, Value index) {
  Coordinates at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) {
      at[d] = k.integer(0);
    } else if (d == 0) {
      at[d] = index;
    } else {
      const Value rest = k.unsigned_divide(index, k.integer(shape[d]));
      at[d] = index - rest * shape[d];
      index = rest;
    }
    // All outer dimensions are 1: the rest of the index is this coordinate.
  }
  return at;
}

Value emit_RESHAPE(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  if (operation.in_shape() == operation.out_shape()) return operation.in(0, at);
  return operation.in(0, coordinates_of(k, operation.in_shape(), linear(k, operation.out_shape(), at)));
}

Value emit_REVERSE(Operation& operation, const Coordinates& at, std::size_t) {
  Coordinates from = at;
  const auto axis = static_cast<std::size_t>(operation.integer("axis"));
  from[axis] = operation.kernel.integer(operation.in_shape()[axis] - 1) - at[axis];
  return operation.in(0, from);
}

Value emit_SLICE(Operation& operation, const Coordinates& at, std::size_t) {
  Coordinates from = at;
  for (std::size_t d = 0; d < from.size(); ++d) from[d] = at[d] + operation.list("start")[d];
  return operation.in(0, from);
}

Value emit_TRANSPOSE(Operation& operation, const Coordinates& at, std::size_t) {
  Coordinates from(at.size());
  for (std::size_t d = 0; d < at.size(); ++d) from[static_cast<std::size_t>(operation.list("perms")[d])] = at[d];
  return operation.in(0, from);
}

Value emit_TILE(Operation& operation, const Coordinates& at, std::size_t) {
  Coordinates from = at;
  for (std::size_t d = 0; d < from.size(); ++d)
    from[d] = operation.kernel.unsigned_remainder(at[d], operation.kernel.integer(operation.in_shape()[d]));
  return operation.in(0, from);
}

Value emit_PAD(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const tensor::Shape& shape = operation.in_shape();
  const auto padding = operation.list("padding");
  Coordinates from = at;
  Value inside = k.boolean(true);
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (padding[2 * d] == 0 && padding[2 * d + 1] == 0) continue;
    const Value i = at[d] - padding[2 * d];
    inside = inside & (i >= 0) & (i < shape[d]);
    from[d] = k.clamp(i, k.integer(0), k.integer(shape[d] - 1));
  }
  const Value fill = operation.in_type() == tosa::DataType::Bool ? k.boolean(operation.integer("pad_const") != 0)
                     : tosa::is_float(operation.in_type())
                         ? k.real(static_cast<float>(operation.real("pad_const")))
                         : k.constant(scalar_of(operation.in_type()), operation.integer("pad_const"));
  return k.select(inside, operation.in(0, from), fill);
}

Value emit_CONCAT(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const auto axis = static_cast<std::size_t>(operation.integer("axis"));
  // Each input is read at clamped coordinates; the last one that starts at or before the coordinate is selected.
  Value element;
  std::int64_t start = 0;
  for (std::size_t input = 0; input < operation.node.inputs.size(); ++input) {
    const std::int64_t extent = operation.in_shape(input)[axis];
    Coordinates from = at;
    from[axis] = k.clamp(at[axis] - start, k.integer(0), k.integer(extent - 1));
    const Value part = operation.in(input, from);
    element = input == 0 ? part : k.select(at[axis] >= start, part, element);
    start += extent;
  }
  return element;
}

// An index out of range has an unpredictable result; here it is clamped.
Value emit_GATHER(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const Value row = k.clamp(operation.in(1, {at[0], at[1]}), k.integer(0), k.integer(operation.in_shape(0)[1] - 1));
  return operation.in(0, {at[0], row, at[2]});
}

// As GATHER: here each row is clamped.
Value emit_ROW_GATHER(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const Value count = k.integer(operation.integer("row_count")), index = k.unsigned_divide(at[1], count);
  const Value first = operation.in(1, {at[0], index}), row = first + k.unsigned_remainder(at[1], count);
  return operation.in(0, {at[0], k.clamp(row, k.integer(0), k.integer(operation.in_shape(0)[1] - 1)), at[2]});
}

// Each element searches for the index that writes it; without one it keeps its value.
Value emit_SCATTER(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const Variable writer = k.variable(k.integer(-1));
  k.loop(k.integer(operation.in_shape(1)[1]),
         [&](Value w) { k.when(operation.in(1, {at[0], w}) == at[1], [&] { k.set(writer, w); }); });
  const Value w = k.get(writer), written = operation.in(2, {at[0], k.max(w, k.integer(0)), at[2]});
  return k.select(w >= 0, written, operation.in(0, at));
}

}  // namespace slipway::lower
