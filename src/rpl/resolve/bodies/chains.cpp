// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/bodies/chains.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "rpl/resolve/bodies/expressions.hpp"

namespace slipway::rpl {

void ChainResolver::open_chain(Chain& chain, ExprResult base) {
  chain.result = base;
  chain.mark = step_stack_.size();
  chain.is_lvalue = base.kind == ResultKind::LValue;
  if (!chain.is_lvalue) return;
  const LValue& from = out_.lvalues[base.index];
  chain.root = from.root;
  chain.index = from.index;
  for (std::uint32_t i = 0; i < from.steps.count; ++i) step_stack_.push_back(out_.steps[from.steps.first + i]);
}

// The same for the name of a variable or argument, which then needs no lvalue of its own.
bool ChainResolver::open_variable(Chain& chain, const Expr& node) {
  if (node.kind != ExprKind::Name) return false;
  const std::uint32_t local = scope_.innermost(node.a);
  if (!scope_.is_visible(local)) return false;
  const Binding& binding = scope_[local];
  if (binding.type == kErrorType) return false;  // aliases, too
  chain.result = {.kind = ResultKind::LValue, .type = binding.type};
  chain.mark = step_stack_.size();
  chain.is_lvalue = true;
  chain.root = binding.kind == Binding::Kind::Local ? LValueRoot::Local : LValueRoot::Argument;
  chain.index = binding.index;
  return true;
}

ExprResult ChainResolver::close_chain(const Chain& chain) {
  if (!chain.is_lvalue || chain.result.kind != ResultKind::LValue) {
    truncate(step_stack_, chain.mark);
    return chain.result;
  }
  const List steps{static_cast<std::uint32_t>(out_.steps.size()),
                   static_cast<std::uint32_t>(step_stack_.size() - chain.mark)};
  for (std::size_t i = chain.mark; i < step_stack_.size(); ++i) out_.steps.push_back(step_stack_[i]);
  truncate(step_stack_, chain.mark);
  out_.lvalues.emplace_back(chain.root, chain.index, steps, chain.result.type);
  return {ResultKind::LValue, chain.result.form, chain.result.type,
          static_cast<std::uint32_t>(out_.lvalues.size()) - 1};
}

// `base.a[i].b`: the whole chain becomes one lvalue, or one value and what is extracted from it.
ExprResult ChainResolver::resolve_postfix(ExprId expression) {
  const std::size_t mark = chain_stack_.size();
  ExprId base = expression;
  for (; context_.expr(base).kind == ExprKind::Member || context_.expr(base).kind == ExprKind::Index;
       base = context_.expr(base).a) {
    chain_stack_.push_back(base);
  }
  Chain chain;
  if (!open_variable(chain, context_.expr(base))) open_chain(chain, expressions_.resolve_expression(base));
  while (chain_stack_.size() > mark) {
    const Expr& node = context_.expr(chain_stack_.back());
    chain_stack_.pop_back();
    if (node.kind == ExprKind::Index) {
      step_index(chain, node);
    } else if (chain.result.kind == ResultKind::Container) {
      step_container(chain, node);
    } else if (chain.result.kind == ResultKind::Buffer) {
      step_buffer(chain, node);
    } else {
      step_member(chain, node);
    }
  }
  return close_chain(chain);
}

// The number of words of a constant of this type: vectors, matrices, and structs of these.
std::uint32_t ChainResolver::plain_words(TypeId type) const {
  if (is_vector(type) || is_matrix(type)) return word_count(type);
  const List members = out_.structs[out_.types[type].index].members;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < members.count; ++i) count += plain_words(out_.members[members.first + i].type);
  return count;
}

void ChainResolver::add_step(Chain& chain, Step step, TypeId type, Range range) {
  if (type == kErrorType) {
    chain.result = {};
    return;
  }
  if (chain.is_lvalue) {
    step_stack_.push_back(step);
  } else if (is_constant(chain.result.index) && (is_vector(chain.result.type) || is_matrix(chain.result.type))) {
    const std::uint32_t count = word_count(type);
    std::array<std::uint32_t, 4> words{};
    const auto from = code_.words_of(chain.result.index).subspan(step.value * count, count);
    std::ranges::copy(from, words.begin());
    chain.result.index = code_.add_constant(type, std::span(words).first(count));
  } else if (is_constant(chain.result.index) && out_.types[chain.result.type].kind == TypeKind::Struct) {
    const List members = out_.structs[out_.types[chain.result.type].index].members;
    std::uint32_t first = 0;
    for (std::uint32_t i = 0; i < step.value; ++i) first += plain_words(out_.members[members.first + i].type);
    chain.result.index = code_.add_constant(type, code_.words_of(chain.result.index).subspan(first, plain_words(type)));
  } else {
    chain.result.index = code_.emit(Op::Extract, type, range, chain.result.index, step.value);
  }
  chain.result.type = type;
}

