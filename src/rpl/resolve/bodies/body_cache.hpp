// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signatures and bodies of earlier variants of the program. An uber-shader is parsed once and resolved many times, and
// most of its functions do not depend on the options that change.
//
// Whatever code refers to is only ever appended (Resolved::code, lvalues, constants, types...), and a function that was
// resolved without a diagnostic is stored as a `Body`, which is mostly ranges of these tables. When a further variant
// needs the function with the same values of all options that can reach it (reach.hpp), it reuses that body. Two things
// remain to be done:
//
//   - The lookups of the function are repeated in the same order, because they may be the first ones in this variant:
//     they declare the functions that it calls and resolve the structs that it uses.
//   - Indices that differ in this variant are overwritten: the roots of lvalues that are declarations (`Relocation`),
//     and the functions of calls.
#pragma once

#include <vector>

#include "rpl/resolve/bodies/bodies.hpp"
#include "rpl/resolve/item_versions.hpp"

namespace slipway::rpl {

class BodyCache {
 public:
  BodyCache(Context& context, ItemVersions& versions, const DeclarationResolver& declarations, FunctionTable& functions,
            BodyTables& tables)
      : context_(context),
        versions_(versions),
        declarations_(declarations),
        functions_(functions),
        tables_(tables),
        out_(context.out) {}

  // Starts the functions of a variant. Inactive where declarations have errors: names may then be bound differently
  // from what the options imply.
  void begin(bool caches_layouts) { active_ = caches_layouts && !context_.diagnostics->has_errors(); }
  void forget() { relocations_.clear(); }
  std::size_t size() const { return relocations_.size(); }

  // The index of a stored body that fits the options, or kNone.
  std::uint32_t find(ItemId item) const { return active_ ? versions_.find(tables_.bodies, item) : kNone; }
  void reuse_signature(FunctionState& state);
  void reuse_body(std::uint32_t function);
  // Stores the body that has just been resolved.
  void store(std::uint32_t function);

 private:
  Context& context_;
  ItemVersions& versions_;
  const DeclarationResolver& declarations_;
  FunctionTable& functions_;
  BodyTables& tables_;
  Resolved& out_;
  std::vector<Relocation> relocations_;
  bool active_ = false;  // in this variant
};

// A BodyResolver that reuses stored bodies.
class CachedBodies {
 public:
  CachedBodies(Context& context, ReadLog& log, FunctionTable& functions, BodyTables& tables, BodyResolver& bodies,
               BodyCache& cache)
      : context_(context), log_(log), functions_(functions), tables_(tables), bodies_(bodies), cache_(cache) {}

  void resolve(std::uint32_t function);

 private:
  Context& context_;
  ReadLog& log_;
  FunctionTable& functions_;
  BodyTables& tables_;
  BodyResolver& bodies_;
  BodyCache& cache_;
};

}  // namespace slipway::rpl
