// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph that is made from another one with changes: which of its values each value of the other one has become.
#pragma once

#include <string>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::importer {

class GraphCopy {
 public:
  // Copies the inputs. `from` must outlive the object.
  explicit GraphCopy(const tosa::Graph& from);

  const tosa::Graph& from() const { return from_; }
  tosa::Graph& graph() { return made_; }

  // What a value has become; a constant is copied when it is asked for. kNoValue: nothing yet.
  tosa::ValueId find(tosa::ValueId old);
  void set(tosa::ValueId old, tosa::ValueId made);
  // The node with other operands; its results are what those of `node` become.
  void copy(const tosa::Node& node, std::vector<tosa::ValueId> inputs);
  // An operator with one result that takes the part of `node`, in reports too.
  tosa::ValueId add(const tosa::Node& node, tosa::Op op, std::vector<tosa::ValueId> inputs, tosa::Attributes attributes,
                    tosa::TensorType type);
  tosa::ValueId add(const tosa::Node& node, std::vector<tosa::ValueId> inputs, tosa::Attributes attributes,
                    tosa::TensorType type) {
    return add(node, node.op, std::move(inputs), std::move(attributes), std::move(type));
  }

  // The whole graph; all its values have to be known by now.
  tosa::Graph finish(const std::vector<tosa::ValueId>& outputs);

 private:
  void describe(const tosa::Node& node);

  const tosa::Graph& from_;
  tosa::Graph made_;
  std::vector<tosa::ValueId> ids_;  // by value of the other graph
};

// The graph without operators whose results nothing uses.
tosa::Graph without_unused(const tosa::Graph& graph);

}  // namespace slipway::importer
