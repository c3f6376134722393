// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/tensor_reader.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "importer/tflite/sparsity.hpp"
#include "tflite_generated.h"

namespace slipway::importer {
namespace {

constexpr std::size_t kMaxRank = 64;
// Of a sparse constant, so that a small file does not become gigabytes.
constexpr std::uint64_t kMaxDenseBytes = std::uint64_t{1} << 31;
constexpr std::uint64_t kMaxDenseOfSmallFiles = std::uint64_t{64} << 20;

// Of an element in the file. Empty for types whose elements have no fixed size.
std::optional<std::uint32_t> packed_bits(FileType type) {
  switch (type) {
    case FileType::Complex64:
      return 64;
    case FileType::Complex128:
      return 128;
    case FileType::String:
    case FileType::Resource:
    case FileType::Variant:
      return std::nullopt;
    default:
      return bits_of(type);
  }
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return formatted("{} {}", count, count == 1 ? one : many);
}

tensor::Shape stored_shape(const fb::Tensor& tensor) {
  const std::span<const std::int32_t> shape = span_of(tensor.shape());
  return tensor::Shape(shape.begin(), shape.end());
}

}  // namespace

NetValue TensorReader::read(const fb::Tensor& tensor, const std::string& label, TensorRole role) {
  NetValue value;
  value.location = file_.location_of(&tensor);
  value.is_variable = tensor.is_variable();
  if (!file_.take(sizeof(NetValue) + string_of(tensor.name()).size() + count_of(tensor.shape()) * sizeof(Dimension),
                  &tensor))
    return value;
  value.name = string_of(tensor.name());
  value.type = file_type_of_tflite(tensor.type());
  if (value.type == FileType::Unknown) {
    file_.error(DiagnosticKind::Unsupported, &tensor, formatted("{} has the unknown type {}", label, tensor.type()));
    return value;
  }
  if (count_of(tensor.shape()) > kMaxRank) {
    file_.error(DiagnosticKind::OutOfRange, &tensor,
                formatted("{} has {} dimensions; the limit is {}", label, count_of(tensor.shape()), kMaxRank));
    return value;
  }
  for (const std::int32_t extent : span_of(tensor.shape())) {
    if (extent >= 0) continue;
    file_.error(DiagnosticKind::OutOfRange, &tensor,
                formatted("{} has the shape {}; open dimensions are negative in `shape_signature` only", label,
                          tensor::list_text(stored_shape(tensor))));
    return value;
  }
  if (!role.is_input && !role.is_result && !value.is_variable) read_constant(tensor, label, value);
  read_shape(tensor, label, role, value);
  read_quantization(tensor, label, value);
  return value;
}

// A shape without dimensions is that of a scalar or, in files that lack `has_rank`, not declared. Such an input is a
// scalar, as the runtime takes it; results are inferred.
void TensorReader::read_shape(const fb::Tensor& tensor, const std::string& label, TensorRole role, NetValue& value) {
  const std::span<const std::int32_t> shape = span_of(tensor.shape());
  if (shape.empty() && !tensor.has_rank() && role.is_result) return;
  std::vector<Dimension> dimensions(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) dimensions[i].extent = shape[i];
  const std::span<const std::int32_t> signature = span_of(tensor.shape_signature());
  if (!signature.empty() && !value.constant) {
    if (signature.size() != shape.size()) {
      file_.error(DiagnosticKind::FileFormat, &tensor,
                  formatted("{} has {} in `shape` and {} in `shape_signature`", label,
                            counted(shape.size(), "dimension", "dimensions"), signature.size()));
      return;
    }
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (signature[i] == -1) {
        dimensions[i] = {.extent = -1, .symbol = {}, .usual = shape[i]};
      } else if (signature[i] != shape[i]) {
        file_.error(DiagnosticKind::OutOfRange, &tensor,
                    formatted("dimension {} of {} is {} in `shape` and {} in `shape_signature`; they have to be equal, "
                              "or -1 in `shape_signature`",
                              i, label, shape[i], signature[i]));
        return;
      }
    }
  }
  value.shape = std::move(dimensions);
}

void TensorReader::read_quantization(const fb::Tensor& tensor, const std::string& label, NetValue& value) {
  const fb::QuantizationParameters* from = tensor.quantization();
  if (!from || !is_integer(value.type)) return;  // that of a float tensor is only a hint
  if (from->details_type() != fb::QuantizationDetails::NONE) {
    file_.error(
        DiagnosticKind::Unsupported, &tensor,
        formatted("{} has quantisation of the form {}, which is not supported; supported are one scale, and one "
                  "for each index of a dimension",
                  label, static_cast<int>(from->details_type())));
    return;
  }
  const std::size_t count = count_of(from->scale());
  if (count == 0 && count_of(from->zero_point()) == 0) return;
  if (!check_quantization(tensor, label, value)) return;
  if (!file_.take(sizeof(Quantization) + count * (sizeof(float) + sizeof(std::int64_t)), &tensor)) return;
  const std::span<const float> scales = span_of(from->scale());
  const std::span<const std::int64_t> zero_points = span_of(from->zero_point());
  value.quantization =
      std::make_shared<const Quantization>(Quantization{.scales = {scales.begin(), scales.end()},
                                                        .zero_points = {zero_points.begin(), zero_points.end()},
                                                        .axis = count == 1 ? 0 : from->quantized_dimension()});
}

