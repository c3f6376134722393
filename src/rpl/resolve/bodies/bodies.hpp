// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of functions: the resolvers of statements, expressions and calls, and what they share.
#pragma once

#include "rpl/resolve/bodies/calls.hpp"
#include "rpl/resolve/bodies/chains.hpp"
#include "rpl/resolve/bodies/statements.hpp"

namespace slipway::rpl {

class BodyResolver {
 public:
  BodyResolver(Context& context, ReadLog& log, ConstantResolver& constants, TypeResolver& types,
               const DeclarationResolver& declarations, FunctionTable& functions, BodyTables& tables)
      : context_(context),
        log_(log),
        functions_(functions),
        out_(context.out),
        code_(context, tables),
        scope_(context, constants),
        access_(context, code_, scope_),
        expressions_(context, log, constants, declarations, code_, scope_, access_, chains_, calls_),
        chains_(context, types, declarations, code_, scope_, access_, expressions_),
        builtins_(context, declarations, code_, access_, expressions_),
        calls_(context, types, constants, functions, code_, access_, expressions_, builtins_),
        statements_(context, constants, types, code_, scope_, access_, expressions_) {}

  // Starts a variant, and a program.
  void begin() { scope_.begin(); }
  void forget();
  // Adds the body of a declared function to the tables.
  void resolve(std::uint32_t function);

 private:
  void bind_arguments(List arguments);

  Context& context_;
  ReadLog& log_;
  FunctionTable& functions_;
  Resolved& out_;
  CodeBuilder code_;
  LocalScope scope_;
  AccessChecker access_;
  ExpressionResolver expressions_;
  ChainResolver chains_;
  BuiltinCallResolver builtins_;
  CallResolver calls_;
  StatementResolver statements_;
};

}  // namespace slipway::rpl
