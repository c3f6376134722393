// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/files/png.hpp"

#include <spng.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/format.hpp"

namespace slipway::tensor {
namespace {

struct FreeContext {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};
using Context = std::unique_ptr<spng_ctx, FreeContext>;

// The limit for chunks without image data (a colour profile, a text), which the library keeps in memory.
constexpr std::size_t kMaxChunkBytes = 64 << 20;

constexpr std::uint64_t kSignatureBytes = 8;

std::unexpected<Failure> refuse(Bytes file, const std::string& name, int error) {
  const bool truncated = error == SPNG_IO_EOF;
  const std::uint64_t end = error == SPNG_ESIGNATURE ? kSignatureBytes : file.size();
  return fail(truncated ? DiagnosticKind::FileTruncated : DiagnosticKind::FileFormat,
              SourceLocation::in_bytes(name, {0, std::min<std::uint64_t>(end, file.size())}),
              truncated ? "the PNG file ends before its image does"
                        : formatted("not a readable PNG file: {}", spng_strerror(error)));
}

// A decoder before the image data; the header is read and valid.
struct Decoder {
  Context context;
  PngExtent extent;
  std::uint8_t bits = 8;  // of a sample
};

Result<Decoder> open(Bytes file, const std::string& name) {
  if (file.empty()) return refuse(file, name, SPNG_IO_EOF);
  Decoder decoder{.context = Context(spng_ctx_new(0))};
  spng_ctx* context = decoder.context.get();
  if (!context) return refuse(file, name, SPNG_EMEM);
  spng_set_chunk_limits(context, kMaxChunkBytes, kMaxChunkBytes);
  int error = spng_set_png_buffer(context, file.data(), file.size());
  spng_ihdr header{};
  if (error == SPNG_OK) error = spng_get_ihdr(context, &header);
  if (error != SPNG_OK) return refuse(file, name, error);
  decoder.extent = {header.width, header.height};
  decoder.bits = header.bit_depth;
  // Check before memory of the size of the image is allocated.
  if (header.width > kMaxPngExtent || header.height > kMaxPngExtent) {
    return fail(DiagnosticKind::OutOfRange, SourceLocation::in_bytes(name, {16, 24}),
                formatted("the image has {} x {} texels; PNG images may have at most {} x {}", header.width,
                          header.height, kMaxPngExtent, kMaxPngExtent));
  }
  return decoder;
}

// Reads the stream of the image data to its end, which the library does not: it stops after the last texel, before the
// checksums of the stream and of the last chunk.
class ImageStream {
 public:
  ImageStream(const Decoder& decoder)
      : left_((std::uint64_t{decoder.extent.width} * kTexelBytes + 1) * decoder.extent.height * 2 + 64) {
    is_open_ = inflateInit(&stream_) == Z_OK;
  }
  ImageStream(const ImageStream&) = delete;
  ~ImageStream() {
    if (is_open_) inflateEnd(&stream_);
  }

  // False if the stream is damaged, or has much more than the image.
  bool add(Bytes chunk) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(chunk.data()));
    stream_.avail_in = static_cast<uInt>(chunk.size());
    while (is_open_ && !has_ended_ && stream_.avail_in > 0) {
      std::array<Bytef, 16384> discarded;
      stream_.next_out = discarded.data();
      stream_.avail_out = static_cast<uInt>(discarded.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      const std::uint64_t made = discarded.size() - stream_.avail_out;
      if ((result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) || made > left_) return false;
      left_ -= made;
      has_ended_ = result == Z_STREAM_END;
      if (result == Z_BUF_ERROR) break;
    }
    return is_open_;
  }
  bool has_ended() const { return has_ended_; }

