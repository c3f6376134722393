// Compile-time evaluation: options, constants, conditionals (RPL pages 3.7, 3.8, 3.18).
#include <bit>
#include <cmath>

#include "base/format.hpp"
#include "base/suggest.hpp"
#include "rpl/referenced_names.hpp"
#include "rpl/resolve/context.hpp"

namespace slipway::rpl {

namespace {

std::int32_t as_signed(std::uint32_t bits) { return static_cast<std::int32_t>(bits); }
float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }

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

bool is_number(ValueType type) {
  return type == ValueType::Uint || type == ValueType::Sint || type == ValueType::Float;
}
bool is_integer(ValueType type) { return type == ValueType::Uint || type == ValueType::Sint; }

// Whether the operator takes values of the type (RPL page 3.7).
bool takes(BinaryOp op, ValueType type) {
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Subtract:
    case BinaryOp::Multiply:
    case BinaryOp::Divide:
    case BinaryOp::Less:
    case BinaryOp::Greater:
    case BinaryOp::LessEqual:
    case BinaryOp::GreaterEqual:
      return is_number(type);
    case BinaryOp::Modulo:
    case BinaryOp::BitAnd:
    case BinaryOp::BitOr:
    case BinaryOp::BitXor:
    case BinaryOp::ShiftLeft:
    case BinaryOp::ShiftRight:
      return is_integer(type);
    case BinaryOp::And:
    case BinaryOp::Or:
      return type == ValueType::Flag;
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
      return true;
    case BinaryOp::Assign:
      return false;
  }
  return false;
}

bool gives_flag(BinaryOp op) {
  return (op >= BinaryOp::Less && op <= BinaryOp::NotEqual) || op == BinaryOp::And || op == BinaryOp::Or;
}

// The outcome of arithmetic: a value, or why there is none. Two words: see ExprResult.
struct Outcome {
  std::uint32_t bits = 0;
  DiagnosticKind problem = kNoProblem;
  static constexpr DiagnosticKind kNoProblem = DiagnosticKind::RplInternal;
  bool good() const { return problem == kNoProblem; }
};
Outcome failed(DiagnosticKind kind) { return {.problem = kind}; }

template <class T>
std::uint32_t compare(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::Less:
      return a < b;
    case BinaryOp::Greater:
      return a > b;
    case BinaryOp::LessEqual:
      return a <= b;
    case BinaryOp::GreaterEqual:
      return a >= b;
    case BinaryOp::Equal:
      return a == b;
    default:
      return a != b;
  }
}

// In a type that holds every result; the divisor is not zero.
template <class T>
T calculate(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::Add:
      return a + b;
    case BinaryOp::Subtract:
      return a - b;
    case BinaryOp::Multiply:
      return a * b;
    default:
      return a / b;
  }
}

std::uint32_t combine_bits(BinaryOp op, std::uint32_t a, std::uint32_t b) {
  if (op == BinaryOp::BitXor) return a ^ b;
  return op == BinaryOp::BitAnd || op == BinaryOp::And ? a & b : a | b;
}

