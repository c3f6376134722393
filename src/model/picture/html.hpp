// Pieces of the pages that are written for people.
#pragma once

#include <string>
#include <string_view>

namespace slipway::model {

// Text as it stands in HTML, in attributes too.
std::string escaped(std::string_view text);

// A coordinate: they need no more than a tenth of a pixel.
std::string number(double value);

}  // namespace slipway::model
