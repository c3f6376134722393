// What options give to parts of a model by name: NAME=VALUE.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostic.hpp"
#include "model/standalone/standalone.hpp"

namespace slipway::cli {

// Names of tensors may have any character, so that the last sign counts. Error: usage, of which `form` begins the
// message.
std::optional<std::pair<std::string, std::string>> split_named(const std::string& given, std::string_view form,
                                                               Diagnostics& diagnostics);

// NAME=1x224x224x3. Error: usage.
std::optional<model::NamedShape> named_shape(const std::string& given, Diagnostics& diagnostics);

}  // namespace slipway::cli
