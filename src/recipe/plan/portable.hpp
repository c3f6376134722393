// What the runner that AMD ships refuses in a recipe or profile, or treats otherwise (recipe page 5.3, 5.4): warnings
// of kind not-portable, for `check --portable`.
#pragma once

#include "base/diagnostic.hpp"
#include "recipe/model.hpp"

namespace slipway::recipe {

void check_portable(const Recipe& recipe, Diagnostics& diagnostics);
void check_portable(const Profile& profile, Diagnostics& diagnostics);

}  // namespace slipway::recipe
