// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/flexbuffer.hpp"

#include <algorithm>

namespace slipway::importer {
namespace {

// Numbers of the format.
enum class FlexType : std::uint8_t {
  Null = 0,
  Int = 1,
  UInt = 2,
  Float = 3,
  Key = 4,
  String = 5,
  IndirectInt = 6,
  IndirectUInt = 7,
  IndirectFloat = 8,
  Map = 9,
  Vector = 10,
  VectorInt = 11,  // VectorInt to VectorKey: of Int to Key
  VectorKey = 14,
  VectorInt2 = 16,  // two to four of Int to Float, without a size
  VectorFloat4 = 24,
  Blob = 25,
  Bool = 26,
  VectorBool = 36,
};

// A value at an offset: the bytes of a number, or the distance back to what it refers to.
struct FlexValue {
  FlexType type;
  std::size_t at;
  std::uint8_t width;      // of the number or the distance
  std::uint8_t of_target;  // the width of sizes and elements there
};

FlexValue flex_value(std::uint8_t packed, std::size_t at, std::uint8_t width) {
  return {.type = static_cast<FlexType>(packed >> 2),
          .at = at,
          .width = width,
          .of_target = static_cast<std::uint8_t>(1 << (packed & 3))};
}

// Every read is checked; the first one outside of the bytes makes the reader fail, and zeros follow.
class FlexReader {
 public:
  explicit FlexReader(Bytes bytes) : bytes_(bytes), left_(bytes.size() * 4) {}

  std::optional<std::map<std::string, AttributeValue, std::less<>>> run() {
    const std::size_t size = bytes_.size();
    if (size < 3) return std::nullopt;
    const auto width = std::to_integer<std::uint8_t>(bytes_[size - 1]);
    if (!is_width(width) || size - 2 < width) return std::nullopt;
    const FlexValue root = flex_value(std::to_integer<std::uint8_t>(bytes_[size - 2]), size - 2 - width, width);
    if (root.type != FlexType::Map) return std::nullopt;
    auto map = read_map(root);
    if (failed_) return std::nullopt;
    return map;
  }

 private:
  static bool is_width(std::uint64_t width) { return width == 1 || width == 2 || width == 4 || width == 8; }

  template <class T = int>
  T fail() {
    failed_ = true;
    return T{};
  }
  // What is shared is read several times: the total is limited.
  bool take(std::uint64_t count) {
    if (count > left_) return fail<bool>();
    left_ -= count;
    return true;
  }
  Bytes range(std::size_t at, std::size_t size) {
    if (at > bytes_.size() || size > bytes_.size() - at) return fail<Bytes>();
    return bytes_.subspan(at, size);
  }
  std::uint64_t unsigned_at(std::size_t at, std::uint8_t width) {
    const Bytes from = range(at, width);
    std::uint64_t value = 0;
    if (!from.empty()) std::memcpy(&value, from.data(), from.size());
    return value;
  }
  std::int64_t signed_at(std::size_t at, std::uint8_t width) {
    const int unused = 64 - 8 * width;
    return static_cast<std::int64_t>(unsigned_at(at, width) << unused) >> unused;
  }
  double real_at(std::size_t at, std::uint8_t width) {
    const Bytes from = range(at, width);
    if (from.size() == 4) return load<float>(from.data());
    if (from.size() == 8) return load<double>(from.data());
    return fail<double>();
  }
  std::size_t before(std::size_t at, std::uint64_t distance) {
    if (distance > at) return fail<std::size_t>();
    return at - distance;
  }
  std::size_t target(const FlexValue& value) { return before(value.at, unsigned_at(value.at, value.width)); }
  // The size of a vector, a string or a blob is before it.
  std::uint64_t size_at(std::size_t at, std::uint8_t width) { return unsigned_at(before(at, width), width); }

  std::string key_at(std::size_t at) {
    const std::string_view rest = text_of(range(at, bytes_.size() - std::min(at, bytes_.size())));
    const std::size_t end = rest.find('\0');
    if (end == rest.npos || !take(end)) return fail<std::string>();
    return std::string(rest.substr(0, end));
  }

  std::map<std::string, AttributeValue, std::less<>> read_map(const FlexValue& value) {
    std::map<std::string, AttributeValue, std::less<>> map;
    const std::size_t values = target(value);
    const std::uint8_t width = value.of_target;
    const std::uint64_t count = size_at(values, width);
    const std::size_t to_keys = before(values, std::uint64_t{3} * width);
    const std::size_t keys = before(to_keys, unsigned_at(to_keys, width));
    const std::uint64_t key_width = unsigned_at(before(values, std::uint64_t{2} * width), width);
    if (failed_ || !is_width(key_width) || !take(count)) return fail<decltype(map)>();
    const auto width_of_key = static_cast<std::uint8_t>(key_width);
    for (std::uint64_t i = 0; i < count && !failed_; ++i) {
      const std::size_t at_key = keys + i * key_width;
      std::string key = key_at(before(at_key, unsigned_at(at_key, width_of_key)));
      if (std::optional<AttributeValue> each = read_value(element(values, width, count, i)))
        map.insert_or_assign(std::move(key), std::move(*each));
    }
    return map;
  }

