// Recipes from files, and the back ends that run them: what `slipway run` and `xrt-runner` have in common.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "recipe/session.hpp"

namespace slipway::cli {

// Opens each back end at most once.
class Backends {
 public:
  Backends(std::string selector, Cache cache) : selector_(std::move(selector)), cache_(std::move(cache)) {}
  Result<recipe::BackendPtr> open(recipe::BackendKind kind);

 private:
  std::string selector_;
  Result<recipe::BackendPtr> make(recipe::BackendKind kind);

  Cache cache_;
  std::map<recipe::BackendKind, recipe::BackendPtr> opened_;
};

struct RecipeFiles {
  std::string recipe, profile, kernels;  // empty: none; the recipe may be `-`
  Path directory;                        // of the artifacts
  bool allow_outside = false;
};

// Null with the problem in `diagnostics`.
SourcePtr read_input(const std::string& file, Diagnostics& diagnostics);
// Where the files are that `file` names: what `--dir` says, else its own directory; the current one for standard input.
Path artifact_directory(const std::string& dir, const std::string& file);
// The request for these files; nothing when one cannot be read.
std::optional<recipe::SessionRequest> request_of(const RecipeFiles& files, Diagnostics& diagnostics);

}  // namespace slipway::cli