// The remainder has the sign of the divisor.
std::int64_t remainder_of(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Outcome fit(float value) {
  return std::isfinite(value) ? Outcome{std::bit_cast<std::uint32_t>(value)} : failed(DiagnosticKind::RplConstOverflow);
}
Outcome fit(std::int64_t value) {
  const bool fits = value == static_cast<std::int32_t>(value);
  return fits ? Outcome{static_cast<std::uint32_t>(value)} : failed(DiagnosticKind::RplConstOverflow);
}

// Both operands have the type, which has the operator (`takes`).
Outcome compute(BinaryOp op, ValueType type, std::uint32_t a, std::uint32_t b) {
  const bool real = type == ValueType::Float, with_sign = type == ValueType::Sint;
  switch (op) {
    case BinaryOp::Less:
    case BinaryOp::Greater:
    case BinaryOp::LessEqual:
    case BinaryOp::GreaterEqual:
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
      if (real) return {compare(op, as_float(a), as_float(b))};
      return {with_sign ? compare(op, as_signed(a), as_signed(b)) : compare(op, a, b)};
    case BinaryOp::ShiftLeft:
    case BinaryOp::ShiftRight:
      if (b >= 32) return failed(DiagnosticKind::RplConstShift);  // negative numbers are larger
      if (op == BinaryOp::ShiftLeft) return {a << b};
      return {with_sign ? static_cast<std::uint32_t>(as_signed(a) >> b) : a >> b};
    case BinaryOp::Divide:
    case BinaryOp::Modulo:
      if (real ? as_float(b) == 0 : b == 0) return failed(DiagnosticKind::RplConstDivZero);
      if (op == BinaryOp::Modulo && with_sign) return fit(remainder_of(as_signed(a), as_signed(b)));
      if (op == BinaryOp::Modulo) return {a % b};
      [[fallthrough]];
    case BinaryOp::Add:
    case BinaryOp::Subtract:
    case BinaryOp::Multiply:
      if (real) return fit(calculate(op, as_float(a), as_float(b)));
      if (with_sign) return fit(calculate<std::int64_t>(op, as_signed(a), as_signed(b)));
      return {calculate(op, a, b)};
    default:
      return {combine_bits(op, a, b)};
  }
}

std::string_view reason(DiagnosticKind kind, BinaryOp op, ValueType type) {
  switch (kind) {
    case DiagnosticKind::RplConstDivZero:
      return op == BinaryOp::Modulo ? "remainder of a division by zero" : "division by zero";
    case DiagnosticKind::RplConstShift:
      return "shift by 32 or more";
    default:
      return type == ValueType::Float ? "the result is not finite"
                                      : "the result does not fit in a signed 32-bit number";
  }
}

}  // namespace

void Resolver::State::read_option(OptionId option) {
  sink->options.add(option);
  note_lookup(Lookup::Kind::Option, option);
  const auto bit = static_cast<std::uint8_t>(1u << read_part);
  if (!record_order || (reading_parts[option] & bit) != 0) return;
  reading_parts[option] |= bit;
  reads[read_part].push_back(option);
}

void Resolver::State::list_read_order() {
  std::vector<OptionId>& order = out.consulted.order;
  order.clear();
  for (std::uint32_t part = 0; part < kReadParts; ++part) {
    const std::uint32_t earlier = (1u << part) - 1;
    for (const OptionId option : reads[part]) {
      if ((reading_parts[option] & earlier) == 0) order.push_back(option);
    }
  }
}

void Resolver::State::resolve_options() {
  const std::size_t count = program->options.size();
  reading_parts.assign(count, 0);
  for (std::vector<OptionId>& part : reads) part.clear();
  out.options.resize(count);
  for (OptionId id = 0; id < count; ++id) {
    const Option& option = program->options[id];
    out.options[id] = value_in_force(id);
    bound[option.name] = option.item;
    activity[option.item] = Activity::Active;
  }
}

void Resolver::State::resolve_constants() {
  for (const ItemId id : program->constants) {
    const Item& item = program->items[id];
    user = id;
    sink = &unrecorded;
    if (is_active(id)) {
      Consulted& own = item_consulted[id];
      sink = &own;
      constant_values[id] = evaluate(item.value, true).value;
      own.mix(constant_values[id].bits);
      bind_value(id);
    }
    if (item.instance) name_instance[item.name] = true;
  }
}

// --- conditionals --------------------------------------------------------------------------------------------------

Folded Resolver::State::evaluate_recorded(ExprId expression) {
  const Folded folded = evaluate(expression, true);
  sink->mix(static_cast<std::uint64_t>(folded.value.type) << 32 | folded.value.bits);
  return folded;
}

bool Resolver::State::condition_holds(ExprId condition, bool global_only) {
  if (condition == 0) return true;
  const Folded folded = evaluate_recorded(condition);
  if (folded.value.type == ValueType::None) return false;
  if (folded.value.type != ValueType::Flag) {
    error(DiagnosticKind::RplConditionType, expr(condition).range,
          formatted("a conditional is a flag, and this is a {}", name_of(folded.value.type)));
    return false;
  }
  if (global_only && folded.instance) {
    note_instance(error(DiagnosticKind::RplConstInstance, expr(condition).range,
                        "this conditional changes the interface of the pipeline and cannot depend on instance options"),
                  condition);
  }
  return folded.value.bits != 0;
}

