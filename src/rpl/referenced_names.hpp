// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names that an expression references.
#pragma once

#include <vector>

#include "rpl/program.hpp"

namespace slipway::rpl {

// Calls `visit` with each name that an expression references until it returns true. Uses `todo` as its stack instead of
// recursion, because chains may be long.
template <class Visit>
bool any_referenced_name(const Program& program, ExprId expression, std::vector<ExprId>& todo, Visit visit) {
  if (expression == 0) return false;
  todo.assign(1, expression);
  while (!todo.empty()) {
    const Expr& node = program.exprs[todo.back()];
    todo.pop_back();
    switch (node.kind) {
      case ExprKind::Name:
        if (visit(node)) return true;
        break;
      case ExprKind::Binary:
      case ExprKind::Index:
        todo.push_back(node.b);
        todo.push_back(node.a);
        break;
      case ExprKind::Unary:
      case ExprKind::Member:
        todo.push_back(node.a);
        break;
      case ExprKind::Call:
      case ExprKind::Construct:
        for (std::uint32_t i = node.c; i-- > 0;) todo.push_back(program.lists[node.b + i]);
        break;
      default:
        break;
    }
  }
  return false;
}

}  // namespace slipway::rpl
