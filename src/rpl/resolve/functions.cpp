// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/functions.hpp"

#include <array>

#include "base/format.hpp"
#include "rpl/resolve/bodies/body_cache.hpp"

namespace slipway::rpl {

std::uint32_t FunctionTable::find(NameId name) {
  log_.note(Lookup::Kind::Function, name);
  const ItemId found = constants_.active_of_name(context_.program->first_function[name]);
  return found == kNone ? kNone : declare(found);
}

std::uint32_t FunctionTable::declare(ItemId id) {
  if (function_of_[id] != kNone) return function_of_[id];
  function_of_[id] = size();
  FunctionState state{.item = id, .body = cache_.find(id)};
  {
    const ReadScope scope(log_, state.consulted, id);
    if (state.body != kNone) {
      cache_.reuse_signature(state);
    } else {
      const LookupWindow window = log_.open_window();
      resolve_signature(state);
      state.lookups = log_.close_window(window);
      state.clean = log_.is_clean(window);
    }
  }
  out_.functions.push_back(
      {.name = context_.program->items[id].name, .item = id, .result = state.result, .arguments = state.arguments});
  functions_.push_back(std::move(state));
  return function_of_[id];
}

void FunctionTable::begin() {
  functions_.clear();
  assign_none(function_of_, context_.program->items.size());
}

void FunctionTable::truncate(std::uint32_t count) {
  functions_.resize(count, {});
  out_.functions.resize(count);
}

void FunctionTable::repeat(List lookups) {
  const ReadScope scope(log_, log_.unrecorded);
  for (std::uint32_t i = lookups.first; i < lookups.first + lookups.count; ++i) {
    const Lookup lookup = log_.lookup(i);
    if (lookup.kind == Lookup::Kind::Function) {
      find(lookup.of);
    } else {
      types_.repeat(lookup);
    }
  }
}

void FunctionTable::resolve_signature(FunctionState& state) {
  const Item& item = context_.program->items[state.item];
  state.result = types_.resolve_type(item.type, false);
  const Type& result = out_.types[state.result];
  if (result.opaque || result.has_tail) {
    context_.error(DiagnosticKind::RplReturnType, context_.program->types[item.type].range,
                   formatted("a function cannot return `{}`", context_.text(context_.program->types[item.type].name)));
    state.result = kErrorType;
  }
  state.arguments.first = static_cast<std::uint32_t>(out_.arguments.size());
  for (std::uint32_t i = item.arguments.first; i < item.arguments.first + item.arguments.count; ++i) {
    const ArgumentDecl& declared = context_.program->arguments[i];
    if (!constants_.condition_holds(declared.condition, false)) continue;
    TypeId type = types_.resolve_type(declared.type, false);
    const Type& of = out_.types[type];
    const Range range = context_.program->types[declared.type].range;
    if (type == kVoid || of.has_tail || (of.opaque && of.kind == TypeKind::Array)) {
      context_.error(DiagnosticKind::RplArgType, range, formatted("an argument cannot be `{}`", out_.type_text(type)));
      type = kErrorType;
    } else if (of.opaque && declared.access != Access::In) {
      context_.error(DiagnosticKind::RplArgType, range, "samplers and images are `in` arguments only");
      type = kErrorType;
    }
    out_.arguments.emplace_back(declared.name, declared.access, type, i);
  }
  state.arguments.count = static_cast<std::uint32_t>(out_.arguments.size()) - state.arguments.first;
  constexpr std::uint32_t kMaxArguments = 255;  // SPIR-V 1.6, 2.17 universal limits
  if (state.arguments.count > kMaxArguments) {
    context_.error(DiagnosticKind::RplArgCount, item.name_range,
                   formatted("`{}` has {} arguments, and a function has {} at most", context_.text(item.name),
                             state.arguments.count, kMaxArguments));
  }
}

void FunctionTable::check_names() {
  log_.sink = &log_.unrecorded;
  for (const ItemId id : context_.program->contested) {
    const Item& item = context_.program->items[id];
    const bool structure = item.kind == ItemKind::Struct;
    const ItemId first = (structure ? context_.program->first_struct : context_.program->first_function)[item.name];
    if (first == id && item.next_same_name != kNone) constants_.active_of_name(id);
    if (structure) continue;
    const BuiltinFunction* const builtin = find_builtin(item.name);
    if (!builtin || !constants_.is_active(id)) continue;
    if (info_of(builtin->id).origin == BuiltinOrigin::Base) {
      context_.error(DiagnosticKind::RplBuiltinName, item.name_range,
                     formatted("`{}` is a built-in function", context_.text(item.name)));
    } else {
      context_.warning(DiagnosticKind::RplBuiltinName, item.name_range,
                       formatted("this function hides the built-in function `{}`", context_.text(item.name)));
    }
  }
}

void FunctionTable::resolve_entry_points(std::span<const EntryPointName> names) {
  std::array<const EntryPointName*, kStageCount> chosen{};
  for (const EntryPointName& name : names) {
    const auto index = static_cast<std::size_t>(name.stage);
    if ((name.stage == Stage::Compute) != (context_.options->pipeline == PipelineKind::Compute)) {
      context_.diagnostics->error(
          DiagnosticKind::RplStage, SourceLocation::nowhere(),
          formatted("a {} pipeline has no {} stage",
                    context_.options->pipeline == PipelineKind::Compute ? "compute" : "graphics", name_of(name.stage)));
    } else if (chosen[index]) {
      context_.diagnostics->error(DiagnosticKind::RplEntryTwice, SourceLocation::nowhere(),
                                  formatted("the {} stage has two entry points, `{}` and `{}`", name_of(name.stage),
                                            chosen[index]->function, name.function));
    } else {
      chosen[index] = &name;
    }
  }
  for (const EntryPointName* const name : chosen) {
    if (!name) continue;
    Consulted own;
    const ReadScope scope(log_, own, kNone - 1);
    const NameId id = context_.program->names.find(name->function);
    const std::uint32_t found = id == kNoName || id >= context_.program->first_function.size() ? kNone : find(id);
    if (found == kNone) {
      Diagnostic& problem = context_.diagnostics->error(
          DiagnosticKind::RplEntryMissing, SourceLocation::nowhere(),
          formatted("there is no function `{}` for the {} stage", name->function, name_of(name->stage)));
      if (id != kNoName && id < context_.program->first_function.size() &&
          context_.program->first_function[id] != kNone) {
        constants_.note_disabled(problem, context_.program->first_function[id]);
      }
      continue;
    }
    const Item& item = context_.program->items[functions_[found].item];
    if ((functions_[found].result != kVoid && functions_[found].result != kErrorType) ||
        functions_[found].arguments.count != 0) {
      context_.error(DiagnosticKind::RplEntrySignature, item.name_range,
                     formatted("the entry point `{}` must be `void {} (void)`", context_.text(item.name),
                               context_.text(item.name)));
    }
    out_.consulted.stages[static_cast<std::size_t>(name->stage)].merge(own);
    out_.entry_points.push_back({name->stage, found});
  }
}

}  // namespace slipway::rpl
