// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the operators of an ONNX graph that compute with integers: their operands come from DequantizeLinear, and their
// results go to QuantizeLinear (docs/spec/import.md#onnx-models-with-quantizelinear-and-dequantizelinear).
//
//   x -> DequantizeLinear -> Conv -> Relu -> QuantizeLinear -> y    is one group, whose main node is Conv
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "importer/net.hpp"

namespace slipway::importer {

// What a group computes.
enum class QuantisedForm : std::uint8_t {
  Contraction,  // sums of products, whose result may also remain a float
  Movement,     // of data: each element of the result is one of the first operand
  Join,         // movement of several operands
  Average,
  Pair,     // of two operands, element by element
  Function  // of one operand, element by element
};

// The scale and the zero point of a QuantizeLinear, and the limits that functions before it set.
struct QuantisedResult {
  NetValueId value = kAbsent;  // of the QuantizeLinear
  FileType type = FileType::U8;
  float scale = 1;
  std::int64_t zero = 0, low = 0, high = 255;  // of the type
};

struct QuantisedGroup {
  QuantisedForm form = QuantisedForm::Movement;
  // By operand of the main node: its DequantizeLinear, or none, with its parameters.
  struct Source {
    std::size_t node = 0;
    std::shared_ptr<const Quantization> quantization;
  };
  std::vector<std::optional<Source>> sources;
  // By result of the main node; empty: it remains a float, or nothing uses it.
  std::vector<std::optional<QuantisedResult>> results;
  // Of the form Function: of the reals of the operand, up to the QuantizeLinear.
  std::shared_ptr<const NetGraph> function;
  std::vector<std::size_t> followers;  // other nodes than the main one and its sources that it replaces
};

struct QuantisedGroups {
  std::map<std::size_t, QuantisedGroup> by_main;  // by the index of the main node in NetGraph::nodes
  std::vector<bool> replaced;                     // by node: it need not be computed if all groups are
};

// Values in `kept` are used outside of the nodes: they are outputs.
QuantisedGroups find_quantised_groups(const NetGraph& graph, const std::set<NetValueId>& kept);

}  // namespace slipway::importer
