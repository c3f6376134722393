// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/read/tensor_data.hpp"

#include <algorithm>
#include <charconv>

#include "base/checked.hpp"
#include "base/format.hpp"

namespace slipway::importer::onnx {
namespace {

constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 47;
// Of a dense tensor that a sparse one becomes.
constexpr std::uint64_t kMaxDenseBytes = std::uint64_t{1} << 31, kMinDenseAllowance = std::uint64_t{64} << 20;
constexpr std::int64_t kExternal = 1;  // data_location

using OwnedBytes = std::vector<std::byte>;

Array owned_array(FileType type, tensor::Shape shape, OwnedBytes data) {
  return array_of(type, std::move(shape), std::move(data));
}

// The smallest and the largest entry of `int32_data` for a type; bit patterns for small floats, and bytes of packed
// elements.
struct EntryRange {
  std::int64_t min, max;
};
EntryRange entry_range(FileType type) {
  const std::uint32_t bits = bits_of(type);
  if (bits < 8) return {-128, 255};
  if (type == FileType::Bool) return {0, 1};
  const std::int64_t values = std::int64_t{1} << bits;
  if (is_integer(type) && !is_unsigned(type)) return {-values / 2, values / 2 - 1};
  return {0, values - 1};
}

class TensorReader {
 public:
  TensorReader(OnnxFile& file, const Context& where, const TensorProto& tensor)
      : file_(file), where_(where), tensor_(tensor) {}

  std::optional<Array> run() {
    type_ = file_type_of_onnx(tensor_.data_type.value_or(0));
    if (type_ == FileType::Unknown) {
      return refuse(DiagnosticKind::FileFormat,
                    formatted("the type {} of {} is not an element type", tensor_.data_type.value_or(0), subject()));
    }
    const Size count = tensor::element_count(tensor_.dims);
    if (!count || *count > kMaxElements) {
      return refuse(DiagnosticKind::OutOfRange,
                    formatted("the shape {} of {} has a negative dimension or more than 2^47 elements",
                              tensor::list_text(tensor_.dims), subject()));
    }
    count_ = *count;
    if (tensor_.segment)
      return refuse(DiagnosticKind::Unsupported, formatted("{} is a segment of a tensor", subject()));
    if (!is_storable()) return Array{.type = type_, .shape = tensor_.dims, .data = {}, .owner = {}};
    if (tensor_.data_location.value_or(0) == kExternal) return external();
    if (tensor_.raw_data && (!tensor_.raw_data->empty() || count_ == 0)) {
      if (typed_count() != 0) {
        return refuse(DiagnosticKind::FileFormat, formatted("{} has both `raw_data` and a typed field", subject()));
      }
      return packed(*tensor_.raw_data, {}, "`raw_data`");
    }
    return typed();
  }

 private:
  std::nullopt_t refuse(DiagnosticKind kind, std::string message) {
    file_.error(kind, where_.message, std::move(message));
    return std::nullopt;
  }
  std::string subject() const { return where_.describe(); }
  bool is_storable() const {
    return type_ != FileType::String && type_ != FileType::Complex64 && type_ != FileType::Complex128;
  }
  std::uint64_t packed_bytes() const {
    const std::uint64_t bits = bits_of(type_);
    return bits >= 8 ? count_ * element_size() : divide_up(count_ * bits, 8);
  }
  std::uint64_t element_size() const { return tensor::size_of(info_of(type_).storage); }
  std::size_t typed_count() const {
    return tensor_.float_data.size() + tensor_.int32_data.size() + tensor_.int64_data.size() +
           tensor_.double_data.size() + tensor_.uint64_data.size() + tensor_.string_data.size();
  }

  // Elements as `raw_data` has them.
  std::optional<Array> packed(Bytes bytes, std::shared_ptr<const void> owner, std::string_view what) {
    if (bytes.size() != packed_bytes()) {
      return refuse(DiagnosticKind::FileFormat,
                    formatted("{} of {} has {} bytes, but its shape {} of {} needs {}", what, subject(), bytes.size(),
                              tensor::shape_text(tensor_.dims), name_of(type_), packed_bytes()));
    }
    if (bits_of(type_) >= 8) {
      return Array{.type = type_, .shape = tensor_.dims, .data = bytes, .owner = std::move(owner)};
    }
    if (!file_.charge(count_, where_)) return std::nullopt;
    return unpacked([&](std::uint64_t i) { return static_cast<std::uint8_t>(bytes[i]); });
  }

