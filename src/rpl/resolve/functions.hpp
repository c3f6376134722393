// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that a variant uses, in the order in which they are found: an entry point or a call declares one, which
// resolves its signature (docs/spec/rpl.md#signatures).
//
// Writes Resolved::functions, arguments, entry_points and what the entry points consulted.
#pragma once

#include <span>
#include <vector>

#include "rpl/resolve/types.hpp"

namespace slipway::rpl {

class BodyCache;

class FunctionTable {
 public:
  FunctionTable(Context& context, ReadLog& log, ConstantResolver& constants, TypeResolver& types, BodyCache& cache)
      : context_(context), log_(log), constants_(constants), types_(types), cache_(cache), out_(context.out) {}

  // Starts a variant.
  void begin();

  // The index of the function of that name; kNone without one. Declares it.
  std::uint32_t find(NameId name);
  std::uint32_t declare(ItemId item);
  // The index of a declared function, or kNone.
  std::uint32_t index_of(ItemId item) const { return function_of_[item]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(functions_.size()); }
  FunctionState& operator[](std::uint32_t index) { return functions_[index]; }
  const FunctionState& operator[](std::uint32_t index) const { return functions_[index]; }
  std::string_view name(std::uint32_t index) const {
    return context_.text(context_.program->items[functions_[index].item].name);
  }
  // Repeats lookups of an earlier variant: declares functions, resolves structs, reads options.
  void repeat(List lookups);
  // Drops the functions from an index on.
  void truncate(std::uint32_t count);

  // Reports names that are errors whether or not something uses them: duplicates, and those of built-in functions.
  void check_names();
  void resolve_entry_points(std::span<const EntryPointName> names);

 private:
  void resolve_signature(FunctionState& state);

  Context& context_;
  ReadLog& log_;
  ConstantResolver& constants_;
  TypeResolver& types_;
  BodyCache& cache_;
  Resolved& out_;
  std::vector<FunctionState> functions_;
  std::vector<std::uint32_t> function_of_;  // by item: in functions_, or kNone
};

}  // namespace slipway::rpl
