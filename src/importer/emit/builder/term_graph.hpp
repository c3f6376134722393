// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A TOSA graph while operators are added to it: constants of known terms, and operators whose shapes follow.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "importer/emit/term.hpp"

namespace slipway::importer {

class TermGraph {
 public:
  // Of the operators that are added.
  std::string origin;
  SourceLocation location;

  tosa::Graph& graph() { return graph_; }

  // A known term becomes a constant; integers of 64 bits must fit in 32.
  tosa::ValueId value(const Term& term);
  Term term(tosa::ValueId value, FileType type) const;
  // Before the numbers of a tensor are made, whose shape a file gives. Throws Refused if it, or all of the model, are
  // too many.
  void will_make(const tensor::Shape& shape) const;
  Term number(FileType type, double value, tensor::Shape shape = {}) const;  // known; all elements are equal
  Term integers(FileType type, tensor::Shape shape, std::span<const std::int64_t> values) const;
  Term arange(FileType type, std::int64_t first, std::int64_t count, std::int64_t step = 1) const;
  // Adds an operator with one result, whose shape follows; its type is that of the first input unless it is given.
  tosa::ValueId add(tosa::Op op, std::vector<tosa::ValueId> inputs, tosa::Attributes attributes = {});
  tosa::ValueId add(tosa::Op op, std::vector<tosa::ValueId> inputs, tosa::Attributes attributes, tosa::DataType result);
  // An operator on each element of x, with `others` after it (tables, multipliers), as a term of `type` with the shape
  // of x: rank 0 stays.
  Term apply(tosa::Op op, const Term& x, FileType type, tosa::Attributes attributes = {},
             std::initializer_list<tosa::ValueId> others = {});
  // The value of the graph as a term of another type with the same graph type.
  Term renamed(const Term& x, FileType type);

 protected:
  tosa::Graph graph_;

 private:
  mutable std::size_t made_ = 0;  // numbers, of all tensors
};

// The shape to which numpy broadcasts both. Refused: they do not fit.
tensor::Shape broadcast_shape(tensor::ShapeView a, tensor::ShapeView b);
// An axis counted from the front. Refused: it is out of range.
std::size_t axis_of(std::int64_t axis, std::size_t rank);

// Of every operator with such a mode: a NaN wins.
inline constexpr auto kPropagate = static_cast<std::int64_t>(tosa::NanMode::Propagate);

// Of tensors of the graph.
inline constexpr std::size_t kMaxGraphRank = 6;
// At most this many elements are computed on the host.
inline constexpr std::int64_t kMaxFolded = 1 << 16;

}  // namespace slipway::importer
