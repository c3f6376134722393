// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images from DDS, PNG and npy files, and from values in the scenario (docs/spec/scenario.md#data-files,
// docs/spec/scenario.md#images).
#include <algorithm>
#include <memory>

#include "base/format.hpp"
#include "scenario/contents/contents.hpp"
#include "scenario/contents/image_files.hpp"
#include "scenario/contents/inline_contents.hpp"
#include "scenario/contents/npy_contents.hpp"
#include "scenario/paths.hpp"
#include "tensor/files/dds.hpp"
#include "tensor/files/png.hpp"

namespace slipway::scenario {
namespace {

using vk::Format;

bool has_stencil(const tensor::DdsView& texture) {
  // Size of a texel and offset of its stencil in bytes, for D32_SFLOAT_S8_UINT in files (docs/spec/scenario.md#formats,
  // note d).
  constexpr std::size_t kTexel = 8, kStencil = 4;
  for (const tensor::DdsLevel& level : texture.levels) {
    for (const Bytes layer : level.layers) {
      for (std::size_t i = kStencil; i < layer.size(); i += kTexel) {
        if (layer[i] != std::byte{0}) return true;
      }
    }
  }
  return false;
}

// Formats with depth and stencil are created without stencil (docs/spec/scenario.md#data-files); R32_SFLOAT accepts
// such depth too.
bool takes_depth_of(Format file_format, Format format) {
  return file_format == Format::D32_SFLOAT_S8_UINT &&
         (format == Format::R32_SFLOAT || format == Format::D32_SFLOAT || format == Format::D32_SFLOAT_S8_UINT);
}

std::optional<ImageContents> dds_image(const ContentsInput& input, const Image& image, Diagnostics& diagnostics) {
  const json::Value named_at = input.object["src"];
  const Path path = source_path(input.scenario, input.contents.src);
  const InputFile file = open_input(input.scenario, path, named_at, diagnostics);
  if (!file) return std::nullopt;
  // A wrong extent is the cause of a wrong size.
  const auto header = take_named_by(diagnostics, tensor::parse_dds_header(file->bytes(), path.string()), named_at);
  if (!header) return std::nullopt;
  if (Result<> extent = tensor::check_dds_extent(*header, path.string(), image.extent[0], image.extent[1]); !extent) {
    add_named_by(diagnostics, std::move(extent.error()), named_at);
    return std::nullopt;
  }
  const SourceLocation whole = SourceLocation::in_file(path.string());
  if (!has_extent(header->extent, header->layers, whole, input, image, diagnostics)) return std::nullopt;
  auto texture = take_named_by(diagnostics, tensor::parse_dds(file->bytes(), path.string(), image.mips), named_at);
  if (!texture) return std::nullopt;

  const Format in_file = texture->format->format;
  Format format = *image.format.value;
  if (in_file == Format::D32_SFLOAT_S8_UINT && has_stencil(*texture)) {
    diagnostics.add(named_by(Diagnostic{.severity = Severity::Warning,
                                        .kind = DiagnosticKind::FileMismatch,
                                        .message = "Ignoring stencil data",
                                        .location = whole},
                             named_at));
  }
  const tensor::FormatInfo* const wanted = tensor::find_format(format);
  if (!takes_depth_of(in_file, format) && !(wanted && is_readable_as(*texture, *wanted))) {
    const Span at = texture->texels.legacy ? Span{80, 108} : Span{128, 132};
    if (!report_format(in_file, SourceLocation::in_bytes(path.string(), at), input, image, diagnostics)) {
      return std::nullopt;
    }
    format = in_file;
  }

  ImageContents contents{.format = tensor::created_as(format)};
  const tensor::FormatInfo& created = *tensor::find_format(contents.format);
  // Levels share the view, whose lists may be long.
  const auto view = std::make_shared<const tensor::DdsView>(std::move(*texture));
  for (std::size_t i = 0; i < view->levels.size(); ++i) {
    const auto [width, height, depth] = view->levels[i].extent;
    const auto size = tensor::level_bytes(created, width, height, std::uint64_t{depth} * view->layers);
    contents.levels.push_back({.size = *size, .write = [file, view, i, &created](MutableBytes to) -> Result<> {
                                 tensor::read_dds_level(*view, i, created, to);
                                 return {};
                               }});
  }
  return contents;
}

// Formats of one or two channels, of more than 8 bits, and floats take what a PNG file has. For the others the file's
// format wins, as in the existing tool (docs/spec/scenario.md#png-files).
bool is_converted_from_png(const tensor::FormatInfo& format) {
  const auto form = tensor::png_form(format);
  return form && (format.components < 3 || form->bits == 16);
}

std::optional<ImageContents> png_image(const ContentsInput& input, const Image& image, Diagnostics& diagnostics) {
  const json::Value named_at = input.object["src"];
  const Path path = source_path(input.scenario, input.contents.src);
  const InputFile file = open_input(input.scenario, path, named_at, diagnostics);
  if (!file) return std::nullopt;
  const auto extent = take_named_by(diagnostics, tensor::png_extent(file->bytes(), path.string()), named_at);
  if (!extent) return std::nullopt;
  const SourceLocation whole = SourceLocation::in_file(path.string());
  if (!has_extent({extent->width, extent->height, 1}, 1, whole, input, image, diagnostics)) return std::nullopt;
  const tensor::FormatInfo& wanted = *tensor::find_format(tensor::created_as(*image.format.value));
  if (is_converted_from_png(wanted)) {
    const std::uint64_t bytes = std::uint64_t{extent->width} * extent->height * wanted.texel_bytes;
    return ImageContents{
        .format = wanted.format,
        .levels = {{.size = bytes, .write = [file, name = path.string(), &wanted](MutableBytes to) -> Result<> {
                      return tensor::decode_png(file->bytes(), name, wanted, to);
                    }}}};
  }
  constexpr Format kFormat = Format::R8G8B8A8_UNORM;
  if (*image.format.value != kFormat && !report_format(kFormat, whole, input, image, diagnostics)) {
    return std::nullopt;
  }
  const std::uint64_t size = std::uint64_t{extent->width} * extent->height * 4;
  return ImageContents{.format = kFormat,
                       .levels = {{.size = size, .write = [file, name = path.string()](MutableBytes to) -> Result<> {
                                     Result<tensor::RgbaImage> decoded = tensor::decode_png(file->bytes(), name);
                                     if (!decoded) return fail(std::move(decoded.error()));
                                     std::ranges::copy(decoded->texels, to.begin());
                                     return {};
                                   }}}};
}

std::optional<ImageContents> npy_image(const ContentsInput& input, const Image& image, const tensor::FormatInfo& format,
                                       Diagnostics& diagnostics) {
  auto npy = open_npy(input, diagnostics);
  if (!npy || !cast_or_check_dtype(*npy, format.stored, input, diagnostics)) return std::nullopt;
  const tensor::Shape& shape = npy->view.shape;
  const auto refuse = [&](std::string_view text) {
    diagnostics.add(
        npy->mismatch(npy->view.shape_range, formatted("{}; the file has shape {}", text, tensor::shape_text(shape))));
    return std::nullopt;
  };
  const bool deep = image.extent[2] > 1;
  tensor::Shape expected{image.layers, image.extent[1], image.extent[0], format.stored_components};
  if (deep) expected.insert(expected.begin() + 1, image.extent[2]);
  if (shape.size() != expected.size() && (image.slices() > 1 || shape.size() != 3)) {
    return refuse(deep ? "Image data must be 5 dimensional for npy sources of 3D images"
                       : "Image data must be 4 dimensional for npy sources");
  }
  if (shape.size() == expected.size() && shape[0] != 1 && image.layers == 1)
    return refuse("Image batch dimension must be 1 for npy sources");
  if (!std::ranges::equal(shape, std::span(expected).last(shape.size()))) {
    return refuse(formatted("Image description dimensions do not match npy data shape: image `{}` needs {}", image.uid,
                            tensor::shape_text(expected)));
  }
  return ImageContents{.format = format.format, .levels = {npy_contents(std::move(*npy))}};
}

}  // namespace

bool report_format(Format file_format, SourceLocation location, const ContentsInput& input, const Image& image,
                   Diagnostics& diagnostics) {
  Diagnostic mismatch{.severity = input.leniency,
                      .kind = DiagnosticKind::FileMismatch,
                      .message = formatted("the file has the format {}, but image `{}` has {}",
                                           vk::name_of(file_format), image.uid, image.format.name),
                      .location = std::move(location)};
  const bool ok = input.leniency != Severity::Error;
  if (ok) mismatch.hint("the file's format is taken");
  diagnostics.add(named_by(std::move(mismatch), input.object["src"]));
  return ok;
}

bool has_extent(const std::array<std::uint32_t, 3>& extent, std::uint32_t layers, SourceLocation location,
                const ContentsInput& input, const Image& image, Diagnostics& diagnostics) {
  const auto layers_text = [](std::uint32_t count) { return count > 1 ? formatted(" and {} layers", count) : ""; };
  if (std::ranges::equal(extent, image.extent) && layers == image.layers) return true;
  diagnostics.add(named_by(
      Diagnostic{
          .kind = DiagnosticKind::FileMismatch,
          .message = formatted("the file has {}x{}{} pixels{}, but image `{}` has {}x{}x{}{}", extent[0], extent[1],
                               extent[2] > 1 ? formatted("x{}", extent[2]) : "", layers_text(layers), image.uid,
                               image.extent[0], image.extent[1], image.extent[2], layers_text(image.layers)),
          .location = std::move(location)},
      input.object["src"]));
  return false;
}

std::optional<ImageContents> image_contents(const ContentsInput& input, const Image& image, Diagnostics& diagnostics) {
  const std::string extension = input.contents.src.empty() ? "" : extension_of(input.contents.src);
  if (extension == ".dds") return dds_image(input, image, diagnostics);
  if (extension == ".png") return png_image(input, image, diagnostics);
  if (extension == ".exr") return exr_image(input, image, diagnostics);
  if (extension == ".ktx2") return ktx2_image(input, image, diagnostics);
  if (!input.contents.src.empty() && extension != ".npy") {
    diagnostics.add(
        json::problem(input.object["src"], DiagnosticKind::FileMismatch,
                      formatted("Unsupported image source file type for {}; images come from .dds, .png, .exr, .ktx2 "
                                "and .npy files",
                                source_path(input.scenario, input.contents.src).string())));
    return std::nullopt;
  }
  const tensor::FormatInfo& format = *tensor::find_format(tensor::created_as(*image.format.value));
  if (format.is_block()) {
    diagnostics.add(json::problem(
        input.object, DiagnosticKind::FileMismatch,
        formatted("texels of {} are compressed in blocks and come from DDS and KTX2 files only", image.format.name)));
    return std::nullopt;
  }
  if (extension == ".npy") return npy_image(input, image, format, diagnostics);
  const auto array = ArrayFormat::of_texels(format, {image.extent[0], image.extent[1], image.slices()});
  auto level = inline_contents(input.contents, array, diagnostics);
  if (!level) return std::nullopt;
  return ImageContents{.format = format.format, .levels = {std::move(*level)}};
}

}  // namespace slipway::scenario
