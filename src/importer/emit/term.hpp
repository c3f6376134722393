// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor while a graph is made: known on the host, a value of the TOSA graph, or both.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "importer/array.hpp"
#include "importer/net.hpp"
#include "tosa/graph.hpp"

namespace slipway::importer {

struct Term {
  FileType type = FileType::F32;  // as the file has it; the value has the type info_of(type).graph
  tensor::Shape shape;
  std::optional<Array> known;
  tosa::ValueId value = tosa::kNoValue;  // kNoValue: not in the graph yet
  std::shared_ptr<const Quantization> quantization;
  // Of a list of terms, which is not a tensor; an optional value is a list of at most one.
  std::shared_ptr<const std::vector<Term>> sequence = {};
  bool is_optional = false;

  std::size_t rank() const { return shape.size(); }
  std::int64_t count() const;
  // Of a dimension that may be counted from the end.
  std::int64_t extent(std::int64_t dimension) const;
};

Term known_term(Array array);
Term sequence_of(std::vector<Term> terms);

// Thrown by what makes operators when a node cannot be expressed; it becomes a line of the report.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// An operand has to be known before the run: inputs of the model that decide it may be bound.
struct NotKnown : Refused {
  NotKnown(const std::string& reason, NetValueId which) : Refused(reason), value(which) {}
  NetValueId value;
};

}  // namespace slipway::importer
