// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "base/format.hpp"

namespace slipway::tensor {
namespace {

// Integers from `low`, in two's complement; a span of 0 means 2^64.
struct Integers {
  std::uint64_t low = 0;
  std::uint64_t span = 0;

  std::uint64_t pick(std::uint64_t z) const { return low + (span == 0 ? z : z % span); }
};

std::unexpected<std::string> wrong_order(Number min, Number max) {
  return std::unexpected(formatted("the minimum `{}` is above the maximum `{}`", text_of(min), text_of(max)));
}

std::int64_t sign_extended(std::uint64_t bits, std::uint32_t count) {
  return static_cast<std::int64_t>(bits << (64 - count)) >> (64 - count);
}

std::expected<Integers, std::string> integers_of(const RandomContents& contents, bool is_signed, std::uint32_t bits,
                                                 std::string_view what) {
  const auto* uniform = std::get_if<UniformDistribution>(&contents.distribution);
  if (!uniform) return std::unexpected(formatted("a normal distribution needs a float type, not {}", what));
  const Number lowest = is_signed ? Number(sign_extended(std::uint64_t{1} << (bits - 1), bits)) : std::uint64_t{0};
  const Number highest = ~std::uint64_t{0} >> (64 - bits + (is_signed ? 1 : 0));
  const Number min = uniform->min.value_or(lowest);
  const Number max = uniform->max.value_or(highest);
  auto low = integer_bits(min, is_signed, bits, what);
  if (!low) return std::unexpected(low.error());
  auto high = integer_bits(max, is_signed, bits, what);
  if (!high) return std::unexpected(high.error());
  if (is_signed) {
    const auto extend = [&](std::uint64_t value) { return static_cast<std::uint64_t>(sign_extended(value, bits)); };
    low = extend(*low);
    high = extend(*high);
  }
  const bool ordered = is_signed ? static_cast<std::int64_t>(*low) <= static_cast<std::int64_t>(*high) : *low <= *high;
  if (!ordered) return wrong_order(min, max);
  return Integers{*low, *high - *low + 1};
}

// The real element `index`.
double pick_real(const RandomContents& contents, std::uint64_t index) {
  const auto unit = [&](std::uint64_t z, std::uint64_t add) { return static_cast<double>((z >> 11) + add) * 0x1p-53; };
  if (const auto* normal = std::get_if<NormalDistribution>(&contents.distribution)) {
    const std::uint64_t z1 = draw(contents.seed, 2 * index);
    const std::uint64_t z2 = draw(contents.seed, 2 * index + 1);
    return normal->mean +
           normal->stddev * std::sqrt(-2 * std::log(unit(z1, 1))) * std::cos(2 * std::numbers::pi * unit(z2, 0));
  }
  const auto& uniform = std::get<UniformDistribution>(contents.distribution);
  const double min = double_of(uniform.min.value_or(0.0));
  const double max = double_of(uniform.max.value_or(1.0));
  return min + unit(draw(contents.seed, index), 0) * (max - min);
}

// Checks the bounds of real elements; `storable` returns whether the element type can represent a bound.
template <class Storable>
Stored check_reals(const RandomContents& contents, Storable&& storable) {
  const auto* uniform = std::get_if<UniformDistribution>(&contents.distribution);
  if (!uniform) return {};
  const Number min = uniform->min.value_or(0.0);
  const Number max = uniform->max.value_or(1.0);
  if (Stored stored = storable(min); !stored) return stored;
  if (Stored stored = storable(max); !stored) return stored;
  if (double_of(min) > double_of(max)) return wrong_order(min, max);
  if (!std::isfinite(double_of(max) - double_of(min))) {
    return std::unexpected(formatted("the range from `{}` to `{}` is too wide", text_of(min), text_of(max)));
  }
  return {};
}

bool is_integer(const Channel& channel) {
  return channel.numeric == NumericFormat::Uint || channel.numeric == NumericFormat::Sint;
}

// Clamps to the range of a channel: rounding may leave the range of a uniform distribution; a normal one has no range.
double clamped(const Channel& channel, double value) {
  switch (channel.numeric) {
    case NumericFormat::Unorm:
    case NumericFormat::Srgb:
      return std::clamp(value, 0.0, 1.0);
    case NumericFormat::Snorm:
      return std::clamp(value, -1.0, 1.0);
    case NumericFormat::Ufloat:
      return std::clamp(value, 0.0, largest_value(channel.bits == 11 ? kUnsigned11 : kUnsigned10));
    default:
      return value;
  }
}

}  // namespace

std::uint64_t draw(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15;
  z ^= z >> 30;
  z *= 0xBF58476D1CE4E5B9;
  z ^= z >> 27;
  z *= 0x94D049BB133111EB;
  return z ^ z >> 31;
}

Stored fill_random(ElementType type, const RandomContents& contents, MutableBytes to) {
  const ElementTypeInfo& info = info_of(type);
  const std::uint64_t count = to.size() / info.size;
  if (info.kind == ElementKind::Float) {
    std::array<std::byte, 8> scratch;
    const auto storable = [&](Number bound) { return store_number(type, bound, scratch.data()); };
    if (Stored checked = check_reals(contents, storable); !checked) return checked;
    for (std::uint64_t i = 0; i < count; ++i) store_rounded(type, pick_real(contents, i), to.data() + i * info.size);
    return {};
  }
  const bool is_bool = info.kind == ElementKind::Bool;
  const auto integers =
      integers_of(contents, info.kind == ElementKind::Signed, is_bool ? 1 : info.bits, formatted("`{}`", info.name));
  if (!integers) return std::unexpected(integers.error());
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t element = integers->pick(draw(contents.seed, i));
    std::memcpy(to.data() + i * info.size, &element, info.size);
  }
  return {};
}

Stored fill_random(const FormatInfo& format, const RandomContents& contents, MutableBytes texels) {
  // Unpacked formats that are not normalized are arrays of their element type.
  const Channel& first = format.channel[0];
  if (!format.packed && (is_integer(first) || first.numeric == NumericFormat::Sfloat)) {
    return fill_random(format.component, contents, texels);
  }
  std::array<Integers, 4> integers;
  for (std::uint32_t c = 0; c < format.components; ++c) {
    const Channel& channel = format.channel[c];
    if (is_integer(channel)) {
      const auto range = integers_of(contents, channel.numeric == NumericFormat::Sint, channel.bits,
                                     formatted("component {} of `{}`", channel.letter, vk::name_of(format.format)));
      if (!range) return std::unexpected(range.error());
      integers[c] = *range;
    } else {
      std::array<std::byte, 32> scratch{};
      const auto storable = [&](Number bound) { return store_component(format, c, bound, scratch.data()); };
      if (Stored checked = check_reals(contents, storable); !checked) return checked;
    }
  }
  std::ranges::fill(texels, std::byte{0});
  for (std::uint64_t i = 0; i < texels.size() / format.texel_bytes * format.components; ++i) {
    const auto c = static_cast<std::uint32_t>(i % format.components);
    std::byte* texel = texels.data() + i / format.components * format.texel_bytes;
    const Channel& channel = format.channel[c];
    Number value;
    if (channel.numeric == NumericFormat::Sint) {
      value = static_cast<std::int64_t>(integers[c].pick(draw(contents.seed, i)));
    } else if (channel.numeric == NumericFormat::Uint) {
      value = integers[c].pick(draw(contents.seed, i));
    } else {
      value = clamped(channel, pick_real(contents, i));
    }
    if (Stored stored = store_component(format, c, value, texel); !stored) return stored;
  }
  return {};
}

}  // namespace slipway::tensor
