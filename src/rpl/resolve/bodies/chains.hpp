// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chains of postfix operators: members, components, indices. A chain becomes one lvalue, or one value and what is
// extracted from it (docs/spec/rpl.md#expressions, docs/spec/rpl.md#field-aliases).
//
// Writes Resolved::steps.
#pragma once

#include <vector>

#include "rpl/resolve/bodies/access.hpp"
#include "rpl/resolve/declarations.hpp"

namespace slipway::rpl {

class ExpressionResolver;

class ChainResolver {
 public:
  ChainResolver(Context& context, const TypeResolver& types, const DeclarationResolver& declarations, CodeBuilder& code,
                LocalScope& scope, AccessChecker& access, ExpressionResolver& expressions)
      : context_(context),
        types_(types),
        declarations_(declarations),
        code_(code),
        scope_(scope),
        access_(access),
        expressions_(expressions),
        out_(context.out) {}

  ExprResult resolve_postfix(ExprId expression);

 private:
  // The result of the operators so far.
  struct Chain {
    ExprResult result;
    bool is_lvalue = false;
    LValueRoot root = LValueRoot::Local;
    std::uint32_t index = 0;
    std::size_t mark = 0;  // index of its first step in step_stack_
  };

  void open_chain(Chain& chain, ExprResult base);
  bool open_variable(Chain& chain, const Expr& node);
  ExprResult close_chain(const Chain& chain);
  void step_member(Chain& chain, const Expr& node);
  void step_container(Chain& chain, const Expr& node);
  void step_buffer(Chain& chain, const Expr& node);
  void step_alias(Chain& chain, const FieldAlias& alias, Range range);
  void step_index(Chain& chain, const Expr& node);
  void step_swizzle(Chain& chain, std::uint32_t swizzle, TypeId type, Range range);
  void add_step(Chain& chain, Step step, TypeId type, Range range);
  std::uint32_t plain_words(TypeId type) const;

  Context& context_;
  const TypeResolver& types_;
  const DeclarationResolver& declarations_;
  CodeBuilder& code_;
  LocalScope& scope_;
  AccessChecker& access_;
  ExpressionResolver& expressions_;
  Resolved& out_;
  std::vector<Step> step_stack_;
  std::vector<ExprId> chain_stack_;  // of the operators that are being walked
};

}  // namespace slipway::rpl
