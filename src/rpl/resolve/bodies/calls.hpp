// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of functions, and constructors (docs/spec/rpl.md#passing-arguments, docs/spec/rpl.md#types).
//
// Writes Resolved::call_arguments.
#pragma once

#include <vector>

#include "rpl/resolve/bodies/builtin_calls.hpp"
#include "rpl/resolve/functions.hpp"

namespace slipway::rpl {

class CallResolver {
 public:
  CallResolver(Context& context, TypeResolver& types, ConstantResolver& constants, FunctionTable& functions,
               CodeBuilder& code, AccessChecker& access, ExpressionResolver& expressions, BuiltinCallResolver& builtins)
      : context_(context),
        types_(types),
        constants_(constants),
        functions_(functions),
        code_(code),
        access_(access),
        expressions_(expressions),
        builtins_(builtins),
        out_(context.out) {}

  ExprResult resolve_call(const Expr& node);
  ExprResult resolve_construct(const Expr& node);

 private:
  void unknown_function(const Expr& node);
  ExprResult call_function(const Expr& node, std::uint32_t callee);
  bool resolve_argument(ExprId expression, const Argument& wanted, CallArgument& made);
  bool resolve_opaque_argument(ExprId expression, TypeId wanted, CallArgument& made);
  ExprResult compose(Op op, const Expr& node, TypeId type, std::span<const Ref> parts, bool constant_all);
  ExprResult construct_vector(const Expr& node, TypeId type, std::span<const Ref> arguments);
  ExprResult construct_matrix(const Expr& node, TypeId type, std::span<const Ref> arguments);
  ExprResult construct_struct(const Expr& node, TypeId type, std::span<const Ref> arguments);
  ExprResult bad_constructor(const Expr& node, TypeId type, std::string_view why);

  Context& context_;
  TypeResolver& types_;
  ConstantResolver& constants_;
  FunctionTable& functions_;
  CodeBuilder& code_;
  AccessChecker& access_;
  ExpressionResolver& expressions_;
  BuiltinCallResolver& builtins_;
  Resolved& out_;
  std::vector<Ref> operand_stack_;
  std::vector<CallArgument> argument_stack_;
  std::vector<std::uint32_t> fold_buffer_;
};

}  // namespace slipway::rpl
