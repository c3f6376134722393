// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes TensorFlow Lite files for tests.
//
//   TfliteModel model;
//   const int x = model.input({.name = "x", .shape = {1, 4, 4, 2}});
//   const int w = model.constant({.name = "w", .shape = {3, 1, 1, 2}}, {1, 2, 3, 4, 5, 6});
//   const int y = model.result({.name = "y", .shape = {1, 4, 4, 3}});
//   model.add("CONV_2D", {x, w}, {y}).builtin_options.Set(fb::Conv2DOptionsT{...});
//   model.output(y);
//   read_tflite(model.bytes(), ...);
//
// What it has no function for is changed in `model.tables` before `bytes`.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importer/array.hpp"
#include "importer/tflite/operator_codes.hpp"
#include "tflite_generated.h"

namespace slipway::importer {

struct TestTensor {
  std::string name;
  FileType type = FileType::F32;
  std::vector<std::int32_t> shape;
  // Quantised: one scale and zero point, or as many as the axis has indices.
  std::vector<float> scales;
  std::vector<std::int64_t> zero_points;
  std::int32_t axis = 0;
};

// An options table: fields in braces cannot be given in one expression, because the tables have constructors.
template <class Options, class Set>
Options options_with(Set set) {
  Options options;
  set(options);
  return options;
}

class TfliteModel {
 public:
  // One empty subgraph, and the empty buffer.
  TfliteModel() {
    tables.version = 3;
    tables.description = "test";
    buffer({});
    begin_graph("main");
  }

  // The following functions add to a new subgraph. Returns its index.
  std::size_t begin_graph(const std::string& name) {
    tables.subgraphs.push_back(std::make_unique<fb::SubGraphT>());
    graph().name = name;
    return tables.subgraphs.size() - 1;
  }
  fb::SubGraphT& graph() { return *tables.subgraphs.back(); }

  // These return the index of the tensor.
  int tensor(const TestTensor& from, std::uint32_t buffer = 0) {
    auto made = std::make_unique<fb::TensorT>();
    made->name = from.name;
    made->type = static_cast<std::int8_t>(info_of(from.type).tflite);
    made->shape = from.shape;
    made->has_rank = true;
    made->buffer = buffer;
    if (!from.scales.empty()) {
      made->quantization = std::make_unique<fb::QuantizationParametersT>();
      made->quantization->scale = from.scales;
      made->quantization->zero_point = from.zero_points;
      made->quantization->quantized_dimension = from.axis;
    }
    graph().tensors.push_back(std::move(made));
    return static_cast<int>(graph().tensors.size()) - 1;
  }
  int input(const TestTensor& from) {
    const int made = tensor(from);
    graph().inputs.push_back(made);
    return made;
  }
  int result(const TestTensor& from) { return tensor(from); }
  int constant(const TestTensor& from, const std::vector<double>& values) {
    const Array array = array_of(from.type, {}, std::span<const double>(values));
    return tensor(from, buffer(packed(array)));
  }
  int constant_of_bytes(const TestTensor& from, std::vector<std::uint8_t> data) {
    return tensor(from, buffer(std::move(data)));
  }
  fb::TensorT& tensor_at(int index) { return *graph().tensors[static_cast<std::size_t>(index)]; }
  void output(int tensor) { graph().outputs.push_back(tensor); }

  // Returns the index of the buffer.
  std::uint32_t buffer(std::vector<std::uint8_t> data) {
    tables.buffers.push_back(std::make_unique<fb::BufferT>());
    tables.buffers.back()->data = std::move(data);
    return static_cast<std::uint32_t>(tables.buffers.size()) - 1;
  }

  // `kind`: of a builtin operator. -1 is an absent operand.
  fb::OperatorT& add(std::string_view kind, std::vector<int> inputs, std::vector<int> outputs,
                     std::int32_t version = 1) {
    const BuiltinOperator* const builtin = builtin_operator(kind);
    EXPECT_NE(builtin, nullptr) << kind;
    return add_with_code(builtin ? builtin->code : 0, "", std::move(inputs), std::move(outputs), version);
  }
  fb::OperatorT& add_custom(const std::string& name, std::vector<int> inputs, std::vector<int> outputs) {
    return add_with_code(kCustomOperator, name, std::move(inputs), std::move(outputs), 1);
  }

  // The file.
  std::vector<std::byte> bytes() const {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(fb::Model::Pack(builder, &tables), "TFL3");
    const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
    return {begin, begin + builder.GetSize()};
  }

  fb::ModelT tables;

 private:
  fb::OperatorT& add_with_code(std::int32_t code, const std::string& custom, std::vector<int> inputs,
                               std::vector<int> outputs, std::int32_t version) {
    std::size_t index = 0;
    for (; index < tables.operator_codes.size(); ++index) {
      const fb::OperatorCodeT& each = *tables.operator_codes[index];
      if (each.builtin_code == code && each.custom_code == custom && each.version == version) break;
    }
    if (index == tables.operator_codes.size()) {
      auto made = std::make_unique<fb::OperatorCodeT>();
      made->builtin_code = code;
      made->deprecated_builtin_code = static_cast<std::int8_t>(std::min(code, 127));
      made->custom_code = custom;
      made->version = version;
      tables.operator_codes.push_back(std::move(made));
    }
    auto made = std::make_unique<fb::OperatorT>();
    made->opcode_index = static_cast<std::uint32_t>(index);
    made->inputs = std::move(inputs);
    made->outputs = std::move(outputs);
    graph().operators.push_back(std::move(made));
    return *graph().operators.back();
  }

  // Values of less than a byte share bytes, the first in the lowest bits.
  static std::vector<std::uint8_t> packed(const Array& array) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(array.data.data());
    std::vector<std::uint8_t> wide(begin, begin + array.data.size());
    const std::uint32_t bits = bits_of(array.type);
    if (bits >= 8) return wide;
    const std::size_t in_byte = 8 / bits;
    std::vector<std::uint8_t> narrow((wide.size() + in_byte - 1) / in_byte);
    for (std::size_t i = 0; i < wide.size(); ++i) {
      const std::uint32_t low = wide[i] & ((1U << bits) - 1);
      narrow[i / in_byte] = static_cast<std::uint8_t>(narrow[i / in_byte] | low << (i % in_byte * bits));
    }
    return narrow;
  }
};

}  // namespace slipway::importer
