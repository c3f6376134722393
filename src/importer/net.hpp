// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model as its file describes it: what both readers make, and what is specialised to a TOSA graph
// (docs/spec/import.md#stages). It has every element type, open dimensions, empty tensors and any rank. Data are views
// of the mapped file where their layout allows it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text/source.hpp"
#include "importer/array.hpp"

namespace slipway::importer {

enum class NetFormat : std::uint8_t { Onnx, Tflite };

// An index into NetGraph::values.
using NetValueId = std::uint32_t;
inline constexpr NetValueId kAbsent = 0xffffffff;  // an optional operand or result that is not there

struct Dimension {
  std::int64_t extent = -1;  // -1: open
  std::string symbol;        // of an open dimension; equal symbols have equal extents; may be empty
  std::int64_t usual = -1;   // of an open dimension, the extent that the file suggests (TensorFlow Lite); -1: none
};

// The quantisation of a tensor of a TensorFlow Lite file: real = scale * (stored - zero_point).
struct Quantization {
  std::vector<float> scales;              // one, or one for each index of `axis`
  std::vector<std::int64_t> zero_points;  // as many
  std::int64_t axis = 0;
  std::int64_t zero_point() const { return zero_points[0]; }
  float scale() const { return scales[0]; }
};

struct NetValue {
  std::string name;
  FileType type = FileType::Unknown;
  std::optional<std::vector<Dimension>> shape;  // as declared; empty: not declared
  std::optional<Array> constant;
  std::shared_ptr<const Quantization> quantization;
  bool is_variable = false;  // keeps its value between runs (TensorFlow Lite)
  bool is_optional = false;  // a graph input with a default, which is `constant`
  SourceLocation location;
};

struct NetGraph;

using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                                    std::vector<std::string>, Array, std::shared_ptr<const NetGraph>>;

struct NetNode {
  std::string domain;        // empty: of the format itself
  std::string kind;          // `Conv`, `CONV_2D`
  std::string name;          // of the file; may be empty
  std::int64_t version = 0;  // of the operator set, or of the operator
  std::vector<NetValueId> inputs, outputs;
  std::map<std::string, AttributeValue, std::less<>> attributes;
  std::uint32_t index = 0;  // in the file's list
  std::string path;         // of functions and branches around it: `encoder/If.then`; may be empty
  SourceLocation location;  // its bytes

  // "`Conv #17` (`/features/conv`)": how messages name it.
  std::string label() const;
};

struct NetGraph {
  std::string name;
  std::vector<NetValue> values;
  std::vector<NetNode> nodes;  // in an order in which every value is computed before it is used
  std::vector<NetValueId> inputs, outputs;
  // Of a subgraph: values that are those of the enclosing graph, (here, there).
  std::vector<std::pair<NetValueId, NetValueId>> captured;
};

// One way to call a TensorFlow Lite model.
struct Signature {
  std::string key;
  std::size_t graph = 0;
  std::vector<std::pair<std::string, NetValueId>> inputs, outputs;  // names for tensors
};

struct Net {
  NetFormat format = NetFormat::Onnx;
  std::string file;                                     // its name in messages
  std::vector<std::shared_ptr<const NetGraph>> graphs;  // the first is the main one; TensorFlow Lite: all subgraphs
  std::vector<Signature> signatures;
  std::string producer;                                        // and its version; for people
  std::vector<std::pair<std::string, std::int64_t>> versions;  // operator sets by domain, or the schema
  std::vector<std::pair<std::string, std::string>> metadata;
  std::shared_ptr<const void> memory;  // owns external data

  const NetGraph& main() const { return *graphs.front(); }
};

}  // namespace slipway::importer
