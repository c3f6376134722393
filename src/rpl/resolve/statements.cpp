// Statements (RPL page 3.6).

#include "base/format.hpp"
#include "rpl/resolve/context.hpp"

namespace slipway::rpl {

// --- names in scope ------------------------------------------------------------------------------------------------

std::uint32_t Resolver::State::bind(const Binding& binding) {
  const auto index = static_cast<std::uint32_t>(bindings.size());
  bindings.emplace_back(binding.kind, binding.written, false, binding.name, binding.index, binding.type, kNone,
                        local_of[binding.name], binding.at);
  local_of[binding.name] = index;
  return index;
}

void Resolver::State::unbind(std::size_t mark) {
  while (bindings.size() > mark) {
    local_of[bindings.back().name] = bindings.back().previous;
    bindings.pop_back();
  }
}

// Whether a local, alias or argument may have this name here (RPL page 3.3).
bool Resolver::State::check_local_name(NameId name, Range range) {
  const std::uint32_t local = local_of[name];
  if (local != kNone && bindings[local].kind != Binding::Kind::Argument) {
    error(DiagnosticKind::RplShadow, range, formatted("`{}` is already a variable or alias here", text(name)))
        .note("the first declaration", location(bindings[local].at));
    return false;
  }
  if (local != kNone) {
    warning(DiagnosticKind::RplShadowArgument, range, formatted("`{}` hides an argument", text(name)))
        .note("the argument", location(bindings[local].at));
    return true;
  }
  const ItemId item = bound[name];
  if (item == kNone) return true;
  if (program->items[item].kind == ItemKind::Constant) {
    warning(DiagnosticKind::RplShadowArgument, range, formatted("`{}` hides a constant", text(name)))
        .note("the constant", location(program->items[item].name_range));
    return true;
  }
  error(DiagnosticKind::RplShadow, range,
        formatted("a local cannot have the name of the {} `{}`", word_of(program->items[item].kind), text(name)))
      .note(formatted("`{}` is declared here", text(name)), location(program->items[item].name_range));
  return false;
}

// --- scopes --------------------------------------------------------------------------------------------------------

bool Resolver::State::resolve_statements(const Stmt& block) {
  const std::size_t mark = bindings.size();
  const std::uint32_t outer_dead = dead;
  std::size_t code = 0, locals = 0;
  bool terminated = false;
  for (std::uint32_t i = 0; i < block.list.count; ++i) {
    const StmtId id = program->lists[block.list.first + i];
    if (terminated && dead == outer_dead) {
      // What the options switch off is not there.
      const ExprId condition = program->stmts[id].condition;
      if (condition != 0 && !condition_holds(condition, false)) continue;
      warning(DiagnosticKind::RplUnreachable, program->stmts[id].range, "this is never reached");
      ++dead;
      code = out.code.size();
      locals = out.locals.size();
    }
    terminated = resolve_statement(id) || terminated;
  }
  if (dead != outer_dead) {
    dead = outer_dead;
    out.code.resize(code);
    out.locals.resize(locals);
  }
  pending_statement = false;
  unbind(mark);
  return terminated;
}

bool Resolver::State::resolve_block(StmtId id) { return resolve_statements(program->stmts[id]); }

// A scope of which it is known at compile time whether it is entered.
bool Resolver::State::resolve_dead_or_live(StmtId id, bool live) {
  if (live) return resolve_block(id);
  ++dead;
  const std::size_t code = out.code.size(), locals = out.locals.size();
  if (program->stmts[id].kind == StmtKind::If) {
    resolve_statement(id);
  } else {
    resolve_block(id);
  }
  out.code.resize(code);
  out.locals.resize(locals);
  --dead;
  return false;
}

// --- statements ----------------------------------------------------------------------------------------------------

bool Resolver::State::resolve_statement(StmtId id) {
  const Stmt& stmt = program->stmts[id];
  pending_statement = true;
  bool terminates = false;
  switch (stmt.kind) {
    case StmtKind::Block:
      if (!condition_holds(stmt.condition, false)) break;
      emit(Op::ScopeBegin, kVoid, stmt.range);
      terminates = resolve_statements(stmt);
      emit(Op::ScopeEnd, kVoid, stmt.range);
      break;
    case StmtKind::Alias:
      resolve_alias(stmt);
      break;
    case StmtKind::Variable:
      resolve_variable(stmt);
      break;
    case StmtKind::Expr:
      resolve_expression_statement(stmt, terminates);
      break;
    case StmtKind::If:
      terminates = resolve_if(stmt);
      break;
    case StmtKind::For:
      resolve_for(stmt);
      break;
    case StmtKind::While:
      resolve_while(stmt);
      break;
    case StmtKind::Break:
    case StmtKind::Continue:
      if (loops == 0) {
        error(DiagnosticKind::RplLoopJump, stmt.range,
              formatted("`{}` outside a loop", stmt.kind == StmtKind::Break ? "break" : "continue"));
        break;
      }
      emit(stmt.kind == StmtKind::Break ? Op::Break : Op::Continue, kVoid, stmt.range);
      terminates = true;
      break;
    case StmtKind::Return:
      resolve_return(stmt);
      terminates = true;
      break;
    case StmtKind::None:
      break;
  }
  pending_statement = false;
  return terminates;
}

void Resolver::State::resolve_variable(const Stmt& stmt) {
  TypeId type = resolve_type(stmt.type, false);
  const Type& of = out.types[type];
  const TypeRef& ref = program->types[stmt.type];
  if (type == kVoid || of.opaque || of.has_tail) {
    error(DiagnosticKind::RplUnknownType, ref.range, formatted("a variable cannot be `{}`", out.type_text(type)));
    type = kErrorType;
  }
  Ref value = kNoRef;
  if (stmt.a != 0) {
    const ExprResult initial = resolve_value(stmt.a);
    if (initial.type != kErrorType && type != kErrorType && initial.type != type) {
      mismatch(DiagnosticKind::RplTypeMismatch, stmt.a, type, initial.type, formatted("`{}`", text(stmt.name)));
    } else if (out.types[initial.type].kind == TypeKind::Array && type != kErrorType) {
      error(DiagnosticKind::RplArrayValue, expr(stmt.a).range, "arrays cannot be assigned as a whole");
    } else if (initial.kind == ResultKind::Value) {
      value = initial.index;
    }
  }
  if (check_local_name(stmt.name, stmt.name_range)) {
    const auto local = static_cast<std::uint32_t>(out.locals.size());
    out.locals.push_back({.name = stmt.name, .type = type, .at = stmt.name_range});
    local_binding.resize(local - out.functions[current].locals.first);
    local_binding.push_back(bind({.kind = Binding::Kind::Local,
                                  .written = stmt.a != 0,
                                  .name = stmt.name,
                                  .index = local,
                                  .type = type,
                                  .at = stmt.name_range}));
    emit(Op::Declare, kVoid, stmt.range, local, value);
  }
}

void Resolver::State::resolve_alias(const Stmt& stmt) {
  if (!condition_holds(stmt.condition, false)) return;
  if (!check_local_name(stmt.name, stmt.name_range)) return;
  // Its problems are shown even when nothing uses it; the code of this reading is not kept.
  ++dead;
  const std::size_t code = out.code.size();
  const bool was_pending = pending_statement;
  resolve_expression(stmt.a);
  out.code.resize(code);
  pending_statement = was_pending;
  --dead;
  bind({.kind = Binding::Kind::Alias, .name = stmt.name, .index = stmt.a, .at = stmt.name_range});
}

void Resolver::State::resolve_expression_statement(const Stmt& stmt, bool& terminates) {
  const Expr& node = expr(stmt.a);
  if (node.kind == ExprKind::Call && node.a >= Word::Count) {
    const BuiltinFunction* const builtin = find_builtin(node.a);
    if (builtin && builtin->id == Builtin::Discard) {
      if (!check_count(node, 0)) return;
      note_stage_use(StageUse::Builtin, mask_of(Stage::Fragment), node.range);
      emit(Op::Discard, kVoid, node.range);
      terminates = true;
      return;
    }
  }
  ExprResult result = resolve_expression(stmt.a);
  if (result.kind == ResultKind::Void || result.kind == ResultKind::Error) return;
  const bool assignment = node.kind == ExprKind::Binary && static_cast<BinaryOp>(node.op) == BinaryOp::Assign;
  if (assignment) return;
  result = load(result, node.range);
  if (result.kind != ResultKind::Value) return;
  if (node.kind != ExprKind::Call) {
    warning(DiagnosticKind::RplUnusedValue, node.range, "nothing uses this value");
  }
  if (!is_constant(result.index)) emit(Op::Evaluate, kVoid, stmt.range, result.index);
}

void Resolver::State::resolve_return(const Stmt& stmt) {
  const TypeId wanted = functions[current].result;
  if (stmt.a == 0) {
    if (wanted != kVoid && wanted != kErrorType) {
      error(DiagnosticKind::RplReturnType, stmt.range,
            formatted("`return` needs a value of `{}`", out.type_text(wanted)));
    }
    emit(Op::Return, kVoid, stmt.range, kNoRef);
    return;
  }
  const ExprResult value = resolve_value(stmt.a);
  if (value.type == kErrorType || wanted == kErrorType) return;
  if (wanted == kVoid) {
    error(DiagnosticKind::RplReturnType, expr(stmt.a).range, "a `void` function returns no value");
    return;
  }
  if (value.type != wanted) {
    mismatch(DiagnosticKind::RplReturnType, stmt.a, wanted, value.type, "the function");
    return;
  }
  emit(Op::Return, kVoid, stmt.range, value.index);
}

// --- control flow --------------------------------------------------------------------------------------------------

ExprResult Resolver::State::resolve_condition(ExprId expression) {
  const ExprResult value = resolve_value(expression);
  if (value.kind == ResultKind::Error || value.type == kBoolean) return value;
  error(DiagnosticKind::RplConditionRuntime, expr(expression).range,
        formatted("a condition is a boolean, and this is `{}`", out.type_text(value.type)))
      .hint("compare it with something");
  return {};
}

bool Resolver::State::resolve_if(const Stmt& stmt) {
  const ExprResult condition = resolve_condition(stmt.a);
  const auto resolve_else = [&](StmtId id) {
    return program->stmts[id].kind == StmtKind::If ? resolve_statement(id) : resolve_block(id);
  };
  if (condition.kind == ResultKind::Value && is_constant(condition.index)) {
    const bool taken = words_of(condition.index)[0] != 0;
    const StmtId live = taken ? stmt.b : stmt.c;
    const StmtId other = taken ? stmt.c : stmt.b;
    if (other != 0) resolve_dead_or_live(other, false);
    if (live == 0) return false;
    pending_statement = true;
    emit(Op::ScopeBegin, kVoid, stmt.range);
    const bool terminates = resolve_else(live);
    emit(Op::ScopeEnd, kVoid, stmt.range);
    return terminates;
  }
  const Ref begin = emit(Op::If, kVoid, stmt.range, condition.kind == ResultKind::Value ? condition.index : kNoRef);
  const bool then_ends = resolve_block(stmt.b);
  bool else_ends = false;
  if (stmt.c != 0) {
    emit(Op::Else, kVoid, program->stmts[stmt.c].range);
    else_ends = resolve_else(stmt.c);
  }
  emit(Op::EndIf, kVoid, stmt.range);
  out.code[begin].terminates = then_ends && else_ends;
  return then_ends && else_ends;
}

void Resolver::State::resolve_for(const Stmt& stmt) {
  const std::size_t mark = bindings.size();
  emit(Op::ScopeBegin, kVoid, stmt.range, 0, 0, 0, 1);
  const Stmt& variable = program->stmts[stmt.a];
  pending_statement = true;
  resolve_variable(variable);
  resolve_loop(stmt.b, stmt.c, stmt.d, true);
  emit(Op::ScopeEnd, kVoid, stmt.range, 0, 0, 0, 1);
  unbind(mark);
}

void Resolver::State::resolve_while(const Stmt& stmt) { resolve_loop(stmt.a, 0, stmt.d, false); }

void Resolver::State::resolve_loop(ExprId condition, ExprId step, StmtId body, bool is_for) {
  pending_statement = true;
  const std::size_t code = out.code.size(), locals = out.locals.size();
  const std::uint8_t sub = is_for ? 1 : 0;
  emit(Op::LoopBegin, kVoid, expr(condition).range, 0, 0, 0, sub);
  const ExprResult test = resolve_condition(condition);
  const bool never = test.kind == ResultKind::Value && is_constant(test.index) && words_of(test.index)[0] == 0;
  if (never) ++dead;
  emit(Op::LoopTest, kVoid, expr(condition).range, test.kind == ResultKind::Value ? test.index : kNoRef);
  ++loops;
  resolve_block(body);
  --loops;
  emit(Op::LoopStep, kVoid, expr(condition).range);
  if (step != 0) {
    pending_statement = true;
    bool terminates = false;
    const Stmt statement{.kind = StmtKind::Expr, .a = step, .range = expr(step).range};
    resolve_expression_statement(statement, terminates);
    if (terminates) error(DiagnosticKind::RplStage, statement.range, "a loop cannot discard in its step");
  }
  emit(Op::LoopEnd, kVoid, expr(condition).range);
  if (never) {
    --dead;
    out.code.resize(code);
    out.locals.resize(locals);
  }
}

}  // namespace slipway::rpl