bool Resolver::State::is_active(ItemId id) {
  const Item& item = program->items[id];
  if (item.condition == 0) return true;
  if (activity[id] == Activity::Unknown) {
    const bool free = item.kind == ItemKind::Constant || item.kind == ItemKind::Setting ||
                      item.kind == ItemKind::StateContainer || item.kind == ItemKind::ColorContainer ||
                      item.kind == ItemKind::WorkgroupBuffer || item.kind == ItemKind::Function;
    activity[id] = Activity::Evaluating;
    Consulted* const outer = std::exchange(sink, &item_consulted[id]);
    const std::uint32_t outer_user = std::exchange(user, id);
    activity[id] = condition_holds(item.condition, !free) ? Activity::Active : Activity::Inactive;
    sink = outer;
    user = outer_user;
  }
  sink->merge(item_consulted[id]);
  return activity[id] == Activity::Active;
}

std::uint32_t Resolver::State::array_size(ExprId expression, bool global_only) {
  const Folded folded = evaluate_recorded(expression);
  const Value value = folded.value;
  if (value.type == ValueType::None) return 0;
  const Range range = expr(expression).range;
  if (!is_integer(value.type)) {
    error(DiagnosticKind::RplArraySize, range,
          formatted("the size of an array is a uint or sint, and this is a {}", name_of(value.type)));
    return 0;
  }
  if (value.bits == 0 || (value.type == ValueType::Sint && as_signed(value.bits) < 0)) {
    error(DiagnosticKind::RplArraySize, range,
          formatted("an array has at least one element, and this is {}", format_value(*program, value)));
    return 0;
  }
  if (global_only && folded.instance) {
    note_instance(error(DiagnosticKind::RplConstInstance, range,
                        "this array size changes the interface of the pipeline and cannot depend on instance options"),
                  expression);
  }
  return value.bits;
}

// --- expressions ---------------------------------------------------------------------------------------------------

Folded Resolver::State::evaluate(ExprId expression, bool live) {
  const Expr& node = expr(expression);
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
      error(DiagnosticKind::RplConstOperation, node.range, "functions cannot be called at compile time");
      return {};
    case ExprKind::Member:
    case ExprKind::Index:
      error(DiagnosticKind::RplConstOperation, node.range,
            "compile-time values are options and constants, which have no fields and no elements");
      return {};
    case ExprKind::None:
      break;
  }
  return {};
}

Folded Resolver::State::evaluate_name(const Expr& node, bool live) {
  const NameId name = node.a;
  const ItemId id = bound[name];
  if (id != kNone) {
    const Item& item = program->items[id];
    if (item.kind == ItemKind::Option) {
      const Option& option = program->options[item.index];
      const std::uint64_t instance = option.option_class == OptionClass::Instance ? 1 : 0;
      if (!live) return {{option.initial.type, 0}, instance};
      read_option(item.index);
      return {out.options[item.index], instance};
    }
    if (item.kind == ItemKind::Constant && id <= user) {
      if (live) sink->merge(item_consulted[id]);
      return {constant_values[id], name_instance[name] ? 1u : 0u};
    }
  }
  // `on` and `off` are values unless something has that name.
  if (name == Word::on || name == Word::off) return {{ValueType::Flag, name == Word::on ? 1u : 0u}};
  if (live) unknown_name(name, node.range, DiagnosticKind::RplConstUnknown);
  // An operand that is not evaluated may name a constant that is disabled here.
  if (!live && program->first_value[name] == kNone) {
    unknown_name(name, node.range, DiagnosticKind::RplConstUnknown);
  }
  return {{}, name_instance[name] ? 1u : 0u};
}

