// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/read/value_reader.hpp"

#include "base/format.hpp"
#include "importer/onnx/read/tensor_data.hpp"

namespace slipway::importer::onnx {
namespace {

void set_type(NetValue& value, const DeclaredType& declared) {
  if (value.type == FileType::Unknown) value.type = declared.type;
  if (!value.shape) value.shape = declared.shape;
}

}  // namespace

std::optional<NetValueId> ValueReader::declare(Scope& scope, std::string_view name, const Context& where) {
  if (name.empty()) {
    error(DiagnosticKind::FileFormat, where, formatted("{} has no name", where.describe()));
    return std::nullopt;
  }
  const bool is_outside = scope.outer && scope.outer->is_visible(name);
  const auto [known, is_new] = scope.names.try_emplace(name, kAbsent);
  if (!is_new || is_outside) {
    error(DiagnosticKind::DuplicateName, where,
          formatted("{} defines {}, a name that {} defines already", where.describe(), in_backticks(name),
                    is_outside ? "an enclosing graph" : "the graph"));
    if (is_new) scope.names.erase(known);
    return std::nullopt;
  }
  known->second = scope.add(name, file_.location(where.message));
  return known->second;
}

void ValueReader::check_interface(const Context& where, const DeclaredType& declared, bool is_output) {
  if (!declared.other.empty()) {
    error(DiagnosticKind::Unsupported, where,
          formatted("{} is {} {}, which cannot be converted", where.describe(),
                    declared.other.starts_with('o') ? "an" : "a", declared.other));
  } else if (!is_output && declared.type == FileType::Unknown && !file_.is_damaged()) {
    error(DiagnosticKind::FileFormat, where, formatted("{} has no element type", where.describe()));
  }
}

void ValueReader::read_input(const Context& parent, Bytes part, Scope& scope, bool is_main) {
  const Context where = context_of<ValueInfoProto>(parent, "input", part);
  ValueInfoProto proto;
  if (!decode(file_, where, part, proto)) {
    file_.note_damage();
    return;
  }
  const DeclaredType declared = read_type(file_, where, proto.type);
  if (is_main) check_interface(where, declared, false);
  const auto id = declare(scope, proto.name, where);
  if (!id) return;
  set_type(scope.graph().values[*id], declared);
  scope.open.is_defined[*id] = true;
  scope.graph().inputs.push_back(*id);
}

void ValueReader::read_initializer(const Context& parent, Bytes part, Scope& scope) {
  const Context where = context_of<TensorProto>(parent, "initializer", part);
  TensorProto proto;
  if (!decode(file_, where, part, proto)) {
    file_.note_damage();
    return;
  }
  set_initializer(where, proto.name, read_tensor(file_, where, proto), scope);
}

void ValueReader::read_sparse_initializer(const Context& parent, Bytes part, Scope& scope) {
  Context where = context_of<SparseTensorProto>(parent, "sparse initializer", part);
  SparseTensorProto proto;
  TensorProto values;
  if (!decode(file_, where, part, proto) || !decode(file_, where, proto.values, values)) {
    file_.note_damage();
    return;
  }
  where.name = values.name;
  set_initializer(where, values.name, read_sparse_tensor(file_, where, proto), scope);
}

void ValueReader::set_initializer(const Context& where, std::string_view name, std::optional<Array> array,
                                  Scope& scope) {
  std::optional<NetValueId> id;
  const auto known = scope.names.find(name);
  // The inputs are the first values.
  const bool is_input = known != scope.names.end() && known->second < scope.graph().inputs.size() &&
                        !scope.graph().values[known->second].is_optional;
  if (is_input) {
    id = known->second;
  } else {
    id = declare(scope, name, where);
    if (id && !scope.outer && has_initializers_as_inputs_) {
      file_.warning(
          DiagnosticKind::DeprecatedForm, where.message,
          formatted("{} is not an input, as `ir_version` below 4 demands; it is a constant", where.describe()));
    }
  }
  if (!id) return;
  scope.open.is_defined[*id] = true;
  if (!array) return;
  NetValue& value = scope.graph().values[*id];
  value.is_optional = is_input;
  if (is_input && value.type != FileType::Unknown && value.type != array->type) {
    error(DiagnosticKind::FileFormat, where,
          formatted("{} is {}, but the input of the same name is {}", where.describe(), name_of(array->type),
                    name_of(value.type)));
  }
  value.type = array->type;
  if (!value.shape) {
    value.shape.emplace();
    for (const std::int64_t extent : array->shape) value.shape->push_back({.extent = extent, .symbol = {}});
  }
  value.constant = std::move(array);
}

void ValueReader::read_value_infos(const Context& parent, const Submessages& parts, Scope& scope) {
  for (const Bytes part : parts) {
    const Context where = context_of<ValueInfoProto>(parent, "value_info", part);
    ValueInfoProto proto;
    if (!decode(file_, where, part, proto)) continue;
    const auto known = scope.names.find(proto.name);
    if (known != scope.names.end() && known->second != kAbsent)
      set_type(scope.graph().values[known->second], read_type(file_, where, proto.type));
  }
}

void ValueReader::read_output(const Context& parent, Bytes part, Scope& scope, bool is_main) {
  const Context where = context_of<ValueInfoProto>(parent, "output", part);
  ValueInfoProto proto;
  if (!decode(file_, where, part, proto)) return;
  const DeclaredType declared = read_type(file_, where, proto.type);
  if (is_main) check_interface(where, declared, true);
  const auto id = scope.find(proto.name);
  if (!id || *id == kAbsent) {
    if (!file_.is_damaged())
      error(DiagnosticKind::UnknownReference, where, formatted("{} is not defined in the graph", where.describe()));
    return;
  }
  set_type(scope.graph().values[*id], declared);
  scope.graph().outputs.push_back(*id);
}

}  // namespace slipway::importer::onnx
