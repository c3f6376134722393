// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images from OpenEXR and KTX2 files (docs/spec/scenario.md#exr-files, docs/spec/scenario.md#ktx2-files).
#include "base/format.hpp"
#include "scenario/contents/image_files.hpp"
#include "scenario/contents/input_file.hpp"
#include "scenario/paths.hpp"
#include "tensor/files/exr.hpp"
#include "tensor/files/ktx2.hpp"

namespace slipway::scenario {

std::optional<ImageContents> exr_image(const ContentsInput& input, const Image& image, Diagnostics& diagnostics) {
  const json::Value named_at = input.object["src"];
  const std::string name = source_path(input.scenario, input.contents.src).string();
  const InputFile file = open_input(input.scenario, name, named_at, diagnostics);
  if (!file) return std::nullopt;
  auto picture = take_named_by(diagnostics, tensor::parse_exr(file->bytes(), name), named_at);
  if (!picture) return std::nullopt;
  const SourceLocation whole = SourceLocation::in_file(name);
  if (!has_extent({picture->width, picture->height, 1}, 1, whole, input, image, diagnostics)) return std::nullopt;
  const tensor::FormatInfo& format = *tensor::find_format(tensor::created_as(*image.format.value));
  if (!tensor::has_exr_form(format)) {
    diagnostics.add(named_by(
        Diagnostic{.kind = DiagnosticKind::FileMismatch,
                   .message = formatted("an OpenEXR file has floats or unsigned integers, but image `{}` has {}",
                                        image.uid, image.format.name),
                   .location = whole},
        named_at));
    return std::nullopt;
  }
  if (!take_named_by(diagnostics, tensor::exr_channels(*picture, name, format), named_at)) return std::nullopt;
  const std::uint64_t size = *tensor::level_bytes(format, picture->width, picture->height);
  return ImageContents{
      .format = format.format,
      .levels = {
          {.size = size, .write = [file, name, picture = std::move(*picture), &format](MutableBytes to) -> Result<> {
             return tensor::decode_exr(picture, name, format, to);
           }}}};
}

std::optional<ImageContents> ktx2_image(const ContentsInput& input, const Image& image, Diagnostics& diagnostics) {
  const json::Value named_at = input.object["src"];
  const std::string name = source_path(input.scenario, input.contents.src).string();
  const InputFile file = open_input(input.scenario, name, named_at, diagnostics);
  if (!file) return std::nullopt;
  const auto texture = take_named_by(diagnostics, tensor::parse_ktx2(file->bytes(), name, image.mips), named_at);
  if (!texture ||
      !has_extent(texture->extent, texture->layers, SourceLocation::in_file(name), input, image, diagnostics))
    return std::nullopt;
  const vk::Format in_file = texture->format->format;
  if (in_file != *image.format.value &&
      !report_format(in_file, SourceLocation::in_bytes(name, tensor::kKtx2FormatAt), input, image, diagnostics))
    return std::nullopt;
  ImageContents contents{.format = in_file};
  for (std::size_t i = 0; i < texture->levels.size(); ++i) {
    contents.levels.push_back(
        {.size = texture->levels[i].size, .write = [file, name, texture = *texture, i](MutableBytes to) -> Result<> {
           return tensor::read_ktx2_level(texture, name, i, to);
         }});
  }
  return contents;
}

}  // namespace slipway::scenario