Folded Resolver::State::evaluate_unary(const Expr& node, bool live) {
  const auto op = static_cast<UnaryOp>(node.op);
  const Folded operand = evaluate(node.a, live);
  Value value = operand.value;
  if (value.type == ValueType::None) return operand;
  bool good = false;
  switch (op) {
    case UnaryOp::Minus:
      good = value.type == ValueType::Sint || value.type == ValueType::Float;
      if (!good || !live) break;
      if (value.type == ValueType::Float) {
        value.bits ^= 0x80000000u;
      } else if (value.bits == 0x80000000u && expr(node.a).kind != ExprKind::Sint) {
        error(DiagnosticKind::RplConstOverflow, node.range, "the result does not fit in a signed 32-bit number");
        return {{}, operand.instance};
      } else {
        value.bits = 0u - value.bits;
      }
      break;
    case UnaryOp::Plus:
      good = is_number(value.type);
      break;
    case UnaryOp::Not:
      good = value.type == ValueType::Flag;
      value.bits ^= 1;
      break;
    case UnaryOp::Complement:
      good = is_integer(value.type);
      value.bits = ~value.bits;
      break;
  }
  if (!good) {
    error(DiagnosticKind::RplConstOperation, {node.at, node.at + 1},
          formatted("a {} has no unary `{}`", name_of(value.type), text_of(op)));
    return {{}, operand.instance};
  }
  return {value, operand.instance};
}

// Chains such as `a + b + c...` lean to the left and may be long: they are walked, not recursed into.
Folded Resolver::State::evaluate_binary(ExprId expression, bool live) {
  const auto apply = [&](const Expr& node, Folded left) {
    const auto op = static_cast<BinaryOp>(node.op);
    const bool decided =
        live && left.value.type == ValueType::Flag &&
        ((op == BinaryOp::And && left.value.bits == 0) || (op == BinaryOp::Or && left.value.bits != 0));
    return combine(node, left, evaluate(node.b, live && !decided), live);
  };
  const Expr& whole = expr(expression);
  if (expr(whole.a).kind != ExprKind::Binary) return apply(whole, evaluate(whole.a, live));
  const std::size_t mark = chain_stack.size();
  ExprId left = expression;
  for (; expr(left).kind == ExprKind::Binary; left = expr(left).a) chain_stack.push_back(left);
  Folded result = evaluate(left, live);
  while (chain_stack.size() > mark) {
    const Expr& node = expr(chain_stack.back());
    chain_stack.pop_back();
    result = apply(node, result);
  }
  return result;
}

Folded Resolver::State::combine(const Expr& node, Folded left, Folded right, bool live) {
  const auto op = static_cast<BinaryOp>(node.op);
  const Value a = left.value, b = right.value;
  const Folded nothing{{}, left.instance | right.instance};
  const auto at = [&] { return Range{node.at, node.at + static_cast<std::uint32_t>(text_of(op).size())}; };
  if (op == BinaryOp::Assign) {
    error(DiagnosticKind::RplConstOperation, at(), "there is no assignment at compile time").hint("did you mean `==`?");
    return nothing;
  }
  // `false && disabled`: the type of the right side is unknown and does not matter.
  const bool lazy =
      (op == BinaryOp::And || op == BinaryOp::Or) && a.type == ValueType::Flag && b.type == ValueType::None;
  if (lazy && live && ((op == BinaryOp::And) == (a.bits == 0))) return {a, nothing.instance};
  if (a.type == ValueType::None || b.type == ValueType::None) {
    return {{gives_flag(op) && !live ? ValueType::Flag : ValueType::None, 0}, nothing.instance};
  }
  if (a.type != b.type) {
    Diagnostic& problem = error(DiagnosticKind::RplConstType, at(),
                                formatted("`{}` between a {} and a {}", text_of(op), name_of(a.type), name_of(b.type)));
    if (!scalar_of(a.type).empty() && !scalar_of(b.type).empty()) {
      const SourceLocation where = location(expr(node.b).range);
      problem.suggest(where, formatted("{} {{{}}}", scalar_of(a.type), where.source->text(where.span)));
    }
    return nothing;
  }
  if (!takes(op, a.type)) {
    error(DiagnosticKind::RplConstOperation, at(),
          formatted("there is no `{}` of two {} values at compile time", text_of(op), name_of(a.type)));
    return nothing;
  }
  if (a.type == ValueType::String) check_enum_compare(node);
  const ValueType type = gives_flag(op) ? ValueType::Flag : a.type;
  if (!live) return {{type, 0}, nothing.instance};
  const Outcome outcome = compute(op, a.type, a.bits, b.bits);
  if (!outcome.good()) {
    error(outcome.problem, at(), std::string(reason(outcome.problem, op, a.type)));
    return nothing;
  }
  return {{type, outcome.bits}, nothing.instance};
}

