// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types and constants of a module.
//
// Each type of the program has at most two ids in a module, and each pointer to it at most one for each storage class;
// each constant has one id. They are created at their first use. A struct or an array has two versions: `laid` with
// offsets and strides, for memory that the host sees, and `plain` for everything else, because newer rules forbid
// layout decorations in the other storage classes.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "rpl/emit/module/emission.hpp"
#include "rpl/emit/module/storage.hpp"

namespace slipway::rpl::emit {

class ModuleTypes {
 public:
  explicit ModuleTypes(Emission& emission) : emission_(emission), out_(emission.out) {}
  void begin_module();

  Id plain(TypeId type) {
    const Id known = types_[type].plain;
    return known != 0 ? known : make_plain(type);
  }
  Id laid(TypeId type) {
    const Id known = types_[type].laid;
    return known != 0 ? known : make_laid(type);
  }
  Id pointer(TypeId type, Storage storage) {
    const Id known = types_[type].pointers[static_cast<std::size_t>(storage)];
    return known != 0 ? known : make_pointer(type, storage);
  }
  // A pointer to a type that depends on more than a type of the program.
  Id pointer_to(Id pointee, Storage storage);
  Id pointer_to_block(const Buffer& buffer, Storage storage);
  // Storage images have a format; the format of others has no effect.
  Id image(TypeId type, ItemFormat format) {
    return emission_.type_info(type).kind == TypeKind::Image ? plain(type) : make_image(type, format);
  }
  Id image_array(Id image, std::uint32_t length);
  Id sampled_image(TypeId image) {
    const Id known = sampled_[image - kFirstImage];
    return known != 0 ? known : make_sampled_image(image);
  }
  Id bools(std::uint32_t count);
  // The index of the tail among the members of the block.
  std::uint32_t tail_member(const Buffer& buffer) const;
  // Whether the plain and the laid-out version differ.
  bool needs_copy(TypeId type) const;

  Id constant(Ref ref) {
    const Id known = constants_[constant_index(ref)];
    return known != 0 ? known : make_constant(constant_index(ref));
  }
  Id u1(std::uint32_t value) { return value < kSmall && small_[value] != 0 ? small_[value] : make_u1(value); }
  Id f1(float value);
  Id boolean(bool value);
  Id zero(TypeId type);
  // A constant with the same bits in every item.
  Id filled(TypeId type, std::uint32_t bits);
  Id vector(TypeId type, std::span<const Id> items);

 private:
  // The ids of one type of the program; 0 until something needs it.
  struct TypeIds {
    Id plain = 0;
    Id laid = 0;
    Id pointers[static_cast<std::size_t>(Storage::Count)] = {};
  };
  // A member of a block. The members of nested last structs may be members of the block.
  struct FlatMember {
    const Member* member = nullptr;
    std::uint32_t offset = 0;
  };
  static constexpr std::uint32_t kSmall = 64;

  Id make_plain(TypeId type);
  Id make_laid(TypeId type);
  Id make_pointer(TypeId type, Storage storage);
  Id make_image(TypeId type, ItemFormat format);
  Id make_sampled_image(TypeId image);
  Id new_block(const Buffer& buffer);
  Id new_struct(NameId name, std::span<const Id> members);
  void lay_out(Id structure, std::uint32_t member, TypeId type, std::uint32_t offset);
  Id make_u1(std::uint32_t value);
  Id make_constant(std::uint32_t index);
  Id constant_of(TypeId type, const std::uint32_t*& words);

  Emission& emission_;
  spirv::Builder& out_;
  std::vector<TypeIds> types_;    // by TypeId
  std::vector<Id> constants_;     // by index in Resolved::constants
  std::array<Id, kSmall> small_;  // u1 constants below kSmall
  std::array<Id, 8> sampled_;     // by image type: the image with a sampler
  std::array<Id, 5> bools_;       // by number of items
  std::vector<FlatMember> flat_;  // memory for new_block
  std::vector<Id> members_;       // memory for the members of a struct; nothing is called while it is in use
};

}  // namespace slipway::rpl::emit
