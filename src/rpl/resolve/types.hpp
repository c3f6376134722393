// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types, structs, and the fields and field aliases of structs, buffers and containers (docs/spec/rpl.md#types,
// docs/spec/rpl.md#field-aliases, docs/spec/rpl.md#buffers-and-layouts). Structs are resolved when they are first used.
//
// Writes Resolved::types, structs and members.
#pragma once

#include <span>
#include <vector>

#include "rpl/resolve/constants/constants.hpp"

namespace slipway::rpl {

class LayoutCache;

// What a name after a `.` selects.
struct Component {
  enum class Kind : std::uint8_t { None, Step, Swizzle, Alias };
  Kind kind = Kind::None;
  Step step;
  TypeId type = kErrorType;
  std::uint32_t swizzle = 0;  // two bits an item
  const FieldAlias* alias = nullptr;
};

class TypeResolver {
 public:
  TypeResolver(Context& context, ReadLog& log, ConstantResolver& constants, LayoutCache& cache)
      : context_(context), log_(log), constants_(constants), cache_(cache), out_(context.out) {}

  // Starts a variant.
  void begin();
  // Forgets the versions of structs: the program is another one.
  void forget();

  // `global_only`: array sizes must not depend on instance options.
  TypeId resolve_type(TypeRefId reference, bool global_only);
  TypeId named_struct(NameId name, Range range);
  TypeId resolve_struct(ItemId item);
  bool is_resolved(ItemId structure) const { return struct_state_[structure] != Activity::Unknown; }
  // Repeats a lookup of an option or a struct.
  void repeat(Lookup lookup);

  // The active fields of a struct or buffer with their offsets; returns the layout of the whole.
  Type resolve_members(ItemId item, List& members, bool global_only);
  // The aliases of an item with these members (none for containers).
  void resolve_aliases(ItemId item, List members);
  std::size_t alias_count() const { return aliases_.size(); }
  // Repeats the lookups of a cached item and adds its fields.
  void add_known_layout(ItemId item, List lookups, List members);
  bool add_field(ItemId owner, FieldId field, std::uint32_t value);
  const FieldMap::Entry* find_field(ItemId owner, NameId name) const { return fields_.find(owner, name); }
  // Null for a member.
  const FieldAlias* alias_of(const FieldMap::Entry& entry) const {
    return (entry.value & FieldMap::kAliasBit) != 0 ? &aliases_[entry.value & ~FieldMap::kAliasBit] : nullptr;
  }
  Step alias_step(std::uint32_t index) const { return alias_steps_[index]; }

  Component find_component(TypeId type, NameId name) const;
  void unknown_component(TypeId type, NameId name, Range range) const;
  void unknown_field(ItemId owner, NameId name, Range range) const;

 private:
  // A struct of an earlier variant. An equal struct gets its type, so that cached code can use it.
  struct StructVersion {
    TypeId type = kErrorType;
    List members;
    std::uint32_t older = kNone;
  };

  TypeId array_type(TypeId element, std::span<const std::uint32_t> dimensions, bool global_only, Range range);
  void take_version(Struct& made);
  void add_struct(const Struct& made, Type type);
  void follow_alias(ItemId owner, List members, FieldAlias& alias, std::uint32_t level);

  Context& context_;
  ReadLog& log_;
  ConstantResolver& constants_;
  LayoutCache& cache_;
  Resolved& out_;
  std::vector<TypeId> struct_types_;  // by item; kErrorType: not yet
  std::vector<Activity> struct_state_;
  std::vector<Consulted> struct_consulted_;  // as out_.structs: what their members and aliases read
  std::vector<StructVersion> struct_versions_;
  std::vector<std::uint32_t> newest_version_;  // by item
  std::uint32_t struct_depth_ = 0;
  FieldMap fields_;
  std::vector<FieldAlias> aliases_;
  std::vector<Step> alias_steps_;
  std::vector<Member> member_stack_;
};

}  // namespace slipway::rpl
