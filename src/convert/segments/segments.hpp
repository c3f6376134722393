// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The segments of a model with their input and output values (docs/spec/converter.md#segments,
// docs/spec/converter.md#bindings-and-resources).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "convert/segments/partition.hpp"

namespace slipway::convert {

struct Segment {
  PartitionKind kind = PartitionKind::Graph;
  std::vector<std::uint32_t> nodes;  // in program order
  // Values from other segments or the model, in the order of their first use, each once. Constants that a graph segment
  // uses are part of it.
  std::vector<tosa::ValueId> inputs;
  // Values that other segments or the model need: first those that the model returns, in that order, then the rest in
  // program order.
  std::vector<tosa::ValueId> results;
  std::size_t returned = 0;  // how many of `results` the model returns
};

struct Segments {
  std::vector<Segment> segments;
  // The logical id of a value in the whole sequence; none for values that stay inside a segment.
  std::vector<std::optional<std::uint32_t>> logical_ids;
  std::vector<tosa::ValueId> returned;  // the model's outputs, each once
  // The logical ids of the outputs of a model without operators, which returns inputs: its outputs differ from its
  // inputs.
  std::unordered_map<std::size_t, std::uint32_t> output_ids;

  std::uint32_t id(tosa::ValueId value) const { return logical_ids[tosa::index(value)].value_or(0); }
  std::uint32_t output_id(tosa::ValueId value) const {
    const auto own = output_ids.find(tosa::index(value));
    return own == output_ids.end() ? id(value) : own->second;
  }
};

Segments make_segments(const tosa::Graph& graph, const Partitioning& partitioning);

// The part of a graph that a graph segment runs: its inputs, results, nodes and the constants that they use, bound at
// set 0 to the logical ids.
tosa::Graph segment_graph(const tosa::Graph& graph, const Segments& segments, std::size_t segment);

}  // namespace slipway::convert