 private:
  static constexpr std::uint64_t kTexelBytes = 8;  // at most
  z_stream stream_{};
  std::uint64_t left_;
  bool is_open_ = false, has_ended_ = false;
};

Result<> check_image_data(Bytes file, const std::string& name, const Decoder& decoder) {
  const auto number = [&](std::uint64_t at) {
    std::uint32_t value = 0;
    for (std::uint64_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(file[at + i]);
    return value;
  };
  constexpr std::uint64_t kAround = 12;  // size, type and checksum of a chunk
  ImageStream stream(decoder);
  for (std::uint64_t at = kSignatureBytes; at + kAround <= file.size();) {
    const std::uint64_t size = number(at);
    if (size > file.size() - at - kAround) return refuse(file, name, SPNG_IO_EOF);
    const Bytes type_and_data = file.subspan(at + 4, size + 4);
    const std::string_view type = slipway::text_of(type_and_data.first(4));
    if (type == "IEND") break;
    if (type == "IDAT") {
      const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(type_and_data.data()), type_and_data.size());
      if (crc != number(at + 8 + size)) return refuse(file, name, SPNG_ECHUNK_CRC);
      if (!stream.add(type_and_data.subspan(4))) return refuse(file, name, SPNG_EIDAT_STREAM);
    }
    at += size + kAround;
  }
  if (!stream.has_ended()) return refuse(file, name, SPNG_EIDAT_TOO_SHORT);
  return {};
}

Result<std::vector<std::byte>> encode(std::uint32_t width, std::uint32_t height, const PngForm& form, Bytes samples) {
  const Context context(spng_ctx_new(SPNG_CTX_ENCODER));
  const spng_color_type colour = form.channels == 1   ? SPNG_COLOR_TYPE_GRAYSCALE
                                 : form.channels == 3 ? SPNG_COLOR_TYPE_TRUECOLOR
                                                      : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
  spng_ihdr header{
      .width = width, .height = height, .bit_depth = form.bits, .color_type = static_cast<std::uint8_t>(colour)};
  int error = context ? spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1) : SPNG_EMEM;
  if (error == SPNG_OK) error = spng_set_ihdr(context.get(), &header);
  if (error == SPNG_OK && form.is_linear) error = spng_set_gama(context.get(), 1.0);
  if (error == SPNG_OK) {
    error = spng_encode_image(context.get(), samples.data(), samples.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
  }
  std::size_t size = 0;
  std::unique_ptr<void, decltype(&std::free)> buffer(nullptr, &std::free);
  if (error == SPNG_OK) buffer.reset(spng_get_png_buffer(context.get(), &size, &error));
  if (error != SPNG_OK) {
    return fail(DiagnosticKind::FileUnwritable, SourceLocation::nowhere(),
                formatted("cannot encode a PNG file of {} x {} texels: {}", width, height, spng_strerror(error)));
  }
  const auto* bytes = static_cast<const std::byte*>(buffer.get());
  return std::vector(bytes, bytes + size);
}

bool is_float(NumericFormat numeric) { return numeric == NumericFormat::Sfloat || numeric == NumericFormat::Ufloat; }

// The index of a channel in a PNG image.
std::size_t png_channel(char letter) {
  const std::size_t at = std::string_view("RGBA").find(letter);
  return at == std::string_view::npos ? 0 : at;  // depth is grey
}

// A sample of a file for a component of a texel, which is 0 to `most` for integers.
std::uint16_t sample_of(double value, const Channel& channel, std::uint32_t most_in_file) {
  if (channel.numeric == NumericFormat::Uint) return static_cast<std::uint16_t>(value);
  const double most = is_float(channel.numeric) ? 1.0 : static_cast<double>((std::uint64_t{1} << channel.bits) - 1);
  if (!(value > 0)) return 0;  // NaN too
  return static_cast<std::uint16_t>(std::lround(std::min(value / most, 1.0) * most_in_file));
}

}  // namespace

std::optional<PngForm> png_form(const FormatInfo& format) {
  if (format.is_block() || format.stencil || format.component == ElementType::Bool) return std::nullopt;
  PngForm form{.channels = 1};
  for (const Channel& channel : std::span(format.channel).first(format.components)) {
    const bool is_unsigned = channel.numeric == NumericFormat::Unorm || channel.numeric == NumericFormat::Srgb ||
                             channel.numeric == NumericFormat::Uint;
    if (!is_float(channel.numeric) && (!is_unsigned || channel.bits > 16)) return std::nullopt;
    if (is_float(channel.numeric) || format.depth) form.is_linear = true;
    if (is_float(channel.numeric) || channel.bits > 8) form.bits = 16;
    if (format.components > 1) form.channels = std::max<std::uint8_t>(form.channels, channel.letter == 'A' ? 4 : 3);
  }
  return form;
}

