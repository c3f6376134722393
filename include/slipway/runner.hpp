// The runner under the name of its class: slipway/recipe.hpp.
#pragma once

#include "slipway/recipe.hpp"  // IWYU pragma: export
