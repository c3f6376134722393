// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/recipe/files.hpp"

#include "base/system/protected_inputs.hpp"
#include "model/graph_target.hpp"

namespace slipway::cli {

Path artifact_directory(const std::string& dir, const std::string& file) {
  if (!dir.empty()) return dir;
  return file == "-" ? Path() : Path(file).parent_path();
}

SourcePtr read_input(const std::string& file, Diagnostics& diagnostics) {
  protect_input(file);
  return diagnostics.take(read_source(file, file == "-" ? "<stdin>" : file)).value_or(nullptr);
}

std::optional<recipe::SessionOptions> session_options(const RecipeFiles& files, Diagnostics& diagnostics) {
  recipe::SessionOptions options;
  options.recipe = read_input(files.recipe, diagnostics);
  if (!files.profile.empty()) options.profile = read_input(files.profile, diagnostics);
  if (!files.kernels.empty()) options.kernels = read_input(files.kernels, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  options.artifacts = recipe::Artifacts::in_directory(files.directory, files.allow_outside);
  return options;
}

int report_recipe_check(Diagnostics& diagnostics, const ReportStyle& style, std::span<const std::string> files) {
  const int status = report_check(diagnostics, style, files);
  return status == 0 || status == static_cast<int>(ExitClass::Failed) ? status : 3;
}

recipe::PlanOptions plan_options(const RecipeGroup& options, const EngineGroup& engine, const RunGroup& run) {
  return {.backend = recipe::kernel_backend_from_name(options.backend),
          .cache = cache_of(run.no_cache),
          .graphs = std::make_shared<model::GraphChoices>(graph_choices(engine, run.device, options.emulate)),
          .emulates = emulates(engine, options.emulate)};
}

}  // namespace slipway::cli
