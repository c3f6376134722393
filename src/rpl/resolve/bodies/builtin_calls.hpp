// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of built-in functions (docs/spec/rpl.md#images-and-samplers, docs/spec/rpl.md#stages-and-built-ins).
#pragma once

#include <vector>

#include "rpl/resolve/bodies/expressions.hpp"

namespace slipway::rpl {

class BuiltinCallResolver {
 public:
  BuiltinCallResolver(Context& context, const DeclarationResolver& declarations, CodeBuilder& code,
                      AccessChecker& access, ExpressionResolver& expressions)
      : context_(context),
        declarations_(declarations),
        code_(code),
        access_(access),
        expressions_(expressions),
        out_(context.out) {}

  ExprResult call_builtin(const Expr& node, const BuiltinFunction& builtin);
  // The lvalue of a sampler or image argument; kNone after an error.
  std::uint32_t opaque_argument(ExprId expression, TypeKind kind, std::string_view what, TypeId& type);

 private:
  ExprResult call_fixed(const Expr& node, const BuiltinFunction& builtin);
  ExprResult call_sample(const Expr& node, const BuiltinFunction& builtin);
  ExprResult call_image(const Expr& node, const BuiltinFunction& builtin);
  ExprResult call_tail_length(const Expr& node, const BuiltinFunction& builtin);
  ExprResult call_atomic(const Expr& node, const BuiltinFunction& builtin);
  // Checks and loads the arguments from `first` on against the types.
  bool value_arguments(const Expr& node, std::uint32_t first, std::span<const TypeId> types, DiagnosticKind kind);
  ExprResult finish_builtin(const Expr& node, const BuiltinFunction& builtin, TypeId result, std::size_t mark);

  Context& context_;
  const DeclarationResolver& declarations_;
  CodeBuilder& code_;
  AccessChecker& access_;
  ExpressionResolver& expressions_;
  Resolved& out_;
  std::vector<std::uint32_t> operand_stack_;
};

}  // namespace slipway::rpl