bool TensorReader::check_quantization(const fb::Tensor& tensor, const std::string& label, const NetValue& value) {
  const fb::QuantizationParameters& from = *tensor.quantization();
  const std::span<const float> scales = span_of(from.scale());
  const std::span<const std::int64_t> zero_points = span_of(from.zero_point());
  const auto wrong = [&](DiagnosticKind kind, const std::string& text) {
    file_.error(kind, &tensor, formatted("{} has {}", label, text));
    return false;
  };
  if (scales.size() != zero_points.size()) {
    return wrong(DiagnosticKind::FileFormat,
                 formatted("{} and {}; they have to be as many", counted(scales.size(), "scale", "scales"),
                           counted(zero_points.size(), "zero point", "zero points")));
  }
  if (scales.size() != 1) {
    const std::span<const std::int32_t> shape = span_of(tensor.shape());
    const std::int32_t axis = from.quantized_dimension();
    if (axis < 0 || static_cast<std::size_t>(axis) >= shape.size()) {
      return wrong(DiagnosticKind::OutOfRange, formatted("one scale for each index of dimension {}, and the shape {}",
                                                         axis, tensor::list_text(stored_shape(tensor))));
    }
    const std::int32_t extent = shape[static_cast<std::size_t>(axis)];
    if (static_cast<std::size_t>(extent) != scales.size()) {
      return wrong(DiagnosticKind::FileFormat,
                   formatted("{} scales for dimension {}, whose extent is {}", scales.size(), axis, extent));
    }
  }
  const std::uint32_t bits = bits_of(value.type);
  const std::int64_t min = is_unsigned(value.type) ? 0 : std::numeric_limits<std::int64_t>::min() >> (64 - bits);
  const std::int64_t max = is_unsigned(value.type) && bits < 64
                               ? (std::int64_t{1} << bits) - 1
                               : std::numeric_limits<std::int64_t>::max() >> (64 - bits);
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (!(scales[i] > 0) || !std::isfinite(scales[i]))
      return wrong(DiagnosticKind::OutOfRange, formatted("the scale {}; it has to be finite and above 0", scales[i]));
    if (zero_points[i] < min || zero_points[i] > max) {
      return wrong(DiagnosticKind::OutOfRange,
                   formatted("the zero point {}; {} holds {} to {}", zero_points[i], name_of(value.type), min, max));
    }
    if (scales.size() > 1 && value.type == FileType::I8 && zero_points[i] != 0) {
      return wrong(DiagnosticKind::OutOfRange,
                   formatted("the zero point {}; it has to be 0 where int8 has several scales", zero_points[i]));
    }
  }
  return true;
}

std::optional<Bytes> TensorReader::buffer(std::uint32_t index, std::string_view label, const void* table) {
  const auto* const buffers = file_.model().buffers();
  if (index >= count_of(buffers)) {
    if (index == 0) return Bytes();  // the empty buffer by convention
    file_.error(
        DiagnosticKind::UnknownReference, table,
        formatted("{} has buffer {}; the file has {}", label, index, counted(count_of(buffers), "buffer", "buffers")));
    return std::nullopt;
  }
  const fb::Buffer& from = *buffers->Get(index);
  const Bytes inside = std::as_bytes(span_of(from.data()));
  if (from.offset() <= 1) return inside;
  if (!inside.empty()) {
    file_.error(DiagnosticKind::FileFormat, table,
                formatted("the data of {} are both inside and after the tables", label));
    return std::nullopt;
  }
  if (from.size() == 0) return Bytes();
  const Bytes after = file_.appended(from.offset(), from.size(), formatted("the data of {} are", label), &from);
  if (after.empty()) return std::nullopt;
  return after;
}

void TensorReader::read_constant(const fb::Tensor& tensor, const std::string& label, NetValue& value) {
  std::optional<Bytes> data;
  std::shared_ptr<const void> owner;
  if (tensor.external_buffer() != 0) {
    if (const auto outside = external(tensor, label)) {
      data = outside->bytes;
      owner = outside->owner;
    }
  } else {
    data = buffer(tensor.buffer(), label, &tensor);
  }
  if (!data) return;
  tensor::Shape shape = stored_shape(tensor);
  const std::optional<std::uint32_t> bits = packed_bits(value.type);
  if (!bits) {
    if (!data->empty())
      value.constant = Array{.type = value.type, .shape = std::move(shape), .data = *data, .owner = owner};
    return;
  }
  const Size count = tensor::element_count(shape);
  const Size total_bits = checked_multiply(count, *bits);
  if (data->empty()) {
    // Lists without elements (a shape operand that makes a scalar) have no data and are known.
    if (count == 0) value.constant = Array{.type = value.type, .shape = std::move(shape)};
    return;
  }
  if (tensor.sparsity()) {
    value.constant = dense(tensor, label, value, shape, *data);
    return;
  }
  if (!total_bits || divide_up(*total_bits, 8) != data->size()) {
    file_.error(DiagnosticKind::FileFormat, &tensor,
                formatted("{} has {} of data; {} {} needs {}", label, counted(data->size(), "byte", "bytes"),
                          name_of(value.type), tensor::shape_text(shape),
                          total_bits ? formatted("{}", divide_up(*total_bits, 8)) : "more than memory holds"));
    return;
  }
  if (*bits < 8) {
    value.constant = unpacked(tensor, value.type, *count, *data);
    if (value.constant) value.constant->shape = std::move(shape);
    return;
  }
  value.constant = Array{.type = value.type, .shape = std::move(shape), .data = *data, .owner = owner};
}

