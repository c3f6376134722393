// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/data_type.hpp"

#include <array>

namespace slipway::tosa {
namespace {

struct DataTypeInfo {
  std::string_view name;
  tensor::ElementType storage;
  std::uint32_t bits;
};

constexpr std::array kDataTypes = {
#define DATA_TYPE(identifier, name, storage, bits) DataTypeInfo{name, tensor::ElementType::storage, bits},
#include "tosa/data_types.def"
#undef DATA_TYPE
};

const DataTypeInfo& info(DataType type) { return kDataTypes[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view name_of(DataType type) { return info(type).name; }
tensor::ElementType storage_of(DataType type) { return info(type).storage; }
std::uint32_t bits_of(DataType type) { return info(type).bits; }

std::optional<DataType> data_type_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kDataTypes.size(); ++i) {
    if (kDataTypes[i].name == name) return static_cast<DataType>(i);
  }
  return std::nullopt;
}

std::string text_of(const TensorType& type) { return std::string(name_of(type.data)) + tensor::list_text(type.shape); }

}  // namespace slipway::tosa