// `mode == "nonsense"`, where the option can never be that. Both sides are strings.
void Resolver::State::check_enum_compare(const Expr& node) {
  const auto op = static_cast<BinaryOp>(node.op);
  if (op != BinaryOp::Equal && op != BinaryOp::NotEqual) return;
  ExprId name = node.a, string = node.b;
  if (expr(name).kind == ExprKind::String) std::swap(name, string);
  if (expr(name).kind != ExprKind::Name || expr(string).kind != ExprKind::String) return;
  const ItemId id = bound[expr(name).a];
  if (id == kNone || program->items[id].kind != ItemKind::Option) return;
  const Option& option = program->options[program->items[id].index];
  std::vector<std::string_view> values;
  for (std::uint32_t i = 0; i < option.values.count; ++i) {
    const NameId value = program->lists[option.values.first + i];
    if (value == expr(string).a) return;
    values.push_back(text(value));
  }
  Diagnostic& problem = warning(DiagnosticKind::RplEnumCompare, expr(string).range,
                                formatted("option `{}` is never \"{}\"", text(option.name), text(expr(string).a)));
  if (const auto near = closest(text(expr(string).a), values)) {
    problem.suggest(location(expr(string).range), formatted("\"{}\"", *near));
  }
  problem.note(formatted("`{}` is declared here", text(option.name)), location(program->items[id].name_range));
}

Folded Resolver::State::evaluate_construct(const Expr& node, bool live) {
  const ValueType target = value_type_of(node.a);
  if (target == ValueType::None) {
    error(DiagnosticKind::RplConstOperation, node.range, "only `f1`, `u1` and `s1` can be made at compile time");
    return {};
  }
  if (node.c != 1) {
    error(DiagnosticKind::RplConstOperation, node.range,
          formatted("`{}` takes one value at compile time", text(node.a)));
    return {};
  }
  const Folded operand = evaluate(program->lists[node.b], live);
  const Value value = operand.value;
  if (value.type == ValueType::None) return {{live ? ValueType::None : target, 0}, operand.instance};
  if (value.type == ValueType::String) {
    error(DiagnosticKind::RplConstType, node.range, formatted("a string cannot become `{}`", text(node.a)));
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
      error(DiagnosticKind::RplConstRange, node.range,
            formatted("{} is out of the range of `{}`", format_value(*program, value), text(node.a)));
      return {{}, operand.instance};
    }
    bits = static_cast<std::uint32_t>(static_cast<std::int64_t>(whole));
  }
  return {{target, bits}, operand.instance};
}

// --- problems ------------------------------------------------------------------------------------------------------

bool Resolver::State::references_instance_option(ExprId expression) const {
  return any_referenced_name(*program, expression, walk_stack, [&](const Expr& node) {
    if (name_instance[node.a]) return true;
    const ItemId id = bound[node.a];
    return id != kNone && program->items[id].kind == ItemKind::Option &&
           program->options[program->items[id].index].option_class == OptionClass::Instance;
  });
}

