// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texels from and to the chunks of OpenEXR files.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "tensor/files/deflate.hpp"
#include "tensor/files/exr.hpp"
#include "tensor/float16.hpp"

namespace slipway::tensor {
namespace {

// RLE and ZIP compress the even bytes before the odd ones, each as its difference to the previous one.
constexpr std::uint8_t kDifferenceBias = 128;

std::vector<std::byte> from_differences(std::vector<std::byte> bytes) {
  for (std::size_t i = 1; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(std::to_integer<unsigned>(bytes[i - 1]) + std::to_integer<unsigned>(bytes[i]) -
                                      kDifferenceBias);
  std::vector<std::byte> made(bytes.size());
  const std::size_t odd = (bytes.size() + 1) / 2;
  for (std::size_t i = 0; i < bytes.size(); ++i) made[i] = bytes[i / 2 + (i % 2 == 0 ? 0 : odd)];
  return made;
}

std::vector<std::byte> to_differences(Bytes bytes) {
  std::vector<std::byte> made(bytes.size());
  const std::size_t odd = (bytes.size() + 1) / 2;
  for (std::size_t i = 0; i < bytes.size(); ++i) made[i / 2 + (i % 2 == 0 ? 0 : odd)] = bytes[i];
  for (std::size_t i = made.size(); i-- > 1;)
    made[i] = static_cast<std::byte>(std::to_integer<unsigned>(made[i]) - std::to_integer<unsigned>(made[i - 1]) +
                                     kDifferenceBias);
  return made;
}

// A negative count is followed by that many bytes, another by one byte that is repeated once more than it says.
std::optional<std::vector<std::byte>> without_runs(Bytes runs, std::size_t size) {
  constexpr std::size_t kMaxFactor = 64;  // two bytes are at most 128
  if (size / kMaxFactor > runs.size()) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(size);
  ByteReader in(runs);
  while (in.remaining() > 0) {
    const auto count = in.read<std::int8_t>();
    if (count < 0) {
      bytes.append_range(in.take(static_cast<std::size_t>(-count)));
    } else {
      bytes.insert(bytes.end(), static_cast<std::size_t>(count) + 1, in.read<std::byte>());
    }
    if (in.failed() || bytes.size() > size) return std::nullopt;
  }
  if (bytes.size() != size) return std::nullopt;
  return bytes;
}

// PXR24: deflated planes of the bytes of each line of a channel, highest first, as differences of the samples. Floats
// have no lowest byte.
std::optional<std::vector<std::byte>> from_pxr24(const ExrView& picture, const ExrChunk& chunk, std::size_t size) {
  const auto planes_of = [](const ExrChannel& channel) {
    return std::size_t{channel.type == ExrType::Float ? 3 : channel.bytes()};
  };
  std::size_t line = 0;
  for (const ExrChannel& channel : picture.channels) line += planes_of(channel) * chunk.width;
  const auto planes = inflated(chunk.bytes, line * chunk.height, DeflateForm::Zlib);
  if (!planes) return std::nullopt;
  std::vector<std::byte> made(size);
  const std::byte* from = planes->data();
  std::byte* to = made.data();
  for (std::uint32_t y = 0; y < chunk.height; ++y) {
    for (const ExrChannel& channel : picture.channels) {
      const std::size_t count = planes_of(channel);
      std::uint32_t sample = 0;
      for (std::uint32_t x = 0; x < chunk.width; ++x, to += channel.bytes()) {
        std::uint32_t difference = 0;
        for (std::size_t plane = 0; plane < count; ++plane)
          difference = difference << 8 | std::to_integer<std::uint32_t>(from[plane * chunk.width + x]);
        sample += channel.type == ExrType::Float ? difference << 8 : difference;
        std::memcpy(to, &sample, channel.bytes());
      }
      from += count * chunk.width;
    }
  }
  return made;
}

bool is_uint(const FormatInfo& format) { return format.channel[0].numeric == NumericFormat::Uint; }

// One sample as a component of a texel, which is zero before.
Stored store_sample(const FormatInfo& format, std::uint32_t component, ExrType type, const std::byte* from,
                    std::byte* texel) {
  const Channel& channel = format.channel[component];
  if (type == ExrType::Uint) return store_component(format, component, std::uint64_t{load<std::uint32_t>(from)}, texel);
  std::byte* const to = texel + channel.offset / 8;
  if (format.component == ElementType::F16 && type == ExrType::Half) {
    std::memcpy(to, from, 2);
    return {};
  }
  if (format.component == ElementType::F32 && type == ExrType::Float && !format.packed) {
    std::memcpy(to, from, 4);
    return {};
  }
  const double value = type == ExrType::Half ? static_cast<double>(load<Float16>(from)) : load<float>(from);
  if (channel.numeric == NumericFormat::Ufloat) {
    if (std::isnan(value)) return store_component_word(format, component, "nan", texel);
    if (value == HUGE_VAL) return store_component_word(format, component, "inf", texel);
    return store_component(format, component, value, texel);
  }
  store_rounded(format.component, value, to);
  return {};
}

// How a component is written.
ExrType written_type(const FormatInfo& format) {
  if (is_uint(format)) return ExrType::Uint;
  return format.component == ElementType::F16 || format.numeric == NumericFormat::Ufloat ? ExrType::Half
                                                                                         : ExrType::Float;
}

std::string_view written_name(const FormatInfo& format, std::uint32_t component) {
  switch (format.channel[component].letter) {
    case 'D':
      return "Z";
    case 'G':
      return "G";
    case 'B':
      return "B";
    case 'A':
      return "A";
    default:
      return format.components == 1 ? "Y" : "R";
  }
}

void put_sample(ExrType type, ElementType component, const std::byte* from, std::vector<std::byte>& to) {
  std::array<std::byte, 4> sample{};
  const ElementType written = type == ExrType::Uint   ? ElementType::U32
                              : type == ExrType::Half ? ElementType::F16
                                                      : ElementType::F32;
  const std::size_t size = size_of(written);
  if (written == component)
    std::memcpy(sample.data(), from, size);
  else if (type == ExrType::Uint)
    store(sample.data(), static_cast<std::uint32_t>(double_of(component, from)));
  else
    store_rounded(written, double_of(component, from), sample.data());
  to.append_range(std::span(sample).first(size));
}

class ExrHeader {
 public:
  ExrHeader() { bytes_.write(std::uint32_t{20000630}).write(std::uint32_t{2}); }
  void add(std::string_view name, std::string_view type, const ByteWriter& value) {
    text(bytes_, name);
    text(bytes_, type);
    bytes_.write(static_cast<std::uint32_t>(value.size())).append(value.bytes());
  }
  std::vector<std::byte> release() {
    bytes_.write(std::byte{});
    return bytes_.release();
  }
  static void text(ByteWriter& to, std::string_view value) { to.append(value).write(std::byte{}); }

 private:
  ByteWriter bytes_;
};

}  // namespace

std::optional<std::vector<std::byte>> exr_uncompressed(const ExrView& picture, const ExrChunk& chunk) {
  std::size_t size = 0;
  for (const ExrChannel& channel : picture.channels) size += channel.bytes();
  size *= std::size_t{chunk.width} * chunk.height;
  // A chunk that compression would make larger is stored as it is.
  if (chunk.bytes.size() == size) return std::vector(chunk.bytes.begin(), chunk.bytes.end());
  if (chunk.bytes.size() > size) return std::nullopt;
  switch (picture.compression) {
    case ExrCompression::None:
      break;
    case ExrCompression::Rle:
      return without_runs(chunk.bytes, size).transform(from_differences);
    case ExrCompression::Zips:
    case ExrCompression::Zip:
      return inflated(chunk.bytes, size, DeflateForm::Zlib).transform(from_differences);
    case ExrCompression::Piz:
      return exr_piz(picture, chunk, size);
    case ExrCompression::Pxr24:
      return from_pxr24(picture, chunk, size);
  }
  return std::nullopt;
}

Result<> decode_exr(const ExrView& picture, const std::string& name, const FormatInfo& format, MutableBytes to) {
  SLIPWAY_TRY(const auto chosen, exr_channels(picture, name, format));
  std::vector<std::size_t> offset_of;  // of a channel in a line, in bytes for each texel of the width
  std::size_t line_bytes = 0;
  for (const ExrChannel& channel : picture.channels) {
    offset_of.push_back(line_bytes);
    line_bytes += channel.bytes();
  }
  std::ranges::fill(to, std::byte{0});
  for (const ExrChunk& chunk : picture.chunks) {
    const SourceLocation location = SourceLocation::in_bytes(name, {chunk.offset, chunk.offset + chunk.bytes.size()});
    const auto lines = exr_uncompressed(picture, chunk);
    if (!lines) return fail(DiagnosticKind::FileFormat, location, "the compressed texels are damaged");
    for (std::uint32_t y = 0; y < chunk.height; ++y) {
      const std::byte* line = lines->data() + y * line_bytes * chunk.width;
      std::byte* texels = &to[(std::size_t{chunk.y + y} * picture.width + chunk.x) * format.texel_bytes];
      for (std::uint32_t c = 0; c < format.components; ++c) {
        const bool present = chosen[c] != kExrNone;
        const ExrType type = present           ? picture.channels[chosen[c]].type
                             : is_uint(format) ? ExrType::Uint
                                               : ExrType::Float;
        const std::size_t step = present ? picture.channels[chosen[c]].bytes() : 0;
        const float opaque = 1;
        const std::uint32_t opaque_integer = 1;
        const std::byte* sample = present ? line + offset_of[chosen[c]] * chunk.width
                                          : reinterpret_cast<const std::byte*>(
                                                is_uint(format) ? static_cast<const void*>(&opaque_integer) : &opaque);
        for (std::uint32_t x = 0; x < chunk.width; ++x, sample += step) {
          const Stored stored = store_sample(format, c, type, sample, texels + std::size_t{x} * format.texel_bytes);
          if (!stored)
            return fail(DiagnosticKind::OutOfRange, location,
                        formatted("texel {}, {}: {}", chunk.x + x, chunk.y + y, stored.error()));
        }
      }
    }
  }
  return {};
}

std::vector<std::byte> encode_exr(const FormatInfo& format, std::uint32_t width, std::uint32_t height, Bytes texels) {
  constexpr std::uint32_t kLines = 16;  // of a chunk of ZIP
  const ExrType type = written_type(format);
  std::vector<std::uint32_t> order;  // of the components, by the names of their channels
  for (std::uint32_t c = 0; c < format.components; ++c) order.push_back(c);
  std::ranges::sort(order, {}, [&](std::uint32_t c) { return written_name(format, c); });

  ExrHeader header;
  ByteWriter channels;
  for (const std::uint32_t c : order) {
    ExrHeader::text(channels, written_name(format, c));
    channels.write(static_cast<std::uint32_t>(type))
        .write(std::uint32_t{0})
        .write(std::int32_t{1})
        .write(std::int32_t{1});
  }
  channels.write(std::byte{});
  ByteWriter window;
  window.write(std::int32_t{0}).write(std::int32_t{0});
  window.write(static_cast<std::int32_t>(width) - 1).write(static_cast<std::int32_t>(height) - 1);
  header.add("channels", "chlist", channels);
  header.add("compression", "compression", ByteWriter().write(static_cast<std::uint8_t>(ExrCompression::Zip)));
  header.add("dataWindow", "box2i", window);
  header.add("displayWindow", "box2i", window);
  header.add("lineOrder", "lineOrder", ByteWriter().write(std::uint8_t{0}));
  header.add("pixelAspectRatio", "float", ByteWriter().write(1.0f));
  header.add("screenWindowCenter", "v2f", ByteWriter().write(0.0f).write(0.0f));
  header.add("screenWindowWidth", "float", ByteWriter().write(1.0f));
  std::vector<std::byte> file = header.release();

  const std::vector<std::byte> plain = unpack(format, texels);
  const std::size_t element = size_of(format.component), line = std::size_t{width} * format.components * element;
  const std::size_t table = file.size();
  file.resize(table + divide_up(height, kLines) * sizeof(std::uint64_t));
  for (std::uint32_t first = 0; first < height; first += kLines) {
    std::vector<std::byte> lines;
    for (std::uint32_t y = first; y < std::min(first + kLines, height); ++y) {
      for (const std::uint32_t c : order) {
        for (std::uint32_t x = 0; x < width; ++x)
          put_sample(type, format.component, &plain[y * line + (std::size_t{x} * format.components + c) * element],
                     lines);
      }
    }
    store(&file[table + first / kLines * sizeof(std::uint64_t)], std::uint64_t{file.size()});
    const auto compressed = deflated(to_differences(lines), DeflateForm::Zlib);
    const Bytes data = compressed ? Bytes(*compressed) : Bytes(lines);
    ByteWriter chunk;
    chunk.write(static_cast<std::int32_t>(first)).write(static_cast<std::uint32_t>(data.size()));
    file.append_range(chunk.bytes());
    file.append_range(data);
  }
  return file;
}

}  // namespace slipway::tensor
