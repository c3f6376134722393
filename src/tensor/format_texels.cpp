// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between the device, file and plain layouts of texels, and of numbers to components.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/format.hpp"
#include "tensor/format.hpp"

namespace slipway::tensor {
namespace {

// How the file layout differs from the device layout (docs/spec/scenario.md#formats, notes a, c, d).
enum class FilePadding { None, AtEnd, InTexel, Stencil };

FilePadding file_padding(const FormatInfo& info) {
  if (info.texel_bytes == info.file_texel_bytes) return FilePadding::None;
  if (info.stencil) return FilePadding::Stencil;
  return info.channel[0].letter == 'B' ? FilePadding::InTexel : FilePadding::AtEnd;
}

Size level_blocks(const FormatInfo& info, std::uint64_t width, std::uint64_t height) {
  return checked_multiply(divide_up(width, info.block_extent), divide_up(height, info.block_extent));
}

// Packed texels have at most 64 bits.
std::uint64_t packed_bits(const FormatInfo& info, const Channel& channel, const std::byte* texel) {
  std::uint64_t word = 0;
  std::memcpy(&word, texel, info.texel_bytes);
  return word >> channel.offset & ((std::uint64_t{1} << channel.bits) - 1);
}

// The bits must be zero before.
void put_channel_bits(const FormatInfo& info, const Channel& channel, std::uint64_t bits, std::byte* texel) {
  if (!info.packed) {
    std::memcpy(texel + channel.offset / 8, &bits, channel.bits / 8);
    return;
  }
  std::uint64_t word = 0;
  std::memcpy(&word, texel, info.texel_bytes);
  word |= bits << channel.offset;
  std::memcpy(texel, &word, info.texel_bytes);
}

FloatLayout unsigned_float(const Channel& channel) { return channel.bits == 11 ? kUnsigned11 : kUnsigned10; }

// One channel of a packed texel as an element of the plain layout.
void unpack_channel(const FormatInfo& info, const Channel& channel, std::uint64_t bits, std::byte* to) {
  switch (channel.numeric) {
    case NumericFormat::Ufloat:
      store(to, static_cast<float>(decode_float(unsigned_float(channel), static_cast<std::uint32_t>(bits))));
      return;
    case NumericFormat::Snorm:
    case NumericFormat::Sint: {
      const int unused = 64 - channel.bits;
      bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
      break;
    }
    default:
      break;
  }
  std::memcpy(to, &bits, size_of(info.component));
}

std::string component_name(const FormatInfo& info, const Channel& channel) {
  return formatted("component {} of `{}`", channel.letter, vk::name_of(info.format));
}

// A real value of a normalized channel, as its bits.
std::expected<std::uint64_t, std::string> normalized_bits(const FormatInfo& info, const Channel& channel,
                                                          Number value) {
  const bool is_signed = channel.numeric == NumericFormat::Snorm;
  const double low = is_signed ? -1 : 0;
  const double real = double_of(value);
  if (!(real >= low && real <= 1)) {
    return std::unexpected(
        out_of_range_text(value, component_name(info, channel), shortest_text(low), shortest_text(1)));
  }
  const std::uint64_t mask = (std::uint64_t{1} << channel.bits) - 1;
  const auto largest = static_cast<double>(is_signed ? mask >> 1 : mask);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::nearbyint(real * largest))) & mask;
}

std::expected<std::uint64_t, std::string> unsigned_float_bits(const FormatInfo& info, const Channel& channel,
                                                              Number value) {
  const FloatLayout layout = unsigned_float(channel);
  const double real = double_of(value);
  const std::uint32_t bits = encode_float(layout, real);
  if (!(real >= 0) || !std::isfinite(decode_float(layout, bits))) {
    return std::unexpected(
        out_of_range_text(value, component_name(info, channel), "0", shortest_text(largest_value(layout))));
  }
  return bits;
}

Stored put(const FormatInfo& info, const Channel& channel, const std::expected<std::uint64_t, std::string>& bits,
           std::byte* texel) {
  if (!bits) return std::unexpected(bits.error());
  put_channel_bits(info, channel, *bits, texel);
  return {};
}

}  // namespace

Size level_bytes(const FormatInfo& info, std::uint64_t width, std::uint64_t height, std::uint64_t depth) {
  return checked_multiply(checked_multiply(level_blocks(info, width, height), depth), info.texel_bytes);
}

Size file_level_bytes(const FormatInfo& info, std::uint64_t width, std::uint64_t height) {
  return checked_multiply(level_blocks(info, width, height), info.file_texel_bytes);
}

