// Definitions that no entry point reaches are checked, too: what is found there is a warning (RPL page 2, decision 9).

#include "base/format.hpp"
#include "rpl/resolve/context.hpp"

namespace slipway::rpl {

void Resolver::State::check_unused(bool bodies) {
  Diagnostics found;
  Diagnostics* const outer = std::exchange(diagnostics, &found);
  const std::size_t structs = out.structs.size(), members = out.members.size(), arguments = out.arguments.size();
  const std::size_t first_function = functions.size(), locals = out.locals.size(), code = out.code.size();
  record_order = false;
  const auto convert = [&](std::string_view what, NameId name) {
    for (const Diagnostic& inner : found.all()) {
      if (inner.severity != Severity::Error) continue;
      Diagnostic& problem = outer->warning(
          DiagnosticKind::RplUnusedDefinition, inner.location,
          formatted("in the unused {} `{}`: {} ({})", what, text(name), inner.message, name_of(inner.kind)));
      problem.notes = inner.notes;
      problem.suggestions = inner.suggestions;
    }
    found = {};
  };
  for (ItemId id = 0; id < program->items.size(); ++id) {
    const Item& item = program->items[id];
    if (item.kind != ItemKind::Struct && (item.kind != ItemKind::Function || !bodies)) continue;
    sink = &unrecorded;
    user = id;
    if (!is_active(id)) continue;
    if (item.kind == ItemKind::Struct) {
      if (struct_state[id] == Activity::Unknown) resolve_struct(id);
    } else if (function_of[id] == kNone) {
      declare_function(id);
    }
    convert(word_of(item.kind), item.name);
  }
  const std::size_t edge = edges.size();
  for (std::size_t i = first_function; i < functions.size(); ++i) {
    resolve_body(static_cast<std::uint32_t>(i));
    convert("function", program->items[functions[i].item].name);
  }
  check_recursion();
  convert("function", functions.empty() ? kNoName : program->items[functions.back().item].name);
  record_order = true;
  diagnostics = outer;
  // What was made is not part of the result. Types may stay: nothing refers to them.
  functions.resize(first_function, {});
  out.functions.resize(first_function);
  out.structs.resize(structs);
  out.members.resize(members);
  out.arguments.resize(arguments);
  out.locals.resize(locals);
  out.code.resize(code);
  edges.resize(edge);
}

}  // namespace slipway::rpl
