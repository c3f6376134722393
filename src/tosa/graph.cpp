// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/graph.hpp"

#include <algorithm>

#include "tensor/element.hpp"

namespace slipway::tosa {

Attributes::Attributes(std::initializer_list<std::pair<std::string_view, std::vector<std::int64_t>>> entries) {
  for (const auto& [name, integers] : entries) set(name, integers);
}

Attributes::Entry& Attributes::entry(std::string_view name) {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  return found != entries_.end() ? *found : entries_.emplace_back(Entry{name, {}, 0});
}

void Attributes::set(std::string_view name, std::vector<std::int64_t> integers) {
  entry(name).integers = std::move(integers);
}
void Attributes::set_real(std::string_view name, double value) { entry(name).real = value; }

const Attributes::Entry* Attributes::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  return found == entries_.end() ? nullptr : &*found;
}

std::int64_t Attributes::integer(std::string_view name) const {
  const Entry* found = find(name);
  return found && !found->integers.empty() ? found->integers[0] : 0;
}

std::span<const std::int64_t> Attributes::list(std::string_view name) const {
  const Entry* found = find(name);
  return found ? std::span(found->integers) : std::span<const std::int64_t>{};
}

double Attributes::real(std::string_view name) const {
  const Entry* found = find(name);
  if (!found) return 0;
  return found->integers.empty() ? found->real : static_cast<double>(found->integers[0]);
}

ValueId Graph::add_input(TensorType type, std::string name_of_input) {
  const auto id = static_cast<ValueId>(values.size());
  values.push_back(
      {std::move(type), ValueKind::Input, static_cast<std::uint32_t>(inputs.size()), std::move(name_of_input)});
  inputs.push_back(id);
  return id;
}

ValueId Graph::add_constant(TensorType type, Bytes data, bool splat, std::string name_of_constant) {
  const auto id = static_cast<ValueId>(values.size());
  values.push_back({std::move(type), ValueKind::Constant, static_cast<std::uint32_t>(constants.size()),
                    std::move(name_of_constant)});
  constants.push_back({data, splat, std::nullopt, id});
  return id;
}

ValueId Graph::add_constant(TensorType type, std::vector<std::byte> data, bool splat, std::string name_of_constant) {
  storage.push_back(std::make_shared<const std::vector<std::byte>>(std::move(data)));
  return add_constant(std::move(type), Bytes(*storage.back()), splat, std::move(name_of_constant));
}

ValueId Graph::add_graph_constant(TensorType type, std::uint32_t graph_constant, std::string name_of_constant) {
  const ValueId id = add_constant(std::move(type), Bytes(), false, std::move(name_of_constant));
  constants.back().graph_constant = graph_constant;
  return id;
}

std::vector<ValueId> Graph::add_node(Op op, std::vector<ValueId> node_inputs, Attributes attributes,
                                     std::vector<TensorType> results) {
  Node node{.op = op,
            .inputs = std::move(node_inputs),
            .outputs = {},
            .attributes = std::move(attributes),
            .name = {},
            .location = {},
            .custom = {}};
  for (TensorType& type : results) {
    node.outputs.push_back(static_cast<ValueId>(values.size()));
    values.push_back({std::move(type), ValueKind::Result, static_cast<std::uint32_t>(nodes.size()), {}});
  }
  nodes.push_back(std::move(node));
  return nodes.back().outputs;
}

std::vector<std::int64_t> integers_of(const Graph& graph, ValueId value) {
  const Constant* constant = graph.constant(value);
  const TensorType& type = graph[value].type;
  if (!constant || is_float(type.data)) return {};
  const tensor::ElementType storage = storage_of(type.data);
  const std::size_t size = tensor::size_of(storage);
  const std::uint64_t count = tensor::element_count(type.shape).value_or(0);
  if (constant->data.size() < (constant->splat ? 1 : count) * size) return {};
  std::vector<std::int64_t> integers(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const tensor::Number number = tensor::number_of(storage, constant->data.data() + (constant->splat ? 0 : i * size));
    integers[i] = std::visit([](auto x) { return static_cast<std::int64_t>(x); }, number);
  }
  return integers;
}

}  // namespace slipway::tosa
