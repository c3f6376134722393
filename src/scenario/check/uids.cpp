// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uids are unique (docs/spec/scenario.md#files-and-paths); resources that nothing refers to.
#include "base/format.hpp"
#include "scenario/check/context.hpp"
#include "scenario/records/records.hpp"

namespace slipway::scenario {

void check_uids(Context& context) {
  for (std::size_t i = 0; i < context.scenario.resources.size(); ++i) {
    const Resource& resource = context.scenario.resources[i];
    const std::string& uid = uid_of(resource);
    const std::size_t first = context.scenario.by_uid.find(uid)->second;
    if (first == i) continue;
    context.error(object_of(resource)["uid"], DiagnosticKind::DuplicateName, formatted("Not unique uid: {}", uid))
        .note("the first one is here", object_of(context.scenario.resources[first])["uid"].location());
  }
}

std::set<std::string, std::less<>> check_unused(Context& context) {
  std::set<std::string, std::less<>> unused;
  // Objects that were left out may use any of them.
  if (context.scenario.left_out.anything()) return unused;
  for (const Resource& resource : context.scenario.resources) {
    const std::string& uid = uid_of(resource);
    const bool has_result = std::visit(
        [](const auto& one) {
          if constexpr (requires { one.results; }) return !one.results.dst.empty() || !one.results.expect.empty();
          return false;
        },
        resource);
    const bool shared = std::visit(
        [](const auto& one) {
          if constexpr (requires { one.memory_group; }) return one.memory_group.has_value();
          return false;
        },
        resource);
    if (has_result || shared || context.used.contains(uid)) continue;
    unused.insert(uid);
    if (!context.options.checking) continue;
    context.diagnostics.add(json::problem(object_of(resource)["uid"], DiagnosticKind::UnusedResource,
                                          formatted("nothing uses {} `{}`", key_of(resource), uid), Severity::Note));
  }
  return unused;
}

}  // namespace slipway::scenario
