// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The call graph: recursion, what each stage reaches and consults, fields and samplers across stages, and the removal
// of functions that no entry point reaches (docs/spec/rpl.md#stages-and-built-ins, docs/spec/rpl.md#variants).
//
// Writes Resolved::consulted, unwritten_state, the stages of functions, and the final indices of functions.
#pragma once

#include <vector>

#include "rpl/resolve/bodies/code_builder.hpp"
#include "rpl/resolve/declarations.hpp"
#include "rpl/resolve/functions.hpp"

namespace slipway::rpl {

class CallGraph {
 public:
  CallGraph(Context& context, const DeclarationResolver& declarations, FunctionTable& functions, BodyTables& tables)
      : context_(context), declarations_(declarations), functions_(functions), tables_(tables), out_(context.out) {}

  void check_recursion();
  // What each stage reaches and consulted, and what the interface consulted.
  void record_stages();
  void check_unwritten();
  // Samplers that are used both with and without comparison (samplers.cpp).
  void check_samplers();
  // Removes the functions that only dropped code calls.
  void drop_unreached();

 private:
  enum class Mark : std::uint8_t { New, Open, Done };

  const Body& body_of(std::uint32_t function) const { return tables_.bodies[functions_[function].body]; }
  void reach(const EntryPoint& entry);
  void check_stage(Stage stage, std::uint32_t index);

  Context& context_;
  const DeclarationResolver& declarations_;
  FunctionTable& functions_;
  BodyTables& tables_;
  Resolved& out_;
  std::vector<Mark> marks_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> call_stack_;  // function, next edge
  std::vector<std::uint32_t> reached_;                               // in the order in which they were found
  std::vector<std::uint32_t> parents_;                               // by function: the edge that led to it
  std::vector<std::uint32_t> new_indices_;                           // by function, of those that stay
  std::vector<Range> first_reads_;                                   // by container field
  std::vector<bool> written_fields_;
};

}  // namespace slipway::rpl