Result<PngExtent> png_extent(Bytes file, const std::string& name) {
  return open(file, name).transform([](const Decoder& decoder) { return decoder.extent; });
}

Result<RgbaImage> decode_png(Bytes file, const std::string& name) {
  SLIPWAY_TRY(const Decoder decoder, open(file, name));
  RgbaImage image{.width = decoder.extent.width, .height = decoder.extent.height};
  image.texels.resize(std::size_t{image.width} * image.height * 4);
  const int error = spng_decode_image(decoder.context.get(), image.texels.data(), image.texels.size(), SPNG_FMT_RGBA8,
                                      SPNG_DECODE_TRNS);
  if (error != SPNG_OK) return refuse(file, name, error);
  SLIPWAY_TRY_VOID(check_image_data(file, name, decoder));
  return image;
}

Result<std::vector<std::byte>> encode_png(std::uint32_t width, std::uint32_t height, Bytes texels) {
  return encode(width, height, {}, texels);
}

Result<std::vector<std::byte>> encode_png(const FormatInfo& format, std::uint32_t width, std::uint32_t height,
                                          Bytes texels) {
  const PngForm form = *png_form(format);
  const std::vector<std::byte> plain = unpack(format, texels);
  const std::size_t element = size_of(format.component), count = std::size_t{width} * height;
  const std::uint32_t most = (1u << form.bits) - 1;
  std::vector<std::byte> samples(count * form.channels * form.bits / 8);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t c = 0; c < format.components; ++c) {
      const double value = double_of(format.component, &plain[(i * format.components + c) * element]);
      const std::uint16_t sample = sample_of(value, format.channel[c], most);
      const std::size_t at = i * form.channels + (form.channels == 1 ? 0 : png_channel(format.channel[c].letter));
      if (form.bits == 8) {
        samples[at] = static_cast<std::byte>(sample);
      } else {
        std::memcpy(&samples[at * 2], &sample, 2);
      }
    }
  }
  return encode(width, height, form, samples);
}

Result<> decode_png(Bytes file, const std::string& name, const FormatInfo& format, MutableBytes to) {
  SLIPWAY_TRY(const Decoder decoder, open(file, name));
  const std::size_t count = std::size_t{decoder.extent.width} * decoder.extent.height;
  const bool wide = decoder.bits == 16, narrow_format = png_form(format)->bits == 8;
  std::vector<std::byte> rgba(count * (wide ? 8 : 4));
  const int error = spng_decode_image(decoder.context.get(), rgba.data(), rgba.size(),
                                      wide ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8, SPNG_DECODE_TRNS);
  if (error != SPNG_OK) return refuse(file, name, error);
  SLIPWAY_TRY_VOID(check_image_data(file, name, decoder));
  std::ranges::fill(to, std::byte{0});
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t c = 0; c < format.components; ++c) {
      const Channel& channel = format.channel[c];
      const std::size_t at = i * 4 + (format.components == 1 ? 0 : png_channel(channel.letter));
      std::uint32_t sample = wide ? load<std::uint16_t>(&rgba[at * 2]) : std::to_integer<std::uint32_t>(rgba[at]);
      Number value = static_cast<double>(sample) / (wide ? 0xffff : 0xff);
      if (channel.numeric == NumericFormat::Uint) {
        if (wide && narrow_format) sample >>= 8;
        value = std::uint64_t{std::min(sample, (1u << std::min<std::uint32_t>(channel.bits, 16)) - 1)};
      }
      const Stored stored = store_component(format, c, value, &to[i * format.texel_bytes]);
      if (!stored)
        return fail(DiagnosticKind::OutOfRange, SourceLocation::in_file(name),
                    formatted("texel {}: {}", i, stored.error()));
    }
  }
  return {};
}

}  // namespace slipway::tensor
