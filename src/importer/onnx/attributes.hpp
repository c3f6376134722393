// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of ONNX nodes.
#pragma once

#include <optional>

#include "importer/net.hpp"
#include "importer/onnx/wire/messages.hpp"

namespace slipway::importer::onnx {

// The numbers of AttributeProto.type.
enum class AttributeType : std::uint8_t {
  Undefined,
  Float,
  Int,
  String,
  Tensor,
  Graph,
  Floats,
  Ints,
  Strings,
  Tensors,
  Graphs,
  SparseTensor,
  SparseTensors,
  TypeProto,
  TypeProtos,
};

// Files of version 1 have no type: the field that is present decides. Undefined if no field is present, and for a type
// whose field is missing while another one is present.
AttributeType type_of(const AttributeProto& attribute);

// The value of an attribute that is not a graph. Empty after an error, which is reported, and for types of values,
// which only declare what the file declares elsewhere too.
std::optional<AttributeValue> read_attribute(OnnxFile& file, const Context& where, const AttributeProto& attribute);

// The bytes of the copies that a copy of the value makes.
std::uint64_t copied_bytes(const AttributeValue& value);

}  // namespace slipway::importer::onnx