  // Of a vector of values of any type.
  FlexValue element(std::size_t values, std::uint8_t width, std::uint64_t count, std::uint64_t i) {
    const auto packed = static_cast<std::uint8_t>(unsigned_at(values + count * width + i, 1));
    return flex_value(packed, values + i * width, width);
  }

  std::optional<AttributeValue> read_value(const FlexValue& value) {
    if (failed_) return std::nullopt;
    if (value.type == FlexType::Blob) {
      const std::size_t at = target(value);
      const Bytes data = range(at, size_at(at, value.of_target));
      return Array{.type = FileType::U8, .shape = {static_cast<std::int64_t>(data.size())}, .data = data};
    }
    if (std::optional<std::vector<FlexValue>> elements = elements_of(value)) return read_list(*elements);
    return read_scalar(value);
  }

  std::optional<AttributeValue> read_scalar(const FlexValue& value) {
    switch (value.type) {
      case FlexType::Int:
        return signed_at(value.at, value.width);
      case FlexType::Bool:
      case FlexType::UInt:
        return static_cast<std::int64_t>(unsigned_at(value.at, value.width));
      case FlexType::Float:
        return real_at(value.at, value.width);
      case FlexType::IndirectInt:
        return signed_at(target(value), value.of_target);
      case FlexType::IndirectUInt:
        return static_cast<std::int64_t>(unsigned_at(target(value), value.of_target));
      case FlexType::IndirectFloat:
        return real_at(target(value), value.of_target);
      case FlexType::Key:
        return key_at(target(value));
      case FlexType::String: {
        const std::size_t at = target(value);
        const std::uint64_t size = size_at(at, value.of_target);
        if (!take(size)) return std::nullopt;
        return std::string(text_of(range(at, size)));
      }
      default:
        return std::nullopt;
    }
  }

  // Empty for what is not a vector.
  std::optional<std::vector<FlexValue>> elements_of(const FlexValue& value) {
    const auto number = static_cast<std::uint8_t>(value.type);
    const std::uint8_t width = value.of_target;
    const bool is_any = value.type == FlexType::Vector;
    const bool has_type = (value.type >= FlexType::VectorInt && value.type <= FlexType::VectorKey);
    const bool is_short = value.type >= FlexType::VectorInt2 && value.type <= FlexType::VectorFloat4;
    if (!is_any && !has_type && !is_short && value.type != FlexType::VectorBool) return std::nullopt;
    const std::size_t at = target(value);
    const auto from_first = static_cast<std::uint8_t>(number - static_cast<std::uint8_t>(FlexType::VectorInt2));
    const std::uint64_t count = is_short ? 2 + from_first / 3 : size_at(at, width);
    if (failed_ || !take(count)) return std::nullopt;
    FlexType type = FlexType::Bool;
    if (has_type) type = static_cast<FlexType>(number - static_cast<std::uint8_t>(FlexType::VectorInt) + 1);
    if (is_short) type = static_cast<FlexType>(from_first % 3 + 1);
    std::vector<FlexValue> elements;
    for (std::uint64_t i = 0; i < count && !failed_; ++i) {
      elements.push_back(is_any ? element(at, width, count, i)
                                : FlexValue{.type = type, .at = at + i * width, .width = width, .of_target = 1});
    }
    return elements;
  }

  // Integers if all are; reals if all are numbers; strings if all are.
  std::optional<AttributeValue> read_list(const std::vector<FlexValue>& elements) {
    std::vector<std::int64_t> integers;
    std::vector<double> reals;
    std::vector<std::string> strings;
    for (const FlexValue& element : elements) {
      const std::optional<AttributeValue> value = read_scalar(element);
      if (failed_ || !value) return std::nullopt;
      if (const auto* integer = std::get_if<std::int64_t>(&*value)) {
        integers.push_back(*integer);
        reals.push_back(static_cast<double>(*integer));
      } else if (const auto* real = std::get_if<double>(&*value)) {
        reals.push_back(*real);
      } else {
        strings.push_back(std::get<std::string>(*value));
      }
    }
    if (integers.size() == elements.size()) return integers;
    if (reals.size() == elements.size()) return reals;
    if (strings.size() == elements.size()) return strings;
    return std::nullopt;
  }

  Bytes bytes_;
  std::uint64_t left_;
  bool failed_ = false;
};

}  // namespace

std::optional<std::map<std::string, AttributeValue, std::less<>>> read_flexbuffer(Bytes bytes) {
  return FlexReader(bytes).run();
}

}  // namespace slipway::importer
