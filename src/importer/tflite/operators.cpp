// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/operators.hpp"

#include <string_view>
#include <unordered_map>

namespace slipway::importer {

EmitNode find_tflite_operator(std::string_view domain, std::string_view kind) {
  static const std::unordered_map<std::string_view, EmitNode> builtin{
#define TFLITE_OPERATOR(name) {#name, emit_tflite_##name},
#define TFLITE_CUSTOM(name)
#include "importer/tflite/converted.def"
#undef TFLITE_CUSTOM
#undef TFLITE_OPERATOR
  };
  static const std::unordered_map<std::string_view, EmitNode> custom{
#define TFLITE_OPERATOR(name)
#define TFLITE_CUSTOM(name) {#name, emit_tflite_custom_##name},
#include "importer/tflite/converted.def"
#undef TFLITE_CUSTOM
#undef TFLITE_OPERATOR
  };
  const auto& operators = domain.empty() ? builtin : custom;
  const auto found = operators.find(kind);
  return found == operators.end() ? nullptr : found->second;
}

}  // namespace slipway::importer
