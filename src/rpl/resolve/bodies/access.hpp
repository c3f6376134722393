// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing lvalues: what may be read or written, in which stages, and loads
// (docs/spec/rpl.md#writable-and-readable).
#pragma once

#include "rpl/resolve/bodies/code_builder.hpp"
#include "rpl/resolve/bodies/local_scope.hpp"

namespace slipway::rpl {

class AccessChecker {
 public:
  AccessChecker(Context& context, CodeBuilder& code, LocalScope& scope)
      : context_(context), code_(code), scope_(scope), out_(context.out) {}

  // Report when that is impossible, and record which stages can.
  bool can_read(ExprResult lvalue, Range range);
  bool can_write(ExprResult result, Range range);
  void mark_written(ExprResult lvalue);
  void warn_uninitialised(Binding& binding, Range range);
  // An operand: lvalues are loaded. Reports what is not a value.
  ExprResult load(ExprResult result, Range range);

 private:
  Context& context_;
  CodeBuilder& code_;
  LocalScope& scope_;
  Resolved& out_;
};

}  // namespace slipway::rpl
