// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options and constants: compile-time expressions, conditionals and the names of values
// (docs/spec/rpl.md#compile-time-evaluation, docs/spec/rpl.md#options-and-constants).
//
// Writes Resolved::options.
#pragma once

#include <vector>

#include "rpl/resolve/read_log.hpp"

namespace slipway::rpl {

enum class Activity : std::uint8_t { Unknown, Inactive, Active, Evaluating };

class ConstantResolver {
 public:
  ConstantResolver(Context& context, ReadLog& log) : context_(context), log_(log), out_(context.out) {}

  // Starts a variant and resolves its options and constants.
  void resolve();

  // The active value of a name; kNone without one. Declarations bind theirs with `bind_value`, which reports
  // duplicates.
  ItemId bound(NameId name) const { return bound_[name]; }
  bool bind_value(ItemId item);
  // The value of an active constant, and what it read.
  Value value(ItemId constant) const { return constant_values_[constant]; }
  const Consulted& consulted(ItemId item) const { return item_consulted_[item]; }

  // Whether the item's conditional holds; evaluated once, recorded with the item and in the sink.
  bool is_active(ItemId item);
  // Evaluates the conditional of the item again.
  void forget_conditional(ItemId item);
  // The active item among those of one name, of which `first` is the first; kNone without one.
  ItemId active_of_name(ItemId first);
  // A conditional; an absent one holds. `global_only`: instance options are errors.
  bool condition_holds(ExprId condition, bool global_only);
  // The value of an expression as recorded for the sink; type None after an error.
  Folded evaluate_recorded(ExprId expression);
  // The size of an array; 0 after an error.
  std::uint32_t array_size(ExprId expression, bool global_only);

  // Reports a name without a value here. `locals` are names to suggest besides the declared ones.
  void unknown_name(NameId name, Range range, DiagnosticKind unknown, std::span<const Binding> locals = {});
  // Adds "`joints` is declared here, but disabled: `enable_skinning` is false".
  void note_disabled(Diagnostic& problem, ItemId item) const;

 private:
  // The active one of several functions or structs of one name, and what the choice read.
  struct NameChoice {
    ItemId found = kNone;
    Consulted consulted;
  };

  void resolve_options();
  std::uint64_t is_instance(OptionId option) const {
    return context_.program->options[option].option_class == OptionClass::Instance ? 1 : 0;
  }
  Folded read_option(OptionId option);
  Folded evaluate(ExprId expression, bool live);
  Folded evaluate_unary(const Expr& node, bool live);
  Folded evaluate_binary(ExprId expression, bool live);
  Folded evaluate_name(const Expr& node, bool live);
  Folded evaluate_construct(const Expr& node, bool live);
  Folded combine(const Expr& node, Folded left, Folded right, bool live);
  void check_enum_compare(const Expr& node);
  bool references_instance_option(ExprId expression) const;
  void note_instance(Diagnostic& problem, ExprId expression) const;

  Context& context_;
  ReadLog& log_;
  Resolved& out_;
  std::vector<ItemId> bound_;              // by name
  std::vector<Activity> activity_;         // by item
  std::vector<Consulted> item_consulted_;  // by item: its conditional; constants: their value, too
  std::vector<Value> constant_values_;     // by item
  std::vector<bool> name_instance_;        // by name: a constant of this name is instance
  std::vector<NameChoice> choices_;
  std::vector<std::uint32_t> choice_of_;  // by the first item of the name: in choices_, or kNone
  std::vector<ExprId> chain_stack_;       // of the chains that are being walked
  mutable std::vector<ExprId> walk_stack_;
};

}  // namespace slipway::rpl
