// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/file_type.hpp"

#include <algorithm>
#include <array>

namespace slipway::importer {
namespace {

constexpr auto kTypes = std::to_array<FileTypeInfo>({
#define FILE_TYPE(identifier, name, onnx, tflite, storage, graph) \
  {name, onnx, tflite, tensor::ElementType::storage, tosa::DataType::graph},
#include "importer/types.def"
#undef FILE_TYPE
});

FileType find(int FileTypeInfo::* number, std::int64_t value) {
  for (std::size_t i = 0; value >= 0 && i < kTypes.size(); ++i) {
    if (kTypes[i].*number == value) return static_cast<FileType>(i);
  }
  return FileType::Unknown;
}

}  // namespace

const FileTypeInfo& info_of(FileType type) { return kTypes[static_cast<std::size_t>(type)]; }
FileType file_type_of_onnx(std::int64_t number) { return find(&FileTypeInfo::onnx, number); }
FileType file_type_of_tflite(std::int64_t number) { return find(&FileTypeInfo::tflite, number); }

FileType file_type_of(tensor::ElementType storage) {
  const auto found = std::ranges::find(kTypes, storage, &FileTypeInfo::storage);
  return found == kTypes.end() ? FileType::Unknown : static_cast<FileType>(found - kTypes.begin());
}

std::uint32_t bits_of(FileType type) {
  if (type == FileType::I4 || type == FileType::U4 || type == FileType::F4E2M1) return 4;
  if (type == FileType::I2 || type == FileType::U2) return 2;
  return tensor::info_of(info_of(type).storage).bits;
}

}  // namespace slipway::importer
