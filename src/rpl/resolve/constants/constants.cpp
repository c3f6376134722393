// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/constants/constants.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "rpl/referenced_names.hpp"
#include "rpl/resolve/constants/constant_arithmetic.hpp"

namespace slipway::rpl {

namespace {

ValueType value_type_of(NameId scalar) {
  switch (scalar) {
    case Word::f1:
      return ValueType::Float;
    case Word::u1:
      return ValueType::Uint;
    case Word::s1:
      return ValueType::Sint;
    default:
      return ValueType::None;
  }
}

std::string_view scalar_of(ValueType type) {
  switch (type) {
    case ValueType::Float:
      return "f1";
    case ValueType::Uint:
      return "u1";
    case ValueType::Sint:
      return "s1";
    default:
      return "";
  }
}

}  // namespace

void ConstantResolver::resolve() {
  const std::size_t names = context_.program->names.size(), items = context_.program->items.size();
  assign_none(bound_, names);
  activity_.assign(items, Activity::Unknown);
  item_consulted_.resize(items);
  for (Consulted& consulted : item_consulted_) consulted.clear();
  constant_values_.resize(items);  // those of inactive constants are unused
  name_instance_.assign(names, false);
  choices_.clear();
  assign_none(choice_of_, items);
  chain_stack_.clear();
  resolve_options();
  for (const ItemId id : context_.program->constants) {
    const Item& item = context_.program->items[id];
    log_.item = id;
    log_.sink = &log_.unrecorded;
    if (is_active(id)) {
      Consulted& own = item_consulted_[id];
      log_.sink = &own;
      constant_values_[id] = evaluate(item.value, true).value;
      own.mix(constant_values_[id].bits);
      bind_value(id);
    }
    if (item.instance) name_instance_[item.name] = true;
  }
}

void ConstantResolver::forget_conditional(ItemId item) {
  activity_[item] = Activity::Unknown;
  item_consulted_[item].clear();
}

void ConstantResolver::resolve_options() {
  const std::size_t count = context_.program->options.size();
  out_.options.resize(count);
  for (OptionId id = 0; id < count; ++id) {
    const Option& option = context_.program->options[id];
    out_.options[id] = context_.value_in_force(id);
    bound_[option.name] = option.item;
    activity_[option.item] = Activity::Active;
  }
}

bool ConstantResolver::bind_value(ItemId id) {
  const Item& item = context_.program->items[id];
  ItemId& slot = bound_[item.name];
  if (slot != kNone) {
    context_
        .error(DiagnosticKind::RplDuplicateName, item.name_range,
               formatted("`{}` is already declared", context_.text(item.name)))
        .note("the first declaration", context_.location(context_.program->items[slot].name_range));
    return false;
  }
  slot = id;
  return true;
}

// --- conditionals --------------------------------------------------------------------------------------------------

inline Folded ConstantResolver::read_option(OptionId option) {
  log_.read(option);
  return {out_.options[option], is_instance(option)};
}

Folded ConstantResolver::evaluate_recorded(ExprId expression) {
  // Most conditionals are the name of an option.
  const Expr& node = context_.expr(expression);
  const ItemId item = node.kind == ExprKind::Name ? bound_[node.a] : kNone;
  const bool is_option = item != kNone && context_.program->items[item].kind == ItemKind::Option;
  const Folded folded = is_option ? read_option(context_.program->items[item].index) : evaluate(expression, true);
  log_.sink->mix(static_cast<std::uint64_t>(folded.value.type) << 32 | folded.value.bits);
  return folded;
}

bool ConstantResolver::condition_holds(ExprId condition, bool global_only) {
  if (condition == 0) return true;
  const Folded folded = evaluate_recorded(condition);
  if (folded.value.type == ValueType::None) return false;
  if (folded.value.type != ValueType::Flag) {
    context_.error(DiagnosticKind::RplConditionType, context_.expr(condition).range,
                   formatted("a conditional is a flag, and this is a {}", name_of(folded.value.type)));
    return false;
  }
  if (global_only && folded.instance) {
    note_instance(
        context_.error(DiagnosticKind::RplConstInstance, context_.expr(condition).range,
                       "this conditional changes the interface of the pipeline and cannot depend on instance options"),
        condition);
  }
  return folded.value.bits != 0;
}

bool ConstantResolver::is_active(ItemId id) {
  const Item& item = context_.program->items[id];
  if (item.condition == 0) return true;
  if (activity_[id] == Activity::Unknown) {
    const bool free = item.kind == ItemKind::Constant || item.kind == ItemKind::Setting ||
                      item.kind == ItemKind::StateContainer || item.kind == ItemKind::ColorContainer ||
                      item.kind == ItemKind::WorkgroupBuffer || item.kind == ItemKind::Function;
    activity_[id] = Activity::Evaluating;
    const ReadScope scope(log_, item_consulted_[id], id);
    activity_[id] = condition_holds(item.condition, !free) ? Activity::Active : Activity::Inactive;
  }
  log_.sink->merge(item_consulted_[id]);
  return activity_[id] == Activity::Active;
}

ItemId ConstantResolver::active_of_name(ItemId first) {
  if (first == kNone) return kNone;
  if (context_.program->items[first].next_same_name == kNone) return is_active(first) ? first : kNone;
  if (choice_of_[first] == kNone) {
    NameChoice choice;
    {
      const ReadScope scope(log_, choice.consulted);
      for (ItemId id = first; id != kNone; id = context_.program->items[id].next_same_name) {
        if (!is_active(id)) continue;
        if (choice.found == kNone) {
          choice.found = id;
          continue;
        }
        const Item& item = context_.program->items[id];
        context_
            .error(DiagnosticKind::RplDuplicateName, item.name_range,
                   formatted("{} `{}` is already declared", word_of(item.kind), context_.text(item.name)))
            .note("the first declaration", context_.location(context_.program->items[choice.found].name_range));
      }
    }
    choice_of_[first] = static_cast<std::uint32_t>(choices_.size());
    choices_.push_back(std::move(choice));
  }
  const NameChoice& choice = choices_[choice_of_[first]];
  log_.sink->merge(choice.consulted);
  return choice.found;
}

std::uint32_t ConstantResolver::array_size(ExprId expression, bool global_only) {
  const Folded folded = evaluate_recorded(expression);
  const Value value = folded.value;
  if (value.type == ValueType::None) return 0;
  const Range range = context_.expr(expression).range;
  if (!is_integer(value.type)) {
    context_.error(DiagnosticKind::RplArraySize, range,
                   formatted("the size of an array is a uint or sint, and this is a {}", name_of(value.type)));
    return 0;
  }
  if (value.bits == 0 || (value.type == ValueType::Sint && as_signed(value.bits) < 0)) {
    context_.error(
        DiagnosticKind::RplArraySize, range,
        formatted("an array has at least one element, and this is {}", format_value(*context_.program, value)));
    return 0;
  }
  if (global_only && folded.instance) {
    note_instance(
        context_.error(DiagnosticKind::RplConstInstance, range,
                       "this array size changes the interface of the pipeline and cannot depend on instance options"),
        expression);
  }
  return value.bits;
}

// --- expressions ---------------------------------------------------------------------------------------------------

Folded ConstantResolver::evaluate(ExprId expression, bool live) {
  const Expr& node = context_.expr(expression);
  switch (node.kind) {
    case ExprKind::Uint:
      return {{ValueType::Uint, node.a}};
    case ExprKind::Sint:
      return {{ValueType::Sint, node.a}};
    case ExprKind::Float:
      return {{ValueType::Float, node.a}};
    case ExprKind::String:
      return {{ValueType::String, node.a}};
    case ExprKind::True:
      return {{ValueType::Flag, 1}};
    case ExprKind::False:
      return {{ValueType::Flag, 0}};
    case ExprKind::Name:
      return evaluate_name(node, live);
    case ExprKind::Unary:
      return evaluate_unary(node, live);
    case ExprKind::Binary:
      return evaluate_binary(expression, live);
    case ExprKind::Construct:
      return evaluate_construct(node, live);
    case ExprKind::Call:
      context_.error(DiagnosticKind::RplConstOperation, node.range, "functions cannot be called at compile time");
      return {};
    case ExprKind::Member:
    case ExprKind::Index:
      context_.error(DiagnosticKind::RplConstOperation, node.range,
                     "compile-time values are options and constants, which have no fields and no elements");
      return {};
    case ExprKind::None:
      break;
  }
  return {};
}

Folded ConstantResolver::evaluate_name(const Expr& node, bool live) {
  const NameId name = node.a;
  const ItemId id = bound_[name];
  if (id != kNone) {
    const Item& item = context_.program->items[id];
    if (item.kind == ItemKind::Option) {
      return live ? read_option(item.index)
                  : Folded{{context_.program->options[item.index].initial.type, 0}, is_instance(item.index)};
    }
    if (item.kind == ItemKind::Constant && id <= log_.item) {
      if (live) log_.sink->merge(item_consulted_[id]);
      return {constant_values_[id], name_instance_[name] ? 1u : 0u};
    }
  }
  // `on` and `off` are values unless something has that name.
  if (name == Word::on || name == Word::off) return {{ValueType::Flag, name == Word::on ? 1u : 0u}};
  if (live) unknown_name(name, node.range, DiagnosticKind::RplConstUnknown);
  // An operand that is not evaluated may name a constant that is disabled here.
  if (!live && context_.program->first_value[name] == kNone) {
    unknown_name(name, node.range, DiagnosticKind::RplConstUnknown);
  }
  return {{}, name_instance_[name] ? 1u : 0u};
}

Folded ConstantResolver::evaluate_unary(const Expr& node, bool live) {
  const auto op = static_cast<UnaryOp>(node.op);
  const Folded operand = evaluate(node.a, live);
  Value value = operand.value;
  if (value.type == ValueType::None) return operand;
  bool ok = false;
  switch (op) {
    case UnaryOp::Minus:
      ok = value.type == ValueType::Sint || value.type == ValueType::Float;
      if (!ok || !live) break;
      if (value.type == ValueType::Float) {
        value.bits ^= 0x80000000u;
      } else if (value.bits == 0x80000000u && context_.expr(node.a).kind != ExprKind::Sint) {
        context_.error(DiagnosticKind::RplConstOverflow, node.range,
                       "the result does not fit in a signed 32-bit number");
        return {{}, operand.instance};
      } else {
        value.bits = 0u - value.bits;
      }
      break;
    case UnaryOp::Plus:
      ok = is_number(value.type);
      break;
    case UnaryOp::Not:
      ok = value.type == ValueType::Flag;
      value.bits ^= 1;
      break;
    case UnaryOp::Complement:
      ok = is_integer(value.type);
      value.bits = ~value.bits;
      break;
  }
  if (!ok) {
    context_.error(DiagnosticKind::RplConstOperation, {node.at, node.at + 1},
                   formatted("a {} has no unary `{}`", name_of(value.type), text_of(op)));
    return {{}, operand.instance};
  }
  return {value, operand.instance};
}

// Chains such as `a + b + c...` lean to the left and may be long: they are walked, not recursed into.
Folded ConstantResolver::evaluate_binary(ExprId expression, bool live) {
  const auto apply = [&](const Expr& node, Folded left) {
    const auto op = static_cast<BinaryOp>(node.op);
    const bool decided =
        live && left.value.type == ValueType::Flag &&
        ((op == BinaryOp::And && left.value.bits == 0) || (op == BinaryOp::Or && left.value.bits != 0));
    return combine(node, left, evaluate(node.b, live && !decided), live);
  };
  const Expr& whole = context_.expr(expression);
  if (context_.expr(whole.a).kind != ExprKind::Binary) return apply(whole, evaluate(whole.a, live));
  const std::size_t mark = chain_stack_.size();
  ExprId left = expression;
  for (; context_.expr(left).kind == ExprKind::Binary; left = context_.expr(left).a) chain_stack_.push_back(left);
  Folded result = evaluate(left, live);
  while (chain_stack_.size() > mark) {
    const Expr& node = context_.expr(chain_stack_.back());
    chain_stack_.pop_back();
    result = apply(node, result);
  }
  return result;
}

Folded ConstantResolver::combine(const Expr& node, Folded left, Folded right, bool live) {
  const auto op = static_cast<BinaryOp>(node.op);
  const Value a = left.value, b = right.value;
  const Folded nothing{{}, left.instance | right.instance};
  const auto at = [&] { return Range{node.at, node.at + static_cast<std::uint32_t>(text_of(op).size())}; };
  if (op == BinaryOp::Assign) {
    context_.error(DiagnosticKind::RplConstOperation, at(), "there is no assignment at compile time")
        .hint("did you mean `==`?");
    return nothing;
  }
  // `false && disabled`: the type of the right side is unknown and does not matter.
  const bool lazy =
      (op == BinaryOp::And || op == BinaryOp::Or) && a.type == ValueType::Flag && b.type == ValueType::None;
  if (lazy && live && ((op == BinaryOp::And) == (a.bits == 0))) return {a, nothing.instance};
  if (a.type == ValueType::None || b.type == ValueType::None) {
    return {{results_in_flag(op) && !live ? ValueType::Flag : ValueType::None, 0}, nothing.instance};
  }
  if (a.type != b.type) {
    Diagnostic& problem =
        context_.error(DiagnosticKind::RplConstType, at(),
                       formatted("`{}` between a {} and a {}", text_of(op), name_of(a.type), name_of(b.type)));
    if (!scalar_of(a.type).empty() && !scalar_of(b.type).empty()) {
      const SourceLocation where = context_.location(context_.expr(node.b).range);
      problem.suggest(where, formatted("{} {{{}}}", scalar_of(a.type), where.source->text(where.span)));
    }
    return nothing;
  }
  if (!accepts(op, a.type)) {
    context_.error(DiagnosticKind::RplConstOperation, at(),
                   formatted("there is no `{}` of two {} values at compile time", text_of(op), name_of(a.type)));
    return nothing;
  }
  if (a.type == ValueType::String) check_enum_compare(node);
  const ValueType type = results_in_flag(op) ? ValueType::Flag : a.type;
  if (!live) return {{type, 0}, nothing.instance};
  const ConstantResult outcome = compute_constant(op, a.type, a.bits, b.bits);
  if (!outcome.ok()) {
    context_.error(outcome.problem, at(), std::string(error_text(outcome.problem, op, a.type)));
    return nothing;
  }
  return {{type, outcome.bits}, nothing.instance};
}

// `mode == "nonsense"`, where the option can never be that. Both sides are strings.
void ConstantResolver::check_enum_compare(const Expr& node) {
  const auto op = static_cast<BinaryOp>(node.op);
  if (op != BinaryOp::Equal && op != BinaryOp::NotEqual) return;
  ExprId name = node.a, string = node.b;
  if (context_.expr(name).kind == ExprKind::String) std::swap(name, string);
  if (context_.expr(name).kind != ExprKind::Name || context_.expr(string).kind != ExprKind::String) return;
  const ItemId id = bound_[context_.expr(name).a];
  if (id == kNone || context_.program->items[id].kind != ItemKind::Option) return;
  const Option& option = context_.program->options[context_.program->items[id].index];
  std::vector<std::string_view> values;
  for (std::uint32_t i = 0; i < option.values.count; ++i) {
    const NameId value = context_.program->lists[option.values.first + i];
    if (value == context_.expr(string).a) return;
    values.push_back(context_.text(value));
  }
  Diagnostic& problem = context_.warning(
      DiagnosticKind::RplEnumCompare, context_.expr(string).range,
      formatted("option `{}` is never \"{}\"", context_.text(option.name), context_.text(context_.expr(string).a)));
  if (const auto near = closest(context_.text(context_.expr(string).a), values)) {
    problem.suggest(context_.location(context_.expr(string).range), formatted("\"{}\"", *near));
  }
  problem.note(formatted("`{}` is declared here", context_.text(option.name)),
               context_.location(context_.program->items[id].name_range));
}

Folded ConstantResolver::evaluate_construct(const Expr& node, bool live) {
  const ValueType target = value_type_of(node.a);
  if (target == ValueType::None) {
    context_.error(DiagnosticKind::RplConstOperation, node.range,
                   "only `f1`, `u1` and `s1` can be made at compile time");
    return {};
  }
  if (node.c != 1) {
    context_.error(DiagnosticKind::RplConstOperation, node.range,
                   formatted("`{}` takes one value at compile time", context_.text(node.a)));
    return {};
  }
  const Folded operand = evaluate(context_.program->lists[node.b], live);
  const Value value = operand.value;
  if (value.type == ValueType::None) return {{live ? ValueType::None : target, 0}, operand.instance};
  if (value.type == ValueType::String) {
    context_.error(DiagnosticKind::RplConstType, node.range,
                   formatted("a string cannot become `{}`", context_.text(node.a)));
    return {{}, operand.instance};
  }
  if (!live) return {{target, 0}, operand.instance};
  std::uint32_t bits = value.bits;
  if (target == ValueType::Float && value.type != ValueType::Float) {
    const float made = value.type == ValueType::Sint ? static_cast<float>(as_signed(bits)) : static_cast<float>(bits);
    bits = std::bit_cast<std::uint32_t>(made);
  } else if (target != ValueType::Float && value.type == ValueType::Float) {
    const double whole = std::trunc(static_cast<double>(as_float(bits)));
    const bool fits = target == ValueType::Uint ? whole >= 0 && whole <= 4294967295.0
                                                : whole >= -2147483648.0 && whole <= 2147483647.0;
    if (!fits) {
      context_.error(
          DiagnosticKind::RplConstRange, node.range,
          formatted("{} is out of the range of `{}`", format_value(*context_.program, value), context_.text(node.a)));
      return {{}, operand.instance};
    }
    bits = static_cast<std::uint32_t>(static_cast<std::int64_t>(whole));
  }
  return {{target, bits}, operand.instance};
}

// --- reports -------------------------------------------------------------------------------------------------------

bool ConstantResolver::references_instance_option(ExprId expression) const {
  return any_referenced_name(*context_.program, expression, walk_stack_, [&](const Expr& node) {
    if (name_instance_[node.a]) return true;
    const ItemId id = bound_[node.a];
    return id != kNone && context_.program->items[id].kind == ItemKind::Option &&
           context_.program->options[context_.program->items[id].index].option_class == OptionClass::Instance;
  });
}

void ConstantResolver::note_instance(Diagnostic& problem, ExprId expression) const {
  // Follows constants until an option is found; each is declared before the one that uses it.
  for (std::uint32_t steps = 0; steps < 16 && expression != 0; ++steps) {
    ExprId next = 0;
    std::vector<ExprId> todo;
    any_referenced_name(*context_.program, expression, todo, [&](const Expr& node) {
      for (ItemId id = context_.program->first_value[node.a]; id != kNone;
           id = context_.program->items[id].next_same_name) {
        const Item& item = context_.program->items[id];
        if (item.kind == ItemKind::Option &&
            context_.program->options[item.index].option_class == OptionClass::Instance) {
          problem.note(formatted("`{}` is an instance option", context_.text(item.name)),
                       context_.location(item.name_range));
          return true;
        }
        if (item.kind != ItemKind::Constant) continue;
        next = references_instance_option(item.value)       ? item.value
               : references_instance_option(item.condition) ? item.condition
                                                            : 0;
        if (next == 0) continue;
        problem.note(formatted("the constant `{}` depends on an instance option", context_.text(item.name)),
                     context_.location(item.name_range));
        return true;
      }
      return false;
    });
    expression = next;
  }
}

void ConstantResolver::note_disabled(Diagnostic& problem, ItemId id) const {
  const Item& item = context_.program->items[id];
  std::string why;
  std::vector<NameId> seen;
  const auto add = [&](const Expr& node) {
    for (ItemId at = context_.program->first_value[node.a]; at != kNone;
         at = context_.program->items[at].next_same_name) {
      const Item& cause = context_.program->items[at];
      if (cause.kind != ItemKind::Option || std::ranges::find(seen, cause.name) != seen.end()) continue;
      seen.push_back(cause.name);
      const Value value = out_.options[cause.index];
      const std::string shown = format_value(*context_.program, value);
      why += formatted("{}`{}` is {}", why.empty() ? "" : ", ", context_.text(cause.name),
                       value.type == ValueType::String ? formatted("\"{}\"", shown) : shown);
    }
    return seen.size() >= 8;
  };
  std::vector<ExprId> todo, inner;
  any_referenced_name(*context_.program, item.condition, todo, [&](const Expr& node) {
    const ItemId used = bound_[node.a];
    if (used != kNone && context_.program->items[used].kind == ItemKind::Constant) {
      return any_referenced_name(*context_.program, context_.program->items[used].value, inner, add);
    }
    return add(node);
  });
  problem.note(
      formatted("`{}` is declared here, but disabled{}{}", context_.text(item.name), why.empty() ? "" : ": ", why),
      context_.location(item.name_range));
}

void ConstantResolver::unknown_name(NameId name, Range range, DiagnosticKind unknown, std::span<const Binding> locals) {
  const bool compile_time = unknown == DiagnosticKind::RplConstUnknown;
  for (ItemId id = context_.program->first_value[name]; id != kNone; id = context_.program->items[id].next_same_name) {
    const Item& item = context_.program->items[id];
    if (item.kind == ItemKind::Constant && id > log_.item) {
      context_
          .error(DiagnosticKind::RplConstForward, range,
                 formatted("the constant `{}` is used before its declaration", context_.text(name)))
          .note(formatted("`{}` is declared here", context_.text(name)), context_.location(item.name_range));
      return;
    }
    const bool fits = !compile_time || item.kind == ItemKind::Constant;
    if (!fits || bound_[name] == id) continue;
    note_disabled(
        context_.error(DiagnosticKind::RplDisabledName, range, formatted("`{}` is disabled", context_.text(name))), id);
    return;
  }
  if (compile_time && bound_[name] != kNone) {
    context_.error(unknown, range, formatted("`{}` is neither an option nor a constant", context_.text(name)))
        .note(formatted("`{}` is declared here", context_.text(name)),
              context_.location(context_.program->items[bound_[name]].name_range));
    return;
  }
  Diagnostic& problem =
      context_.error(unknown, range,
                     compile_time ? formatted("there is no option or constant `{}`", context_.text(name))
                                  : formatted("there is no `{}` here", context_.text(name)));
  if (!context_.may_suggest()) return;
  std::vector<std::string_view> names;
  for (const Item& item : context_.program->items) {
    if (item.kind == ItemKind::Setting || item.kind == ItemKind::Struct || item.kind == ItemKind::Function) continue;
    if (compile_time && item.kind != ItemKind::Option && item.kind != ItemKind::Constant) continue;
    // The comparison with all names of a large program would be slow for many errors.
    if (names.size() >= 1000) break;
    names.push_back(context_.text(item.name));
  }
  for (const Binding& local : locals) names.push_back(context_.text(local.name));
  if (const auto near = closest(context_.text(name), names)) problem.suggest(context_.location(range), *near);
}

}  // namespace slipway::rpl
