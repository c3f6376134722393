// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/recipe/files.hpp"

#include "base/system/protected_inputs.hpp"

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

}  // namespace slipway::cli
