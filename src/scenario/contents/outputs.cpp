// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/contents/outputs.hpp"

#include "base/format.hpp"
#include "scenario/paths.hpp"
#include "tensor/files/exr.hpp"
#include "tensor/files/ktx2.hpp"
#include "tensor/files/npy.hpp"
#include "tensor/files/png.hpp"

namespace slipway::scenario {
namespace {

launch::Output npy_output(Path path, std::string_view descr, const tensor::Shape& shape) {
  return {.path = std::move(path),
          .write = [header = tensor::npy_header(descr, shape)](OutputFile& file, Bytes data) -> Result<> {
            return file.write(header).and_then([&] { return file.write(data); });
          }};
}

std::optional<launch::Output> refuse(json::Value dst, std::string message, Diagnostics& diagnostics) {
  diagnostics.add(json::problem(dst, DiagnosticKind::FileMismatch, std::move(message)));
  return std::nullopt;
}

}  // namespace

launch::Output buffer_output(Path path, std::uint64_t size) {
  return npy_output(std::move(path), "|i1", {static_cast<std::int64_t>(size)});
}

launch::Output tensor_output(Path path, tensor::ElementType type, tensor::Shape shape) {
  return npy_output(std::move(path), tensor::info_of(type).descr, shape);
}

// Long, because it has one branch per format of files.
std::optional<launch::Output> image_output(Path path, const tensor::FormatInfo& format, const Image& image,
                                           tensor::DdsHeader dds, Diagnostics& diagnostics) {
  const auto [width, height, depth] = image.extent;
  const json::Value dst = image.at["dst"];
  const std::string extension = extension_of(path);
  const std::string format_name = vk::name_of(format.format);
  if (format.is_block()) {
    return refuse(dst, formatted("{} is a format to read from, not to write to", format_name), diagnostics);
  }
  if (extension == ".npy") {
    tensor::Shape shape{image.layers, height, width, format.stored_components};
    if (depth > 1) shape.insert(shape.begin() + 1, depth);
    return npy_output(std::move(path), tensor::info_of(format.stored).descr, shape);
  }
  if (extension == ".ktx2") {
    if (!tensor::has_ktx2_form(format))
      return refuse(dst, formatted("{} is not written to KTX2 files; write a .npy file", format_name), diagnostics);
    return launch::Output{
        .path = std::move(path),
        .write = [extent = image.extent, layers = image.layers, &format](OutputFile& file, Bytes data) -> Result<> {
          return file.write(tensor::ktx2_header(format, extent, layers)).and_then([&] { return file.write(data); });
        }};
  }
  if (extension == ".dds") {
    auto header = tensor::dds_header(format, image.extent, image.layers, dst.location(), dds);
    if (!header) {
      for (Diagnostic& problem : header.error()) {
        diagnostics.add(std::move(problem.at(dst.pointer(), json::uid_around(dst))));
      }
      return std::nullopt;
    }
    return launch::Output{
        .path = std::move(path),
        .write = [header = *header, layers = image.layers, &format](OutputFile& file, Bytes data) -> Result<> {
          Result<> written = file.write(Bytes(header));
          for (; written && !data.empty(); data = data.subspan(data.size() / layers))
            written = file.write(Bytes(tensor::to_file_layout(format, data.first(data.size() / layers))));
          return written;
        }};
  }
  if (image.slices() > 1)
    return refuse(dst, "3D images and images with layers are stored in .npy, .dds and .ktx2 files only", diagnostics);
  if (extension == ".png") {
    if (!tensor::png_form(format)) {
      return refuse(dst,
                    formatted("a PNG file has unsigned integers of up to 16 bits, or floats from 0 to 1, but the image "
                              "has {}; write a .dds or .npy file",
                              format_name),
                    diagnostics);
    }
    return launch::Output{
        .path = std::move(path), .write = [width, height, &format](OutputFile& file, Bytes data) -> Result<> {
          auto png = format.format == vk::Format::R8G8B8A8_UNORM ? tensor::encode_png(width, height, data)
                                                                 : tensor::encode_png(format, width, height, data);
          if (!png) return fail(std::move(png.error()));
          return file.write(Bytes(*png));
        }};
  }
  if (extension == ".exr") {
    if (!tensor::has_exr_form(format)) {
      return refuse(dst,
                    formatted("an OpenEXR file has floats or unsigned integers, but the image has {}; write a .png, "
                              ".ktx2 or .npy file",
                              format_name),
                    diagnostics);
    }
    return launch::Output{.path = std::move(path),
                          .write = [width, height, &format](OutputFile& file, Bytes data) -> Result<> {
                            return file.write(Bytes(tensor::encode_exr(format, width, height, data)));
                          }};
  }
  return refuse(dst,
                formatted("Unsupported image destination format: {}; images are written to .dds, .png, .exr, .ktx2 and "
                          ".npy files",
                          path.string()),
                diagnostics);
}

}  // namespace slipway::scenario
