// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/read/graph_reader.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "importer/onnx/attributes.hpp"
#include "importer/onnx/read/sort_nodes.hpp"
#include "importer/onnx/read/value_reader.hpp"

namespace slipway::importer::onnx {
namespace {

constexpr int kMaxScopes = 64;  // functions and subgraphs inside each other
constexpr std::size_t kMaxNodes = std::size_t{1} << 24, kMaxInlinedNodes = std::size_t{1} << 18;

// A node whose results have values, so that other nodes can use them.
struct DecodedNode {
  NodeProto proto;
  Context where;
  std::vector<NetValueId> outputs;
  bool is_ok = false;

  std::string label() const { return where.describe(); }
};

class GraphReader {
 public:
  explicit GraphReader(const GraphSources& sources)
      : sources_(sources), file_(sources.file), values_(sources.file, sources.has_initializers_as_inputs) {}

  void read(const Context& where, const Submessage& parts, Scope& scope, bool is_main);

 private:
  void error(DiagnosticKind kind, const Context& where, std::string message) {
    file_.error(kind, where.message, std::move(message));
  }

  // --- nodes ---
  std::vector<DecodedNode> decode_nodes(const Context& parent, const Submessages& parts, Scope& scope);
  void declare_outputs(DecodedNode& node, Scope& scope);
  void read_nodes(std::vector<DecodedNode>& nodes, Scope& scope);
  void read_node(DecodedNode& node, Scope& scope);
  bool count_node(const DecodedNode& node, const Scope& scope);
  std::vector<NetValueId> inputs_of(const DecodedNode& node, Scope& scope);
  std::int64_t version_for(const DecodedNode& node, const Scope& scope);
  NetAttributes attributes_of(const DecodedNode& node, Scope& scope);
  std::optional<AttributeValue> attribute_value(const Context& where, const AttributeProto& attribute,
                                                const DecodedNode& node, Scope& scope);
  std::optional<AttributeValue> argument(const Context& where, std::string_view name, const Scope& scope);
  std::optional<AttributeValue> subgraph(const Context& where, const AttributeProto& attribute, const DecodedNode& node,
                                         Scope& scope);
  void add_node(NetNode node, const DecodedNode& from, Scope& scope);
  void finish(const Context& where, OpenGraph& open);

  // --- functions ---
  void inline_call(DecodedNode& node, NetAttributes arguments, const Function& function, Scope& scope);
  void add_defaults(const Function& function, NetAttributes& arguments);
  void bind_operands(const Function& function, std::vector<NetValueId> inputs, Scope& inner);
  void bind_results(const DecodedNode& node, const Function& function, Scope& inner);
  void check_results(const Function& function, const Scope& inner);

  bool is_too_deep(const Context& where, const Scope& scope);

