// A small language for compute kernels: values with operators, loops, loads and stores over typed buffers. It becomes
// SPIR-V.
//
//   Kernel kernel;
//   const BufferRef x = kernel.buffer(ElementType::I8, Access::Read), y = kernel.buffer(ElementType::I32,
//   Access::Write); const Value i = kernel.element_index(); kernel.when(i < kernel.integer(count), [&] {
//   kernel.store(y, i, kernel.load(x, i) * 3); }); Words words = kernel.finish();
//
// Arithmetic is done in few types: booleans, 32-bit and 64-bit integers, 32-bit floats. Narrow elements are widened
// when loaded and rounded or cut when stored. Integers that are known while the kernel is made are folded, so that
// shapes and strides cost nothing. Integer arithmetic wraps; floats are never contracted, and NaN and infinities are
// told by their bits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "spirv/builder.hpp"
#include "tensor/element_type.hpp"

namespace slipway::lower {

using spirv::Words;
using tensor::ElementType;

enum class Scalar : std::uint8_t { Bool, Int, Long, Float };  // bool, int32, int64, float32

class Kernel;

// A number in a kernel that is being made. Copies are the same number.
class Value {
 public:
  Value() = default;
  Scalar type() const { return type_; }
  // What an integer or boolean is when that is known already.
  std::optional<std::int64_t> known() const { return known_; }
  bool is(std::int64_t value) const { return known_ == value; }

  friend Value operator+(Value a, Value b);
  friend Value operator-(Value a, Value b);
  friend Value operator*(Value a, Value b);
  friend Value operator-(Value a);
  // Integers: truncated; by zero and the least by -1 give some value. Floats: as the device divides.
  friend Value operator/(Value a, Value b);
  friend Value operator&(Value a, Value b);  // bits, or logical and of booleans
  friend Value operator|(Value a, Value b);
  friend Value operator^(Value a, Value b);
  friend Value operator~(Value a);
  friend Value operator!(Value a);
  friend Value operator<<(Value a, Value bits);
  friend Value operator>>(Value a, Value bits);  // arithmetic
  friend Value operator==(Value a, Value b);     // ordered: false for NaN
  friend Value operator!=(Value a, Value b);
  friend Value operator<(Value a, Value b);
  friend Value operator<=(Value a, Value b);
  friend Value operator>(Value a, Value b) { return b < a; }
  friend Value operator>=(Value a, Value b) { return b <= a; }
  // With a constant of the same type.
  friend Value operator+(Value a, std::int64_t b);
  friend Value operator-(Value a, std::int64_t b);
  friend Value operator*(Value a, std::int64_t b);
  friend Value operator/(Value a, std::int64_t b);
  friend Value operator&(Value a, std::int64_t b);
  friend Value operator<<(Value a, std::int64_t b);
  friend Value operator>>(Value a, std::int64_t b);
  friend Value operator==(Value a, std::int64_t b);
  friend Value operator!=(Value a, std::int64_t b);
  friend Value operator<(Value a, std::int64_t b);
  friend Value operator<=(Value a, std::int64_t b);
  friend Value operator>(Value a, std::int64_t b);
  friend Value operator>=(Value a, std::int64_t b);

 private:
  friend class Kernel;
  Value(Kernel* kernel, Scalar type, spirv::Id id) : kernel_(kernel), type_(type), id_(id) {}
  Value(Kernel* kernel, Scalar type, std::int64_t known) : kernel_(kernel), type_(type), known_(known) {}

  Kernel* kernel_ = nullptr;
  Scalar type_ = Scalar::Int;
  spirv::Id id_ = 0;
  std::optional<std::int64_t> known_;
};

enum class Access : std::uint8_t { Read, Write };
struct BufferRef {
  std::uint32_t index = 0;  // binding in set 0, in the order of the calls
};
struct Variable {
  spirv::Id id = 0;
  Scalar type = Scalar::Int;
};

// What a device can do beyond the least, and how it treats floats; kernels ask for nothing else.
struct Features {
  bool signed_zero_inf_nan_preserve = false;  // of 32-bit floats
  bool rounding_rte = false;
  bool operator==(const Features&) const = default;
};

inline constexpr std::uint32_t kLocalSize = 64;  // invocations of a workgroup, in one dimension

class Kernel {
 public:
  explicit Kernel(Features features = {});
  Kernel(const Kernel&) = delete;

