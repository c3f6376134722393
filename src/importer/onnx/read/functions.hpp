// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of an ONNX file, and calls of them while they are inlined
// (docs/spec/import.md#functions-and-subgraphs).
#pragma once

#include <deque>
#include <map>
#include <string>

#include "importer/net.hpp"
#include "importer/onnx/versions.hpp"

namespace slipway::importer::onnx {

using NetAttributes = decltype(NetNode::attributes);

struct Function {
  FunctionProto proto;
  Context where;
  Versions versions;

  std::string label() const;  // with its domain, in backticks
};

class FunctionTable {
 public:
  void read(OnnxFile& file, const Submessages& parts);
  // Null if the file has no such function. `domain` is a normal one.
  const Function* find(std::string_view domain, std::string_view name, std::string_view overload) const;

 private:
  std::deque<Function> all_;
  std::map<std::string, const Function*, std::less<>> by_key_;
};

// A call that is being inlined.
struct FunctionCall {
  const Function* function = nullptr;
  const FunctionCall* caller = nullptr;  // null: the model
  const NetAttributes* arguments = nullptr;
  const NetGraph* graph = nullptr;  // of the node
};

// "`a` calls `b` calls `a`" if a call of `function` would be recursive, otherwise empty.
std::string recursion(const FunctionCall* caller, const Function& function);

}  // namespace slipway::importer::onnx
