// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths: one resource for each output file (docs/spec/scenario.md#decision-12), and `--confine`.
#include <map>

#include "base/format.hpp"
#include "scenario/check/context.hpp"
#include "scenario/paths.hpp"

namespace slipway::scenario {
namespace {

void check_output(Context& context, std::map<Path, json::Value>& outputs, const std::string& dst, json::Value at) {
  if (dst.empty()) return;
  const Path path = output_path(context.scenario, dst, context.options.output);
  const auto [first, fresh] = outputs.emplace(path.lexically_normal(), at);
  if (!fresh) {
    context
        .error(at, DiagnosticKind::OutputConflict, formatted("two resources are written to {}", first->first.string()))
        .note("the other one is here", first->second.location());
  }
  const Path& output = context.options.output;
  if (!context.options.confine || is_inside(path, context.scenario.directory)) return;
  if (!output.empty() && is_inside(path, output)) return;
  context.error(at, DiagnosticKind::PathOutside,
                formatted("{} is outside of the scenario's directory, to which --confine keeps it", path.string()));
}

void check_input(Context& context, std::string_view src, json::Value at) {
  if (src.empty() || !context.options.confine) return;
  const Path path = source_path(context.scenario, src);
  if (is_inside(path, context.scenario.directory)) return;
  context.error(at, DiagnosticKind::PathOutside,
                formatted("{} is outside of the scenario's directory, to which --confine keeps it", path.string()));
}

}  // namespace

void check_paths(Context& context) {
  std::map<Path, json::Value> outputs;
  for (const Resource& resource : context.scenario.resources) {
    std::visit(
        [&](const auto& one) {
          if constexpr (requires { one.src; }) check_input(context, one.src, one.at["src"]);
          if constexpr (requires { one.contents; }) check_input(context, one.contents.src, one.at["src"]);
          if constexpr (requires { one.results; }) {
            check_output(context, outputs, one.results.dst, one.at["dst"]);
            for (const Expect& expect : one.results.expect) check_input(context, expect.src, expect.at["src"]);
          }
          if constexpr (requires { one.modules; }) {
            for (const json::Value module : one.at["modules"]) check_input(context, module.string(), module);
          }
          if constexpr (requires { one.include_dirs; }) {
            for (const json::Value dir : one.at["include_dirs"]) check_input(context, dir.string(), dir);
          }
        },
        resource);
  }
}

}  // namespace slipway::scenario
