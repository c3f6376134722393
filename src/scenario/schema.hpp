// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of the language, generated from the tables that it is read with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::scenario {

// The JSON Schema (2020-12) of scenario files: the contents of `schema/scenario.schema.json`.
std::string schema_text();

// The output of `check --describe KEY`: every object that may have the key, with its meaning. `key` is a key or a path
// such as `image.mips`. Empty when there is no such key.
std::optional<std::string> describe(std::string_view key);
// All keys that `describe` knows, sorted: for "did you mean".
std::vector<std::string> describable_keys();

}  // namespace slipway::scenario