bool has_tail_padding(const FormatInfo& info) { return file_padding(info) == FilePadding::AtEnd; }

bool from_file_layout(const FormatInfo& info, Bytes file, MutableBytes device) {
  const FilePadding padding = file_padding(info);
  if (device.empty()) return false;
  if (padding == FilePadding::None || padding == FilePadding::AtEnd) {
    std::memcpy(device.data(), file.data(), device.size());
    return false;
  }
  bool dropped = false;
  for (std::size_t i = 0; i < device.size() / info.texel_bytes; ++i) {
    const std::byte* texel = file.data() + i * info.file_texel_bytes;
    std::memcpy(device.data() + i * info.texel_bytes, texel, info.texel_bytes);
    dropped |= padding == FilePadding::Stencil && texel[info.texel_bytes] != std::byte{0};
  }
  return dropped;
}

std::vector<std::byte> to_file_layout(const FormatInfo& info, Bytes device) {
  const FilePadding padding = file_padding(info);
  const std::size_t texels = device.size() / info.texel_bytes;
  std::vector<std::byte> file(texels * info.file_texel_bytes);
  if (padding == FilePadding::None || padding == FilePadding::AtEnd) {
    std::ranges::copy(device, file.begin());
    return file;
  }
  for (std::size_t i = 0; i < texels; ++i) {
    std::byte* texel = file.data() + i * info.file_texel_bytes;
    std::memcpy(texel, device.data() + i * info.texel_bytes, info.texel_bytes);
    if (padding == FilePadding::InTexel) texel[info.texel_bytes] = std::byte{255};
  }
  return file;
}

std::vector<std::byte> unpack(const FormatInfo& info, Bytes device) {
  if (info.is_block()) return {};
  if (!info.packed) return {device.begin(), device.end()};
  const std::size_t texels = device.size() / info.texel_bytes;
  const std::uint32_t size = size_of(info.component);
  std::vector<std::byte> plain(texels * info.components * size);
  std::byte* to = plain.data();
  for (std::size_t i = 0; i < texels; ++i) {
    const std::byte* texel = device.data() + i * info.texel_bytes;
    for (std::uint32_t c = 0; c < info.components; ++c, to += size) {
      unpack_channel(info, info.channel[c], packed_bits(info, info.channel[c], texel), to);
    }
  }
  return plain;
}

Stored store_component(const FormatInfo& info, std::uint32_t component, Number value, std::byte* texel) {
  const Channel& channel = info.channel[component];
  switch (channel.numeric) {
    case NumericFormat::Unorm:
    case NumericFormat::Snorm:
    case NumericFormat::Srgb:
      return put(info, channel, normalized_bits(info, channel, value), texel);
    case NumericFormat::Ufloat:
      return put(info, channel, unsigned_float_bits(info, channel, value), texel);
    case NumericFormat::Sfloat:
      return store_number(info.component, value, texel + channel.offset / 8);
    case NumericFormat::Uint:
    case NumericFormat::Sint:
      break;
  }
  if (info.component == ElementType::Bool) return store_number(ElementType::Bool, value, texel);
  const bool is_signed = channel.numeric == NumericFormat::Sint;
  return put(info, channel, integer_bits(value, is_signed, channel.bits, component_name(info, channel)), texel);
}

Stored store_component_word(const FormatInfo& info, std::uint32_t component, std::string_view word, std::byte* texel) {
  const Channel& channel = info.channel[component];
  if (word.starts_with("0x")) {
    return put(info, channel, raw_bits(word, channel.bits, component_name(info, channel)), texel);
  }
  if (channel.numeric == NumericFormat::Sfloat) return store_word(info.component, word, texel + channel.offset / 8);
  // Other channels accept the words of an element type, but unsigned floats have no negative infinity.
  std::array<std::byte, 8> element{};
  const bool is_float = channel.numeric == NumericFormat::Ufloat;
  if (Stored stored = store_word(is_float ? ElementType::F64 : ElementType::U32, word, element.data()); !stored) {
    if (is_float || (word != "nan" && word != "inf" && word != "-inf")) return stored;
    return std::unexpected(formatted("`{}` needs a float format, not `{}`", word, vk::name_of(info.format)));
  }
  const auto real = load<double>(element.data());
  if (real < 0) return std::unexpected(formatted("{} has no negative values", component_name(info, channel)));
  put_channel_bits(info, channel, encode_float(unsigned_float(channel), real), texel);
  return {};
}

}  // namespace slipway::tensor
