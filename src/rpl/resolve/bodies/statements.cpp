// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/bodies/statements.hpp"

#include <optional>

#include "base/format.hpp"

namespace slipway::rpl {

// --- scopes --------------------------------------------------------------------------------------------------------

bool StatementResolver::resolve_body(const Stmt& block, TypeId result) {
  result_ = result;
  loops_ = 0;
  return resolve_statements(block);
}

bool StatementResolver::resolve_statements(const Stmt& block) {
  const std::size_t outer = scope_.size();
  bool terminated = false;
  {
    std::optional<CodeBuilder::DeadCode> dead;
    for (std::uint32_t i = 0; i < block.list.count; ++i) {
      const StmtId id = context_.program->lists[block.list.first + i];
      if (terminated && !dead) {
        // Statements that the options disable do not count.
        const ExprId condition = context_.program->stmts[id].condition;
        if (condition != 0 && !constants_.condition_holds(condition, false)) continue;
        context_.warning(DiagnosticKind::RplUnreachable, context_.program->stmts[id].range, "this is never reached");
        dead.emplace(code_);
      }
      terminated = resolve_statement(id) || terminated;
    }
  }
  code_.end_statement();
  scope_.unbind(outer);
  return terminated;
}

bool StatementResolver::resolve_block(StmtId id) { return resolve_statements(context_.program->stmts[id]); }

// A scope that is known at compile time to be skipped.
void StatementResolver::resolve_dead(StmtId id) {
  const CodeBuilder::DeadCode dead(code_);
  if (context_.program->stmts[id].kind == StmtKind::If) {
    resolve_statement(id);
  } else {
    resolve_block(id);
  }
}

// --- statements ----------------------------------------------------------------------------------------------------

bool StatementResolver::resolve_statement(StmtId id) {
  const Stmt& stmt = context_.program->stmts[id];
  code_.begin_statement();
  bool terminates = false;
  switch (stmt.kind) {
    case StmtKind::Block:
      if (!constants_.condition_holds(stmt.condition, false)) break;
      code_.emit(Op::ScopeBegin, kVoid, stmt.range);
      terminates = resolve_statements(stmt);
      code_.emit(Op::ScopeEnd, kVoid, stmt.range);
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
      if (loops_ == 0) {
        context_.error(DiagnosticKind::RplLoopJump, stmt.range,
                       formatted("`{}` outside a loop", stmt.kind == StmtKind::Break ? "break" : "continue"));
        break;
      }
      code_.emit(stmt.kind == StmtKind::Break ? Op::Break : Op::Continue, kVoid, stmt.range);
      terminates = true;
      break;
    case StmtKind::Return:
      resolve_return(stmt);
      terminates = true;
      break;
    case StmtKind::None:
      break;
  }
  code_.end_statement();
  return terminates;
}

void StatementResolver::resolve_variable(const Stmt& stmt) {
  TypeId type = types_.resolve_type(stmt.type, false);
  const Type& of = out_.types[type];
  const TypeRef& ref = context_.program->types[stmt.type];
  if (type == kVoid || of.opaque || of.has_tail) {
    context_.error(DiagnosticKind::RplUnknownType, ref.range,
                   formatted("a variable cannot be `{}`", out_.type_text(type)));
    type = kErrorType;
  }
  Ref value = kNoRef;
  if (stmt.a != 0) {
    const ExprResult initial = expressions_.resolve_value(stmt.a);
    if (initial.type != kErrorType && type != kErrorType && initial.type != type) {
      expressions_.mismatch(DiagnosticKind::RplTypeMismatch, stmt.a, type, initial.type,
                            formatted("`{}`", context_.text(stmt.name)));
    } else if (out_.types[initial.type].kind == TypeKind::Array && type != kErrorType) {
      context_.error(DiagnosticKind::RplArrayValue, context_.expr(stmt.a).range,
                     "arrays cannot be assigned as a whole");
    } else if (initial.kind == ResultKind::Value) {
      value = initial.index;
    }
  }
  if (scope_.check_name(stmt.name, stmt.name_range)) {
    const auto local = static_cast<std::uint32_t>(out_.locals.size());
    out_.locals.push_back({.name = stmt.name, .type = type, .at = stmt.name_range});
    scope_.bind_local({.kind = Binding::Kind::Local,
                       .written = stmt.a != 0,
                       .name = stmt.name,
                       .index = local,
                       .type = type,
                       .at = stmt.name_range});
    code_.emit(Op::Declare, kVoid, stmt.range, local, value);
  }
}

void StatementResolver::resolve_alias(const Stmt& stmt) {
  if (!constants_.condition_holds(stmt.condition, false)) return;
  if (!scope_.check_name(stmt.name, stmt.name_range)) return;
  {
    // Reports its errors even when nothing uses it; the code is resolved again where it is used.
    const CodeBuilder::DeadCode dead(code_);
    expressions_.resolve_expression(stmt.a);
  }
  scope_.bind({.kind = Binding::Kind::Alias, .name = stmt.name, .index = stmt.a, .at = stmt.name_range});
}

void StatementResolver::resolve_expression_statement(const Stmt& stmt, bool& terminates) {
  const Expr& node = context_.expr(stmt.a);
  if (node.kind == ExprKind::Call && node.a >= Word::Count) {
    const BuiltinFunction* const builtin = find_builtin(node.a);
    if (builtin && builtin->id == Builtin::Discard) {
      if (!expressions_.check_count(node, 0)) return;
      code_.note_stage_use(StageUse::Builtin, mask_of(Stage::Fragment), node.range);
      code_.emit(Op::Discard, kVoid, node.range);
      terminates = true;
      return;
    }
  }
  ExprResult result = expressions_.resolve_expression(stmt.a);
  if (result.kind == ResultKind::Void || result.kind == ResultKind::Error) return;
  const bool assignment = node.kind == ExprKind::Binary && static_cast<BinaryOp>(node.op) == BinaryOp::Assign;
  if (assignment) return;
  result = access_.load(result, node.range);
  if (result.kind != ResultKind::Value) return;
  if (node.kind != ExprKind::Call) {
    context_.warning(DiagnosticKind::RplUnusedValue, node.range, "nothing uses this value");
  }
  if (!is_constant(result.index)) code_.emit(Op::Evaluate, kVoid, stmt.range, result.index);
}

void StatementResolver::resolve_return(const Stmt& stmt) {
  const TypeId wanted = result_;
  if (stmt.a == 0) {
    if (wanted != kVoid && wanted != kErrorType) {
      context_.error(DiagnosticKind::RplReturnType, stmt.range,
                     formatted("`return` needs a value of `{}`", out_.type_text(wanted)));
    }
    code_.emit(Op::Return, kVoid, stmt.range, kNoRef);
    return;
  }
  const ExprResult value = expressions_.resolve_value(stmt.a);
  if (value.type == kErrorType || wanted == kErrorType) return;
  if (wanted == kVoid) {
    context_.error(DiagnosticKind::RplReturnType, context_.expr(stmt.a).range, "a `void` function returns no value");
    return;
  }
  if (value.type != wanted) {
    expressions_.mismatch(DiagnosticKind::RplReturnType, stmt.a, wanted, value.type, "the function");
    return;
  }
  code_.emit(Op::Return, kVoid, stmt.range, value.index);
}

// --- control flow --------------------------------------------------------------------------------------------------

ExprResult StatementResolver::resolve_condition(ExprId expression) {
  const ExprResult value = expressions_.resolve_value(expression);
  if (value.kind == ResultKind::Error || value.type == kBoolean) return value;
  context_
      .error(DiagnosticKind::RplConditionRuntime, context_.expr(expression).range,
             formatted("a condition is a boolean, and this is `{}`", out_.type_text(value.type)))
      .hint("compare it with something");
  return {};
}

bool StatementResolver::resolve_if(const Stmt& stmt) {
  const ExprResult condition = resolve_condition(stmt.a);
  const auto resolve_else = [&](StmtId id) {
    return context_.program->stmts[id].kind == StmtKind::If ? resolve_statement(id) : resolve_block(id);
  };
  if (condition.kind == ResultKind::Value && is_constant(condition.index)) {
    const bool taken = code_.words_of(condition.index)[0] != 0;
    const StmtId live = taken ? stmt.b : stmt.c;
    const StmtId other = taken ? stmt.c : stmt.b;
    if (other != 0) resolve_dead(other);
    if (live == 0) return false;
    code_.begin_statement();
    code_.emit(Op::ScopeBegin, kVoid, stmt.range);
    const bool terminates = resolve_else(live);
    code_.emit(Op::ScopeEnd, kVoid, stmt.range);
    return terminates;
  }
  const Ref begin =
      code_.emit(Op::If, kVoid, stmt.range, condition.kind == ResultKind::Value ? condition.index : kNoRef);
  const bool then_ends = resolve_block(stmt.b);
  bool else_ends = false;
  if (stmt.c != 0) {
    code_.emit(Op::Else, kVoid, context_.program->stmts[stmt.c].range);
    else_ends = resolve_else(stmt.c);
  }
  code_.emit(Op::EndIf, kVoid, stmt.range);
  out_.code[begin].terminates = then_ends && else_ends;
  return then_ends && else_ends;
}

void StatementResolver::resolve_for(const Stmt& stmt) {
  const std::size_t outer = scope_.size();
  code_.emit(Op::ScopeBegin, kVoid, stmt.range, 0, 0, 0, 1);
  const Stmt& variable = context_.program->stmts[stmt.a];
  code_.begin_statement();
  resolve_variable(variable);
  resolve_loop(stmt.b, stmt.c, stmt.d, true);
  code_.emit(Op::ScopeEnd, kVoid, stmt.range, 0, 0, 0, 1);
  scope_.unbind(outer);
}

void StatementResolver::resolve_while(const Stmt& stmt) { resolve_loop(stmt.a, 0, stmt.d, false); }

void StatementResolver::resolve_loop(ExprId condition, ExprId step, StmtId body, bool is_for) {
  code_.begin_statement();
  const std::size_t code = out_.code.size(), locals = out_.locals.size();
  const Range range = context_.expr(condition).range;
  code_.emit(Op::LoopBegin, kVoid, range, 0, 0, 0, static_cast<std::uint8_t>(is_for));
  const ExprResult test = resolve_condition(condition);
  const bool never = test.kind == ResultKind::Value && is_constant(test.index) && code_.words_of(test.index)[0] == 0;
  if (!never) return resolve_loop_parts(range, step, body, test);
  {
    const CodeBuilder::DeadCode dead(code_);
    resolve_loop_parts(range, step, body, test);
  }
  truncate(out_.code, code);
  truncate(out_.locals, locals);
}

// From the test on.
void StatementResolver::resolve_loop_parts(Range condition, ExprId step, StmtId body, ExprResult test) {
  code_.emit(Op::LoopTest, kVoid, condition, test.kind == ResultKind::Value ? test.index : kNoRef);
  ++loops_;
  resolve_block(body);
  --loops_;
  code_.emit(Op::LoopStep, kVoid, condition);
  if (step != 0) {
    code_.begin_statement();
    bool terminates = false;
    const Stmt statement{.kind = StmtKind::Expr, .a = step, .range = context_.expr(step).range};
    resolve_expression_statement(statement, terminates);
    if (terminates) context_.error(DiagnosticKind::RplStage, statement.range, "a loop cannot discard in its step");
  }
  code_.emit(Op::LoopEnd, kVoid, condition);
}

}  // namespace slipway::rpl
