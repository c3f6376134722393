// The language described from the tables it is read with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::scenario {

// The JSON Schema (2020-12) of scenario files: what `schema/scenario.schema.json` holds.
std::string schema_text();

// What `check --describe KEY` prints: every place where the key may stand, with its meaning. `key` is a key or a path
// such as `image.mips`. Nothing when there is no such key.
std::optional<std::string> describe(std::string_view key);
// All keys that `describe` knows, sorted: for "did you mean".
std::vector<std::string> describable_keys();

}  // namespace slipway::scenario