void ChainResolver::step_swizzle(Chain& chain, std::uint32_t swizzle, TypeId type, Range range) {
  if (chain.is_lvalue) {
    // The vector is read as a whole; what is extracted from it is a value.
    const ExprResult whole = access_.load(close_chain(chain), range);
    chain.is_lvalue = false;
    chain.result = whole;
    if (whole.kind != ResultKind::Value) return;
  }
  const std::uint32_t count = item_count(type);
  if (is_constant(chain.result.index)) {
    std::array<std::uint32_t, 4> words{};
    const auto from = code_.words_of(chain.result.index);
    for (std::uint32_t i = 0; i < count; ++i) words[i] = from[swizzle >> 2 * i & 3];
    chain.result = code_.value_of(code_.add_constant(type, std::span(words).first(count)));
  } else if (count == 1) {
    chain.result = code_.value_of(code_.emit(Op::Extract, type, range, chain.result.index, swizzle & 3));
  } else {
    chain.result = code_.value_of(code_.emit(Op::Swizzle, type, range, chain.result.index, swizzle));
  }
  chain.result.form = ResultForm::Swizzle;
}

void ChainResolver::step_alias(Chain& chain, const FieldAlias& alias, Range range) {
  if (alias.type == kErrorType) {
    chain.result = {};
    return;
  }
  for (std::uint32_t i = 0; i < alias.steps.count && chain.result.kind != ResultKind::Error; ++i) {
    const Step step = types_.alias_step(alias.steps.first + i);
    TypeId type = kErrorType;
    const Type& of = out_.types[chain.result.type];
    switch (step.kind) {
      case StepKind::Member:
        type =
            chain.result.kind == ResultKind::Buffer
                ? out_.members[out_.buffers[declarations_.index_of(chain.result.index)].members.first + step.value].type
                : out_.members[out_.structs[of.index].members.first + step.value].type;
        break;
      case StepKind::Component:
        type = item_type(chain.result.type);
        break;
      case StepKind::Column:
        type = column_type(chain.result.type);
        break;
      case StepKind::Element:
        type = of.element;
        break;
    }
    if (chain.result.kind == ResultKind::Buffer) {
      chain.index = declarations_.index_of(chain.result.index);
      chain.root = LValueRoot::Buffer;
      chain.is_lvalue = true;
      chain.result.kind = ResultKind::LValue;
    }
    add_step(chain, step, type, range);
  }
  if (alias.swizzle_count != 0 && chain.result.kind != ResultKind::Error) {
    step_swizzle(chain, alias.swizzle, vector_of(item_type(alias.type), alias.swizzle_count), range);
  }
}

void ChainResolver::step_container(Chain& chain, const Expr& node) {
  const ItemId id = chain.result.index;
  const Item& item = context_.program->items[id];
  const Range range{node.at, node.range.end};
  const Container& container = out_.containers[declarations_.index_of(id)];
  const FieldMap::Entry* const entry = types_.find_field(id, node.b);
  if (!entry) {
    const bool state = container.kind == ItemKind::StateContainer && chain.result.form == ResultForm::Plain;
    if (state && (node.b == Word::in || node.b == Word::out)) {
      chain.result.form = node.b == Word::in ? ResultForm::StateIn : ResultForm::StateOut;
      return;
    }
    types_.unknown_field(id, node.b, range);
    chain.result = {};
    return;
  }
  code_.use_group(item.kind == ItemKind::StateContainer   ? Group::State
                  : item.kind == ItemKind::ColorContainer ? Group::ColorOutputs
                                                          : Group::Attributes);
  const FieldAlias* const alias = types_.alias_of(*entry);
  if (alias && alias->type == kErrorType) {
    chain.result = {};
    return;
  }
  const std::uint32_t field = alias ? types_.alias_step(alias->steps.first).value : entry->value;
  chain.is_lvalue = true;
  chain.index = field;
  chain.root = item.kind == ItemKind::StateContainer
                   ? (chain.result.form == ResultForm::StateOut ? LValueRoot::StateOut : LValueRoot::StateIn)
               : item.kind == ItemKind::ColorContainer ? LValueRoot::ColorOutput
                                                       : LValueRoot::Attribute;
  chain.result.kind = ResultKind::LValue;
  chain.result.type = out_.container_fields[field].type;
  if (!alias) return;
  FieldAlias rest = *alias;
  rest.steps.first += 1;
  rest.steps.count -= 1;
  step_alias(chain, rest, range);
}

