// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements (docs/spec/rpl.md#statements-and-locals).
//
// Writes Resolved::locals.
#pragma once

#include "rpl/resolve/bodies/expressions.hpp"

namespace slipway::rpl {

class StatementResolver {
 public:
  StatementResolver(Context& context, ConstantResolver& constants, TypeResolver& types, CodeBuilder& code,
                    LocalScope& scope, AccessChecker& access, ExpressionResolver& expressions)
      : context_(context),
        constants_(constants),
        types_(types),
        code_(code),
        scope_(scope),
        access_(access),
        expressions_(expressions),
        out_(context.out) {}

  // The statements of a function that returns `result`. Returns whether no path reaches their end.
  bool resolve_body(const Stmt& block, TypeId result);

 private:
  // Each returns whether control never reaches what follows.
  bool resolve_block(StmtId block);
  bool resolve_statements(const Stmt& block);
  bool resolve_statement(StmtId id);
  bool resolve_if(const Stmt& stmt);
  void resolve_dead(StmtId block);
  void resolve_for(const Stmt& stmt);
  void resolve_while(const Stmt& stmt);
  void resolve_loop(ExprId condition, ExprId step, StmtId body, bool is_for);
  void resolve_loop_parts(Range condition, ExprId step, StmtId body, ExprResult test);
  void resolve_variable(const Stmt& stmt);
  void resolve_alias(const Stmt& stmt);
  void resolve_return(const Stmt& stmt);
  void resolve_expression_statement(const Stmt& stmt, bool& terminates);
  ExprResult resolve_condition(ExprId expression);

  Context& context_;
  ConstantResolver& constants_;
  TypeResolver& types_;
  CodeBuilder& code_;
  LocalScope& scope_;
  AccessChecker& access_;
  ExpressionResolver& expressions_;
  Resolved& out_;
  TypeId result_ = kVoid;    // of the function
  std::uint32_t loops_ = 0;  // around the statement
};

}  // namespace slipway::rpl
