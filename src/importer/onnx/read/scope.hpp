// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of values while graphs and functions are read.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "importer/onnx/read/functions.hpp"

namespace slipway::importer::onnx {

// A graph that is being read. The nodes of functions that it calls become nodes of it.
struct OpenGraph {
  std::shared_ptr<NetGraph> graph = std::make_shared<NetGraph>();
  std::vector<bool> is_defined;  // by value: whether it is an input, a constant, or the result of a node so far
  Bytes unsorted_message;        // the first node that uses what a later one computes
};

// The names that the nodes of a graph or of a function see.
struct Scope {
  OpenGraph& open;
  Scope* outer = nullptr;              // of the enclosing graph
  const FunctionCall* call = nullptr;  // in a function
  const Versions& versions;
  std::string path;
  int depth = 1;
  std::unordered_map<std::string_view, NetValueId> names = {};
  std::unordered_set<std::string_view> awaited = {};  // results of a function that no node of it has yet

  NetGraph& graph() const { return *open.graph; }
  bool is_visible(std::string_view name) const;

  // The value of a name. Empty if the name is not defined; kAbsent for an operand that a function was not given. A
  // value of the enclosing graph is captured.
  std::optional<NetValueId> find(std::string_view name);
  void reserve(std::size_t values);
  NetValueId add(std::string_view name, SourceLocation location);
};

// `name` in what `path` names.
std::string joined_path(std::string_view path, std::string_view name);

}  // namespace slipway::importer::onnx
