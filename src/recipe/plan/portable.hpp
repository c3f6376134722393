// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the shipped runner refuses in a recipe or profile, or handles differently
// (docs/spec/recipe.md#published-recipe-schema, docs/spec/recipe.md#portability-warnings): warnings of kind
// not-portable, for `check --portable`.
#pragma once

#include "base/diagnostic.hpp"
#include "recipe/model.hpp"

namespace slipway::recipe {

void check_portable(const Recipe& recipe, Diagnostics& diagnostics);
void check_portable(const Profile& profile, Diagnostics& diagnostics);

}  // namespace slipway::recipe