std::optional<ExternalData> TensorReader::external(const fb::Tensor& tensor, const std::string& label) {
  const auto* const buffers = file_.model().external_buffers();
  const auto* const groups = file_.model().external_buffer_groups();
  const auto refuse = [&](DiagnosticKind kind, std::string message) {
    file_.error(kind, &tensor, std::move(message));
    return std::nullopt;
  };
  for (std::size_t i = 0; i < count_of(buffers); ++i) {
    const fb::ExternalBuffer& from = *buffers->Get(static_cast<flatbuffers::uoffset_t>(i));
    if (from.id() != tensor.external_buffer()) continue;
    if (const std::string_view packing = string_of(from.packing()); !packing.empty())
      return refuse(DiagnosticKind::Unsupported, formatted("the data of {} are packed as `{}`", label, packing));
    if (from.group() >= count_of(groups)) {
      return refuse(DiagnosticKind::UnknownReference,
                    formatted("the data of {} are in file {}; the model names {}", label, from.group(),
                              counted(count_of(groups), "file", "files")));
    }
    const std::string_view location = string_of(groups->Get(from.group())->name());
    return file_.external({.location = std::string(location), .offset = from.offset(), .length = from.length()}, label,
                          &tensor);
  }
  return refuse(DiagnosticKind::UnknownReference,
                formatted("{} has the external buffer {}, which the file lacks", label, tensor.external_buffer()));
}

// The first element is in the lowest bits.
std::optional<Array> TensorReader::unpacked(const fb::Tensor& tensor, FileType type, std::size_t count, Bytes packed) {
  const auto key = std::tuple(packed.data(), count, type);
  if (const auto known = unpacked_.find(key); known != unpacked_.end()) return known->second;
  if (!file_.take(count, &tensor)) return std::nullopt;
  const std::uint32_t bits = bits_of(type);
  const std::uint32_t in_byte = 8 / bits;
  const std::uint32_t mask = (1U << bits) - 1;
  const std::uint32_t sign = is_unsigned(type) ? 0 : 1U << (bits - 1);
  std::vector<std::byte> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t low = std::to_integer<std::uint32_t>(packed[i / in_byte]) >> (i % in_byte * bits) & mask;
    out[i] = static_cast<std::byte>((low ^ sign) - sign);
  }
  Array array = array_of(type, {static_cast<std::int64_t>(count)}, std::move(out));
  unpacked_.emplace(key, array);
  return array;
}

std::optional<Array> TensorReader::dense(const fb::Tensor& tensor, const std::string& label, const NetValue& value,
                                         const tensor::Shape& shape, Bytes values) {
  const std::size_t size = tensor::size_of(info_of(value.type).storage);
  const Size bytes = checked_multiply(tensor::element_count(shape), size);
  const std::uint64_t limit = std::min(kMaxDenseBytes, 2 * file_.bytes().size() + kMaxDenseOfSmallFiles);
  if (!bytes || *bytes > limit) {
    file_.error(DiagnosticKind::OutOfRange, &tensor,
                formatted("{} is sparse and has the shape {}; its dense form is limited to {} bytes", label,
                          tensor::shape_text(shape), limit));
    return std::nullopt;
  }
  if (!file_.take(*bytes, &tensor)) return std::nullopt;
  std::optional<Array> wide;  // owns the values where they had to be unpacked
  std::size_t padding = 0;
  if (const std::uint32_t bits = bits_of(value.type); bits < 8) {
    padding = 8 / bits - 1;
    wide = unpacked(tensor, value.type, values.size() * (8 / bits), values);
    if (!wide) return std::nullopt;
    values = wide->data;
  }
  // What is not stored is a real 0.
  std::int64_t zero = 0;
  if (const fb::QuantizationParameters* from = tensor.quantization(); from && count_of(from->zero_point()) == 1)
    zero = from->zero_point()->Get(0);
  std::vector<std::byte> fill(size);
  if (is_integer(value.type)) std::memcpy(fill.data(), &zero, size);
  auto made =
      dense_of({.sparsity = *tensor.sparsity(), .shape = shape, .values = values, .padding = padding, .fill = fill});
  if (!made) {
    file_.error(DiagnosticKind::FileFormat, &tensor, formatted("{} {}", label, made.error()));
    return std::nullopt;
  }
  return array_of(value.type, shape, *std::move(made));
}

}  // namespace slipway::importer