void ChainResolver::step_buffer(Chain& chain, const Expr& node) {
  const ItemId id = chain.result.index;
  const Item& item = context_.program->items[id];
  const Range range{node.at, node.range.end};
  const FieldMap::Entry* const entry = types_.find_field(id, node.b);
  if (!entry) {
    types_.unknown_field(id, node.b, range);
    chain.result = {};
    return;
  }
  const Buffer& buffer = out_.buffers[declarations_.index_of(id)];
  code_.use_group(item.kind == ItemKind::PushConstant      ? Group::PushConstant
                  : item.kind == ItemKind::WorkgroupBuffer ? Group::Workgroup
                                                           : static_cast<Group>(item.set));
  if (item.kind == ItemKind::WorkgroupBuffer)
    code_.note_stage_use(StageUse::Workgroup, mask_of(Stage::Compute), node.range);
  if (const FieldAlias* const alias = types_.alias_of(*entry)) {
    step_alias(chain, *alias, range);
    return;
  }
  chain.is_lvalue = true;
  chain.root = LValueRoot::Buffer;
  chain.index = declarations_.index_of(id);
  chain.result.kind = ResultKind::LValue;
  add_step(chain, {StepKind::Member, entry->value}, out_.members[buffer.members.first + entry->value].type, range);
}

void ChainResolver::step_member(Chain& chain, const Expr& node) {
  if (chain.result.kind == ResultKind::Error) return;
  const Range range{node.at, node.range.end};
  if (chain.result.kind == ResultKind::Void) {
    context_.error(DiagnosticKind::RplComponent, range, "`void` has no fields");
    chain.result = {};
    return;
  }
  const Component found = types_.find_component(chain.result.type, node.b);
  switch (found.kind) {
    case Component::Kind::None:
      types_.unknown_component(chain.result.type, node.b, range);
      chain.result = {};
      return;
    case Component::Kind::Step:
      add_step(chain, found.step, found.type, node.range);
      return;
    case Component::Kind::Swizzle:
      step_swizzle(chain, found.swizzle, found.type, node.range);
      return;
    case Component::Kind::Alias:
      step_alias(chain, *found.alias, node.range);
      return;
  }
}

void ChainResolver::step_index(Chain& chain, const Expr& node) {
  // The index is always resolved, so that its errors are reported.
  ExprResult index = expressions_.resolve_value(node.b);
  const Range index_range = context_.expr(node.b).range;
  if (chain.result.kind == ResultKind::Error) return;
  if (chain.result.kind == ResultKind::Buffer || chain.result.kind == ResultKind::Container) {
    context_.error(DiagnosticKind::RplNotArray, node.range, "buffers and containers have fields, not elements");
    chain.result = {};
    return;
  }
  const Type of = out_.types[chain.result.type];
  if (of.kind != TypeKind::Array && of.kind != TypeKind::RuntimeArray) {
    context_.error(DiagnosticKind::RplNotArray, node.range,
                   formatted("`{}` is not an array and cannot be indexed", out_.type_text(chain.result.type)));
    chain.result = {};
    return;
  }
  if (index.kind == ResultKind::Error) {
    chain.result = {};
    return;
  }
  if (index.type != kU1 && index.type != kS1) {
    context_.error(DiagnosticKind::RplIndexType, index_range,
                   formatted("an index is `u1` or `s1`, and this is `{}`", out_.type_text(index.type)));
    chain.result = {};
    return;
  }
  if (is_constant(index.index)) {
    const std::uint32_t value = code_.words_of(index.index)[0];
    const bool negative = index.type == kS1 && (value & 0x80000000u) != 0;
    if (negative || (of.kind == TypeKind::Array && value >= of.length)) {
      context_.error(DiagnosticKind::RplIndexRange, index_range,
                     negative ? formatted("the index {} is negative", static_cast<std::int32_t>(value))
                              : formatted("the index {} is beyond the last element {}", value, of.length - 1));
      chain.result = {};
      return;
    }
  }
  if (chain.is_lvalue) {
    if (chain.root == LValueRoot::Local && !is_constant(index.index) && !code_.is_dead()) {
      out_.locals[chain.index].in_memory = true;
    }
    step_stack_.push_back({StepKind::Element, index.index});
    chain.result.type = of.element;
    return;
  }
  chain.result = code_.value_of(code_.emit(Op::Element, of.element, node.range, chain.result.index, index.index));
}

}  // namespace slipway::rpl
