#include "cli/recipe/files.hpp"

#include <cstdlib>

#include "recipe/backends/opencl/backend.hpp"
#include "recipe/backends/xrt/module.hpp"
#include "recipe/vulkan/vulkan_device.hpp"

namespace slipway::cli {

Result<recipe::BackendPtr> Backends::make(recipe::BackendKind kind) {
  if (kind == recipe::BackendKind::OpenCl) return recipe::opencl::open_backend();
  if (kind == recipe::BackendKind::Xrt) return recipe::xrt_module::open_backend();
  const char* from_environment = std::getenv("SLIPWAY_DEVICE");
  if (selector_.empty() && from_environment) selector_ = from_environment;
  return recipe::open_vulkan({.selector = selector_, .cache = cache_}).and_then(recipe::make_vulkan_backend);
}

Result<recipe::BackendPtr> Backends::open(recipe::BackendKind kind) {
  if (const auto known = opened_.find(kind); known != opened_.end()) return known->second;
  Result<recipe::BackendPtr> made = make(kind);
  if (made) opened_.emplace(kind, *made);
  return made;
}

Path artifact_directory(const std::string& dir, const std::string& file) {
  if (!dir.empty()) return dir;
  return file == "-" ? Path() : Path(file).parent_path();
}

SourcePtr read_input(const std::string& file, Diagnostics& diagnostics) {
  return diagnostics.take(read_source(file, file == "-" ? "<stdin>" : file)).value_or(nullptr);
}

std::optional<recipe::SessionRequest> request_of(const RecipeFiles& files, Diagnostics& diagnostics) {
  recipe::SessionRequest request;
  request.recipe = read_input(files.recipe, diagnostics);
  if (!files.profile.empty()) request.profile = read_input(files.profile, diagnostics);
  if (!files.kernels.empty()) request.kernels = read_input(files.kernels, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  request.artifacts = recipe::Artifacts::in_directory(files.directory, files.allow_outside);
  return request;
}

}  // namespace slipway::cli
