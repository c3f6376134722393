// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/bodies/local_scope.hpp"

#include "base/format.hpp"

namespace slipway::rpl {

void LocalScope::begin() {
  bindings_.clear();
  local_binding_.clear();
  visible_ = kNone;
}

void LocalScope::forget() { assign_none(local_of_, context_.program->names.size()); }

std::uint32_t LocalScope::bind(const Binding& binding) {
  const auto index = static_cast<std::uint32_t>(bindings_.size());
  bindings_.emplace_back(binding.kind, binding.written, false, binding.name, binding.index, binding.type, kNone,
                         local_of_[binding.name], binding.at);
  local_of_[binding.name] = index;
  return index;
}

void LocalScope::bind_local(const Binding& binding) {
  local_binding_.resize(binding.index - context_.out.functions[function_].locals.first);
  local_binding_.push_back(bind(binding));
}

void LocalScope::unbind(std::size_t count) {
  while (bindings_.size() > count) {
    local_of_[bindings_.back().name] = bindings_.back().previous;
    bindings_.pop_back();
  }
}

bool LocalScope::check_name(NameId name, Range range) const {
  const std::uint32_t local = local_of_[name];
  if (local != kNone && bindings_[local].kind != Binding::Kind::Argument) {
    context_
        .error(DiagnosticKind::RplShadow, range,
               formatted("`{}` is already a variable or alias here", context_.text(name)))
        .note("the first declaration", context_.location(bindings_[local].at));
    return false;
  }
  if (local != kNone) {
    context_.warning(DiagnosticKind::RplShadowArgument, range, formatted("`{}` hides an argument", context_.text(name)))
        .note("the argument", context_.location(bindings_[local].at));
    return true;
  }
  const ItemId item = constants_.bound(name);
  if (item == kNone) return true;
  if (context_.program->items[item].kind == ItemKind::Constant) {
    context_.warning(DiagnosticKind::RplShadowArgument, range, formatted("`{}` hides a constant", context_.text(name)))
        .note("the constant", context_.location(context_.program->items[item].name_range));
    return true;
  }
  context_
      .error(DiagnosticKind::RplShadow, range,
             formatted("a local cannot have the name of the {} `{}`", word_of(context_.program->items[item].kind),
                       context_.text(name)))
      .note(formatted("`{}` is declared here", context_.text(name)),
            context_.location(context_.program->items[item].name_range));
  return false;
}

}  // namespace slipway::rpl
