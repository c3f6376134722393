// Names and what follows them: members, components, indices (RPL pages 3.3 to 3.6, 3.10 to 3.12).

#include "base/format.hpp"
#include "rpl/resolve/context.hpp"

namespace slipway::rpl {

namespace {

// Aliases expand where they are used, and aliases of aliases multiply.
constexpr std::uint32_t kMaxAliasUses = 65536;
constexpr std::uint32_t kMaxRecursion = 300;

}  // namespace

// --- names ---------------------------------------------------------------------------------------------------------

ExprResult Resolver::State::resolve_name(const Expr& node) {
  const NameId name = node.a;
  std::uint32_t local = local_of[name];
  while (local != kNone && local >= visible) local = bindings[local].previous;
  if (local != kNone) {
    const Binding& binding = bindings[local];
    switch (binding.kind) {
      case Binding::Kind::Alias:
        return resolve_alias_use(binding, local, node.range);
      case Binding::Kind::Argument:
        return make_lvalue(LValueRoot::Argument, binding.index, binding.type);
      case Binding::Kind::Local:
        return make_lvalue(LValueRoot::Local, binding.index, binding.type);
    }
  }
  const ItemId item = bound[name];
  if (item != kNone && (program->items[item].kind != ItemKind::Constant || item <= user)) {
    return global_value(item, node.range);
  }
  if (name == Word::on || name == Word::off) {
    error(DiagnosticKind::RplBoolRuntime, node.range, formatted("`{}` exists at compile time only", text(name)));
    return {};
  }
  unknown_name(name, node.range, DiagnosticKind::RplUnknownName);
  return {};
}

ExprResult Resolver::State::resolve_alias_use(const Binding& binding, std::uint32_t index, Range at) {
  if (++alias_uses > kMaxAliasUses || depth > kMaxRecursion) {
    if (alias_uses <= kMaxAliasUses + 1) {
      error(DiagnosticKind::RplNesting, at, "aliases of aliases make this function too large");
    }
    return {};
  }
  const std::uint32_t outer = std::exchange(visible, index);
  const ExprId expression = binding.index;
  const ExprResult val = resolve_expression(expression);
  visible = outer;
  return val;
}

ExprResult Resolver::State::global_value(ItemId id, Range range) {
  const Item& item = program->items[id];
  switch (item.kind) {
    case ItemKind::Option:
    case ItemKind::Constant: {
      Value value = constant_values[id];
      if (item.kind == ItemKind::Option) {
        read_option(item.index);
        value = out.options[item.index];
        sink->mix(value.bits);
      } else {
        sink->merge(item_consulted[id]);
      }
      switch (value.type) {
        case ValueType::Uint:
          return literal(kU1, value.bits);
        case ValueType::Sint:
          return literal(kS1, value.bits);
        case ValueType::Float:
          return literal(kF1, value.bits);
        case ValueType::None:
          return {};
        default:
          break;
      }
      const bool string = value.type == ValueType::String;
      error(string ? DiagnosticKind::RplStringRuntime : DiagnosticKind::RplBoolRuntime, range,
            formatted("`{}` is a {}, which exists at compile time only", text(item.name), string ? "string" : "flag"))
          .hint("use `conditional (...) { }`");
      return {};
    }
    case ItemKind::Sampler:
      use_group(static_cast<Group>(item.set));
      return make_lvalue(LValueRoot::Sampler, payload[id], kSampler);
    case ItemKind::Image:
      use_group(static_cast<Group>(item.set));
      return make_lvalue(LValueRoot::Image, payload[id], out.images[payload[id]].type);
    default:
      break;
  }
  if (is_container(item.kind)) {
    if (settings->pipeline == PipelineKind::Compute) {
      error(DiagnosticKind::RplStage, range,
            formatted("`{}` is a container, which a compute pipeline does not have", text(item.name)));
      return {};
    }
    return {.kind = ResultKind::Container, .index = id};
  }
  return {.kind = ResultKind::Buffer, .index = id};
}

ExprResult Resolver::State::make_lvalue(LValueRoot root, std::uint32_t index, TypeId type) {
  if (type == kErrorType) return {};
  out.lvalues.emplace_back(root, index, List{}, type);
  return {.kind = ResultKind::LValue, .type = type, .index = static_cast<std::uint32_t>(out.lvalues.size()) - 1};
}

// --- chains --------------------------------------------------------------------------------------------------------

void Resolver::State::open_chain(Chain& chain, ExprResult base) {
  chain.result = base;
  chain.mark = step_stack.size();
  chain.is_lvalue = base.kind == ResultKind::LValue;
  if (!chain.is_lvalue) return;
  const LValue& from = out.lvalues[base.index];
  chain.root = from.root;
  chain.index = from.index;
  for (std::uint32_t i = 0; i < from.steps.count; ++i) step_stack.push_back(out.steps[from.steps.first + i]);
}

// The same for the name of a variable or argument, which then needs no place of its own.
bool Resolver::State::open_variable(Chain& chain, const Expr& node) {
  if (node.kind != ExprKind::Name) return false;
  const std::uint32_t local = local_of[node.a];
  if (local >= visible) return false;
  const Binding& binding = bindings[local];
  if (binding.type == kErrorType) return false;  // aliases, too
  chain.result = {.kind = ResultKind::LValue, .type = binding.type};
  chain.mark = step_stack.size();
  chain.is_lvalue = true;
  chain.root = binding.kind == Binding::Kind::Local ? LValueRoot::Local : LValueRoot::Argument;
  chain.index = binding.index;
  return true;
}

ExprResult Resolver::State::close_chain(Chain& chain) {
  if (!chain.is_lvalue || chain.result.kind != ResultKind::LValue) {
    step_stack.resize(chain.mark);
    return chain.result;
  }
  const List steps{static_cast<std::uint32_t>(out.steps.size()),
                   static_cast<std::uint32_t>(step_stack.size() - chain.mark)};
  for (std::size_t i = chain.mark; i < step_stack.size(); ++i) out.steps.push_back(step_stack[i]);
  step_stack.resize(chain.mark);
  out.lvalues.emplace_back(chain.root, chain.index, steps, chain.result.type);
  return {ResultKind::LValue, chain.result.form, chain.result.type, static_cast<std::uint32_t>(out.lvalues.size()) - 1};
}

// `base.a[i].b`: the whole chain becomes one place, or one value and what is taken from it.
ExprResult Resolver::State::resolve_postfix(ExprId expression) {
  const std::size_t mark = chain_stack.size();
  ExprId base = expression;
  for (; expr(base).kind == ExprKind::Member || expr(base).kind == ExprKind::Index; base = expr(base).a) {
    chain_stack.push_back(base);
  }
  Chain chain;
  if (!open_variable(chain, expr(base))) open_chain(chain, resolve_expression(base));
  while (chain_stack.size() > mark) {
    const Expr& node = expr(chain_stack.back());
    chain_stack.pop_back();
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
std::uint32_t Resolver::State::plain_words(TypeId type) const {
  if (is_vector(type) || is_matrix(type)) return word_count(type);
  const List members = out.structs[out.types[type].index].members;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < members.count; ++i) count += plain_words(out.members[members.first + i].type);
  return count;
}

void Resolver::State::add_step(Chain& chain, Step step, TypeId type, Range range) {
  if (type == kErrorType) {
    chain.result = {};
    return;
  }
  if (chain.is_lvalue) {
    step_stack.push_back(step);
  } else if (is_constant(chain.result.index) && (is_vector(chain.result.type) || is_matrix(chain.result.type))) {
    const std::uint32_t count = word_count(type);
    std::array<std::uint32_t, 4> words{};
    const auto from = words_of(chain.result.index).subspan(step.value * count, count);
    std::ranges::copy(from, words.begin());
    chain.result.index = add_constant(type, std::span(words).first(count));
  } else if (is_constant(chain.result.index) && out.types[chain.result.type].kind == TypeKind::Struct) {
    const List members = out.structs[out.types[chain.result.type].index].members;
    std::uint32_t first = 0;
    for (std::uint32_t i = 0; i < step.value; ++i) first += plain_words(out.members[members.first + i].type);
    chain.result.index = add_constant(type, words_of(chain.result.index).subspan(first, plain_words(type)));
  } else {
    chain.result.index = emit(Op::Extract, type, range, chain.result.index, step.value);
  }
  chain.result.type = type;
}

void Resolver::State::step_swizzle(Chain& chain, std::uint32_t swizzle, TypeId type, Range range) {
  if (chain.is_lvalue) {
    // The vector is read as a whole; what is taken from it is a value.
    Chain vector = chain;
    vector.mark = chain.mark;
    const ExprResult place_val = close_chain(vector);
    const ExprResult whole = load(place_val, range);
    chain.is_lvalue = false;
    chain.result = whole;
    if (whole.kind != ResultKind::Value) return;
  }
  const std::uint32_t count = item_count(type);
  if (is_constant(chain.result.index)) {
    std::array<std::uint32_t, 4> words{};
    const auto from = words_of(chain.result.index);
    for (std::uint32_t i = 0; i < count; ++i) words[i] = from[swizzle >> 2 * i & 3];
    chain.result = value_of(add_constant(type, std::span(words).first(count)));
  } else if (count == 1) {
    chain.result = value_of(emit(Op::Extract, type, range, chain.result.index, swizzle & 3));
  } else {
    chain.result = value_of(emit(Op::Swizzle, type, range, chain.result.index, swizzle));
  }
  chain.result.form = ResultForm::Swizzle;
}

void Resolver::State::step_alias(Chain& chain, const FieldAlias& alias, Range range) {
  if (alias.type == kErrorType) {
    chain.result = {};
    return;
  }
  for (std::uint32_t i = 0; i < alias.steps.count && chain.result.kind != ResultKind::Error; ++i) {
    const Step step = alias_steps[alias.steps.first + i];
    TypeId type = kErrorType;
    const Type& of = out.types[chain.result.type];
    switch (step.kind) {
      case StepKind::Member:
        type = chain.result.kind == ResultKind::Buffer
                   ? out.members[out.buffers[payload[chain.result.index]].members.first + step.value].type
                   : out.members[out.structs[of.index].members.first + step.value].type;
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
      chain.index = payload[chain.result.index];
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

void Resolver::State::step_container(Chain& chain, const Expr& node) {
  const ItemId id = chain.result.index;
  const Item& item = program->items[id];
  const Range range{node.at, node.range.end};
  const Container& container = out.containers[payload[id]];
  const FieldMap::Entry* const entry = fields.find(id, node.b);
  if (!entry) {
    const bool state = container.kind == ItemKind::StateContainer && chain.result.form == ResultForm::Plain;
    if (state && (node.b == Word::in || node.b == Word::out)) {
      chain.result.form = node.b == Word::in ? ResultForm::StateIn : ResultForm::StateOut;
      return;
    }
    unknown_field(id, node.b, range);
    chain.result = {};
    return;
  }
  use_group(item.kind == ItemKind::StateContainer   ? Group::State
            : item.kind == ItemKind::ColorContainer ? Group::ColorOutputs
                                                    : Group::Attributes);
  const FieldAlias* const alias =
      (entry->value & FieldMap::kAliasBit) != 0 ? &aliases[entry->value & ~FieldMap::kAliasBit] : nullptr;
  if (alias && alias->type == kErrorType) {
    chain.result = {};
    return;
  }
  const std::uint32_t field = alias ? alias_steps[alias->steps.first].value : entry->value;
  chain.is_lvalue = true;
  chain.index = field;
  chain.root = item.kind == ItemKind::StateContainer
                   ? (chain.result.form == ResultForm::StateOut ? LValueRoot::StateOut : LValueRoot::StateIn)
               : item.kind == ItemKind::ColorContainer ? LValueRoot::ColorOutput
                                                       : LValueRoot::Attribute;
  chain.result.kind = ResultKind::LValue;
  chain.result.type = out.container_fields[field].type;
  if (!alias) return;
  FieldAlias rest = *alias;
  rest.steps.first += 1;
  rest.steps.count -= 1;
  step_alias(chain, rest, range);
}

void Resolver::State::step_buffer(Chain& chain, const Expr& node) {
  const ItemId id = chain.result.index;
  const Item& item = program->items[id];
  const Range range{node.at, node.range.end};
  const FieldMap::Entry* const entry = fields.find(id, node.b);
  if (!entry) {
    unknown_field(id, node.b, range);
    chain.result = {};
    return;
  }
  const Buffer& buffer = out.buffers[payload[id]];
  use_group(item.kind == ItemKind::PushConstant      ? Group::PushConstant
            : item.kind == ItemKind::WorkgroupBuffer ? Group::Workgroup
                                                     : static_cast<Group>(item.set));
  if (item.kind == ItemKind::WorkgroupBuffer) note_stage_use(StageUse::Workgroup, mask_of(Stage::Compute), node.range);
  if ((entry->value & FieldMap::kAliasBit) != 0) {
    step_alias(chain, aliases[entry->value & ~FieldMap::kAliasBit], range);
    return;
  }
  chain.is_lvalue = true;
  chain.root = LValueRoot::Buffer;
  chain.index = payload[id];
  chain.result.kind = ResultKind::LValue;
  add_step(chain, {StepKind::Member, entry->value}, out.members[buffer.members.first + entry->value].type, range);
}

void Resolver::State::step_member(Chain& chain, const Expr& node) {
  if (chain.result.kind == ResultKind::Error) return;
  const Range range{node.at, node.range.end};
  if (chain.result.kind == ResultKind::Void) {
    error(DiagnosticKind::RplComponent, range, "`void` has no fields");
    chain.result = {};
    return;
  }
  const Component found = find_component(chain.result.type, node.b);
  switch (found.kind) {
    case Component::Kind::None:
      unknown_component(chain.result.type, node.b, range);
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

void Resolver::State::step_index(Chain& chain, const Expr& node) {
  // The index is evaluated in any case, so that its problems are seen.
  ExprResult index = resolve_value(node.b);
  const Range index_range = expr(node.b).range;
  if (chain.result.kind == ResultKind::Error) return;
  if (chain.result.kind == ResultKind::Buffer || chain.result.kind == ResultKind::Container) {
    error(DiagnosticKind::RplNotArray, node.range, "buffers and containers have fields, not elements");
    chain.result = {};
    return;
  }
  const Type of = out.types[chain.result.type];
  if (of.kind != TypeKind::Array && of.kind != TypeKind::RuntimeArray) {
    error(DiagnosticKind::RplNotArray, node.range,
          formatted("`{}` is not an array and cannot be indexed", out.type_text(chain.result.type)));
    chain.result = {};
    return;
  }
  if (index.kind == ResultKind::Error) {
    chain.result = {};
    return;
  }
  if (index.type != kU1 && index.type != kS1) {
    error(DiagnosticKind::RplIndexType, index_range,
          formatted("an index is `u1` or `s1`, and this is `{}`", out.type_text(index.type)));
    chain.result = {};
    return;
  }
  if (is_constant(index.index)) {
    const std::uint32_t value = words_of(index.index)[0];
    const bool negative = index.type == kS1 && (value & 0x80000000u) != 0;
    if (negative || (of.kind == TypeKind::Array && value >= of.length)) {
      error(DiagnosticKind::RplIndexRange, index_range,
            negative ? formatted("the index {} is negative", static_cast<std::int32_t>(value))
                     : formatted("the index {} is beyond the last element {}", value, of.length - 1));
      chain.result = {};
      return;
    }
  }
  if (chain.is_lvalue) {
    if (chain.root == LValueRoot::Local && !is_constant(index.index) && dead == 0) {
      out.locals[chain.index].in_memory = true;
    }
    step_stack.push_back({StepKind::Element, index.index});
    chain.result.type = of.element;
    return;
  }
  chain.result = value_of(emit(Op::Element, of.element, node.range, chain.result.index, index.index));
}

// --- access --------------------------------------------------------------------------------------------------------

void Resolver::State::warn_uninitialised(Binding& binding, Range range) {
  warning(DiagnosticKind::RplUninitialised, range,
          formatted("`{}` is read before anything is written to it", text(binding.name)))
      .hint("it is zero");
  binding.warned = true;
}

// Reading a place; reports when that is not possible, and notes which stages can.
bool Resolver::State::can_read(ExprResult val, Range range) {
  LValue& ref = out.lvalues[val.index];
  switch (ref.root) {
    case LValueRoot::Argument:
      if (out.arguments[ref.index].access != Access::Out) return true;
      error(DiagnosticKind::RplNotReadable, range,
            formatted("`{}` is an `out` argument and cannot be read", text(out.arguments[ref.index].name)))
          .hint("`in out` can");
      return false;
    case LValueRoot::ColorOutput:
      error(DiagnosticKind::RplNotReadable, range, "color outputs cannot be read");
      return false;
    case LValueRoot::StateOut:
      if (val.form == ResultForm::StateOut) {
        error(DiagnosticKind::RplNotReadable, range, "`out` state cannot be read");
        return false;
      }
      ref.root = LValueRoot::StateIn;
      [[fallthrough]];
    case LValueRoot::StateIn:
      note_stage_use(StageUse::StateRead, mask_of(Stage::Fragment), range);
      if (dead == 0) uses.push_back({out.container_fields[ref.index].field, false, range});
      return true;
    case LValueRoot::Attribute:
      note_stage_use(StageUse::Attribute, mask_of(Stage::Vertex), range);
      return true;
    case LValueRoot::Local: {
      Binding& binding = bindings[binding_of(ref)];
      if (!binding.written && !binding.warned && dead == 0) warn_uninitialised(binding, range);
      return true;
    }
    default:
      return true;
  }
}

bool Resolver::State::can_write(ExprResult val, Range range) {
  if (val.kind == ResultKind::Buffer || val.kind == ResultKind::Container) {
    error(DiagnosticKind::RplWholeObject, range,
          formatted("`{}` is not a value; its fields are", text(program->items[val.index].name)));
    return false;
  }
  if (val.kind != ResultKind::LValue) {
    if (val.kind == ResultKind::Error) return false;
    const bool swizzle = val.form == ResultForm::Swizzle;
    error(swizzle ? DiagnosticKind::RplSwizzleWrite : DiagnosticKind::RplNotWritable, range,
          swizzle ? "a swizzle cannot be written; write its components one by one"
                  : "this is a value and cannot be written");
    return false;
  }
  LValue& ref = out.lvalues[val.index];
  switch (ref.root) {
    case LValueRoot::Local:
      return true;
    case LValueRoot::Argument:
      if (out.arguments[ref.index].access != Access::In) return true;
      error(DiagnosticKind::RplNotWritable, range,
            formatted("`{}` is an `in` argument and cannot be written", text(out.arguments[ref.index].name)))
          .hint("`in out` can");
      return false;
    case LValueRoot::Attribute:
      error(DiagnosticKind::RplNotWritable, range, "attributes cannot be written");
      return false;
    case LValueRoot::StateIn:
    case LValueRoot::StateOut:
      if (val.form == ResultForm::StateIn) {
        error(DiagnosticKind::RplNotWritable, range, "`in` state cannot be written");
        return false;
      }
      ref.root = LValueRoot::StateOut;
      note_stage_use(StageUse::StateWrite, mask_of(Stage::Vertex), range);
      if (dead == 0) uses.push_back({out.container_fields[ref.index].field, true, range});
      return true;
    case LValueRoot::ColorOutput:
      note_stage_use(StageUse::ColorWrite, mask_of(Stage::Fragment), range);
      if (dead == 0) uses.push_back({out.container_fields[ref.index].field, true, range});
      return true;
    case LValueRoot::Buffer: {
      const Buffer& buffer = out.buffers[ref.index];
      if (buffer.kind == ItemKind::WorkgroupBuffer) return true;
      if (buffer.kind == ItemKind::ReadWriteBuffer) {
        note_stage_use(StageUse::BufferWrite, mask_of(Stage::Compute), range);
        return true;
      }
      error(DiagnosticKind::RplNotWritable, range,
            formatted("`{}` is a `{}` and cannot be written", text(buffer.name), word_of(buffer.kind)));
      return false;
    }
    case LValueRoot::Sampler:
    case LValueRoot::Image:
      error(DiagnosticKind::RplWholeObject, range, "samplers and images are not values");
      return false;
  }
  return false;
}

void Resolver::State::mark_written(ExprResult val) {
  const LValue& ref = out.lvalues[val.index];
  if (ref.root != LValueRoot::Local || dead != 0) return;
  bindings[binding_of(ref)].written = true;
  out.locals[ref.index].in_memory = true;
}

// The value of a vector or matrix in a variable or argument, which is most of what expressions are made of: what
// `resolve_name` and `load` do, in one.
ExprResult Resolver::State::read_variable(std::uint32_t index, const Expr& node) {
  Binding& binding = bindings[index];
  const bool local = binding.kind == Binding::Kind::Local;
  if (!local && out.arguments[binding.index].access == Access::Out) return load(resolve_name(node), node.range);
  if (local && !binding.written && !binding.warned && dead == 0) warn_uninitialised(binding, node.range);
  if (binding.lvalue == kNone) {
    binding.lvalue = static_cast<std::uint32_t>(out.lvalues.size());
    out.lvalues.emplace_back(local ? LValueRoot::Local : LValueRoot::Argument, binding.index, List{}, binding.type);
  }
  return value_of(emit(Op::Load, binding.type, node.range, binding.lvalue), binding.type);
}

ExprResult Resolver::State::resolve_value(ExprId expression) {
  const Expr& node = expr(expression);
  switch (node.kind) {
    case ExprKind::Uint:
      return literal(kU1, node.a);
    case ExprKind::Sint:
      return literal(kS1, node.a);
    case ExprKind::Float:
      return literal(kF1, node.a);
    case ExprKind::Name: {
      const std::uint32_t local = local_of[node.a];
      if (local < visible && (is_vector(bindings[local].type) || is_matrix(bindings[local].type))) {
        return read_variable(local, node);
      }
      break;
    }
    case ExprKind::Binary: {
      ++depth;
      const ExprResult result = resolve_binary(expression);
      --depth;
      return result;  // no place
    }
    case ExprKind::Member:
    case ExprKind::Index: {
      ++depth;
      const ExprResult result = resolve_postfix(expression);
      --depth;
      return load(result, node.range);
    }
    default:
      break;
  }
  return load(resolve_expression(expression), node.range);
}

// A value to compute with.
ExprResult Resolver::State::load(ExprResult val, Range range) {
  switch (val.kind) {
    case ResultKind::Error:
    case ResultKind::Value:
      return val;
    case ResultKind::Void:
      error(DiagnosticKind::RplTypeMismatch, range, "this call returns no value");
      return {};
    case ResultKind::Buffer:
    case ResultKind::Container:
      error(DiagnosticKind::RplWholeObject, range,
            formatted("`{}` is not a value; its fields are", text(program->items[val.index].name)));
      return {};
    case ResultKind::LValue:
      break;
  }
  const Type& of = out.types[val.type];
  if (of.opaque) {
    error(DiagnosticKind::RplWholeObject, range, "samplers and images are not values");
    return {};
  }
  if (of.has_tail) {
    error(DiagnosticKind::RplArrayValue, range, "a runtime array is not a value; its elements are");
    return {};
  }
  if (!can_read(val, range)) return {};
  return value_of(emit(Op::Load, val.type, range, val.index), val.type);
}

}  // namespace slipway::rpl
