// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/bodies/bodies.hpp"

#include "base/format.hpp"

namespace slipway::rpl {

void BodyResolver::forget() {
  scope_.forget();
  code_.forget();
}

void BodyResolver::resolve(std::uint32_t function) {
  const ItemId id = functions_[function].item;
  const Item& item = context_.program->items[id];
  Body& made = code_.begin_body(function);
  made.item = id;
  made.result = functions_[function].result;
  made.arguments = functions_[function].arguments;
  functions_[function].body = code_.body_index();
  out_.functions[function].locals.first = made.locals.first;
  const ReadScope scope(log_, made.consulted, id);
  expressions_.begin();
  scope_.set_function(function);
  scope_.unbind(0);
  bind_arguments(made.arguments);
  const bool ends = statements_.resolve_body(context_.program->stmts[item.body], made.result);
  if (!ends && made.result != kVoid && made.result != kErrorType) {
    context_.error(DiagnosticKind::RplReturnMissing, item.name_range,
                   formatted("`{}` returns `{}`, but a path through it ends without `return`", context_.text(item.name),
                             out_.type_text(made.result)));
  }
  scope_.unbind(0);
  code_.end_body();
}

void BodyResolver::bind_arguments(List arguments) {
  for (std::uint32_t index = arguments.first; index < arguments.first + arguments.count; ++index) {
    const Argument& argument = out_.arguments[index];
    const Range range = context_.program->arguments[argument.declaration].name_range;
    if (scope_.innermost(argument.name) != kNone) {
      context_.error(DiagnosticKind::RplShadow, range,
                     formatted("there is another argument `{}`", context_.text(argument.name)));
      continue;
    }
    if (!scope_.check_name(argument.name, range)) continue;
    scope_.bind(
        {.kind = Binding::Kind::Argument, .name = argument.name, .index = index, .type = argument.type, .at = range});
  }
}

}  // namespace slipway::rpl
