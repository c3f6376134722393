// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/attributes.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "importer/onnx/read/tensor_data.hpp"

namespace slipway::importer::onnx {
namespace {

constexpr auto kMaxAttributeType = static_cast<std::int64_t>(AttributeType::TypeProtos);

std::vector<std::string> strings_of(const Blobs& blobs) {
  std::vector<std::string> strings;
  strings.reserve(blobs.size());
  for (const Bytes blob : blobs) strings.emplace_back(text_of(blob));
  return strings;
}

std::vector<double> reals_of(const FloatList& floats) {
  std::vector<double> reals(floats.size());
  for (std::size_t i = 0; i < reals.size(); ++i) reals[i] = floats[i];
  return reals;
}

std::optional<AttributeValue> tensor_of(OnnxFile& file, const Context& where, const AttributeProto& attribute) {
  if (!attribute.t) {
    file.error(DiagnosticKind::FileFormat, where.message, formatted("{} has no tensor", where.describe()));
    return std::nullopt;
  }
  TensorProto tensor;
  if (!decode(file, where, attribute.t, tensor)) return std::nullopt;
  return read_tensor(file, where, tensor);
}

std::optional<AttributeValue> sparse_tensor_of(OnnxFile& file, const Context& where, const AttributeProto& attribute) {
  SparseTensorProto tensor;
  if (!decode(file, where, attribute.sparse_tensor, tensor)) return std::nullopt;
  return read_sparse_tensor(file, where, tensor);
}

}  // namespace

AttributeType type_of(const AttributeProto& attribute) {
  using enum AttributeType;
  const std::pair<AttributeType, bool> fields[] = {
      {Float, attribute.f.has_value()},
      {Int, attribute.i.has_value()},
      {String, attribute.s.has_value()},
      {Tensor, static_cast<bool>(attribute.t)},
      {Graph, static_cast<bool>(attribute.g)},
      {Floats, attribute.floats.size() != 0},
      {Ints, !attribute.ints.empty()},
      {Strings, !attribute.strings.empty()},
      {Tensors, !attribute.tensors.empty()},
      {Graphs, !attribute.graphs.empty()},
      {SparseTensor, static_cast<bool>(attribute.sparse_tensor)},
      {SparseTensors, !attribute.sparse_tensors.empty()},
      {TypeProto, static_cast<bool>(attribute.tp)},
      {TypeProtos, !attribute.type_protos.empty()},
  };
  const std::int64_t number = attribute.type.value_or(0);
  if (number < 0 || number > kMaxAttributeType) return Undefined;
  const auto declared = static_cast<AttributeType>(number);
  AttributeType first = Undefined;
  for (const auto& [type, is_present] : fields) {
    if (!is_present) continue;
    if (type == declared) return declared;
    if (first == Undefined) first = type;
  }
  // Writers leave out a value that is zero or empty.
  return declared == Undefined || first == Undefined ? std::max(declared, first) : Undefined;
}

std::optional<AttributeValue> read_attribute(OnnxFile& file, const Context& where, const AttributeProto& attribute) {
  using enum AttributeType;
  switch (const AttributeType type = type_of(attribute)) {
    case Float:
      return AttributeValue(static_cast<double>(attribute.f.value_or(0)));
    case Int:
      return attribute.i.value_or(0);
    case String:
      return std::string(text_of(attribute.s.value_or(Bytes())));
    case Floats:
      return reals_of(attribute.floats);
    case Ints:
      return attribute.ints;
    case Strings:
      return strings_of(attribute.strings);
    case Tensor:
      return tensor_of(file, where, attribute);
    case SparseTensor:
      return sparse_tensor_of(file, where, attribute);
    case TypeProto:
      return std::nullopt;
    case Undefined:
      file.error(DiagnosticKind::FileFormat, where.message,
                 formatted("{} has no value of its type {}", where.describe(), attribute.type.value_or(0)));
      return std::nullopt;
    case Graph:
    case Tensors:
    case Graphs:
    case SparseTensors:
    case TypeProtos:
      file.error(
          DiagnosticKind::Unsupported, where.message,
          formatted("{} has a value of type {}, which is not supported", where.describe(), static_cast<int>(type)));
      return std::nullopt;
  }
  return std::nullopt;
}

std::uint64_t copied_bytes(const AttributeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return text->size();
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value))
    return integers->size() * sizeof(std::int64_t);
  if (const auto* reals = std::get_if<std::vector<double>>(&value)) return reals->size() * sizeof(double);
  const auto* texts = std::get_if<std::vector<std::string>>(&value);
  if (!texts) return sizeof(AttributeValue);
  std::uint64_t sum = texts->size() * sizeof(std::string);
  for (const std::string& text : *texts) sum += text.size();
  return sum;
}

}  // namespace slipway::importer::onnx
