// Metadata for people: what a pipeline takes and does, in tables.
#pragma once

#include <string>

#include "rpl/metadata.hpp"

namespace slipway::rpl {

std::string print_metadata(const Metadata& metadata);

}  // namespace slipway::rpl
