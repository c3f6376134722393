// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/read/tosa_data.hpp"

#include <algorithm>
#include <limits>

#include <flatbuffers/minireflect.h>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "tensor/element.hpp"
#include "tosa_generated.h"

namespace slipway::tosa {
namespace {

// Bits of an element in a file.
std::uint64_t bits_in_file(fb::DType type) {
  switch (type) {
    case fb::DType::INT4:
    case fb::DType::FP4E2M1:
      return 4;
    case fb::DType::BOOL:
    case fb::DType::INT8:
    case fb::DType::FP8E4M3:
    case fb::DType::FP8E5M2:
    case fb::DType::FP8UE8M0:
    case fb::DType::MXINT8:
    case fb::DType::FP6E2M3:  // a byte for each element
    case fb::DType::FP6E3M2:
      return 8;
    case fb::DType::INT16:
    case fb::DType::FP16:
    case fb::DType::BF16:
      return 16;
    case fb::DType::INT48:
      return 48;
    case fb::DType::INT64:
      return 64;
    default:
      return 32;
  }
}

std::expected<TosaData, std::string> decode(fb::DType type, std::uint64_t count, Bytes bytes) {
  const auto elements = static_cast<std::size_t>(count);
  std::vector<std::byte> out;
  if (type == fb::DType::FP4E2M1) {
    out.resize(elements);
    for (std::size_t i = 0; i < elements; ++i) out[i] = bytes[i / 2] >> (i % 2 * 4) & std::byte{15};
  } else if (type == fb::DType::INT4) {
    out.resize(elements);
    for (std::size_t i = 0; i < elements; ++i) {
      const auto nibble = std::to_integer<unsigned>(bytes[i / 2]) >> (i % 2 * 4) & 15;
      out[i] = static_cast<std::byte>(static_cast<int>(nibble ^ 8) - 8);
    }
  } else if (type == fb::DType::INT48) {
    out.resize(elements * 8);
    for (std::size_t i = 0; i < elements; ++i) {
      std::uint64_t raw = 0;
      std::memcpy(&raw, &bytes[i * 6], 6);
      store(&out[i * 8], static_cast<std::int64_t>(raw << 16) >> 16);
    }
  } else {
    out.resize(elements * 4);
    for (std::size_t i = 0; i < elements; ++i) {
      const auto wide = load<std::int64_t>(&bytes[i * 8]);
      if (wide != static_cast<std::int32_t>(wide))
        return std::unexpected(formatted("element {} is {}, which 32 bits do not hold", i, wide));
      store(&out[i * 4], static_cast<std::int32_t>(wide));
    }
  }
  TosaData data;
  data.decoded = std::make_shared<const std::vector<std::byte>>(std::move(out));
  data.bytes = *data.decoded;
  return data;
}

// How the value of an attribute is stored.
std::optional<std::int64_t> acc_type_of(fb::DType type) {
  switch (type) {
    case fb::DType::INT32:
      return 1;
    case fb::DType::FP16:
      return 2;
    case fb::DType::FP32:
      return 3;
    case fb::DType::INT48:
      return 4;
    default:
      return std::nullopt;
  }
}

std::expected<bool, std::string> enumerant(const OperandInfo& operand, std::uint32_t value, Attributes& to) {
  std::optional<std::int64_t> known = value;
  if (operand.kind == OperandKind::AccType) {
    known = acc_type_of(static_cast<fb::DType>(value));
  } else if (!std::ranges::contains(enumerants(operand.kind), value, &EnumerantName::value)) {
    known.reset();
  }
  if (!known) return std::unexpected(formatted("`{}` has the unknown value {}", operand.name, value));
  to.set(operand.name, *known);
  return true;
}

std::expected<bool, std::string> element(const OperandInfo& operand, const flatbuffers::Vector<std::uint8_t>* bytes,
                                         DataType type, Attributes& to) {
  const tensor::ElementType storage = storage_of(type);
  if (!bytes || bytes->size() < tensor::size_of(storage) || bytes->size() > 8) {
    return std::unexpected(formatted("`{}` has {} bytes; an element of {} has {}", operand.name,
                                     bytes ? bytes->size() : 0, name_of(type), tensor::size_of(storage)));
  }
  const tensor::Number number = tensor::number_of(storage, reinterpret_cast<const std::byte*>(bytes->data()));
  if (is_float(type))
    to.set_real(operand.name, tensor::double_of(number));
  else
    to.set(operand.name, std::visit([](auto x) { return static_cast<std::int64_t>(x); }, number));
  return true;
}

}  // namespace

std::optional<DataType> data_type_of(fb::DType type) {
  switch (type) {
    case fb::DType::BOOL:
      return DataType::Bool;
    case fb::DType::INT4:
      return DataType::I4;
    case fb::DType::INT8:
      return DataType::I8;
    case fb::DType::INT16:
      return DataType::I16;
    case fb::DType::INT32:
    case fb::DType::INT64:
      return DataType::I32;
    case fb::DType::INT48:
      return DataType::I48;
    case fb::DType::FP32:
      return DataType::F32;
    case fb::DType::FP16:
      return DataType::F16;
    case fb::DType::BF16:
      return DataType::BF16;
    case fb::DType::FP8E4M3:
      return DataType::F8E4M3;
    case fb::DType::FP8E5M2:
      return DataType::F8E5M2;
    case fb::DType::FP4E2M1:
      return DataType::F4E2M1;
    case fb::DType::FP6E2M3:
      return DataType::F6E2M3;
    case fb::DType::FP6E3M2:
      return DataType::F6E3M2;
    case fb::DType::FP8UE8M0:
      return DataType::F8E8M0;
    case fb::DType::MXINT8:
      return DataType::MXI8;
    default:
      return std::nullopt;
  }
}

fb::DType dtype_of(DataType type) {
  switch (type) {
    case DataType::Bool:
      return fb::DType::BOOL;
    case DataType::I4:
      return fb::DType::INT4;
    case DataType::I8:
      return fb::DType::INT8;
    case DataType::I16:
      return fb::DType::INT16;
    case DataType::I32:
      return fb::DType::INT32;
    case DataType::I48:
      return fb::DType::INT48;
    case DataType::F32:
      return fb::DType::FP32;
    case DataType::F16:
      return fb::DType::FP16;
    case DataType::BF16:
      return fb::DType::BF16;
    case DataType::F8E4M3:
      return fb::DType::FP8E4M3;
    case DataType::F8E5M2:
      return fb::DType::FP8E5M2;
    case DataType::F4E2M1:
      return fb::DType::FP4E2M1;
    case DataType::F6E2M3:
      return fb::DType::FP6E2M3;
    case DataType::F6E3M2:
      return fb::DType::FP6E3M2;
    case DataType::F8E8M0:
      return fb::DType::FP8UE8M0;
    case DataType::MXI8:
      return fb::DType::MXINT8;
  }
  std::unreachable();
}

std::string name_of(fb::DType type) {
  const char* name = fb::EnumNameDType(type);
  return *name ? name : formatted("{}", static_cast<std::uint32_t>(type));
}

tensor::Shape shape_of(const fb::TosaTensor& tensor) {
  tensor::Shape shape;
  if (tensor.shape()) {
    for (const std::int32_t extent : *tensor.shape()) shape.push_back(extent < 0 ? kDynamic : extent);
  }
  return shape;
}

bool has_data(const fb::TosaTensor& tensor) {
  return (tensor.data() && tensor.data()->size() != 0) || tensor.offset() > 1;
}

std::expected<TosaData, std::string> data_of(const fb::TosaTensor& tensor, Bytes file) {
  const tensor::Shape shape = shape_of(tensor);
  if (std::ranges::contains(shape, 0)) return std::unexpected("a constant has a dimension of 0");
  const Size count = tensor::element_count(shape);
  if (!count) return std::unexpected(formatted("a constant has the shape {}", tensor::shape_text(shape)));
  const Size bits = checked_multiply(count, bits_in_file(tensor.type()));
  if (!bits) return std::unexpected(formatted("a constant has the shape {}", tensor::shape_text(shape)));
  const std::uint64_t needed = divide_up(*bits, 8);
  const bool inside = tensor.data() && tensor.data()->size() != 0;
  Bytes bytes = inside ? std::as_bytes(std::span(tensor.data()->data(), tensor.data()->size())) : Bytes();
  if (tensor.offset() > 1) {
    if (inside) return std::unexpected("its data is both inside and after the tables");
    const Size end = checked_add(tensor.offset(), tensor.size());
    if (!end || *end > file.size()) {
      return std::unexpected(formatted("its data is at {:#x}, {} bytes, and the file has {}", tensor.offset(),
                                       tensor.size(), file.size()));
    }
    bytes = file.subspan(tensor.offset(), tensor.size());
  }
  if (bytes.size() < needed || bytes.size() > round_up(needed, 8)) {
    return std::unexpected(formatted("its data has {} bytes; {} {} need {}", bytes.size(), *count,
                                     *count == 1 ? "element" : "elements", needed));
  }
  const fb::DType type = tensor.type();
  if (type == fb::DType::INT4 || type == fb::DType::FP4E2M1 || type == fb::DType::INT48 || type == fb::DType::INT64)
    return decode(type, *count, bytes);
  return TosaData{bytes.first(needed), nullptr};
}

std::expected<std::vector<std::int64_t>, std::string> values_of(const fb::TosaShape& shape) {
  const std::uint64_t bytes = shape.data() ? shape.data()->size() : 0;
  if (bytes != std::uint64_t{shape.rank()} * 8) {
    // A shape without values may still have the padding of one.
    if (shape.rank() != 0 || bytes > 8)
      return std::unexpected(formatted("it has {} values and {} bytes of data", shape.rank(), bytes));
  }
  std::vector<std::int64_t> values(shape.rank());
  if (!values.empty()) std::memcpy(values.data(), shape.data()->data(), values.size() * 8);
  return values;
}

std::expected<bool, std::string> read_attribute(const fb::TosaOperator& from, const OperandInfo& operand, DataType type,
                                                Attributes& to) {
  const auto tag = static_cast<std::size_t>(from.op());
  const flatbuffers::TypeTable& all = *fb::AttributeTypeTable();
  if (tag >= all.num_elems) return false;
  const flatbuffers::TypeTable& fields = *all.type_refs[all.type_codes[tag].sequence_ref]();
  for (std::size_t i = 0; i < fields.num_elems; ++i) {
    if (operand.name != fields.names[i]) continue;
    const auto* table = static_cast<const flatbuffers::Table*>(from.attribute());
    if (!table || static_cast<std::size_t>(from.attribute_type()) != tag)
      return std::unexpected(formatted("the attributes are missing, and with them `{}`", operand.name));
    const auto field = flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(i));
    const flatbuffers::TypeCode code = fields.type_codes[i];
    if (code.base_type == flatbuffers::ET_INT && code.is_repeating) {
      const auto* list = table->GetPointer<const flatbuffers::Vector<std::int32_t>*>(field);
      std::vector<std::int64_t> values;
      if (list) values.assign(list->begin(), list->end());
      to.set(operand.name, std::move(values));
    } else if (code.base_type == flatbuffers::ET_UCHAR) {
      return element(operand, table->GetPointer<const flatbuffers::Vector<std::uint8_t>*>(field), type, to);
    } else if (code.base_type == flatbuffers::ET_UINT) {
      return enumerant(operand, table->GetField<std::uint32_t>(field, 0), to);
    } else if (code.base_type == flatbuffers::ET_BOOL) {
      to.set(operand.name, std::int64_t{table->GetField<std::uint8_t>(field, 0) != 0});
    } else {
      to.set(operand.name, std::int64_t{table->GetField<std::int32_t>(field, 0)});
    }
    return true;
  }
  return false;
}

}  // namespace slipway::tosa
