// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX files as tests write them:
//
//   const std::string file = model({.nodes = {node("Add", {"x", "y"}, {"z"})},
//                                   .inputs = {value("x", 1, {2, 3}), value("y", 1, {3})},
//                                   .outputs = {value("z", 1, {2, 3})}});
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "importer/onnx/read_onnx.hpp"
#include "importer/testing.hpp"

namespace slipway::importer::onnx {

// A message, field by field.
class Proto {
 public:
  Proto& varint(std::uint32_t field, std::int64_t value) {
    return key(field, 0).raw_varint(static_cast<std::uint64_t>(value));
  }
  Proto& text(std::uint32_t field, std::string_view text) {
    key(field, 2).raw_varint(text.size());
    bytes_ += text;
    return *this;
  }
  Proto& message(std::uint32_t field, const Proto& message) { return text(field, message.bytes_); }
  Proto& messages(std::uint32_t field, const std::vector<Proto>& all) {
    for (const Proto& one : all) message(field, one);
    return *this;
  }
  Proto& texts(std::uint32_t field, const std::vector<std::string>& all) {
    for (const std::string& one : all) text(field, one);
    return *this;
  }
  // A list of varints, in one piece or one by one.
  Proto& packed(std::uint32_t field, const std::vector<std::int64_t>& values) {
    Proto list;
    for (const std::int64_t value : values) list.raw_varint(static_cast<std::uint64_t>(value));
    return message(field, list);
  }
  Proto& varints(std::uint32_t field, const std::vector<std::int64_t>& values) {
    for (const std::int64_t value : values) varint(field, value);
    return *this;
  }
  template <class Element>
  Proto& fixed(std::uint32_t field, Element value) {
    return key(field, sizeof value == 4 ? 5 : 1).raw({reinterpret_cast<const char*>(&value), sizeof value});
  }
  template <class Element>
  Proto& packed_fixed(std::uint32_t field, const std::vector<Element>& values) {
    return text(field, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Element)});
  }
  Proto& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Proto& key(std::uint32_t field, std::uint32_t type) { return raw_varint(field << 3 | type); }
  Proto& raw_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
    return *this;
  }
  std::string bytes_;
};

// Types of elements, by their numbers.
enum : std::int64_t {
  kF32 = 1,
  kU8,
  kI8,
  kU16,
  kI16,
  kI32,
  kI64,
  kString,
  kBool,
  kF16,
  kF64,
  kU32,
  kU64,
  kComplex64,
  kBF16 = 16,
  kF8E4M3 = 17,
  kU4 = 21,
  kI4 = 22,
  kF4 = 23,
  kU2 = 25,
  kI2 = 26,
};

using Dims = std::vector<std::int64_t>;

// The type of a tensor, by its number; -1 is an open dimension.
inline Proto tensor_type(std::int64_t type, const Dims& dims) {
  Proto shape;
  for (const std::int64_t dim : dims) shape.message(1, dim < 0 ? Proto() : Proto().varint(1, dim));
  return Proto().message(1, Proto().varint(1, type).message(2, shape));
}

// ValueInfoProto.
inline Proto value(std::string_view name, const Proto& type) { return Proto().text(1, name).message(2, type); }
inline Proto value(std::string_view name, std::int64_t type, const Dims& dims) {
  return value(name, tensor_type(type, dims));
}

// TensorProto without elements.
inline Proto tensor(std::string_view name, std::int64_t type, const Dims& dims) {
  return Proto().packed(1, dims).varint(2, type).text(8, name);
}
template <class Element>
Proto raw_tensor(std::string_view name, std::int64_t type, const Dims& dims, const std::vector<Element>& elements) {
  return tensor(name, type, dims).packed_fixed(9, elements);
}

