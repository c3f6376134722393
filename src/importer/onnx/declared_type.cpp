// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/declared_type.hpp"

#include "base/format.hpp"

namespace slipway::importer::onnx {
namespace {

std::vector<Dimension> read_dimensions(OnnxFile& file, const Context& where, const Submessage& shape) {
  const Context at{.parent = &where, .kind = "shape", .message = where.message};
  TensorShapeProto message;
  if (!decode(file, at, shape, message)) return {};
  std::vector<Dimension> dimensions;
  dimensions.reserve(message.dim.size());
  for (const Bytes part : message.dim) {
    DimensionProto dimension;
    if (!decode(file, context_of<DimensionProto>(at, "dim", part), part, dimension)) continue;
    if (const std::int64_t extent = dimension.dim_value.value_or(-1); extent >= 0) {
      dimensions.push_back({.extent = extent, .symbol = {}});
    } else {
      dimensions.push_back({.extent = -1, .symbol = std::string(dimension.dim_param)});
    }
  }
  return dimensions;
}

std::string_view other_type(const TypeProto& type) {
  if (type.sequence_type) return "sequence";
  if (type.map_type) return "map";
  if (type.opaque_type) return "value of an opaque type";
  if (type.sparse_tensor_type) return "sparse tensor";
  return type.optional_type ? "optional value" : std::string_view();
}

}  // namespace

DeclaredType read_type(OnnxFile& file, const Context& where, const Submessage& type) {
  DeclaredType declared;
  if (!type) return declared;
  const Context at{.parent = &where, .kind = "type", .message = where.message};
  TypeProto message;
  if (!decode(file, at, type, message)) return declared;
  declared.other = other_type(message);
  if (!message.tensor_type) return declared;
  const Context tensor_at{.parent = &at, .kind = "tensor_type", .message = where.message};
  TensorTypeProto tensor;
  if (!decode(file, tensor_at, message.tensor_type, tensor)) return declared;
  const std::int64_t number = tensor.elem_type.value_or(0);
  declared.type = file_type_of_onnx(number);
  if (declared.type == FileType::Unknown && number != 0) {
    file.error(DiagnosticKind::FileFormat, where.message,
               formatted("the type {} of {} is not an element type", number, where.describe()));
  }
  if (tensor.shape) declared.shape = read_dimensions(file, tensor_at, tensor.shape);
  return declared;
}

}  // namespace slipway::importer::onnx