  const GraphSources& sources_;
  OnnxFile& file_;
  ValueReader values_;
  std::size_t nodes_ = 0, inlined_ = 0;
  std::set<std::string, std::less<>> missing_domains_;
};

void GraphReader::read(const Context& where, const Submessage& parts, Scope& scope, bool is_main) {
  GraphProto proto;
  if (!decode(file_, where, parts, proto)) file_.note_damage();
  scope.graph().name = proto.name;
  // Most nodes have one result.
  scope.reserve(proto.input.size() + proto.initializer.size() + proto.sparse_initializer.size() + proto.node.size());
  for (const Bytes part : proto.input) values_.read_input(where, part, scope, is_main);
  for (const Bytes part : proto.initializer) values_.read_initializer(where, part, scope);
  for (const Bytes part : proto.sparse_initializer) values_.read_sparse_initializer(where, part, scope);
  std::vector<DecodedNode> nodes = decode_nodes(where, proto.node, scope);
  values_.read_value_infos(where, proto.value_info, scope);
  read_nodes(nodes, scope);
  for (const Bytes part : proto.output) values_.read_output(where, part, scope, is_main);
  finish(where, scope.open);
}

// --- nodes -----------------------------------------------------------------------------------------------------------

std::vector<DecodedNode> GraphReader::decode_nodes(const Context& parent, const Submessages& parts, Scope& scope) {
  std::vector<DecodedNode> nodes(parts.size());
  for (std::size_t i = 0; i < parts.size() && !file_.is_exhausted(); ++i) {
    DecodedNode& node = nodes[i];
    node.where = context_of<NodeProto>(parent, "node", parts[i]);
    node.where.index = static_cast<std::int64_t>(i);
    node.is_ok = decode(file_, node.where, parts[i], node.proto) && count_node(node, scope);
    if (!node.is_ok) file_.note_damage();
    declare_outputs(node, scope);
  }
  return nodes;
}

bool GraphReader::count_node(const DecodedNode& node, const Scope& scope) {
  std::size_t& count = scope.call ? inlined_ : nodes_;
  const std::size_t limit = scope.call ? kMaxInlinedNodes : kMaxNodes;
  if (++count > limit) {
    if (count == limit + 1) {
      error(DiagnosticKind::OutOfRange, node.where,
            formatted("the {} more than {} nodes", scope.call ? "functions that are called have" : "model has", limit));
    }
    return false;
  }
  return file_.charge(scope.path.size() * (1 + node.proto.output.size()), node.where);
}

void GraphReader::declare_outputs(DecodedNode& node, Scope& scope) {
  for (const std::string_view name : node.proto.output) {
    if (name.empty()) {
      node.outputs.push_back(kAbsent);
    } else if (scope.awaited.erase(name) != 0) {
      node.outputs.push_back(scope.names.at(name));
    } else {
      node.outputs.push_back(values_.declare(scope, name, node.where).value_or(kAbsent));
    }
  }
}

void GraphReader::read_nodes(std::vector<DecodedNode>& nodes, Scope& scope) {
  if (scope.graph().nodes.empty()) scope.graph().nodes.reserve(nodes.size());
  for (DecodedNode& node : nodes) {
    if (node.is_ok && !file_.is_exhausted()) read_node(node, scope);
  }
}

void GraphReader::read_node(DecodedNode& node, Scope& scope) {
  const NodeProto& proto = node.proto;
  if (proto.op_type.empty()) {
    error(DiagnosticKind::FileFormat, node.where, formatted("{} has no operator", node.label()));
    return;
  }
  NetAttributes attributes = attributes_of(node, scope);
  const std::string_view domain = normal_domain(proto.domain);
  if (const Function* function = sources_.functions.find(domain, proto.op_type, proto.overload)) {
    inline_call(node, std::move(attributes), *function, scope);
    return;
  }
  NetNode made{.domain = std::string(domain),
               .kind = std::string(proto.op_type),
               .name = std::string(proto.name),
               .version = version_for(node, scope),
               .inputs = inputs_of(node, scope),
               .outputs = std::move(node.outputs),
               .attributes = std::move(attributes),
               .index = static_cast<std::uint32_t>(node.where.index),
               .path = scope.path,
               .location = file_.location(node.where.message)};
  add_node(std::move(made), node, scope);
}

void GraphReader::add_node(NetNode node, const DecodedNode& from, Scope& scope) {
  OpenGraph& open = scope.open;
  const auto use = [&](NetValueId value) {
    if (value != kAbsent && !open.is_defined[value] && open.unsorted_message.empty())
      open.unsorted_message = from.where.message;
  };
  for (const NetValueId value : node.inputs) use(value);
  for (const auto& [name, value] : node.attributes) {
    if (const auto* graph = std::get_if<std::shared_ptr<const NetGraph>>(&value)) {
      for (const auto& [here, there] : (*graph)->captured) use(there);
    }
  }
  for (const NetValueId value : node.outputs) {
    if (value != kAbsent) open.is_defined[value] = true;
  }
  open.graph->nodes.push_back(std::move(node));
}

std::vector<NetValueId> GraphReader::inputs_of(const DecodedNode& node, Scope& scope) {
  std::vector<NetValueId> inputs;
  inputs.reserve(node.proto.input.size());
  for (const std::string_view name : node.proto.input) {
    const auto id = name.empty() ? kAbsent : scope.find(name);
    if (!id && !file_.is_damaged()) {
      error(DiagnosticKind::UnknownReference, node.where,
            formatted("{} uses {}, which is not defined", node.label(), in_backticks(name)));
    }
    inputs.push_back(id.value_or(kAbsent));
  }
  return inputs;
}

std::int64_t GraphReader::version_for(const DecodedNode& node, const Scope& scope) {
  const std::string_view domain = normal_domain(node.proto.domain);
  if (const auto version = version_of(scope.versions, domain)) return *version;
  if (!file_.is_damaged() && missing_domains_.emplace(domain).second) {
    error(DiagnosticKind::UnknownReference, node.where,
          formatted("{} is of operator set {}, which the {} does not import", node.label(),
                    in_backticks(domain.empty() ? "ai.onnx" : domain), scope.call ? "function" : "model"));
  }
  return 0;
}

void GraphReader::finish(const Context& where, OpenGraph& open) {
  if (open.unsorted_message.empty()) return;
  const std::vector<std::uint32_t> cycle = sort_nodes(*open.graph);
  if (cycle.empty()) {
    file_.remark(DiagnosticKind::DeprecatedForm, open.unsorted_message,
                 "a node uses what a later one computes; the nodes are sorted");
    return;
  }
  constexpr std::size_t kMaxShown = 8;
  std::string shown;
  for (std::size_t i = 0; i < std::min(cycle.size(), kMaxShown); ++i)
    append_formatted(shown, "{}{}", i == 0 ? "" : ", ", open.graph->nodes[cycle[i]].label());
  file_.error(
      DiagnosticKind::FileFormat, where.message,
      formatted("{} node{} of a graph depend on {}: {}{}", cycle.size(), cycle.size() == 1 ? "" : "s",
                cycle.size() == 1 ? "its own result" : "each other", shown, cycle.size() > kMaxShown ? ", ..." : ""));
}

// --- attributes ------------------------------------------------------------------------------------------------------

NetAttributes GraphReader::attributes_of(const DecodedNode& node, Scope& scope) {
  NetAttributes attributes;
  for (const Bytes part : node.proto.attribute) {
    const Context where = context_of<AttributeProto>(node.where, "attribute", part);
    AttributeProto attribute;
    if (!decode(file_, where, part, attribute)) continue;
    if (attributes.contains(attribute.name)) {
      error(DiagnosticKind::DuplicateName, where, formatted("{} occurs twice", where.describe()));
      continue;
    }
    if (auto value = attribute_value(where, attribute, node, scope))
      attributes.emplace(attribute.name, *std::move(value));
  }
  return attributes;
}

std::optional<AttributeValue> GraphReader::attribute_value(const Context& where, const AttributeProto& attribute,
                                                           const DecodedNode& node, Scope& scope) {
  if (!attribute.ref_attr_name.empty()) return argument(where, attribute.ref_attr_name, scope);
  if (type_of(attribute) == AttributeType::Graph) return subgraph(where, attribute, node, scope);
  auto value = read_attribute(file_, where, attribute);
  if (value && !file_.charge(copied_bytes(*value), where)) return std::nullopt;
  return value;
}

std::optional<AttributeValue> GraphReader::argument(const Context& where, std::string_view name, const Scope& scope) {
  if (!scope.call) {
    error(
        DiagnosticKind::UnknownReference, where,
        formatted("{} refers to attribute {} of a function, but is not in one", where.describe(), in_backticks(name)));
    return std::nullopt;
  }
  const auto found = scope.call->arguments->find(name);
  if (found == scope.call->arguments->end() || !file_.charge(copied_bytes(found->second), where)) return std::nullopt;
  const auto* graph = std::get_if<std::shared_ptr<const NetGraph>>(&found->second);
  if (graph && !(*graph)->captured.empty() && scope.call->graph != &scope.graph()) {
    error(DiagnosticKind::Unsupported, where,
          formatted("{} is a graph of the caller, used in a subgraph of a function", where.describe()));
    return std::nullopt;
  }
  return found->second;
}

std::optional<AttributeValue> GraphReader::subgraph(const Context& where, const AttributeProto& attribute,
                                                    const DecodedNode& node, Scope& scope) {
  if (is_too_deep(where, scope)) return std::nullopt;
  const std::string_view of_node = node.proto.name.empty() ? node.proto.op_type : node.proto.name;
  std::string_view part = attribute.name;
  if (part.ends_with("_branch")) part.remove_suffix(std::string_view("_branch").size());
  OpenGraph open;
  Scope inner{.open = open,
              .outer = &scope,
              .call = scope.call,
              .versions = scope.versions,
              .path = joined_path(scope.path, formatted("{}.{}", of_node, part)),
              .depth = scope.depth + 1};
  if (!attribute.g) {
    error(DiagnosticKind::FileFormat, where, formatted("{} has no graph", where.describe()));
    return std::nullopt;
  }
  const Context graph = context_of<GraphProto>(where, "graph", attribute.g.parts.front());
  read(graph, attribute.g, inner, false);
  return std::shared_ptr<const NetGraph>(open.graph);
}

// --- functions -------------------------------------------------------------------------------------------------------

bool GraphReader::is_too_deep(const Context& where, const Scope& scope) {
  if (scope.depth < kMaxScopes) return false;
  error(DiagnosticKind::OutOfRange, where,
        formatted("{} is inside more than {} functions and subgraphs", where.describe(), kMaxScopes));
  return true;
}

void GraphReader::inline_call(DecodedNode& node, NetAttributes arguments, const Function& function, Scope& scope) {
  if (const std::string chain = recursion(scope.call, function); !chain.empty()) {
    error(DiagnosticKind::FileFormat, function.where, formatted("a function calls itself: {}", chain));
    return;
  }
  if (is_too_deep(node.where, scope)) return;
  const FunctionProto& proto = function.proto;
  if (node.proto.input.size() > proto.input.size() || node.outputs.size() > proto.output.size()) {
    error(DiagnosticKind::FileFormat, node.where,
          formatted("{} has {} operands and {} results, but function {} has {} and {}", node.label(),
                    node.proto.input.size(), node.outputs.size(), function.label(), proto.input.size(),
                    proto.output.size()));
    return;
  }
  add_defaults(function, arguments);
  const FunctionCall call{
      .function = &function, .caller = scope.call, .arguments = &arguments, .graph = scope.open.graph.get()};
  const std::string part =
      node.proto.name.empty() ? formatted("{}#{}", node.proto.op_type, node.where.index) : std::string(node.proto.name);
  Scope inner{.open = scope.open,
              .call = &call,
              .versions = function.versions,
              .path = joined_path(scope.path, part),
              .depth = scope.depth + 1};
  bind_operands(function, inputs_of(node, scope), inner);
  bind_results(node, function, inner);
  std::vector<DecodedNode> nodes = decode_nodes(function.where, proto.node, inner);
  values_.read_value_infos(function.where, proto.value_info, inner);
  read_nodes(nodes, inner);
  check_results(function, inner);
}

void GraphReader::add_defaults(const Function& function, NetAttributes& arguments) {
  for (const Bytes part : function.proto.attribute_proto) {
    const Context where = context_of<AttributeProto>(function.where, "attribute", part);
    AttributeProto attribute;
    if (!decode(file_, where, part, attribute) || arguments.contains(attribute.name)) continue;
    if (auto value = read_attribute(file_, where, attribute)) arguments.emplace(attribute.name, *std::move(value));
  }
}

void GraphReader::bind_operands(const Function& function, std::vector<NetValueId> inputs, Scope& inner) {
  const FunctionProto& proto = function.proto;
  inputs.resize(proto.input.size(), kAbsent);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inner.names.emplace(proto.input[i], inputs[i]).second) {
      error(DiagnosticKind::DuplicateName, function.where,
            formatted("function {} has two operands {}", function.label(), in_backticks(proto.input[i])));
    }
  }
}

