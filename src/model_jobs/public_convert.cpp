// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion in the public interface: include/slipway/convert.hpp.
#include "slipway/convert.hpp"

#include "base/public_problems.hpp"
#include "base/system/files.hpp"
#include "model_jobs/conversion_job.hpp"
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

// `files`: where data beside the model are.
std::optional<ConvertedModel> converted(Bytes bytes, const std::string& name, const ConvertOptions& options,
                                        const importer::ReadOptions& files, Diagnostics& diagnostics) {
  model::Stages stages(options.progress, model::kConversionStages + 1);
  stages.begin("read");
  convert::ConvertOptions settings;
  settings.require_static_shape = options.require_static_shape;
  settings.simplify.fold = options.fold;
  settings.simplify.defers_transposes = true;
  settings.shader.check = check_of(options.shader_check);
  settings.observe = [&](std::string_view pass, const tosa::Graph&) { stages.begin(model::stage_after(pass)); };
  model::ConversionJob job(
      {.bytes = bytes,
       .name = name,
       .file_name = name,
       .read = {.entry = options.entry,
                .io_names = options.tensor_names ? convert::IoNames::Tensor : convert::IoNames::Deserialized,
                .files = files,
                .done_with = nullptr},
       .settings = std::move(settings)});
  if (job.is_vgf()) {
    diagnostics.error(DiagnosticKind::Unsupported, SourceLocation::in_file(name), "the model is a VGF file already")
        .hint("`slipway::Model` runs it; `slipway convert` rewrites it as the current version");
    return std::nullopt;
  }
  if (!job.read(diagnostics) || !job.prepare(diagnostics) || !job.make_file(diagnostics) || !job.encode(diagnostics))
    return std::nullopt;
  stages.begin("check");
  if (!job.check(diagnostics)) return std::nullopt;
  auto requirements = diagnostics.take(job.requirements());
  if (!requirements) return std::nullopt;
  return ConvertedModel{job.take_bytes(), std::move(*requirements), {}};
}

Outcome<ConvertedModel> converted(Bytes bytes, const std::string& name, const ConvertOptions& options,
                                  const importer::ReadOptions& files) try {
  Diagnostics diagnostics;
  auto result = converted(bytes, name, options, files, diagnostics);
  diagnostics.sort();
  std::vector<Problem> problems = public_problems(diagnostics.all());
  if (!result || diagnostics.has_errors()) return Failed{std::move(problems)};
  result->remarks = std::move(problems);
  return *std::move(result);
} catch (const model::Stopped& stopped) {
  return Failed{public_problems(model::stopped_failure(stopped))};
}

}  // namespace

Outcome<ConvertedModel> convert_model(ByteView model, std::string_view name, const ConvertOptions& options) {
  return converted(Bytes(model.data(), model.size()), std::string(name), options, {});
}

Outcome<ConvertedModel> convert_model_file(const std::filesystem::path& file, const ConvertOptions& options) {
  const Result<MappedFile> mapped = map_file(file);
  if (!mapped) return Failed{public_problems(mapped.error())};
  return converted(mapped->bytes(), file.string(), options, {.directory = directory_of(file)});
}

}  // namespace slipway
