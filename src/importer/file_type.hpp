// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of tensor elements in ONNX and TensorFlow Lite files, and what they become (docs/spec/import.md#types).
#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/element_type.hpp"
#include "tosa/data_type.hpp"

namespace slipway::importer {

enum class FileType : std::uint8_t {
#define FILE_TYPE(identifier, name, onnx, tflite, storage, graph) identifier,
#include "importer/types.def"
#undef FILE_TYPE
};

struct FileTypeInfo {
  std::string_view name;        // as ONNX spells it
  int onnx, tflite;             // its number in the format; -1: none
  tensor::ElementType storage;  // of one element on the host
  tosa::DataType graph;         // of its values in a graph
};

const FileTypeInfo& info_of(FileType type);
inline std::string_view name_of(FileType type) { return info_of(type).name; }
// Unknown for a number that the format does not define.
FileType file_type_of_onnx(std::int64_t number);
FileType file_type_of_tflite(std::int64_t number);
// The type whose elements are stored like that; Unknown: none.
FileType file_type_of(tensor::ElementType storage);

constexpr bool is_real(FileType type) {
  return type <= FileType::BF16 || type == FileType::F8E4M3 || type == FileType::F8E5M2;
}
constexpr bool is_integer(FileType type) {
  return (type >= FileType::I8 && type <= FileType::U64) || (type >= FileType::I4 && type <= FileType::U2);
}
constexpr bool is_unsigned(FileType type) {
  return (type >= FileType::U8 && type <= FileType::U64) || type == FileType::U4 || type == FileType::U2;
}
// Numbers and bools: what graphs compute with. Others are only data.
constexpr bool is_computable(FileType type) { return type <= FileType::F8E5M2; }
// Bits of a value: 4 for int4.
std::uint32_t bits_of(FileType type);

}  // namespace slipway::importer
