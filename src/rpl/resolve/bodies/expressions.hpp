// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions of code that runs: names and operators (docs/spec/rpl.md#expressions). Members and indices are in
// chains.hpp, calls and constructors in calls.hpp; the three call each other.
#pragma once

#include <vector>

#include "rpl/resolve/bodies/access.hpp"
#include "rpl/resolve/declarations.hpp"

namespace slipway::rpl {

class CallResolver;
class ChainResolver;

class ExpressionResolver {
 public:
  ExpressionResolver(Context& context, ReadLog& log, ConstantResolver& constants,
                     const DeclarationResolver& declarations, CodeBuilder& code, LocalScope& scope,
                     AccessChecker& access, ChainResolver& chains, CallResolver& calls)
      : context_(context),
        log_(log),
        constants_(constants),
        declarations_(declarations),
        code_(code),
        scope_(scope),
        access_(access),
        chains_(chains),
        calls_(calls),
        out_(context.out) {}

  // Starts a function.
  void begin() { depth_ = alias_uses_ = 0; }

  ExprResult resolve_expression(ExprId expression);
  // The same, loaded.
  ExprResult resolve_value(ExprId expression);

  // Reports a value of another type, with a suggestion for literals. `what` has the type `wanted`.
  void mismatch(DiagnosticKind kind, ExprId expression, TypeId wanted, TypeId found, std::string_view what) const;
  // Reports another number of arguments; then resolves them for their errors.
  bool check_count(const Expr& node, std::uint32_t wanted);
  void resolve_arguments(const Expr& node, std::uint32_t first = 0);

 private:
  ExprResult resolve_name(const Expr& node);
  ExprResult resolve_alias_use(std::uint32_t alias, Range at);
  ExprResult global_value(ItemId item, Range range);
  ExprResult read_variable(std::uint32_t binding, const Expr& node);
  ExprResult resolve_unary(const Expr& node);
  ExprResult resolve_binary(ExprId expression);
  ExprResult resolve_assign(const Expr& node);
  ExprResult resolve_logic(const Expr& node, ExprResult left);
  ExprResult apply_binary(const Expr& node, ExprResult left, ExprResult right);
  bool is_register(const LValue& lvalue) const;
  void suggest_literal(Diagnostic& problem, ExprId expression, TypeId wanted, TypeId found) const;

  Context& context_;
  ReadLog& log_;
  ConstantResolver& constants_;
  const DeclarationResolver& declarations_;
  CodeBuilder& code_;
  LocalScope& scope_;
  AccessChecker& access_;
  ChainResolver& chains_;
  CallResolver& calls_;
  Resolved& out_;
  std::uint32_t depth_ = 0;  // of recursion
  std::uint32_t alias_uses_ = 0;
  std::vector<ExprId> chain_stack_;  // of the operators that are being walked
  std::vector<std::uint32_t> fold_buffer_;
};

}  // namespace slipway::rpl
