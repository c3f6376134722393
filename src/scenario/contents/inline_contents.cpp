// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/contents/inline_contents.hpp"

#include <algorithm>
#include <cstring>

#include "base/format.hpp"
#include "tensor/element.hpp"
#include "tensor/random.hpp"

namespace slipway::scenario {
namespace {

using tensor::Number;
using tensor::Stored;

// Floats use the nearest double; all other types the exact number as written.
Number number_of(json::Value value, bool real) {
  if (!real) {
    if (const auto integer = value.integer()) return *integer;
    if (const auto integer = value.unsigned_integer()) return *integer;
  }
  return value.number();
}

std::uint32_t components_of(const ArrayFormat& format) { return format.texel ? format.texel->components : 1; }

// Stores element `index` of an array of zeroed elements.
Stored store(const ArrayFormat& format, std::uint64_t index, json::Value value, std::span<std::byte> to) {
  const bool word = value.is(json::Type::String);
  if (!word && !value.is(json::Type::Number) && !value.is(json::Type::Bool)) {
    return std::unexpected(formatted("expected a number, but here is {}", json::name_of(value.type())));
  }
  const Number number = value.is(json::Type::Bool) ? Number(std::int64_t{value.boolean()})
                        : word                     ? Number(0.0)
                                                   : number_of(value, tensor::is_float(format.type));
  if (!format.texel) {
    std::byte* element = to.subspan(index * tensor::size_of(format.type)).data();
    return word ? tensor::store_word(format.type, value.string(), element)
                : tensor::store_number(format.type, number, element);
  }
  const std::uint32_t components = format.texel->components;
  std::byte* texel = to.subspan(index / components * format.texel->texel_bytes).data();
  const auto component = static_cast<std::uint32_t>(index % components);
  return word ? tensor::store_component_word(*format.texel, component, value.string(), texel)
              : tensor::store_component(*format.texel, component, number, texel);
}

bool report(const Stored& stored, json::Value at, Diagnostics& diagnostics) {
  if (!stored) diagnostics.add(json::problem(at, DiagnosticKind::OutOfRange, stored.error()));
  return stored.has_value();
}

// A type given with the values must equal the resource's.
bool agrees(std::optional<tensor::ElementType> type, json::Value at, const ArrayFormat& format,
            Diagnostics& diagnostics) {
  if (!type || *type == format.type) return true;
  diagnostics.add(json::problem(
      at["type"] ? at["type"] : at, DiagnosticKind::WrongType,
      formatted("`type` is {}, but the elements here are {}", tensor::name_of(*type), tensor::name_of(format.type))));
  return false;
}

// Flattens nested arrays of a shape to numbers in order. Returns false, with errors, where the counts differ.
bool flatten(json::Value values, std::span<const std::int64_t> shape, std::vector<json::Value>& numbers,
             Diagnostics& diagnostics) {
  if (shape.empty()) {
    numbers.push_back(values);
    return true;
  }
  if (!values.is(json::Type::Array)) {
    diagnostics.add(json::problem(
        values, DiagnosticKind::WrongType,
        formatted("expected an array of {} elements, but here is {}", shape.front(), json::name_of(values.type()))));
    return false;
  }
  if (values.size() != static_cast<std::uint64_t>(shape.front())) {
    diagnostics.add(
        json::problem(values, DiagnosticKind::OutOfRange,
                      formatted("this array has {} elements, but must have {}", values.size(), shape.front())));
    return false;
  }
  bool ok = true;
  for (const json::Value inner : values) ok &= flatten(inner, shape.subspan(1), numbers, diagnostics);
  return ok;
}

std::optional<std::vector<json::Value>> numbers_of(json::Value values, const ArrayFormat& format,
                                                   Diagnostics& diagnostics) {
  std::vector<json::Value> numbers;
  if (values.size() != 0 && values[0].is(json::Type::Array)) {
    tensor::Shape shape = format.shape;
    // Components of one-component texels need no brackets.
    const auto depth = [](json::Value value) {
      std::size_t levels = 0;
      for (; value.is(json::Type::Array) && value.size() != 0; value = value[0]) ++levels;
      return levels;
    };
    if (format.texel && shape.back() == 1 && depth(values) + 1 == shape.size()) shape.pop_back();
    if (!flatten(values, shape, numbers, diagnostics)) return std::nullopt;
    return numbers;
  }
  for (const json::Value number : values) numbers.push_back(number);
  if (numbers.size() != format.count()) {
    diagnostics.add(
        json::problem(values, DiagnosticKind::OutOfRange,
                      formatted("{} numbers are given, but {} of type {} are needed, for the shape {}", numbers.size(),
                                format.count(), tensor::name_of(format.type), tensor::shape_text(format.shape))));
    return std::nullopt;
  }
  return numbers;
}

// `to` is a whole number of patterns. Doubles the filled part each time, so that large memory is filled with few
// copies.
void repeat(Bytes pattern, MutableBytes to) {
  std::memcpy(to.data(), pattern.data(), pattern.size());
  for (std::size_t done = pattern.size(); done < to.size();) {
    const std::size_t more = std::min(done, to.size() - done);
    std::memcpy(to.data() + done, to.data(), more);
    done += more;
  }
}

Stored draw_all(const ArrayFormat& format, const tensor::RandomContents& random, MutableBytes to) {
  return format.texel ? tensor::fill_random(*format.texel, random, to) : tensor::fill_random(format.type, random, to);
}

std::optional<launch::Contents> data_contents(const InlineData& data, const ArrayFormat& format,
                                              Diagnostics& diagnostics) {
  if (!agrees(data.type, data.at, format, diagnostics)) return std::nullopt;
  const auto numbers = numbers_of(data.values, format, diagnostics);
  if (!numbers) return std::nullopt;
  std::vector<std::byte> bytes(format.bytes());
  bool ok = true;
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    ok &= report(store(format, i, (*numbers)[i], bytes), (*numbers)[i], diagnostics);
  }
  if (!ok) return std::nullopt;
  return stored_contents(std::move(bytes));
}

std::optional<launch::Contents> fill_contents(const InlineFill& fill, const ArrayFormat& format,
                                              Diagnostics& diagnostics) {
  if (!agrees(fill.type, fill.at, format, diagnostics)) return std::nullopt;
  const std::uint32_t components = components_of(format);
  const bool each = fill.value.is(json::Type::Array);
  if (each && (!format.texel || fill.value.size() != components)) {
    diagnostics.add(json::problem(
        fill.value, DiagnosticKind::OutOfRange,
        format.texel ? formatted("`fill` has {} numbers, but a texel has {} components", fill.value.size(), components)
                     : "`fill` takes one number here; arrays are for the components of images"));
    return std::nullopt;
  }
  std::vector<std::byte> pattern(format.texel ? format.texel->texel_bytes : tensor::size_of(format.type));
  bool ok = true;
  for (std::uint32_t i = 0; i < components && (ok || each); ++i) {
    const json::Value number = each ? fill.value[i] : fill.value;
    ok &= report(store(format, i, number, pattern), number, diagnostics);
  }
  if (!ok) return std::nullopt;
  return launch::Contents{.size = format.bytes(), .write = [pattern = std::move(pattern)](MutableBytes to) -> Result<> {
                            repeat(pattern, to);
                            return {};
                          }};
}

std::optional<launch::Contents> random_contents(const InlineRandom& random, const ArrayFormat& format,
                                                Diagnostics& diagnostics) {
  if (!agrees(random.type, random.at, format, diagnostics)) return std::nullopt;
  tensor::RandomContents draws{.seed = random.seed};
  if (random.mean || random.stddev) {
    draws.distribution = tensor::NormalDistribution{random.mean.value_or(0), random.stddev.value_or(1)};
  } else {
    tensor::UniformDistribution uniform;
    if (random.min) uniform.min = number_of(random.min, false);
    if (random.max) uniform.max = number_of(random.max, false);
    draws.distribution = uniform;
  }
  // Invalid parameters are found with the first element.
  std::vector<std::byte> first(format.texel ? format.texel->texel_bytes : tensor::size_of(format.type));
  if (!report(draw_all(format, draws, first), random.at, diagnostics)) return std::nullopt;
  return launch::Contents{.size = format.bytes(),
                          .write = [format, draws, at = random.at.location()](MutableBytes to) -> Result<> {
                            if (const Stored drawn = draw_all(format, draws, to); !drawn) {
                              return fail(DiagnosticKind::OutOfRange, at, drawn.error());
                            }
                            return {};
                          }};
}

}  // namespace

