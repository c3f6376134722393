// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/check/context.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "scenario/records/records.hpp"

namespace slipway::scenario {
namespace {

// The names of the alternatives of `Resource` in messages, as the existing runner words them
// (docs/spec/scenario.md#messages).
constexpr std::string_view kKindNames[] = {"Buffer",         "Tensor",        "Image",          "Raw data",
                                           "Shader",         "Data graph",    "Graph constant", "Memory",
                                           "Buffer barrier", "Image barrier", "Tensor barrier"};
static_assert(std::size(kKindNames) == std::variant_size_v<Resource>);

// "Buffer, Image or Tensor"
std::string kind_names(std::span<const std::size_t> kinds) {
  std::string names;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (i > 0) names += i + 1 == kinds.size() ? " or " : ", ";
    names += kKindNames[kinds[i]];
  }
  return names;
}

}  // namespace

std::string kind_with_article(const Resource& resource) {
  const std::string_view key = key_of(resource);
  return formatted("{} {}", key.starts_with('i') ? "an" : "a", key);
}

Diagnostic& Context::error(json::Value at, DiagnosticKind kind, std::string message) {
  return diagnostics.add(json::problem(at, kind, std::move(message)));
}

Diagnostic& Context::warning(json::Value at, DiagnosticKind kind, std::string message) {
  return diagnostics.add(json::problem(at, kind, std::move(message), Severity::Warning));
}

const Resource* Context::follow(const Reference& reference, std::span<const std::size_t> kinds) {
  if (!reference) return nullptr;
  used.insert(reference.uid);
  if (const Resource* found = scenario.find(reference.uid)) {
    if (std::ranges::contains(kinds, found->index())) return found;
    error(reference.at, DiagnosticKind::WrongReference,
          formatted("Resource UID has the wrong type; expected {}. `{}` is {}", kind_names(kinds), reference.uid,
                    kind_with_article(*found)))
        .note(formatted("`{}` is here", reference.uid), location_in(object_of(*found), "uid"));
    return nullptr;
  }
  if (scenario.left_out.may_be(reference.uid)) return nullptr;
  Diagnostic& diagnostic =
      error(reference.at, DiagnosticKind::UnknownReference,
            formatted("{} resource not found. Nothing has the uid `{}`", kind_names(kinds), reference.uid));
  if (!may_search(searches_for_names++, scenario.resources.size())) return nullptr;
  std::vector<std::string_view> uids;
  for (const Resource& one : scenario.resources) {
    if (std::ranges::contains(kinds, one.index())) uids.push_back(uid_of(one));
  }
  if (const auto near = closest(reference.uid, uids))
    diagnostic.suggest(json::inside_quotes(reference.at.location()), *near);
  return nullptr;
}

SourceLocation location_in(json::Value object, std::string_view key) {
  const json::Value member = object[key];
  return member ? member.location() : object.opening();
}

}  // namespace slipway::scenario
