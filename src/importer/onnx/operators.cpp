// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/operators.hpp"

#include <string>
#include <unordered_map>

namespace slipway::importer {

EmitNode find_onnx_operator(std::string_view domain, std::string_view kind) {
  static const std::unordered_map<std::string, EmitNode> operators{
#define ONNX_OPERATOR(of, name) {#of "." #name, emit_##of##_##name},
#include "importer/onnx/operators.def"
#undef ONNX_OPERATOR
  };
  const std::string_view prefix = domain.empty() ? "onnx." : domain == "com.microsoft" ? "microsoft." : "";
  if (prefix.empty()) return nullptr;
  const auto found = operators.find(std::string(prefix) + std::string(kind));
  return found == operators.end() ? nullptr : found->second;
}

}  // namespace slipway::importer