// AttributeProto.
inline Proto integer_attribute(std::string_view name, std::int64_t value) {
  return Proto().text(1, name).varint(3, value).varint(20, 2);
}
inline Proto real_attribute(std::string_view name, float value) {
  return Proto().text(1, name).fixed(2, value).varint(20, 1);
}
inline Proto text_attribute(std::string_view name, std::string_view value) {
  return Proto().text(1, name).text(4, value).varint(20, 3);
}
inline Proto integers_attribute(std::string_view name, const std::vector<std::int64_t>& values) {
  return Proto().text(1, name).varints(8, values).varint(20, 7);
}
inline Proto reals_attribute(std::string_view name, const std::vector<float>& values) {
  return Proto().text(1, name).packed_fixed(7, values).varint(20, 6);
}
inline Proto tensor_attribute(std::string_view name, const Proto& tensor) {
  return Proto().text(1, name).message(5, tensor).varint(20, 4);
}
inline Proto graph_attribute(std::string_view name, const Proto& graph) {
  return Proto().text(1, name).message(6, graph).varint(20, 5);
}
// Of a node of a function: the value of the attribute `of_function` of the call.
inline Proto reference_attribute(std::string_view name, std::string_view of_function, std::int64_t type) {
  return Proto().text(1, name).varint(20, type).text(21, of_function);
}

// NodeProto.
inline Proto node(std::string_view kind, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs, const std::vector<Proto>& attributes = {},
                  std::string_view domain = {}, std::string_view name = {}) {
  Proto node = Proto().texts(1, inputs).texts(2, outputs).text(4, kind).messages(5, attributes);
  if (!domain.empty()) node.text(7, domain);
  if (!name.empty()) node.text(3, name);
  return node;
}

struct GraphParts {
  std::vector<Proto> nodes, inputs, outputs, initializers, sparse_initializers, value_infos;
  std::string name = "g";
};
inline Proto graph(const GraphParts& parts) {
  return Proto()
      .messages(1, parts.nodes)
      .text(2, parts.name)
      .messages(5, parts.initializers)
      .messages(11, parts.inputs)
      .messages(12, parts.outputs)
      .messages(13, parts.value_infos)
      .messages(15, parts.sparse_initializers);
}

inline Proto operator_set(std::string_view domain, std::int64_t version) {
  return Proto().text(1, domain).varint(2, version);
}

struct FunctionParts {
  std::string domain, name;
  std::vector<std::string> inputs, outputs, attributes;
  std::vector<Proto> nodes, defaults;
  std::vector<Proto> operator_sets = {operator_set("", 20)};
};
inline Proto function(const FunctionParts& parts) {
  return Proto()
      .text(1, parts.name)
      .texts(4, parts.inputs)
      .texts(5, parts.outputs)
      .texts(6, parts.attributes)
      .messages(7, parts.nodes)
      .messages(9, parts.operator_sets)
      .text(10, parts.domain)
      .messages(11, parts.defaults);
}

struct ModelParts {
  std::vector<Proto> operator_sets = {operator_set("", 20)};
  std::vector<Proto> functions = {};
  std::int64_t ir_version = 9;
};
// ModelProto.
inline std::string model(const Proto& graph, const ModelParts& parts = {}) {
  return Proto()
      .varint(1, parts.ir_version)
      .message(7, graph)
      .messages(8, parts.operator_sets)
      .messages(25, parts.functions)
      .bytes();
}
inline std::string model(const GraphParts& parts) { return model(graph(parts)); }

struct ReadNet {
  std::optional<Net> net;
  Diagnostics diagnostics;

  std::string messages() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.all())
      append_formatted(text, "{} [{}]\n", diagnostic.message, name_of(diagnostic.kind));
    return text;
  }
  // The main graph, or the messages of a file that was refused.
  std::string text() const { return net ? NetPrinter().print(net->main()) : messages(); }
};
// `file` must outlive the result.
inline ReadNet read(const std::string& file, const ReadOptions& options = {}) {
  ReadNet result;
  result.net = read_onnx(bytes_of(file), "net.onnx", options, result.diagnostics);
  return result;
}

}  // namespace slipway::importer::onnx