  // One byte per element; `byte(i)` is the byte `i` of the packed elements.
  Array unpacked(const std::invocable<std::uint64_t> auto& byte) const {
    const std::uint32_t bits = bits_of(type_), in_byte = 8 / bits;
    const auto mask = static_cast<std::uint8_t>((1U << bits) - 1), sign = static_cast<std::uint8_t>(1U << (bits - 1));
    const bool is_signed = is_integer(type_) && !is_unsigned(type_);
    OwnedBytes data(count_);
    for (std::uint64_t i = 0; i < count_; ++i) {
      auto value = static_cast<std::uint8_t>((byte(i / in_byte) >> (i % in_byte * bits)) & mask);
      if (is_signed) value = static_cast<std::uint8_t>((value ^ sign) - sign);
      data[i] = std::byte{value};
    }
    return owned_array(type_, tensor_.dims, std::move(data));
  }

  std::optional<Array> typed() {
    switch (type_) {
      case FileType::F32:
        return fixed(tensor_.float_data, "float_data");
      case FileType::F64:
        return fixed(tensor_.double_data, "double_data");
      case FileType::I64:
        return integers(tensor_.int64_data, "int64_data", {INT64_MIN, INT64_MAX});
      case FileType::U64:
        return integers(tensor_.uint64_data, "uint64_data", {INT64_MIN, INT64_MAX});  // the bits
      case FileType::U32:
        return integers(tensor_.uint64_data, "uint64_data", {0, UINT32_MAX});
      default:
        return integers(tensor_.int32_data, "int32_data", entry_range(type_));
    }
  }

  bool has_count(std::uint64_t found, std::uint64_t needed, std::string_view field) {
    if (found == needed) return true;
    refuse(DiagnosticKind::FileFormat,
           formatted("`{}` of {} has {} entries, but its shape {} of {} needs {}", field, subject(), found,
                     tensor::shape_text(tensor_.dims), name_of(type_), needed));
    return false;
  }

  template <class Element>
  std::optional<Array> fixed(const FixedList<Element>& list, std::string_view field) {
    if (!has_count(list.size(), count_, field)) return std::nullopt;
    const Bytes bytes = list.bytes();
    if (list.is_view()) return Array{.type = type_, .shape = tensor_.dims, .data = bytes, .owner = {}};
    if (!file_.charge(bytes.size(), where_)) return std::nullopt;
    return owned_array(type_, tensor_.dims, OwnedBytes(bytes.begin(), bytes.end()));
  }

  std::optional<Array> integers(const Ints& list, std::string_view field, EntryRange range) {
    const bool is_packed = bits_of(type_) < 8;
    if (!has_count(list.size(), is_packed ? packed_bytes() : count_, field)) return std::nullopt;
    const auto wrong =
        std::ranges::find_if(list, [&](std::int64_t value) { return value < range.min || value > range.max; });
    if (wrong != list.end()) {
      return refuse(DiagnosticKind::OutOfRange,
                    formatted("entry {} of `{}` of {} is {}, but entries of {} are {} to {}", wrong - list.begin(),
                              field, subject(), *wrong, name_of(type_), range.min, range.max));
    }
    if (!file_.charge(count_ * element_size(), where_)) return std::nullopt;
    if (is_packed) return unpacked([&](std::uint64_t i) { return static_cast<std::uint8_t>(list[i]); });
    const std::uint64_t size = element_size();
    OwnedBytes data(count_ * size);
    for (std::uint64_t i = 0; i < count_; ++i) std::memcpy(data.data() + i * size, &list[i], size);
    return owned_array(type_, tensor_.dims, std::move(data));
  }

  // --- data in another file ---

  std::optional<Array> external() {
    ExternalRange range;
    for (const Bytes part : tensor_.external_data) {
      StringStringEntryProto entry;
      if (!decode(file_, context_of<StringStringEntryProto>(where_, "external_data", part), part, entry))
        return std::nullopt;
      if (!set(range, entry, part)) return std::nullopt;
    }
    if (range.location.empty()) {
      return refuse(DiagnosticKind::FileFormat,
                    formatted("{} is in another file, but it has no `location`", subject()));
    }
    const auto data = file_.find_external(range, where_);
    if (!data) return std::nullopt;
    return packed(data->bytes, data->owner, formatted("the range of {}", in_backticks(range.location)));
  }

  bool set(ExternalRange& range, const StringStringEntryProto& entry, Bytes part) {
    if (entry.key == "location") {
      range.location = entry.value;
    } else if (entry.key == "offset" || entry.key == "length") {
      const auto number = decimal(entry.value);
      if (!number) {
        file_.error(DiagnosticKind::FileFormat, part,
                    formatted("`{}` of {} is {}, which is not a decimal number of 64 bits", entry.key, subject(),
                              in_backticks(entry.value)));
        return false;
      }
      (entry.key == "offset" ? range.offset : range.length.emplace()) = *number;
    } else if (entry.key != "checksum") {  // a checksum is not verified
      file_.remark(DiagnosticKind::UnknownKey, part,
                   formatted("the key {} of `external_data` of {} is ignored", in_backticks(entry.key), subject()));
    }
    return true;
  }

