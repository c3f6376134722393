// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>
#include <ranges>

#include "base/format.hpp"

namespace slipway::tensor {
namespace {

struct NumericName {
  NumericFormat numeric;
  std::string_view name;
};
constexpr std::array kNumericNames = {
    NumericName{NumericFormat::Unorm, "UNORM"},   NumericName{NumericFormat::Snorm, "SNORM"},
    NumericName{NumericFormat::Uint, "UINT"},     NumericName{NumericFormat::Sint, "SINT"},
    NumericName{NumericFormat::Ufloat, "UFLOAT"}, NumericName{NumericFormat::Sfloat, "SFLOAT"},
    NumericName{NumericFormat::Srgb, "SRGB"},
};

std::optional<NumericFormat> numeric_from_name(std::string_view name) {
  const auto* found = std::ranges::find(kNumericNames, name, &NumericName::name);
  return found == kNumericNames.end() ? std::nullopt : std::optional(found->numeric);
}

// The parsed name of a format: channels in the order of the name, including padding.
struct FormatName {
  std::vector<Channel> channels;
  std::uint32_t word_bits = 0;  // of PACK8, PACK16, PACK32; else 0
};

// Parses channels such as "R8G8".
bool read_channels(std::string_view token, std::vector<Channel>& channels) {
  while (!token.empty()) {
    Channel channel{.letter = token[0]};
    if (std::string_view("RGBADSX").find(channel.letter) == std::string_view::npos) return false;
    const auto [end, error] = std::from_chars(token.data() + 1, token.data() + token.size(), channel.bits);
    if (error != std::errc{}) return false;
    token.remove_prefix(static_cast<std::size_t>(end - token.data()));
    channels.push_back(channel);
  }
  return true;
}

// The grammar is (channels numeric)+ [PACKn]. Empty for other names.
std::optional<FormatName> read_name(std::string_view name) {
  FormatName read;
  std::size_t typed = 0;  // channels whose numeric format is known
  for (const auto part : std::views::split(name, '_')) {
    const std::string_view token(part);
    if (read.word_bits != 0) return std::nullopt;
    if (const auto numeric = numeric_from_name(token)) {
      if (typed == read.channels.size()) return std::nullopt;
      for (; typed < read.channels.size(); ++typed) read.channels[typed].numeric = *numeric;
    } else if (token.starts_with("PACK")) {
      std::from_chars(token.data() + 4, token.data() + token.size(), read.word_bits);
      if (read.word_bits == 0) return std::nullopt;
    } else if (!read_channels(token, read.channels)) {
      return std::nullopt;
    }
  }
  if (read.channels.empty() || typed != read.channels.size()) return std::nullopt;
  return read;
}

// The smallest type that can represent every component.
ElementType component_type(std::span<const Channel> channels) {
  unsigned bits = 0;
  bool is_float = false;
  bool is_signed = false;
  for (const Channel& channel : channels) {
    bits = std::max<unsigned>(bits, channel.bits);
    is_float |= channel.numeric == NumericFormat::Sfloat || channel.numeric == NumericFormat::Ufloat;
    is_signed |= channel.numeric == NumericFormat::Sint || channel.numeric == NumericFormat::Snorm;
  }
  if (is_float) return bits == 16 ? ElementType::F16 : bits == 64 ? ElementType::F64 : ElementType::F32;
  if (is_signed) {
    return bits <= 8    ? ElementType::I8
           : bits <= 16 ? ElementType::I16
           : bits <= 32 ? ElementType::I32
                        : ElementType::I64;
  }
  return bits <= 8 ? ElementType::U8 : bits <= 16 ? ElementType::U16 : bits <= 32 ? ElementType::U32 : ElementType::U64;
}

ElementType word_type(std::uint32_t bytes) {
  return bytes == 1   ? ElementType::U8
         : bytes == 2 ? ElementType::U16
         : bytes == 4 ? ElementType::U32
                      : ElementType::U64;
}

std::optional<FormatInfo> info_from_name(vk::Format format, std::string_view name) {
  // It has two planes on every device, and no file contains it.
  if (format == vk::Format::D16_UNORM_S8_UINT) return std::nullopt;
  std::optional<FormatName> read = read_name(name);
  if (!read) return std::nullopt;
  // The first channel of the name is at the lowest address, or in the highest bits of a packed word.
  if (read->word_bits != 0) std::ranges::reverse(read->channels);
  std::uint32_t bits = 0;
  for (Channel& channel : read->channels) {
    channel.offset = static_cast<std::uint16_t>(bits);
    bits += channel.bits;
  }
  std::erase_if(read->channels, [](const Channel& channel) { return channel.letter == 'X'; });
  const std::vector<Channel>& channels = read->channels;
  if (bits % 8 != 0 || channels.size() > 4 || (read->word_bits != 0 && read->word_bits != bits)) return std::nullopt;

  FormatInfo info{.format = format, .numeric = channels[0].numeric};
  std::ranges::copy(channels, info.channel.begin());
  info.components = static_cast<std::uint8_t>(channels.size());
  info.component = component_type(channels);
  info.texel_bytes = bits / 8;
  info.file_texel_bytes = std::bit_ceil(info.texel_bytes);
  // Only its depth is stored on a device (`created_as`).
  if (format == vk::Format::D32_SFLOAT_S8_UINT) info.texel_bytes = size_of(ElementType::F32);
  info.packed = read->word_bits != 0 || !std::ranges::all_of(channels, [&](const Channel& channel) {
                  return channel.bits == 8 * size_of(info.component);
                });
  info.stored = info.packed ? word_type(info.file_texel_bytes) : info.component;
  info.stored_components = info.packed ? 1 : info.components;
  info.block_extent = 1;
  info.depth = std::ranges::contains(channels, 'D', &Channel::letter);
  info.stencil = std::ranges::contains(channels, 'S', &Channel::letter);
  return info;
}

FormatInfo element_format(vk::Format format, ElementType type, NumericFormat numeric) {
  const std::uint32_t size = size_of(type);
  return {.format = format,
          .numeric = numeric,
          .components = 1,
          .component = type,
          .packed = false,
          .stored = type,
          .stored_components = 1,
          .block_extent = 1,
          .texel_bytes = size,
          .file_texel_bytes = size,
          .channel = {Channel{'R', numeric, static_cast<std::uint8_t>(8 * size), 0}}};
}

FormatInfo block_format(vk::Format format, std::uint32_t dxgi, std::uint32_t bytes, std::uint8_t components,
                        NumericFormat numeric) {
  return {.format = format,
          .numeric = numeric,
          .components = components,
          .component = ElementType::U8,
          .packed = true,
          .stored = ElementType::U8,
          .stored_components = 1,
          .block_extent = 4,
          .texel_bytes = bytes,
          .file_texel_bytes = bytes,
          .dxgi = dxgi};
}

std::vector<FormatInfo> make_table() {
  std::vector<FormatInfo> table = {
#define ELEMENT_FORMAT(name, type, numeric) element_format(vk::Format::name, ElementType::type, NumericFormat::numeric),
#define BLOCK_FORMAT(name, dxgi, bytes, components, numeric) \
  block_format(vk::Format::name, dxgi, bytes, components, NumericFormat::numeric),
#include "tensor/formats.def"
#undef ELEMENT_FORMAT
#undef BLOCK_FORMAT
  };
  constexpr std::string_view kPrefix = "VK_FORMAT_";
  for (const vk::EnumName& known : vk::names<vk::Format>()) {
    const auto format = static_cast<vk::Format>(known.value);
    if (std::ranges::contains(table, format, &FormatInfo::format)) continue;
    if (const auto info = info_from_name(format, known.name.substr(kPrefix.size()))) table.push_back(*info);
  }
  std::ranges::sort(table, {}, &FormatInfo::format);
  const auto known = [&](vk::Format format) -> FormatInfo& {
    return *std::ranges::lower_bound(table, format, {}, &FormatInfo::format);
  };
  const auto listed = [&](vk::Format format, std::uint32_t dxgi) {
    known(format).listed = true;
    known(format).dxgi = dxgi;
  };
  const auto in_dds = [&](vk::Format format, std::uint32_t dxgi) {
    known(format).dxgi = dxgi;
    known(format).file_texel_bytes = known(format).texel_bytes;
  };
#define LISTED_FORMAT(name, dxgi) listed(vk::Format::name, dxgi);
#define DXGI_FORMAT(name, dxgi) in_dds(vk::Format::name, dxgi);
#include "tensor/formats.def"
#undef LISTED_FORMAT
#undef DXGI_FORMAT
  return table;
}

}  // namespace

std::span<const FormatInfo> known_formats() {
  static const std::vector<FormatInfo> table = make_table();
  return table;
}

const FormatInfo* find_format(vk::Format format) {
  const auto table = known_formats();
  const auto found = std::ranges::lower_bound(table, format, {}, &FormatInfo::format);
  return found != table.end() && found->format == format ? &*found : nullptr;
}

const FormatInfo* find_dxgi(std::uint32_t code) {
  const auto table = known_formats();
  const auto found = std::ranges::find(table, code, &FormatInfo::dxgi);
  return code != 0 && found != table.end() ? &*found : nullptr;
}

vk::Format created_as(vk::Format format) {
  return format == vk::Format::D32_SFLOAT_S8_UINT ? vk::Format::D32_SFLOAT : format;
}

std::string_view name_of(NumericFormat numeric) {
  return std::ranges::find(kNumericNames, numeric, &NumericName::numeric)->name;
}

Result<ElementType> tensor_element_type(vk::Format format, const SourceLocation& location) {
  const FormatInfo* info = find_format(format);
  if (info && info->components > 1) {
    return fail(DiagnosticKind::WrongType, location,
                formatted("More than 1 components from VkFormat: `{}` has {}; a tensor needs a format with one",
                          vk::name_of(format), info->components));
  }
  if (!info || info->packed || info->depth || info->stencil) {
    return fail(DiagnosticKind::WrongType, location,
                formatted("`{}` is not a format of tensor elements", vk::name_of(format)));
  }
  return info->component;
}

}  // namespace slipway::tensor
