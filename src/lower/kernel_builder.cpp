// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/kernel_builder.hpp"

#include <algorithm>
#include <array>

#include "lower/operator_traits.hpp"
#include "tensor/element.hpp"

namespace slipway::lower {
namespace {

using tosa::Node;
using tosa::ValueId;

using Emit = Value (*)(Operation&, const Coordinates&, std::size_t);
constexpr std::array kEmits = {
// Operators on block-scaled tensors have no kernels (tosa/lower_to_1_0.hpp).
#define OPERATOR(name, set, number, rule, operands, results, variables, types) \
  tosa::InstructionSet::set == tosa::InstructionSet::BlockScaled ? nullptr : static_cast<Emit>(emit_##name),
#include "tosa/operators.def"
#undef OPERATOR
};

}  // namespace

Value linear_index(Kernel& kernel, const tensor::Shape& shape, const Coordinates& at) {
  Value index = kernel.integer(0);
  for (std::size_t d = 0; d < shape.size(); ++d) index = index * shape[d] + at[d];
  return index;
}

KernelBuilder::KernelBuilder(const tosa::Graph& graph, const std::vector<bool>& stored, const Widening& widened,
                             const FloatFacts& floats, Grid grid, std::uint32_t links)
    : graph_(graph), stored_(stored), widened_(widened), kernel_(floats, grid) {
  if (!grid.linked) return;
  waits_ = exchange_packed(links, ElementType::I32);
  counts_ = exchange_packed(links, ElementType::I32);
}

void KernelBuilder::wait_for_stage() {
  if (kernel_.grid().linked) kernel_.wait_for_stage(waits_);
}

void KernelBuilder::count_for_stage() {
  if (kernel_.grid().linked) kernel_.count_for_stage(counts_);
}

Value KernelBuilder::at(ValueId value, const Coordinates& coordinates) {
  if (const auto known = fixed_.find(index(value)); known != fixed_.end()) return known->second;
  const tosa::TensorType& type = graph_[value].type;
  if (!stored_[index(value)]) return computed(value, coordinates);
  if (const tosa::Constant* constant = graph_.constant(value); constant && constant->splat)
    return splat(*constant, type.data);
  return load_stored(value, linear_index(kernel_, type.shape, coordinates));
}

Value KernelBuilder::computed(ValueId value, const Coordinates& coordinates) {
  ElementKey key{index(value), {}};
  for (const Value& coordinate : coordinates) key.second.push_back(coordinate.identity());
  const auto known = computed_.find(key);
  if (known != computed_.end() && known->second.block == kernel_.block()) return known->second.element;
  const Node* node = graph_.producer(value);
  const auto result_index = static_cast<std::size_t>(std::ranges::find(node->outputs, value) - node->outputs.begin());
  const Value element = compute(*node, result_index, coordinates);
  computed_[std::move(key)] = {kernel_.block(), element};
  return element;
}

ElementType KernelBuilder::stored_type(ValueId value) const {
  return widened_[index(value)] ? widened_[index(value)]->type : tosa::storage_of(graph_[value].type.data);
}

Value KernelBuilder::load_stored(ValueId value, Value at) {
  const Value element = kernel_.load(read(value), at);
  if (!widened_[index(value)] || tosa::is_float(graph_[value].type.data)) return element;
  const Value whole = element.type() == Scalar::Float ? kernel_.int_of_whole(element, kWidenedBits) : element;
  return whole + widened_[index(value)]->zero;
}

Value KernelBuilder::stored_form(ValueId value, Value element) {
  if (!widened_[index(value)] || tosa::is_float(graph_[value].type.data)) return element;
  const Value without_zero = element - widened_[index(value)]->zero;
  return widened_[index(value)]->type == ElementType::F32 ? kernel_.to_float(without_zero) : without_zero;
}

Value KernelBuilder::compute(const Node& node, std::size_t result_index, const Coordinates& coordinates) {
  Operation operation{kernel_, graph_, node, *this};
  return result(node, result_index, kEmits[static_cast<std::size_t>(node.op)](operation, coordinates, result_index));
}

Value KernelBuilder::result(const Node& node, std::size_t result_index, Value value) {
  add_node(node);
  const tosa::DataType type = graph_[node.outputs[result_index]].type.data;
  const bool moves = is_view(node.op) || !tosa::is_float(type);
  return moves ? value : rounded(kernel_, tosa::storage_of(type), value);
}

BufferRef KernelBuilder::read(ValueId value) {
  const auto known = std::ranges::find_if(slots_, [&](const Slot& slot) { return slot.value == value && !slot.raw; });
  if (known != slots_.end()) return {static_cast<std::uint32_t>(known - slots_.begin())};
  slots_.push_back({.value = value});
  return kernel_.buffer(stored_type(value), Access::Read);
}

BufferRef KernelBuilder::read_as(ValueId value, ElementType type) {
  slots_.push_back({.value = value, .raw = true});
  return kernel_.buffer(type, Access::Read);
}

BufferRef KernelBuilder::read_packed(std::uint32_t buffer, ElementType type) {
  slots_.push_back({.value = std::nullopt, .buffer = buffer});
  return kernel_.buffer(type, Access::Read);
}

BufferRef KernelBuilder::read_chunks(ValueId value) {
  slots_.push_back({.value = value, .raw = true});
  return kernel_.chunk_buffer();
}

BufferRef KernelBuilder::read_packed_chunks(std::uint32_t buffer) {
  slots_.push_back({.value = std::nullopt, .buffer = buffer, .raw = true});
  return kernel_.chunk_buffer();
}

BufferRef KernelBuilder::exchange_packed(std::uint32_t buffer, ElementType type) {
  slots_.push_back({.value = std::nullopt, .buffer = buffer, .exchanged = true});
  return kernel_.buffer(type, Access::Exchange);
}

BufferRef KernelBuilder::write(ValueId value) {
  slots_.push_back({.value = value});
  return kernel_.buffer(stored_type(value), Access::Write);
}

BufferRef KernelBuilder::write_packed(std::uint32_t buffer, ElementType type) {
  slots_.push_back({.value = std::nullopt, .buffer = buffer});
  return kernel_.buffer(type, Access::Write);
}

void KernelBuilder::add_node(const Node& node) {
  const auto position = static_cast<std::uint32_t>(&node - graph_.nodes.data());
  if (!std::ranges::contains(nodes_, position)) nodes_.push_back(position);
}

std::vector<std::uint32_t> KernelBuilder::nodes() const {
  std::vector<std::uint32_t> sorted = nodes_;
  std::ranges::sort(sorted);
  return sorted;
}

Value KernelBuilder::splat(const tosa::Constant& constant, tosa::DataType type) {
  const tensor::ElementType storage = tosa::storage_of(type);
  if (tosa::is_float(type)) return kernel_.real(static_cast<float>(tensor::double_of(storage, constant.data.data())));
  const auto value =
      std::visit([](auto x) { return static_cast<std::int64_t>(x); }, tensor::number_of(storage, constant.data.data()));
  return kernel_.constant(scalar_of(type), value);
}

}  // namespace slipway::lower
