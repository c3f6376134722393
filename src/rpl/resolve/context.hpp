// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The environment that the passes of a resolve share: its inputs, the tables of the result, and the diagnostics.
//
// The passes, in their order (resolve.cpp):
//
//   ConstantResolver     constants.hpp     options, constants, compile-time expressions, conditionals
//   DeclarationResolver  declarations.hpp  containers, buffers, samplers, images and their numbers
//   SettingResolver      settings.hpp      settings and color outputs
//   FunctionTable        functions.hpp     signatures, entry points
//   CachedBodies         body_cache.hpp    bodies: those of earlier variants, or of a BodyResolver (bodies.hpp)
//   CallGraph            call_graph.hpp    recursion, stages, unused functions
//
// Each reads the results of earlier passes and writes the tables of Resolved that its header names. TypeResolver
// (types.hpp) is used by several passes: a struct is resolved when something first needs it.
//
// The passes keep their memory between resolves: vectors are cleared, not freed. The tables that code refers to are not
// even cleared between the variants of one program: body_cache.hpp.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rpl/resolve.hpp"
#include "rpl/resolved.hpp"

namespace slipway::rpl {

struct Context {
  const Program* program = nullptr;
  const ResolveOptions* options = nullptr;
  const Assignment* assignment = nullptr;
  bool metadata_only = false;  // there are no entry points
  Diagnostics* diagnostics = nullptr;
  Resolved out;
  std::uint32_t suggestions = 0;  // computed so far

  const Expr& expr(ExprId id) const { return program->exprs[id]; }
  // An argument of a call or constructor.
  ExprId argument(const Expr& node, std::uint32_t index) const { return program->lists[node.b + index]; }
  std::string_view text(NameId name) const { return program->text(name); }
  SourceLocation location(Range range) const { return program->location(range); }
  Value value_in_force(OptionId option) const {
    return assignment->has(option) ? assignment->values[option] : program->options[option].initial;
  }

  // Cold: what leads to a diagnostic is kept out of the way of programs without any.
  [[gnu::cold]] Diagnostic& error(DiagnosticKind kind, Range range, std::string message) const {
    return diagnostics->error(kind, location(range), std::move(message));
  }
  [[gnu::cold]] Diagnostic& warning(DiagnosticKind kind, Range range, std::string message) const {
    return diagnostics->warning(kind, location(range), std::move(message));
  }
  // The search for the nearest name is slow; a program with thousands of errors gets only some suggestions.
  bool may_suggest() {
    constexpr std::uint32_t kMaxSuggestions = 200;
    return suggestions++ < kMaxSuggestions;
  }
};

template <class T>
std::span<T> part(std::vector<T>& all, List list) {
  return std::span(all).subspan(list.first, list.count);
}
template <class T>
std::span<const T> part(const std::vector<T>& all, List list) {
  return std::span(all).subspan(list.first, list.count);
}
// The entries from an index to the end.
template <class T>
List list_from(std::size_t first, const std::vector<T>& all) {
  return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(all.size() - first)};
}

}  // namespace slipway::rpl
