// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/format.hpp"
#include "tensor/element.hpp"
#include "tosa/text.hpp"

namespace slipway::tosa {
namespace {

std::string quoted_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

// Values are numbered in the order of the text: inputs, constants, results.
class Names {
 public:
  explicit Names(const Graph& graph) : numbers_(graph.values.size()) {
    for (const ValueId input : graph.inputs) numbers_[index(input)] = next_++;
    for (const Constant& constant : graph.constants) numbers_[index(constant.value)] = next_++;
    for (const Node& node : graph.nodes) {
      for (const ValueId output : node.outputs) numbers_[index(output)] = next_++;
    }
  }
  std::string operator()(ValueId value) const { return formatted("%{}", numbers_[index(value)]); }

 private:
  std::vector<std::size_t> numbers_;
  std::size_t next_ = 0;
};

template <class Items, class F>
std::string joined(const Items& items, F&& text) {
  std::string all;
  for (const auto& item : items) all += (all.empty() ? "" : ", ") + std::string(text(item));
  return all;
}

std::string constant_text(const Graph& graph, const Constant& constant, PrintOptions options) {
  if (constant.graph_constant) return formatted("graph_constant {}", *constant.graph_constant);
  const TensorType& type = graph[constant.value].type;
  const tensor::ElementType storage = storage_of(type.data);
  if (constant.splat) return "splat " + tensor::text_of(storage, constant.data.data());
  const std::uint64_t count = constant.data.size() / tensor::size_of(storage);
  std::string text = "[";
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i == options.max_elements) return text + ", ...]";
    text += (i ? ", " : "") + tensor::text_of(storage, constant.data.data() + i * tensor::size_of(storage));
  }
  return text + "]";
}

std::string attribute_text(const OperandInfo& operand, const Attributes::Entry& entry) {
  if (operand.kind == OperandKind::List) {
    return formatted("{}=[{}]", operand.name, joined(entry.integers, [](std::int64_t i) { return std::to_string(i); }));
  }
  if (entry.integers.empty()) return formatted("{}={}", operand.name, tensor::shortest_text(entry.real));
  const std::int64_t value = entry.integers[0];
  if (operand.kind == OperandKind::Flag) return formatted("{}={}", operand.name, value ? "true" : "false");
  for (const EnumerantName& enumerant : enumerants(operand.kind)) {
    if (enumerant.value == value) return formatted("{}={}", operand.name, enumerant.name);
  }
  return formatted("{}={}", operand.name, value);
}

std::string binding_text(const std::vector<Binding>& bindings, std::size_t i) {
  if (i >= bindings.size()) return "";
  const auto& [set, binding, element] = bindings[i];
  return formatted(" at {}.{}{}", set, binding, element == 0 ? "" : formatted("[{}]", element));
}

std::string name_text(const std::string& name) { return name.empty() ? "" : " " + quoted_text(name); }

std::string call(const Graph& graph, const Names& names, const Node& node, bool with_types) {
  std::string text = formatted("{}({})", name_of(node.op), joined(node.inputs, names));
  if (with_types && !node.outputs.empty())
    text += " " + joined(node.outputs, [&](ValueId value) { return text_of(graph[value].type); });
  if (node.op == Op::CUSTOM) {
    return text + formatted(" domain={} name={} attributes={}", quoted_text(node.custom->domain),
                            quoted_text(node.custom->name), quoted_text(node.custom->attributes));
  }
  for (const OperandInfo& operand : info_of(node.op).operands) {
    if (const auto* entry = node.attributes.find(operand.name)) text += " " + attribute_text(operand, *entry);
  }
  return text;
}

}  // namespace

std::string text_of(const Binding& at) {
  return formatted("set {}, binding {}{}", at.set, at.binding, at.element == 0 ? "" : formatted("[{}]", at.element));
}

std::vector<std::string> value_names(const Graph& graph) {
  const Names names(graph);
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < graph.values.size(); ++i) all.push_back(names(ValueId{i}));
  return all;
}

std::string print(const Graph& graph, const Node& node) { return call(graph, Names(graph), node, false); }

std::string print(const Graph& graph, PrintOptions options) {
  const Names names(graph);
  std::string text = formatted("graph {} {{\n", graph.name.empty() ? "main" : graph.name);
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const Value& value = graph[graph.inputs[i]];
    text += formatted("  {} = input {}{}{}\n", names(graph.inputs[i]), text_of(value.type), name_text(value.name),
                      binding_text(graph.input_bindings, i));
  }
  for (const Constant& constant : graph.constants) {
    const Value& value = graph[constant.value];
    text += formatted("  {} = const {} {}{}\n", names(constant.value), text_of(value.type),
                      constant_text(graph, constant, options), name_text(value.name));
  }
  for (const Node& node : graph.nodes) {
    if (!node.outputs.empty()) text += formatted("  {} =", joined(node.outputs, names));
    text +=
        formatted("{}{}{}\n", node.outputs.empty() ? "  " : " ", call(graph, names, node, true), name_text(node.name));
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    text += formatted("  output {}{}\n", names(graph.outputs[i]), binding_text(graph.output_bindings, i));
  return text + "}\n";
}

}  // namespace slipway::tosa
