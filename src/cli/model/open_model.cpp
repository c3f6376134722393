// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/open_model.hpp"

#include "cli/content.hpp"
#include "convert/convert.hpp"
#include "convert/read_model.hpp"

namespace slipway::cli {

std::shared_ptr<const model::ModelFile> open_any_model(const std::string& path, const std::string& name,
                                                       Diagnostics& diagnostics) {
  const auto content = diagnostics.take(ContentOf::read(path));
  if (!content) return nullptr;
  const Bytes bytes = content->content().bytes;
  if (convert::detect_format(bytes) == convert::ModelFormat::Vgf) return model::open_model(path, name, diagnostics);
  auto model = convert::read_model(bytes, name, {.io_names = convert::IoNames::Tensor}, diagnostics);
  auto converted = model ? convert::convert(*model, {}, diagnostics) : std::nullopt;
  auto file = converted ? diagnostics.take(converted->file.finish()) : std::nullopt;
  return file ? model::open_model(std::move(*file), name, diagnostics) : nullptr;
}

}  // namespace slipway::cli
