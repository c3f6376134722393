// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/unused.hpp"

#include "base/format.hpp"

namespace slipway::rpl {

void UnusedCheck::run(bool bodies) {
  Resolved& out = context_.out;
  outer_ = std::exchange(context_.diagnostics, &found_);
  const std::size_t structs = out.structs.size(), members = out.members.size(), arguments = out.arguments.size();
  const std::size_t locals = out.locals.size(), code = out.code.size(), edges = tables_.edges.size();
  const std::uint32_t first_function = functions_.size();
  log_.set_recording(false);
  check_structs_and_signatures(bodies);
  check_bodies(first_function);
  log_.set_recording(true);
  context_.diagnostics = outer_;
  // What was added is not part of the result. Types may stay: nothing refers to them.
  functions_.truncate(first_function);
  out.structs.resize(structs);
  out.members.resize(members);
  out.arguments.resize(arguments);
  out.locals.resize(locals);
  out.code.resize(code);
  tables_.edges.resize(edges);
}

void UnusedCheck::check_structs_and_signatures(bool bodies) {
  for (ItemId id = 0; id < context_.program->items.size(); ++id) {
    const Item& item = context_.program->items[id];
    if (item.kind != ItemKind::Struct && (item.kind != ItemKind::Function || !bodies)) continue;
    log_.sink = &log_.unrecorded;
    log_.item = id;
    if (!constants_.is_active(id)) continue;
    if (item.kind == ItemKind::Struct) {
      if (!types_.is_resolved(id)) types_.resolve_struct(id);
    } else if (functions_.index_of(id) == kNone) {
      functions_.declare(id);
    }
    convert(word_of(item.kind), item.name);
  }
}

void UnusedCheck::check_bodies(std::uint32_t first) {
  for (std::uint32_t i = first; i < functions_.size(); ++i) {
    resolver_.resolve(i);
    convert("function", context_.program->items[functions_[i].item].name);
  }
  graph_.check_recursion();
  const std::uint32_t count = functions_.size();
  convert("function", count == 0 ? kNoName : context_.program->items[functions_[count - 1].item].name);
}

void UnusedCheck::convert(std::string_view what, NameId name) {
  for (const Diagnostic& inner : found_.all()) {
    if (inner.severity != Severity::Error) continue;
    Diagnostic& problem = outer_->warning(
        DiagnosticKind::RplUnusedDefinition, inner.location,
        formatted("in the unused {} `{}`: {} ({})", what, context_.text(name), inner.message, name_of(inner.kind)));
    problem.notes = inner.notes;
    problem.suggestions = inner.suggestions;
  }
  found_ = {};
}

}  // namespace slipway::rpl
