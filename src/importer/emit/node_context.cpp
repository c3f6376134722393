// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/node_context.hpp"

#include "base/format.hpp"

namespace slipway::importer {
namespace {

template <class T>
const T* value_of(const AttributeValue* attribute, std::string_view name) {
  if (!attribute) return nullptr;
  const T* const value = std::get_if<T>(attribute);
  if (!value) throw Refused(formatted("the attribute `{}` has another type", name));
  return value;
}

}  // namespace

const AttributeValue* NodeContext::find(std::string_view name) const {
  const auto found = node_.attributes.find(name);
  return found == node_.attributes.end() ? nullptr : &found->second;
}

const Term& NodeContext::in(std::size_t i) const {
  const Term& term = operand(i);
  if (term.sequence) throw Refused(formatted("the operand {} is a sequence or an optional value", i));
  return term;
}

const Term& NodeContext::operand(std::size_t i) const {
  if (!has(i)) throw Refused(formatted("the operand {} is missing", i));
  return *inputs_[i];
}

const NetValue& NodeContext::result(std::size_t i) const {
  if (!wants(i)) throw Refused(formatted("the result {} is missing", i));
  return graph_.values[node_.outputs[i]];
}

void NodeContext::update(std::size_t i, Term term) {
  if (!has(i) || !graph_.values[node_.inputs[i]].is_variable)
    throw Refused(formatted("the operand {} is not a variable", i));
  updates_.insert_or_assign(i, std::move(term));
}

const Array& NodeContext::known(std::size_t i, std::string_view what) const {
  const Term& term = in(i);
  if (!term.known)
    throw NotKnown(formatted("`{}` is computed from inputs; it has to be known before the run", what), node_.inputs[i]);
  return *term.known;
}

std::int64_t NodeContext::integer(std::string_view name, std::int64_t otherwise) const {
  const auto* value = value_of<std::int64_t>(find(name), name);
  return value ? *value : otherwise;
}

std::int64_t NodeContext::integer(std::string_view name) const {
  if (!has(name)) throw Refused(formatted("the attribute `{}` is missing", name));
  return integer(name, 0);
}

double NodeContext::real(std::string_view name, double otherwise) const {
  const auto* value = value_of<double>(find(name), name);
  return value ? *value : otherwise;
}

std::string NodeContext::text(std::string_view name, std::string_view otherwise) const {
  const auto* value = value_of<std::string>(find(name), name);
  return value ? *value : std::string(otherwise);
}

std::optional<std::vector<std::int64_t>> NodeContext::list(std::string_view name) const {
  const auto* value = value_of<std::vector<std::int64_t>>(find(name), name);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::vector<double>> NodeContext::reals(std::string_view name) const {
  const auto* value = value_of<std::vector<double>>(find(name), name);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::vector<std::string>> NodeContext::texts(std::string_view name) const {
  const auto* value = value_of<std::vector<std::string>>(find(name), name);
  return value ? std::optional(*value) : std::nullopt;
}

const Array* NodeContext::array(std::string_view name) const { return value_of<Array>(find(name), name); }

std::shared_ptr<const NetGraph> NodeContext::graph(std::string_view name) const {
  const auto* value = value_of<std::shared_ptr<const NetGraph>>(find(name), name);
  return value ? *value : nullptr;
}

}  // namespace slipway::importer
