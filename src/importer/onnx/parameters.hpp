// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters that were attributes in old versions of ONNX and are operands in new ones.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "importer/emit/node_context.hpp"

namespace slipway::importer {

// A list that is the operand `i` from version `since` on, and an attribute before. Empty: it is absent.
std::optional<std::vector<std::int64_t>> list_parameter(const NodeContext& node, std::string_view name, std::size_t i,
                                                        std::int64_t since);
// One integer of a known operand. Refused: it has several.
std::int64_t integer_operand(const NodeContext& node, std::size_t i, std::string_view name);
// The type whose number an attribute has. Refused: no numbers have it.
FileType type_attribute(const NodeContext& node, std::string_view name, FileType otherwise);

}  // namespace slipway::importer
