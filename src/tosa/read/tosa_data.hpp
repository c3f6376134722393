// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types, data and attributes in TOSA FlatBuffers (docs/spec/converter.md#tosa-flatbuffers-schema,
// docs/spec/converter.md#data-encoding).
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

namespace fb {
struct TosaOperator;
struct TosaTensor;
struct TosaShape;
enum class DType : std::uint32_t;
}  // namespace fb

// The data of a constant: in the file, or decoded.
struct TosaData {
  Bytes bytes;
  std::shared_ptr<const std::vector<std::byte>> decoded;
};

// 64-bit integers become i32. Empty for types that a graph does not have.
std::optional<DataType> data_type_of(fb::DType type);
fb::DType dtype_of(DataType type);
std::string name_of(fb::DType type);

// Negative dimensions are dynamic.
tensor::Shape shape_of(const fb::TosaTensor& tensor);

// The errors of the functions below are messages; the caller adds the location.

// `file`: for data after the tables.
std::expected<TosaData, std::string> data_of(const fb::TosaTensor& tensor, Bytes file);
bool has_data(const fb::TosaTensor& tensor);
std::expected<std::vector<std::int64_t>, std::string> values_of(const fb::TosaShape& shape);

// The attribute of this name in the operator's attribute table; `type`: of the operator's tensors, for raw values.
// Empty expected value: the operator has no such attribute in its table.
std::expected<bool, std::string> read_attribute(const fb::TosaOperator& from, const OperandInfo& operand, DataType type,
                                                Attributes& to);

}  // namespace slipway::tosa