void Resolver::State::note_instance(Diagnostic& problem, ExprId expression) const {
  // From constant to constant until an option is found; each stands before the one that uses it.
  for (std::uint32_t steps = 0; steps < 16 && expression != 0; ++steps) {
    ExprId next = 0;
    std::vector<ExprId> todo;
    any_referenced_name(*program, expression, todo, [&](const Expr& node) {
      for (ItemId id = program->first_value[node.a]; id != kNone; id = program->items[id].next_same_name) {
        const Item& item = program->items[id];
        if (item.kind == ItemKind::Option && program->options[item.index].option_class == OptionClass::Instance) {
          problem.note(formatted("`{}` is an instance option", text(item.name)), location(item.name_range));
          return true;
        }
        if (item.kind != ItemKind::Constant) continue;
        next = references_instance_option(item.value)       ? item.value
               : references_instance_option(item.condition) ? item.condition
                                                            : 0;
        if (next == 0) continue;
        problem.note(formatted("the constant `{}` depends on an instance option", text(item.name)),
                     location(item.name_range));
        return true;
      }
      return false;
    });
    expression = next;
  }
}

// "`joints` is declared here, but disabled: `enable_skinning` is false".
void Resolver::State::note_disabled(Diagnostic& problem, ItemId id) const {
  const Item& item = program->items[id];
  std::string why;
  std::vector<NameId> seen;
  const auto add = [&](const Expr& node) {
    for (ItemId at = program->first_value[node.a]; at != kNone; at = program->items[at].next_same_name) {
      const Item& cause = program->items[at];
      if (cause.kind != ItemKind::Option || std::ranges::find(seen, cause.name) != seen.end()) continue;
      seen.push_back(cause.name);
      const Value value = out.options[cause.index];
      const std::string shown = format_value(*program, value);
      why += formatted("{}`{}` is {}", why.empty() ? "" : ", ", text(cause.name),
                       value.type == ValueType::String ? formatted("\"{}\"", shown) : shown);
    }
    return seen.size() >= 8;
  };
  std::vector<ExprId> todo, inner;
  any_referenced_name(*program, item.condition, todo, [&](const Expr& node) {
    const ItemId used = bound[node.a];
    if (used != kNone && program->items[used].kind == ItemKind::Constant) {
      return any_referenced_name(*program, program->items[used].value, inner, add);
    }
    return add(node);
  });
  problem.note(formatted("`{}` is declared here, but disabled{}{}", text(item.name), why.empty() ? "" : ": ", why),
               location(item.name_range));
}

void Resolver::State::unknown_name(NameId name, Range range, DiagnosticKind unknown) {
  const bool compile_time = unknown == DiagnosticKind::RplConstUnknown;
  for (ItemId id = program->first_value[name]; id != kNone; id = program->items[id].next_same_name) {
    const Item& item = program->items[id];
    if (item.kind == ItemKind::Constant && id > user) {
      error(DiagnosticKind::RplConstForward, range,
            formatted("the constant `{}` is used before its declaration", text(name)))
          .note(formatted("`{}` is declared here", text(name)), location(item.name_range));
      return;
    }
    const bool fits = !compile_time || item.kind == ItemKind::Constant;
    if (!fits || bound[name] == id) continue;
    note_disabled(error(DiagnosticKind::RplDisabledName, range, formatted("`{}` is disabled", text(name))), id);
    return;
  }
  if (compile_time && bound[name] != kNone) {
    error(unknown, range, formatted("`{}` is neither an option nor a constant", text(name)))
        .note(formatted("`{}` is declared here", text(name)), location(program->items[bound[name]].name_range));
    return;
  }
  Diagnostic& problem = error(unknown, range,
                              compile_time ? formatted("there is no option or constant `{}`", text(name))
                                           : formatted("there is no `{}` here", text(name)));
  if (!may_suggest()) return;
  std::vector<std::string_view> names;
  for (const Item& item : program->items) {
    if (item.kind == ItemKind::Setting || item.kind == ItemKind::Struct || item.kind == ItemKind::Function) continue;
    if (compile_time && item.kind != ItemKind::Option && item.kind != ItemKind::Constant) continue;
    // Comparing with all names of a large program for each of many problems would take long.
    if (names.size() >= 1000) break;
    names.push_back(text(item.name));
  }
  if (!compile_time) {
    for (const Binding& binding : bindings) names.push_back(text(binding.name));
  }
  if (const auto near = closest(text(name), names)) problem.suggest(location(range), *near);
}

}  // namespace slipway::rpl
