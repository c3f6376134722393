// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Containers, buffers, samplers and images: layouts, locations, bindings (docs/spec/rpl.md#containers,
// docs/spec/rpl.md#buffers-and-layouts, docs/spec/rpl.md#images-and-samplers, docs/spec/rpl.md#numbering).
//
// Writes Resolved::containers, container_fields, buffers, parameters, samplers, images, push_constant, and the fields
// of color_outputs.
#pragma once

#include <array>
#include <vector>

#include "rpl/resolve/types.hpp"

namespace slipway::rpl {

class DeclarationResolver {
 public:
  DeclarationResolver(Context& context, ReadLog& log, ConstantResolver& constants, TypeResolver& types,
                      LayoutCache& cache)
      : context_(context), log_(log), constants_(constants), types_(types), cache_(cache), out_(context.out) {}

  // Starts a variant and resolves its declarations.
  void resolve();

  // The index of an active declaration in its table of Resolved, and of an active field in container_fields.
  std::uint32_t index_of(ItemId declaration) const { return index_of_[declaration]; }
  std::uint32_t field_index(FieldId field) const { return field_index_[field]; }
  // What decided the numbers of a group.
  const Consulted& consulted(Group group) const { return groups_[static_cast<std::size_t>(group)]; }

 private:
  void begin();
  // Bindings of the declarations of a module: those from these indices on.
  void number_bindings(std::size_t first_buffer, std::size_t first_sampler, std::size_t first_image);
  void resolve_container(ItemId item);
  void resolve_container_field(const Item& item, Container& container, FieldId id, Type& sizes);
  bool choose_format(const Field& field, TypeId type, ItemFormat& format) const;
  void check_limits(const Container& container) const;
  void resolve_buffer(ItemId item);
  Buffer make_buffer(ItemId item);
  void add_buffer(const Buffer& made);
  void check_buffer(const Item& item, const Buffer& buffer, const Type& layout) const;
  void find_tail(Buffer& buffer);
  void flatten(Buffer& buffer);
  void flatten_members(List members, std::uint32_t base, ItemId item);
  void too_many(ItemId item, std::size_t limit, std::string_view what);
  void resolve_sampler(ItemId item);
  void resolve_image(ItemId item);

  // The numbers of the next ones.
  struct Counters {
    std::uint32_t sources = 0, attributes = 0, state = 0, outputs = 0;
    std::array<std::uint32_t, 4> bindings{};
  };

  Context& context_;
  ReadLog& log_;
  ConstantResolver& constants_;
  TypeResolver& types_;
  LayoutCache& cache_;
  Resolved& out_;
  std::array<Consulted, kGroupCount> groups_;
  std::vector<std::uint32_t> index_of_;     // by item; valid for active declarations
  std::vector<std::uint32_t> field_index_;  // by field; valid for active fields of containers
  Counters counters_;
  bool parameters_full_ = false;
  std::size_t parameter_count_ = 0, member_count_ = 0;  // of this variant
  std::vector<NameId> path_;                            // of the parameter being flattened
};

}  // namespace slipway::rpl
