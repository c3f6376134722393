// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of options that name a part of a model: NAME=VALUE.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostic.hpp"
#include "model/standalone/standalone.hpp"

namespace slipway::cli {

// Splits at the last `=`, because names of tensors may contain any character. Error: usage, with a message that begins
// with `form`.
std::optional<std::pair<std::string, std::string>> split_named(const std::string& given, std::string_view form,
                                                               Diagnostics& diagnostics);

// NAME=1x224x224x3. Error: usage.
std::optional<model::NamedShape> named_shape(const std::string& given, Diagnostics& diagnostics);

}  // namespace slipway::cli