  // --- constants ---
  Value integer(std::int64_t value) { return Value(this, Scalar::Int, value); }
  Value long_integer(std::int64_t value) { return Value(this, Scalar::Long, value); }
  Value boolean(bool value) { return Value(this, Scalar::Bool, std::int64_t{value}); }
  Value real(float value);
  Value constant(Scalar type, std::int64_t value);

  // --- buffers ---
  BufferRef buffer(ElementType type, Access access);
  std::uint32_t buffers() const { return static_cast<std::uint32_t>(buffers_.size()); }
  // The element at an index, widened: bool, int (narrow integers keep their sign), long, float. Out of range is the
  // caller's to avoid.
  Value load(BufferRef buffer, Value index);
  // Narrow integers keep their low bits; floats are rounded to nearest even.
  void store(BufferRef buffer, Value index, Value value);

  // The number of this invocation in the whole dispatch, at least as many as the kernel has elements.
  Value element_index();

  // --- statements ---
  void when(Value condition, const std::function<void()>& then);
  // body(i) for i from 0 below `count`.
  void loop(Value count, const std::function<void(Value)>& body);
  Variable variable(Value initial);
  Value get(Variable variable);
  void set(Variable variable, Value value);

  // --- expressions ---
  Value select(Value condition, Value yes, Value no);
  Value min(Value a, Value b);  // integers
  Value max(Value a, Value b);
  Value clamp(Value value, Value low, Value high) { return min(max(value, low), high); }
  Value unsigned_less(Value a, Value b);
  Value shift_right_logical(Value value, Value bits);
  Value unsigned_divide(Value a, Value b);  // of values that are not negative: cheaper
  Value unsigned_remainder(Value a, Value b);
  Value to_int(Value value);    // long: low bits; bool: 0, 1; float: truncated, in range
  Value to_long(Value value);   // int: sign-extended
  Value to_float(Value value);  // integers: nearest even
  Value bits_of(Value real);    // float as int
  Value float_of_bits(Value bits);
  Value find_most_significant(Value value);  // of an int as unsigned; -1 for 0
  // An instruction of GLSL.std.450 on floats.
  Value extended(std::uint32_t instruction, std::initializer_list<Value> arguments);

  // The module, with the entry point `main`.
  Words finish();

  bool uses_long() const { return uses_long_; }
  bool stores_8() const { return uses_8_; }
  bool stores_16() const { return uses_16_; }

 private:
  friend class Value;
  struct Buffer {
    ElementType type;
    Access access;
    spirv::Id variable, element_pointer, element;
  };

  friend Value operator+(Value a, Value b);
  friend Value operator-(Value a, Value b);
  friend Value operator*(Value a, Value b);
  friend Value operator-(Value a);
  friend Value operator/(Value a, Value b);
  friend Value operator&(Value a, Value b);
  friend Value operator|(Value a, Value b);
  friend Value operator^(Value a, Value b);
  friend Value operator~(Value a);
  friend Value operator!(Value a);
  friend Value operator<<(Value a, Value bits);
  friend Value operator>>(Value a, Value bits);
  friend Value operator==(Value a, Value b);
  friend Value operator!=(Value a, Value b);
  friend Value operator<(Value a, Value b);
  friend Value operator<=(Value a, Value b);

  spirv::Id type_id(Scalar type);
  spirv::Id id(Value value);
  Value made(Scalar type, spirv::Id id) { return Value(this, type, id); }
  Value binary(spv::Op op, Scalar result, Value a, Value b);
  Value arithmetic(Value a, Value b, spv::Op integer, spv::Op real);
  struct Instruction {
    spv::Op op;
    Words operands;  // with type and result
  };
  spirv::Id op(spv::Op op, spirv::Id type, std::initializer_list<std::uint32_t> operands);
  void op_void(spv::Op op, std::initializer_list<std::uint32_t> operands);
  Value unsigned_op(spv::Op op, Value a, Value b);
  Value decode(ElementType type, spirv::Id raw);
  spirv::Id encode(ElementType type, Value value);

  Features features_;
  spirv::Builder builder_;
  std::vector<Buffer> buffers_;
  std::vector<spirv::Id> interface_;
  std::vector<Instruction> body_;                        // of main, behind its variables
  std::vector<std::pair<spirv::Id, spirv::Id>> locals_;  // pointer type and id of each variable of main
  spirv::Id glsl_ = 0;
  std::optional<Value> element_index_;
  bool uses_long_ = false, uses_8_ = false, uses_16_ = false;
};

}  // namespace slipway::lower
