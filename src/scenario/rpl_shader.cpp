#include "scenario/rpl_shader.hpp"

#include <format>

namespace slipway::scenario {

std::optional<RplCode> compile_rpl(const Scenario& /*scenario*/, const Shader& shader, const ShaderSource& /*source*/,
                                   Diagnostics& diagnostics) {
  const json::Value at = shader.at["type"] ? shader.at["type"] : shader.at["src"];
  diagnostics.add(
      json::problem(at, DiagnosticKind::Unsupported,
                    std::format("shader `{}` is written in RPL, which this build cannot compile", shader.uid)));
  return std::nullopt;
}

}  // namespace slipway::scenario
