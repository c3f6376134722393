// Reads recipes and profiles from JSON, problems and all.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "recipe/model.hpp"

namespace slipway::recipe {

struct ReadOptions {
  // Of what plain JSON does not have and of unknown keys: a warning in `run`, an error in `check` (decisions 4 and 5).
  Severity leniency = Severity::Warning;
};

enum class InputKind { Recipe, Replay, Jobs, Profile };
// Told by the keys (page 3.1); nothing for anything else.
std::optional<InputKind> kind_of_input(json::Value root);

// The document, with a warning for comments and trailing commas.
std::shared_ptr<const json::Document> read_document(SourcePtr source, const ReadOptions& options,
                                                    Diagnostics& diagnostics);

// Nothing when the text is no JSON object.
std::optional<Recipe> read_recipe(std::shared_ptr<const json::Document> document, const ReadOptions& options,
                                  Diagnostics& diagnostics);
std::optional<Profile> read_profile(std::shared_ptr<const json::Document> document, const ReadOptions& options,
                                    Diagnostics& diagnostics);

// `--kernels`: replaces keys of the recipe's kernels by those of the entries with their names (page 3.3.4).
void merge_kernels(Recipe& recipe, std::shared_ptr<const json::Document> document, const ReadOptions& options,
                   Diagnostics& diagnostics);

// The JSON Schemas of both.
std::string recipe_schema();
std::string profile_schema();

}  // namespace slipway::recipe
