// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/types.hpp"

namespace slipway::rpl {

namespace {

std::vector<Type> make_builtin_types() {
  std::vector<Type> types(kFirstOwnType);
  types[kVoid].kind = TypeKind::Void;
  types[kBoolean].kind = TypeKind::Boolean;
  for (TypeId type = kF1; type <= kS4; ++type) {
    const std::uint32_t count = item_count(type);
    types[type] = {.kind = TypeKind::Vector,
                   .item = is_float(type)      ? ItemClass::Float
                           : is_unsigned(type) ? ItemClass::Uint
                                               : ItemClass::Sint,
                   .count = static_cast<std::uint8_t>(count),
                   .multiples_of_16 = count == 4,
                   .align = count == 3 ? 16 : 4 * count,
                   .size = 4 * count};
  }
  for (const TypeId type : {kF3x3, kF4x4}) {
    const auto count = static_cast<std::uint8_t>(item_count(type));
    types[type] = {.kind = TypeKind::Matrix,
                   .item = ItemClass::Float,
                   .count = count,
                   .columns = count,
                   .multiples_of_16 = count == 4,
                   .align = 16,
                   .size = 16u * count,
                   .stride = 16};
  }
  for (std::uint32_t shape = 0; shape < 8; ++shape) {
    types[kFirstImage + shape] = {.kind = TypeKind::Image, .opaque = true, .index = shape};
  }
  constexpr TypeId kTexels[] = {kF4, kU4, kS4, kF1, kU1, kS1};
  constexpr ImageShape kShapes[] = {ImageShape::Color2d, ImageShape::Color3d, ImageShape::Color2dArray};
  for (std::uint32_t i = 0; i < 18; ++i) {
    types[kFirstStorageImage + i] = {.kind = TypeKind::StorageImage,
                                     .item = types[kTexels[i / 3]].item,
                                     .count = types[kTexels[i / 3]].count,
                                     .opaque = true,
                                     .index = static_cast<std::uint32_t>(kShapes[i % 3])};
  }
  types[kSampler] = {.kind = TypeKind::Sampler, .opaque = true};
  types[kString].kind = TypeKind::String;
  return types;
}

const std::vector<Type>& builtin_types() {
  static const std::vector<Type> types = make_builtin_types();
  return types;
}

std::uint32_t hash_of(const Type& type) {
  std::uint32_t hash = static_cast<std::uint32_t>(type.kind) * 0x9E3779B9u;
  hash = (hash ^ type.element) * 0x85EBCA6Bu;
  hash = (hash ^ type.length) * 0xC2B2AE35u;
  return hash ^ hash >> 15;
}

}  // namespace

void TypeTable::clear() {
  types_.assign(builtin_types().begin(), builtin_types().end());
  slots_.assign(slots_.size(), 0);
  arrays_ = 0;
}

TypeId TypeTable::find_or_add(const Type& type) {
  if (arrays_ * 2 >= slots_.size()) rehash();
  const std::uint32_t mask = static_cast<std::uint32_t>(slots_.size()) - 1;
  std::uint32_t slot = hash_of(type) & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const Type& other = types_[slots_[slot] - 1];
    if (other.kind == type.kind && other.element == type.element && other.length == type.length)
      return slots_[slot] - 1;
  }
  types_.push_back(type);
  slots_[slot] = static_cast<std::uint32_t>(types_.size());
  ++arrays_;
  return slots_[slot] - 1;
}

void TypeTable::rehash() {
  slots_.assign(slots_.empty() ? 16 : slots_.size() * 2, 0);
  const std::uint32_t mask = static_cast<std::uint32_t>(slots_.size()) - 1;
  for (TypeId id = kFirstOwnType; id < types_.size(); ++id) {
    if (types_[id].kind == TypeKind::Struct) continue;
    std::uint32_t slot = hash_of(types_[id]) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = id + 1;
  }
}

TypeId TypeTable::array_of(TypeId element, std::uint32_t length) {
  const Type& of = types_[element];
  const std::uint64_t stride = of.align == 0 ? 0 : (of.size + of.align - 1) / of.align * of.align;
  return find_or_add({.kind = TypeKind::Array,
                      .multiples_of_16 = of.multiples_of_16,
                      .holds_array = true,
                      .opaque = of.opaque,
                      .element = element,
                      .length = length,
                      .align = of.align,
                      .size = stride * length,
                      .stride = static_cast<std::uint32_t>(stride)});
}

TypeId TypeTable::runtime_array_of(TypeId element) {
  const Type& of = types_[element];
  const std::uint64_t stride = of.align == 0 ? 0 : (of.size + of.align - 1) / of.align * of.align;
  return find_or_add({.kind = TypeKind::RuntimeArray,
                      .multiples_of_16 = of.multiples_of_16,
                      .has_tail = true,
                      .holds_array = true,
                      .element = element,
                      .align = of.align,
                      .stride = static_cast<std::uint32_t>(stride)});
}

TypeId TypeTable::add_struct(std::uint32_t index) {
  types_.push_back({.kind = TypeKind::Struct, .index = index});
  return static_cast<TypeId>(types_.size()) - 1;
}

TypeId type_of_word(NameId word) {
  if (word >= Word::f1 && word <= Word::f4x4) return kF1 + (word - Word::f1);
  if (word >= Word::image_color_2d && word <= Word::storage_image_s1_2d_array) {
    return kFirstImage + (word - Word::image_color_2d);
  }
  if (word == Word::sampler) return kSampler;
  return word == Word::void_ ? kVoid : kErrorType;
}

std::string_view builtin_type_name(TypeId type) {
#define WORD(identifier, text) text,
  static constexpr std::string_view kWords[] = {
      "",
#include "rpl/words.def"
  };
#undef WORD
  if (type >= kF1 && type <= kF4x4) return kWords[Word::f1 + (type - kF1)];
  if (type >= kFirstImage && type < kSampler) return kWords[Word::image_color_2d + (type - kFirstImage)];
  switch (type) {
    case kVoid:
      return "void";
    case kBoolean:
      return "boolean";
    case kSampler:
      return "sampler";
    case kString:
      return "string";
    default:
      return "";
  }
}

}  // namespace slipway::rpl
