// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conformance/scenarios/scenario_text.hpp"

#include "base/format.hpp"
#include "json/writer.hpp"

namespace slipway::conformance {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",\n  ") + part;
  return text;
}

}  // namespace

std::string number_list(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) append_formatted(text, "{}{}", text.empty() ? "" : ", ", value);
  return "[" + text + "]";
}

std::string compute_shader(std::string_view code, std::string_view more) {
  return formatted(R"({{"shader": {{"uid": "shader", "type": "GLSL", "source": {}{}}}}})",
                   json::quoted(formatted("#version 460\n{}", code)), more);
}

std::string buffer_with(std::string_view uid, std::string_view type, const std::vector<double>& values) {
  return formatted(R"({{"buffer": {{"uid": "{}", "size": {}, "shader_access": "readonly", )"
                   R"("data": {{"type": "{}", "values": {}}}}}}})",
                   uid, 4 * values.size(), type, number_list(values));
}

std::string buffer_expecting(std::string_view uid, std::string_view type, const std::vector<double>& values,
                             double tolerance) {
  return formatted(R"({{"buffer": {{"uid": "{}", "size": {}, "shader_access": "readwrite", )"
                   R"("expect": {{"type": "{}", "data": {}, "abs": {}}}}}}})",
                   uid, 4 * values.size(), type, number_list(values), tolerance);
}

std::string dispatch(const std::vector<std::string>& resources, std::string_view groups, std::string_view more) {
  std::string bindings;
  for (std::size_t i = 0; i < resources.size(); ++i) {
    append_formatted(bindings, R"({}{{"set": 0, "id": {}, "resource_ref": "{}"}})", i == 0 ? "" : ", ", i,
                     resources[i]);
  }
  return formatted(R"({{"dispatch_compute": {{"shader_ref": "shader", "rangeND": {}, "bindings": [{}]{}}}}})", groups,
                   bindings, more);
}

std::string scenario_of(const std::vector<std::string>& resources, const std::vector<std::string>& commands) {
  return formatted("{{\"resources\": [\n  {}\n ], \"commands\": [\n  {}\n ]}}\n", joined(resources), joined(commands));
}

}  // namespace slipway::conformance