  static std::optional<std::uint64_t> decimal(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  OnnxFile& file_;
  const Context& where_;
  const TensorProto& tensor_;
  FileType type_ = FileType::Unknown;
  std::uint64_t count_ = 0;
};

// A tensor that is a part of a sparse tensor.
std::optional<Array> read_part(OnnxFile& file, const Context& where, const Submessage& part) {
  TensorProto tensor;
  if (!decode(file, where, part, tensor)) return std::nullopt;
  return read_tensor(file, where, tensor);
}

// The indices in the dense tensor, in row-major order. Empty after an error, which is reported.
class SparseIndices {
 public:
  SparseIndices(OnnxFile& file, const Context& where, const Array& indices, const tensor::Shape& shape)
      : file_(file), where_(where), indices_(indices), shape_(shape) {}

  std::optional<std::vector<std::uint64_t>> find(std::uint64_t count) {
    const auto rank = static_cast<std::int64_t>(shape_.size());
    const bool is_linear = indices_.shape.size() == 1;
    if (indices_.type != FileType::I64 || (!is_linear && (indices_.shape.size() != 2 || indices_.shape[1] != rank)) ||
        static_cast<std::uint64_t>(indices_.shape[0]) != count) {
      return refuse(formatted("`indices` of {} is {} of {}, but {} values of rank {} need [{}] or [{}, {}] of int64",
                              where_.describe(), tensor::shape_text(indices_.shape), name_of(indices_.type), count,
                              rank, count, count, rank));
    }
    const std::uint64_t elements = *tensor::element_count(shape_);
    std::vector<std::uint64_t> found(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::optional<std::uint64_t> index = is_linear ? linear(i, elements) : row_major(i);
      if (!index) return refuse(formatted("index {} of {} is out of range", i, where_.describe()));
      if (i > 0 && *index <= found[i - 1])
        return refuse(formatted("the indices of {} are not sorted at {}", where_.describe(), i));
      found[i] = *index;
    }
    return found;
  }

 private:
  std::nullopt_t refuse(std::string message) {
    file_.error(DiagnosticKind::FileFormat, where_.message, std::move(message));
    return std::nullopt;
  }
  std::optional<std::uint64_t> linear(std::uint64_t i, std::uint64_t elements) const {
    const std::int64_t index = indices_.integer(i);
    if (index < 0 || static_cast<std::uint64_t>(index) >= elements) return std::nullopt;
    return static_cast<std::uint64_t>(index);
  }
  std::optional<std::uint64_t> row_major(std::uint64_t i) const {
    std::uint64_t index = 0;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      const std::int64_t at = indices_.integer(i * shape_.size() + axis);
      if (at < 0 || at >= shape_[axis]) return std::nullopt;
      index = index * static_cast<std::uint64_t>(shape_[axis]) + static_cast<std::uint64_t>(at);
    }
    return index;
  }

  OnnxFile& file_;
  const Context& where_;
  const Array& indices_;
  const tensor::Shape& shape_;
};

}  // namespace

std::optional<Array> read_tensor(OnnxFile& file, const Context& where, const TensorProto& tensor) {
  return TensorReader(file, where, tensor).run();
}

std::optional<Array> read_sparse_tensor(OnnxFile& file, const Context& where, const SparseTensorProto& tensor) {
  const auto values = read_part(file, {.parent = &where, .kind = "values", .message = where.message}, tensor.values);
  const auto indices = read_part(file, {.parent = &where, .kind = "indices", .message = where.message}, tensor.indices);
  if (!values || !indices) return std::nullopt;
  const auto refuse = [&](DiagnosticKind kind, std::string message) {
    file.error(kind, where.message, std::move(message));
    return std::nullopt;
  };
  if (values->shape.size() != 1 || values->data.empty() != (values->shape[0] == 0))
    return refuse(DiagnosticKind::FileFormat,
                  formatted("the values of {} are not a vector of numbers", where.describe()));
  const Size bytes = checked_multiply(tensor::element_count(tensor.dims), values->element_size());
  const std::uint64_t allowed = std::min(kMaxDenseBytes, 2 * file.size() + kMinDenseAllowance);
  if (!bytes || *bytes > allowed) {
    return refuse(DiagnosticKind::OutOfRange,
                  formatted("{} is dense with the shape {}, which has a negative dimension or more than {} bytes",
                            where.describe(), tensor::list_text(tensor.dims), allowed));
  }
  const auto at = SparseIndices(file, where, *indices, tensor.dims).find(values->count());
  if (!at || !file.charge(*bytes, where)) return std::nullopt;
  OwnedBytes data(*bytes);
  const std::size_t size = values->element_size();
  for (std::size_t i = 0; i < at->size(); ++i)
    std::memcpy(data.data() + (*at)[i] * size, values->data.data() + i * size, size);
  return owned_array(values->type, tensor.dims, std::move(data));
}

}  // namespace slipway::importer::onnx
