// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of runtime values and their memory layouts.
//
// Types are indices in a `TypeTable`; the built-in ones have the same index in every table, so that most type checks
// compare with a constant. A table grows by array types and structs as a program is resolved, and equal array types are
// one type. Layouts are std430 (docs/spec/rpl.md#types); for the members that uniform and push-constant
// buffers allow, it is their layout, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rpl/names.hpp"

namespace slipway::rpl {

using TypeId = std::uint32_t;

enum class TypeKind : std::uint8_t {
  Error,    // a problem was reported; silences what would follow from it
  Void,     //
  Boolean,  // results of comparisons; has no name
  Vector,   // `count` items; a scalar is a vector of one
  Matrix,   // `columns` columns of `count` floats
  Sampler,
  Image,         // image_*; `index` is the ImageShape
  StorageImage,  // storage_image_*; `index` is the ImageShape, item and count those of a texel
  String,        // compile time only
  Array,         // `length` elements of `element`
  RuntimeArray,  // elements of `element`, as many as the bound memory holds
  Struct,        // `index` is in Resolved::structs
};

enum class ItemClass : std::uint8_t { None, Float, Uint, Sint };

// In the order of docs/spec/rpl.md#images-and-samplers; storage images use Color2d, Color3d and Color2dArray.
enum class ImageShape : std::uint8_t {
  Color2d,
  Color3d,
  ColorCube,
  Color2dArray,
  Depth2d,
  Depth3d,
  DepthCube,
  Depth2dArray,
};
inline bool is_depth(ImageShape shape) { return shape >= ImageShape::Depth2d; }
// The color shape with the same dimensions.
inline ImageShape dimension_of(ImageShape shape) {
  return is_depth(shape) ? static_cast<ImageShape>(static_cast<int>(shape) - 4) : shape;
}

inline constexpr TypeId kErrorType = 0;
inline constexpr TypeId kVoid = 1;
inline constexpr TypeId kBoolean = 2;
inline constexpr TypeId kF1 = 3, kF2 = 4, kF3 = 5, kF4 = 6;
inline constexpr TypeId kU1 = 7, kU2 = 8, kU3 = 9, kU4 = 10;
inline constexpr TypeId kS1 = 11, kS2 = 12, kS3 = 13, kS4 = 14;
inline constexpr TypeId kF3x3 = 15, kF4x4 = 16;
inline constexpr TypeId kFirstImage = 17;         // 8 of them, in ImageShape order
inline constexpr TypeId kFirstStorageImage = 25;  // 18 of them: f4 u4 s4 f1 u1 s1, each 2d 3d 2d_array
inline constexpr TypeId kSampler = 43;
inline constexpr TypeId kString = 44;
inline constexpr TypeId kFirstOwnType = 45;

constexpr bool is_vector(TypeId type) { return type >= kF1 && type <= kS4; }  // scalars too
constexpr bool is_matrix(TypeId type) { return type == kF3x3 || type == kF4x4; }
constexpr bool is_float(TypeId type) { return type >= kF1 && type <= kF4; }
constexpr bool is_integer(TypeId type) { return type >= kU1 && type <= kS4; }
constexpr bool is_unsigned(TypeId type) { return type >= kU1 && type <= kU4; }
constexpr bool is_signed(TypeId type) { return type >= kS1 && type <= kS4; }
constexpr bool is_scalar(TypeId type) { return type == kF1 || type == kU1 || type == kS1; }
// Number of items of a vector, rows of a matrix.
constexpr std::uint32_t item_count(TypeId type) { return is_matrix(type) ? type - kF3x3 + 3 : (type - kF1) % 4 + 1; }
// The scalar type of a vector or matrix.
constexpr TypeId item_type(TypeId type) { return is_vector(type) ? type - (type - kF1) % 4 : kF1; }
constexpr TypeId vector_of(TypeId scalar, std::uint32_t count) { return scalar + count - 1; }
constexpr TypeId column_type(TypeId matrix) { return matrix == kF3x3 ? kF3 : kF4; }
// The number of 32-bit words of a plain (not laid out) vector or matrix.
constexpr std::uint32_t word_count(TypeId type) {
  return is_matrix(type) ? item_count(type) * item_count(type) : item_count(type);
}

struct Type {
  TypeKind kind = TypeKind::Error;
  ItemClass item = ItemClass::None;  // Vector, Matrix, StorageImage
  std::uint8_t count = 0;            // items, or rows of a matrix
  std::uint8_t columns = 0;          // of a matrix
  bool multiples_of_16 = false;      // every leaf is f4, u4, s4 or f4x4: allowed in uniform and push-constant buffers
  bool has_tail = false;             // a runtime array, or a struct that ends in one
  bool holds_array = false;          // an array, or a struct with an array inside
  bool opaque = false;               // sampler, image, or an array of these
  TypeId element = 0;                // Array, RuntimeArray
  std::uint32_t length = 0;          // Array
  std::uint32_t index = 0;           // Struct: in Resolved::structs; images: ImageShape
  // std430, bytes. A runtime array has size 0; a struct with a tail has the size without it.
  std::uint32_t align = 0;
  std::uint64_t size = 0;
  std::uint32_t stride = 0;  // Array, RuntimeArray: bytes from element to element; Matrix: from column to column
};

class TypeTable {
 public:
  TypeTable() { clear(); }
  // Back to the built-in types; keeps its memory.
  void clear();

  const Type& operator[](TypeId type) const { return types_[type]; }
  std::size_t size() const { return types_.size(); }

  TypeId array_of(TypeId element, std::uint32_t length);
  TypeId runtime_array_of(TypeId element);
  // A new struct type; its layout is set when its members are known.
  TypeId add_struct(std::uint32_t index);
  void set_struct(TypeId type, const Type& layout) { types_[type] = layout; }

 private:
  TypeId find_or_add(const Type& type);
  void rehash();

  std::vector<Type> types_;
  std::vector<std::uint32_t> slots_;  // open addressing over array types; TypeId + 1
  std::uint32_t arrays_ = 0;
};

// The type of a word; kErrorType if the word does not name a type. `sampler` and the image words are included, `void`
// too.
TypeId type_of_word(NameId word);
// The text of a built-in type; empty for arrays and structs.
std::string_view builtin_type_name(TypeId type);

}  // namespace slipway::rpl
