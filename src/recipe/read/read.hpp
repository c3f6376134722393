// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads recipes and profiles from JSON, and reports all problems.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "recipe/model.hpp"

namespace slipway::recipe {

struct ReadOptions {
  // The severity of extensions of JSON and of unknown keys: a warning in `run`, an error in `check`
  // (docs/spec/recipe.md#decision-4, docs/spec/recipe.md#decision-5).
  Severity leniency = Severity::Warning;
};

// Parses a document; reports comments and trailing commas. Null after an error.
std::shared_ptr<const json::Document> read_document(SourcePtr source, const ReadOptions& options,
                                                    Diagnostics& diagnostics);

// Nothing if the document is not a JSON object.
std::optional<Recipe> read_recipe(std::shared_ptr<const json::Document> document, const ReadOptions& options,
                                  Diagnostics& diagnostics);
std::optional<Profile> read_profile(std::shared_ptr<const json::Document> document, const ReadOptions& options,
                                    Diagnostics& diagnostics);

// `--kernels`: replaces keys of the recipe's kernels by those of the entries with the same name
// (docs/spec/recipe.md#module-kinds).
void merge_kernels(Recipe& recipe, std::shared_ptr<const json::Document> document, const ReadOptions& options,
                   Diagnostics& diagnostics);

// The JSON Schemas.
std::string recipe_schema();
std::string profile_schema();

}  // namespace slipway::recipe
