// Rows: softmax, layer norm and whatever else goes along one axis of a tensor several times, as one kernel.
//
// A row is all elements along an axis, the other coordinates given. A *row program* is a connected set of operators
// whose values are either whole, with an element for each of a row, or reduced, with one element for a row: reductions
// along the axis, and pointwise operators. It stores one result. Softmax:
//
//   REDUCE_MAX  [.., n] -> [.., 1]
//   SUB, EXP    [.., n]
//   REDUCE_SUM  [.., n] -> [.., 1]
//   RECIPROCAL  [.., 1]
//   MUL         [.., n]
#pragma once

#include <optional>
#include <vector>

#include "lower/device_facts.hpp"
#include "lower/uses.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

struct Rows {
  tensor::Shape shape;
  std::size_t axis = 0;
  bool operator==(const Rows&) const = default;

  std::int64_t length() const { return shape[axis]; }
  std::int64_t count() const;
  std::int64_t inner() const;  // neighbouring rows: elements from one element of a row to the next
  tensor::Shape reduced() const;
  bool is_whole(const tensor::Shape& of) const { return of == shape; }
  bool is_reduced(const tensor::Shape& of) const;  // with the axis as 1, or, behind ARGMAX, without it
};

struct RowProgram {
  Rows rows;
  std::vector<const tosa::Node*> nodes;  // in the graph's order; the last one stores
};

// How rows are spread over a workgroup. Invocations that share a row each have every `shares`th element of it.
struct RowGrid {
  std::int64_t shares = 1;  // of a row; a power of two, not above its length
  std::int64_t rows = 1;    // of a workgroup
  std::int64_t steps = 1;   // elements of an invocation
  // Whole values stay in registers from one pass along the row to the next. Elsewhere each pass computes again what it
  // needs from what is stored.
  bool in_registers = true;
};

// Nothing where a device has better ways.
std::optional<RowGrid> row_grid(const Rows& rows, const DeviceFacts& device);

// The row program that a node stores the result of, if everything that is computed on the way to it is one.
std::optional<RowProgram> row_program_of(const tosa::Graph& graph, const std::vector<bool>& stored,
                                         const tosa::Node& node);

// Joins operators to row programs: those of a program are not stored any more, and what they read is. `windows`: values
// whose kernels are built around a window operator, and which stay there.
void plan_rows(const tosa::Graph& graph, const DeviceFacts& device, const Uses& uses, const std::vector<bool>& windows,
               std::vector<bool>& stored);

}  // namespace slipway::lower
