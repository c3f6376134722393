// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/png.hpp"

#include <spng.h>

#include <algorithm>
#include <cstdlib>
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
  // Check before memory of the size of the image is allocated.
  if (header.width > kMaxPngExtent || header.height > kMaxPngExtent) {
    return fail(DiagnosticKind::OutOfRange, SourceLocation::in_bytes(name, {16, 24}),
                formatted("the image has {} x {} texels; PNG images may have at most {} x {}", header.width,
                          header.height, kMaxPngExtent, kMaxPngExtent));
  }
  return decoder;
}

}  // namespace

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
  return image;
}

Result<std::vector<std::byte>> encode_png(std::uint32_t width, std::uint32_t height, Bytes texels) {
  const Context context(spng_ctx_new(SPNG_CTX_ENCODER));
  spng_ihdr header{.width = width, .height = height, .bit_depth = 8, .color_type = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA};
  int error = context ? spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1) : SPNG_EMEM;
  if (error == SPNG_OK) error = spng_set_ihdr(context.get(), &header);
  if (error == SPNG_OK) {
    error = spng_encode_image(context.get(), texels.data(), texels.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
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

}  // namespace slipway::tensor
