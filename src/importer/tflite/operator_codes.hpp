// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The builtin operators of TensorFlow Lite.
#pragma once

#include <cstdint>
#include <string_view>

namespace slipway::importer {

inline constexpr std::int32_t kCustomOperator = 32;

struct BuiltinOperator {
  std::int32_t code;
  std::string_view name;
  std::uint8_t options, options_2;  // which tables of the two unions it has; 0: none that is read
};

// Null for an unknown code or name.
const BuiltinOperator* builtin_operator(std::int64_t code);
const BuiltinOperator* builtin_operator(std::string_view name);

}  // namespace slipway::importer
