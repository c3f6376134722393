// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_api/open_any_model.hpp"

#include "convert/convert.hpp"
#include "convert/read_model.hpp"

namespace slipway::model {
namespace {

std::shared_ptr<const ModelFile> open_converted(Bytes bytes, const std::string& name, const std::string& entry,
                                                Diagnostics& diagnostics) {
  auto model = convert::read_model(
      bytes, name, {.entry = entry, .io_names = convert::IoNames::Tensor, .done_with = nullptr}, diagnostics);
  auto converted = model ? convert::convert(*model, {}, diagnostics) : std::nullopt;
  auto file = converted ? diagnostics.take(converted->file.finish()) : std::nullopt;
  return file ? open_model(std::move(*file), name, diagnostics) : nullptr;
}

}  // namespace

std::shared_ptr<const ModelFile> open_any_model(const Path& path, const std::string& name, const std::string& entry,
                                                Diagnostics& diagnostics) {
  const auto mapped = diagnostics.take(map_file(path));
  if (!mapped) return nullptr;
  if (convert::detect_format(mapped->bytes()) == convert::ModelFormat::Vgf) return open_model(path, name, diagnostics);
  return open_converted(mapped->bytes(), name, entry, diagnostics);
}

std::shared_ptr<const ModelFile> open_any_model(Bytes bytes, const std::string& name, const std::string& entry,
                                                Diagnostics& diagnostics) {
  if (convert::detect_format(bytes) == convert::ModelFormat::Vgf)
    return open_model(std::vector(bytes.begin(), bytes.end()), name, diagnostics);
  return open_converted(bytes, name, entry, diagnostics);
}

}  // namespace slipway::model
