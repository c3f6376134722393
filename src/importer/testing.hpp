// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nets as text, for tests:
//
//   g: x float32 [n, 3] -> y
//     w = int8 [2] {1, 2}
//     y = Conv@11(x, w, _) {group=1}
#pragma once

#include <string>

#include "base/format.hpp"
#include "importer/net.hpp"

namespace slipway::importer {

class NetPrinter {
 public:
  std::string print(const NetGraph& graph) {
    append_formatted(text_, "{}:", graph.name);
    for (const NetValueId input : graph.inputs) {
      const NetValue& value = graph.values[input];
      append_formatted(text_, " {} {} {}", value.name, name_of(value.type), shape(value));
      if (value.is_optional) text_ += " =";
    }
    append_formatted(text_, " -> {}\n", names(graph, graph.outputs));
    indent_ += "  ";
    for (const auto& [here, there] : graph.captured)
      append_formatted(text_, "{}captured {} ({})\n", indent_, graph.values[here].name, there);
    for (const NetValue& value : graph.values) {
      if (value.constant) append_formatted(text_, "{}{} = {}\n", indent_, value.name, array(*value.constant));
    }
    for (const NetNode& node : graph.nodes) print(graph, node);
    indent_.resize(indent_.size() - 2);
    return text_;
  }

 private:
  static std::string shape(const NetValue& value) {
    if (!value.shape) return "?";
    std::string text;
    for (const Dimension& dimension : *value.shape) {
      const std::string symbol = dimension.symbol.empty() ? "?" : dimension.symbol;
      append_formatted(text, "{}{}", text.empty() ? "" : ", ",
                       dimension.extent < 0 ? symbol : std::to_string(dimension.extent));
    }
    return formatted("[{}]", text);
  }
  static std::string names(const NetGraph& graph, const std::vector<NetValueId>& ids) {
    std::string text;
    for (const NetValueId id : ids)
      append_formatted(text, "{}{}", text.empty() ? "" : ", ", id == kAbsent ? "_" : graph.values[id].name);
    return text;
  }
  static std::string array(const Array& array) {
    std::string text;
    for (std::size_t i = 0; is_computable(array.type) && i < array.count(); ++i)
      append_formatted(text, "{}{}", i == 0 ? "" : ", ", array.real(i));
    return formatted("{} {} {{{}}}", name_of(array.type), tensor::shape_text(array.shape), text);
  }
  template <class T>
  static std::string list(const std::vector<T>& values) {
    std::string text;
    for (const T& value : values) append_formatted(text, "{}{}", text.empty() ? "" : ", ", value);
    return formatted("[{}]", text);
  }
  static std::string attribute(const AttributeValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value)) return formatted("{:#}", *real);
    if (const auto* text = std::get_if<std::string>(&value)) return formatted("'{}'", *text);
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) return list(*integers);
    if (const auto* reals = std::get_if<std::vector<double>>(&value)) return list(*reals);
    if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) return list(*texts);
    if (const auto* tensor = std::get_if<Array>(&value)) return array(*tensor);
    return "graph";
  }
  void print(const NetGraph& graph, const NetNode& node) {
    append_formatted(text_, "{}{} = {}{}{}@{}({})", indent_, names(graph, node.outputs), node.domain,
                     node.domain.empty() ? "" : ".", node.kind, node.version, names(graph, node.inputs));
    std::string attributes;
    for (const auto& [name, value] : node.attributes)
      append_formatted(attributes, "{}{}={}", attributes.empty() ? "" : ", ", name, attribute(value));
    if (!attributes.empty()) append_formatted(text_, " {{{}}}", attributes);
    if (!node.path.empty()) append_formatted(text_, " in {}", node.path);
    text_ += '\n';
    for (const auto& [name, value] : node.attributes) {
      const auto* inner = std::get_if<std::shared_ptr<const NetGraph>>(&value);
      if (!inner) continue;
      append_formatted(text_, "{}  {}: ", indent_, name);
      indent_ += "  ";
      print(**inner);
      indent_.resize(indent_.size() - 2);
    }
  }

  std::string text_, indent_;
};

}  // namespace slipway::importer
