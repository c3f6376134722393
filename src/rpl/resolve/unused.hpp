// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks definitions that no entry point reaches; their errors are warnings (docs/spec/rpl.md#decision-9).
#pragma once

#include "rpl/resolve/bodies/body_cache.hpp"
#include "rpl/resolve/call_graph.hpp"

namespace slipway::rpl {

class UnusedCheck {
 public:
  UnusedCheck(Context& context, ReadLog& log, ConstantResolver& constants, TypeResolver& types,
              FunctionTable& functions, BodyTables& tables, CachedBodies& bodies, CallGraph& graph)
      : context_(context),
        log_(log),
        constants_(constants),
        types_(types),
        functions_(functions),
        tables_(tables),
        resolver_(bodies),
        graph_(graph) {}

  // `bodies`: functions, too. Removes what it added to the result.
  void run(bool bodies);

 private:
  void check_structs_and_signatures(bool bodies);
  void check_bodies(std::uint32_t first);
  // Reports the errors found since the last call as warnings about a definition.
  void convert(std::string_view what, NameId name);

  Context& context_;
  ReadLog& log_;
  ConstantResolver& constants_;
  TypeResolver& types_;
  FunctionTable& functions_;
  BodyTables& tables_;
  CachedBodies& resolver_;
  CallGraph& graph_;
  Diagnostics found_;
  Diagnostics* outer_ = nullptr;
};

}  // namespace slipway::rpl