// The results of the node are those of nodes of the function, or operands.
void GraphReader::bind_results(const DecodedNode& node, const Function& function, Scope& inner) {
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const NetValueId result = node.outputs[i];
    const std::string_view name = function.proto.output[i];
    if (result == kAbsent) continue;
    const auto [known, is_new] = inner.names.emplace(name, result);
    if (is_new) {
      inner.awaited.insert(name);
    } else if (inner.awaited.contains(name)) {
      error(DiagnosticKind::DuplicateName, function.where,
            formatted("function {} has two results {}", function.label(), in_backticks(name)));
    } else {
      NetNode identity{.kind = "Identity",
                       .version = version_of(inner.versions, "").value_or(1),
                       .inputs = {known->second},
                       .outputs = {result},
                       .index = static_cast<std::uint32_t>(node.where.index),
                       .path = inner.path,
                       .location = file_.location(node.where.message)};
      add_node(std::move(identity), node, inner);
    }
  }
}

void GraphReader::check_results(const Function& function, const Scope& inner) {
  for (const std::string_view name : inner.awaited) {
    if (file_.is_damaged()) return;
    error(DiagnosticKind::UnknownReference, function.where,
          formatted("function {} does not define its result {}", function.label(), in_backticks(name)));
  }
}

}  // namespace

std::shared_ptr<const NetGraph> read_main_graph(const GraphSources& sources, const Submessage& graph) {
  OpenGraph open;
  Scope scope{.open = open, .versions = sources.versions, .path = {}};
  const Context where{.kind = {}, .message = graph.parts.front()};
  GraphReader(sources).read(where, graph, scope, true);
  return open.graph;
}

}  // namespace slipway::importer::onnx