ArrayFormat ArrayFormat::of_elements(tensor::ElementType type, tensor::Shape shape) {
  return {.type = type, .texel = nullptr, .shape = std::move(shape)};
}

ArrayFormat ArrayFormat::of_tensor(vk::Format format, tensor::Shape shape) {
  using enum tensor::NumericFormat;
  const tensor::FormatInfo& info = *tensor::find_format(format);
  if (info.numeric != Unorm && info.numeric != Snorm && info.numeric != Srgb) {
    return of_elements(info.component, std::move(shape));
  }
  shape.push_back(1);
  return {.type = info.component, .texel = &info, .shape = std::move(shape)};
}

ArrayFormat ArrayFormat::of_texels(const tensor::FormatInfo& texel, std::array<std::uint32_t, 3> extent) {
  tensor::Shape shape{extent[1], extent[0], texel.components};
  if (extent[2] > 1) shape.insert(shape.begin(), extent[2]);
  return {.type = texel.component, .texel = &texel, .shape = std::move(shape)};
}

std::uint64_t ArrayFormat::count() const { return tensor::element_count(shape).value_or(0); }

std::uint64_t ArrayFormat::bytes() const {
  return texel ? count() / texel->components * texel->texel_bytes : count() * tensor::size_of(type);
}

launch::Contents stored_contents(std::vector<std::byte> bytes) {
  const std::uint64_t size = bytes.size();
  return {.size = size, .write = [stored = std::move(bytes)](MutableBytes to) -> Result<> {
            std::ranges::copy(stored, to.begin());
            return {};
          }};
}

std::optional<launch::Contents> inline_contents(const Contents& contents, const ArrayFormat& format,
                                                Diagnostics& diagnostics) {
  if (contents.data) return data_contents(*contents.data, format, diagnostics);
  if (contents.fill) return fill_contents(*contents.fill, format, diagnostics);
  return random_contents(*contents.random, format, diagnostics);
}

}  // namespace slipway::scenario
