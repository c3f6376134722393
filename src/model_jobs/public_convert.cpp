// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion in the public interface: include/slipway/convert.hpp.
#include "slipway/convert.hpp"

#include "base/public_problems.hpp"
#include "base/system/files.hpp"
#include "convert/convert.hpp"
#include "convert/read_model.hpp"
#include "convert/report.hpp"
#include "model_jobs/check_converted.hpp"
#include "model_jobs/stages.hpp"

namespace slipway {
namespace {

convert::ShaderCheck check_of(ShaderCheck check) {
  switch (check) {
    case ShaderCheck::Magic:
      return convert::ShaderCheck::Magic;
    case ShaderCheck::Off:
      return convert::ShaderCheck::Off;
    case ShaderCheck::Full:
      break;
  }
  return convert::ShaderCheck::Full;
}

std::optional<ConvertedModel> converted(Bytes bytes, const std::string& name, const ConvertOptions& options,
                                        Diagnostics& diagnostics) {
  model::Stages stages(options.progress, model::kConversionStages + 1);
  stages.begin("read");
  if (convert::detect_format(bytes) == convert::ModelFormat::Vgf) {
    diagnostics.error(DiagnosticKind::Unsupported, SourceLocation::in_file(name), "the model is a VGF file already")
        .hint("`slipway::Model` runs it; `slipway convert` rewrites it as the current version");
    return std::nullopt;
  }
  auto model =
      convert::read_model(bytes, name,
                          {.entry = options.entry,
                           .io_names = options.tensor_names ? convert::IoNames::Tensor : convert::IoNames::Deserialized,
                           .done_with = nullptr},
                          diagnostics);
  if (!model) return std::nullopt;
  convert::ConvertOptions settings;
  settings.require_static_shape = options.require_static_shape;
  settings.simplify.fold = options.fold;
  settings.shader.check = check_of(options.shader_check);
  settings.observe = [&](std::string_view pass, const tosa::Graph&) { stages.begin(model::stage_after(pass)); };
  auto made = convert::convert(*model, settings, diagnostics);
  auto file = made ? diagnostics.take(made->file.finish()) : std::nullopt;
  if (!file) return std::nullopt;
  stages.begin("check");
  const auto vgf = model::check_converted(*file, name, settings.shader.check, diagnostics);
  if (!vgf) return std::nullopt;
  auto requirements = diagnostics.take(convert::requirements_json(*vgf, model->graph));
  if (!requirements) return std::nullopt;
  return ConvertedModel{std::move(*file), std::move(*requirements), {}};
}

}  // namespace

Outcome<ConvertedModel> convert_model(ByteView model, std::string_view name, const ConvertOptions& options) try {
  Diagnostics diagnostics;
  auto result = converted(Bytes(model.data(), model.size()), std::string(name), options, diagnostics);
  diagnostics.sort();
  std::vector<Problem> problems = public_problems(diagnostics.all());
  if (!result || diagnostics.has_errors()) return Failed{std::move(problems)};
  result->remarks = std::move(problems);
  return *std::move(result);
} catch (const model::Stopped& stopped) {
  return Failed{public_problems(model::stopped_failure(stopped))};
}

Outcome<ConvertedModel> convert_model_file(const std::filesystem::path& file, const ConvertOptions& options) {
  const Result<MappedFile> mapped = map_file(file);
  if (!mapped) return Failed{public_problems(mapped.error())};
  return convert_model(ByteView(mapped->bytes().data(), mapped->bytes().size()), file.string(), options);
}

}  // namespace slipway
