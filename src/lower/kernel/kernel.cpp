// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/kernel/kernel.hpp"
#include "lower/kernel/longs.hpp"

#include <bit>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.hpp11>

#include "lower/kernel/small_floats.hpp"

namespace slipway::lower {
namespace {

std::int64_t wrapped(Scalar type, std::int64_t value) {
  return type == Scalar::Int ? static_cast<std::int32_t>(value) : value;
}

}  // namespace

Kernel::Kernel(FloatFacts floats, Grid grid) : floats_(floats), grid_(grid), builder_(spirv::kVersion13) {
  computed_.clear();  // makes the table
  builder_.capability(spv::Capability::Shader);
  if (grid_.addresses) {
    builder_.capability(spv::Capability::PhysicalStorageBufferAddresses);
    builder_.extension("SPV_KHR_physical_storage_buffer");
  }
  if (grid_.vulkan_memory_model) {
    builder_.capability(spv::Capability::VulkanMemoryModel);
    builder_.extension("SPV_KHR_vulkan_memory_model");
  }
  builder_.memory_model(grid_.addresses ? spv::AddressingModel::PhysicalStorageBuffer64 : spv::AddressingModel::Logical,
                        grid_.vulkan_memory_model ? spv::MemoryModel::Vulkan : spv::MemoryModel::GLSL450);
}

// --- types and constants ---

spirv::Id Kernel::type_id(Scalar type) {
  switch (type) {
    case Scalar::Bool:
      return builder_.type_bool();
    case Scalar::Int:
      return builder_.type_int(32, true);
    case Scalar::Float:
      return builder_.type_float(32);
    case Scalar::Long:
      break;
  }
  if (!grid_.longs) return builder_.type_vector(builder_.type_int(32, true), 2);
  builder_.capability(spv::Capability::Int64);
  return builder_.type_int(64, true);
}

spirv::Id Kernel::id(Value value) {
  if (value.id_) return value.id_;
  if (value.type_ == Scalar::Bool) return builder_.constant_bool(*value.known_ != 0);
  if (is_split(value)) {
    const LongParts parts = split(value);
    return builder_.constant_composite(type_id(Scalar::Long), Words{id(parts.low), id(parts.high)});
  }
  return builder_.constant(type_id(value.type_), static_cast<std::uint64_t>(*value.known_));
}

Value Kernel::real(float value) {
  return made(Scalar::Float, builder_.constant(builder_.type_float(32), std::bit_cast<std::uint32_t>(value)));
}

LongParts Kernel::split(Value value) {
  if (value.known_) return {integer(static_cast<std::int32_t>(*value.known_)), integer(*value.known_ >> 32)};
  const spirv::Id type = type_id(Scalar::Int);
  const auto part = [&](std::uint32_t index) {
    return uniform_if(value.uniform_, made(Scalar::Int, op(spv::Op::OpCompositeExtract, type, {value.id_, index})));
  };
  return {part(0), part(1)};
}

Value Kernel::joined(const LongParts& parts) {
  const spirv::Id low = id(parts.low), high = id(parts.high);
  return uniform_if(parts.low.uniform_ && parts.high.uniform_,
                    made(Scalar::Long, op(spv::Op::OpCompositeConstruct, type_id(Scalar::Long), {low, high})));
}

Value Kernel::constant(Scalar type, std::int64_t value) {
  return type == Scalar::Float ? real(static_cast<float>(value)) : Value(this, type, wrapped(type, value));
}

// --- instructions ---

namespace {

// Whether an instruction returns the same result each time: all do, except memory accesses and calls.
bool is_pure(spv::Op op) {
  return op != spv::Op::OpLoad && op != spv::Op::OpExtInst &&
         (op < spv::Op::OpCooperativeMatrixLoadKHR || op > spv::Op::OpCooperativeMatrixLengthKHR);
}

}  // namespace

spirv::Id Kernel::op(spv::Op op, spirv::Id type, std::initializer_list<std::uint32_t> operands) {
  return is_pure(op) ? op_once(op, type, operands) : op_each(op, type, operands);
}

spirv::Id Kernel::op_each(spv::Op op, spirv::Id type, std::initializer_list<std::uint32_t> operands) {
  const spirv::Id result = builder_.new_id();
  Words words = {type, result};
  words.insert(words.end(), operands);
  body_.push_back({op, std::move(words)});
  return result;
}

// Local common subexpression elimination: reuses what this block has computed already: addresses and per-channel
// operands recur in every row.
spirv::Id Kernel::op_once(spv::Op op, spirv::Id type, std::initializer_list<std::uint32_t> operands) {
  computed_key_.assign({word(op), type});
  computed_key_.insert(computed_key_.end(), operands);
  spirv::Id& known = computed_.find_any(computed_key_);
  return known ? known : known = op_each(op, type, operands);
}

void Kernel::op_void(spv::Op op, std::initializer_list<std::uint32_t> operands) {
  if (op == spv::Op::OpLabel) {
    computed_.clear();
    ++block_;
  }
  body_.push_back({op, Words(operands)});
}

Value Kernel::binary(spv::Op operation, Scalar result, Value a, Value b) {
  const spirv::Id left = id(a), right = id(b);
  return uniform_if(a.uniform_ && b.uniform_, made(result, op(operation, type_id(result), {left, right})));
}

// The sum or difference of a uniform value plus the lane and a uniform value is again a uniform value plus the lane.
Value Kernel::with_base(Value sum, Value lane_part, Value uniform_part, bool subtract) {
  Value::Base base = *lane_part.base_;
  if (uniform_part.known_) {
    base.offset += subtract ? -*uniform_part.known_ : *uniform_part.known_;
  } else {
    const Value uniform = base.id ? uniform_if(true, made(Scalar::Int, base.id)) : integer(0);
    base.id = id(subtract ? uniform - uniform_part : uniform + uniform_part);
  }
  sum.base_ = base;
  return sum;
}

Value Kernel::arithmetic(Value a, Value b, spv::Op integer, spv::Op real_op) {
  const spirv::Id before = builder_.bound();
  const Value result = binary(a.type_ == Scalar::Float ? real_op : integer, a.type_, a, b);
  if (a.type_ == Scalar::Float && result.id_ >= before) builder_.decorate(result.id_, spv::Decoration::NoContraction);
  return result;
}

Value operator+(Value a, Value b) {
  if (a.known_ && b.known_)
    return a.kernel_->constant(a.type_, static_cast<std::int64_t>(static_cast<std::uint64_t>(*a.known_) +
                                                                  static_cast<std::uint64_t>(*b.known_)));
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  if (Kernel& k = *a.kernel_; k.is_split(a)) return k.joined(add_longs(k, k.split(a), k.split(b)));
  const Value sum = a.kernel_->arithmetic(a, b, spv::Op::OpIAdd, spv::Op::OpFAdd);
  if (a.base_ && b.uniform_) return a.kernel_->with_base(sum, a, b, false);
  return b.base_ && a.uniform_ ? a.kernel_->with_base(sum, b, a, false) : sum;
}

Value operator-(Value a, Value b) {
  if (a.known_ && b.known_)
    return a.kernel_->constant(a.type_, static_cast<std::int64_t>(static_cast<std::uint64_t>(*a.known_) -
                                                                  static_cast<std::uint64_t>(*b.known_)));
  if (b.is(0)) return a;
  if (Kernel& k = *a.kernel_; k.is_split(a)) return k.joined(subtract_longs(k, k.split(a), k.split(b)));
  const Value difference = a.kernel_->arithmetic(a, b, spv::Op::OpISub, spv::Op::OpFSub);
  return a.base_ && b.uniform_ ? a.kernel_->with_base(difference, a, b, true) : difference;
}

Value operator*(Value a, Value b) {
  if (a.known_ && b.known_)
    return a.kernel_->constant(a.type_, static_cast<std::int64_t>(static_cast<std::uint64_t>(*a.known_) *
                                                                  static_cast<std::uint64_t>(*b.known_)));
  if (a.is(0) || b.is(1)) return a;
  if (b.is(0) || a.is(1)) return b;
  if (Kernel& k = *a.kernel_; k.is_split(a)) return k.joined(multiply_longs(k, k.split(a), k.split(b)));
  return a.kernel_->arithmetic(a, b, spv::Op::OpIMul, spv::Op::OpFMul);
}

Value operator-(Value a) {
  if (a.type_ != Scalar::Float) return a.kernel_->constant(a.type_, 0) - a;
  // Only the sign bit is flipped: a subtraction from 0 would lose -0 and, on some devices, NaN.
  Kernel& k = *a.kernel_;
  return k.float_of_bits(k.bits_of(a) ^ k.integer(INT32_MIN));
}

Value operator/(Value a, Value b) {
  if (a.known_ && b.known_ && *b.known_ != 0 && *b.known_ != -1)
    return a.kernel_->constant(a.type_, *a.known_ / *b.known_);
  if (b.is(1)) return a;
  return a.kernel_->arithmetic(a, b, spv::Op::OpSDiv, spv::Op::OpFDiv);
}

Value operator&(Value a, Value b) {
  if (a.known_ && b.known_) return a.kernel_->constant(a.type_, *a.known_ & *b.known_);
  const bool logical = a.type_ == Scalar::Bool;
  if (logical && (a.is(1) || b.is(0))) return b;
  if (logical && (b.is(1) || a.is(0))) return a;
  return a.kernel_->binary(logical ? spv::Op::OpLogicalAnd : spv::Op::OpBitwiseAnd, a.type_, a, b);
}

Value operator|(Value a, Value b) {
  if (a.known_ && b.known_) return a.kernel_->constant(a.type_, *a.known_ | *b.known_);
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return a.kernel_->binary(a.type_ == Scalar::Bool ? spv::Op::OpLogicalOr : spv::Op::OpBitwiseOr, a.type_, a, b);
}

Value operator^(Value a, Value b) {
  if (a.known_ && b.known_) return a.kernel_->constant(a.type_, *a.known_ ^ *b.known_);
  return a.kernel_->binary(a.type_ == Scalar::Bool ? spv::Op::OpLogicalNotEqual : spv::Op::OpBitwiseXor, a.type_, a, b);
}

Value operator~(Value a) {
  if (a.known_) return a.kernel_->constant(a.type_, ~*a.known_);
  Kernel& k = *a.kernel_;
  return k.made(a.type_, k.op(spv::Op::OpNot, k.type_id(a.type_), {a.id_}));
}

Value operator!(Value a) {
  if (a.known_) return a.kernel_->boolean(*a.known_ == 0);
  Kernel& k = *a.kernel_;
  return k.made(Scalar::Bool, k.op(spv::Op::OpLogicalNot, k.type_id(Scalar::Bool), {a.id_}));
}

Value operator<<(Value a, Value bits) {
  if (a.known_ && bits.known_)
    return a.kernel_->constant(a.type_,
                               static_cast<std::int64_t>(static_cast<std::uint64_t>(*a.known_) << *bits.known_));
  if (bits.is(0)) return a;
  if (Kernel& k = *a.kernel_; k.is_split(a)) return k.joined(shift_long_left(k, k.split(a), bits));
  return a.kernel_->binary(spv::Op::OpShiftLeftLogical, a.type_, a, bits);
}

Value operator>>(Value a, Value bits) {
  if (a.known_ && bits.known_) return a.kernel_->constant(a.type_, *a.known_ >> *bits.known_);
  if (bits.is(0)) return a;
  if (Kernel& k = *a.kernel_; k.is_split(a)) return k.joined(shift_long_right(k, k.split(a), bits, true));
  return a.kernel_->binary(spv::Op::OpShiftRightArithmetic, a.type_, a, bits);
}

namespace {

struct Comparison {
  spv::Op integer, real, boolean;
};
constexpr Comparison kEqual{spv::Op::OpIEqual, spv::Op::OpFOrdEqual, spv::Op::OpLogicalEqual};
constexpr Comparison kNotEqual{spv::Op::OpINotEqual, spv::Op::OpFUnordNotEqual, spv::Op::OpLogicalNotEqual};
constexpr Comparison kLess{spv::Op::OpSLessThan, spv::Op::OpFOrdLessThan, spv::Op::OpNop};
constexpr Comparison kLessEqual{spv::Op::OpSLessThanEqual, spv::Op::OpFOrdLessThanEqual, spv::Op::OpNop};

spv::Op chosen(const Comparison& comparison, Scalar type) {
  return type == Scalar::Float ? comparison.real : type == Scalar::Bool ? comparison.boolean : comparison.integer;
}

}  // namespace

Value operator==(Value a, Value b) {
  if (a.known_ && b.known_) return a.kernel_->boolean(*a.known_ == *b.known_);
  if (Kernel& k = *a.kernel_; k.is_split(a)) {
    const LongParts left = k.split(a), right = k.split(b);
    return (left.low == right.low) & (left.high == right.high);
  }
  return a.kernel_->binary(chosen(kEqual, a.type_), Scalar::Bool, a, b);
}
Value operator!=(Value a, Value b) {
  if (a.known_ && b.known_) return a.kernel_->boolean(*a.known_ != *b.known_);
  if (a.kernel_->is_split(a)) return !(a == b);
  return a.kernel_->binary(chosen(kNotEqual, a.type_), Scalar::Bool, a, b);
}
Value operator<(Value a, Value b) {
  if (a.known_ && b.known_) return a.kernel_->boolean(*a.known_ < *b.known_);
  if (Kernel& k = *a.kernel_; k.is_split(a)) return is_less(k, k.split(a), k.split(b), false);
  return a.kernel_->binary(chosen(kLess, a.type_), Scalar::Bool, a, b);
}
Value operator<=(Value a, Value b) {
  if (a.known_ && b.known_) return a.kernel_->boolean(*a.known_ <= *b.known_);
  if (a.kernel_->is_split(a)) return !(b < a);
  return a.kernel_->binary(chosen(kLessEqual, a.type_), Scalar::Bool, a, b);
}

Value operator+(Value a, std::int64_t b) { return a + a.kernel_->constant(a.type_, b); }
Value operator-(Value a, std::int64_t b) { return a - a.kernel_->constant(a.type_, b); }
Value operator*(Value a, std::int64_t b) { return a * a.kernel_->constant(a.type_, b); }
Value operator/(Value a, std::int64_t b) { return a / a.kernel_->constant(a.type_, b); }
Value operator&(Value a, std::int64_t b) { return a & a.kernel_->constant(a.type_, b); }
Value operator<<(Value a, std::int64_t b) { return a << a.kernel_->integer(b); }
Value operator>>(Value a, std::int64_t b) { return a >> a.kernel_->integer(b); }
Value operator==(Value a, std::int64_t b) { return a == a.kernel_->constant(a.type_, b); }
Value operator!=(Value a, std::int64_t b) { return a != a.kernel_->constant(a.type_, b); }
Value operator<(Value a, std::int64_t b) { return a < a.kernel_->constant(a.type_, b); }
Value operator<=(Value a, std::int64_t b) { return a <= a.kernel_->constant(a.type_, b); }
Value operator>(Value a, std::int64_t b) { return a > a.kernel_->constant(a.type_, b); }
Value operator>=(Value a, std::int64_t b) { return a >= a.kernel_->constant(a.type_, b); }

// --- expressions ---

Value Kernel::select(Value condition, Value yes, Value no) {
  if (condition.known_) return *condition.known_ ? yes : no;
  if (is_split(yes)) {
    const LongParts a = split(yes), b = split(no);
    return joined({select(condition, a.low, b.low), select(condition, a.high, b.high)});
  }
  const spirv::Id a = id(yes), b = id(no);
  return uniform_if(condition.uniform_ && yes.uniform_ && no.uniform_,
                    made(yes.type_, op(spv::Op::OpSelect, type_id(yes.type_), {id(condition), a, b})));
}

Value Kernel::min(Value a, Value b) { return select(a < b, a, b); }
Value Kernel::max(Value a, Value b) { return select(a < b, b, a); }

Value Kernel::unsigned_op(spv::Op operation, Value a, Value b) { return binary(operation, a.type_, a, b); }

Value Kernel::unsigned_less(Value a, Value b) { return binary(spv::Op::OpULessThan, Scalar::Bool, a, b); }

Value Kernel::shift_right_logical(Value value, Value bits) {
  return bits.is(0) ? value : unsigned_op(spv::Op::OpShiftRightLogical, value, bits);
}

// The operands of OpUDiv and OpUMod are unsigned (SPIR-V 1.6, 3.52.13), so they pass through unsigned types.
Value Kernel::unsigned_divide(Value a, Value b) {
  if (a.known_ && b.known_ && *b.known_) return constant(a.type_, *a.known_ / *b.known_);
  if (b.is(1)) return a;
  if (is_split(a)) return joined(divide_longs(*this, split(a), split(b)));
  const spirv::Id type = builder_.type_int(a.type_ == Scalar::Long ? 64 : 32, false);
  const spirv::Id left = op(spv::Op::OpBitcast, type, {id(a)}), right = op(spv::Op::OpBitcast, type, {id(b)});
  return uniform_if(a.uniform_ && b.uniform_, made(a.type_, op(spv::Op::OpBitcast, type_id(a.type_),
                                                               {op(spv::Op::OpUDiv, type, {left, right})})));
}

Value Kernel::unsigned_remainder(Value a, Value b) {
  if (b.is(1)) return constant(a.type_, 0);
  return a - unsigned_divide(a, b) * b;
}

Value Kernel::to_int(Value value) {
  if (value.known_) return integer(static_cast<std::int32_t>(*value.known_));
  switch (value.type_) {
    case Scalar::Int:
      return value;
    case Scalar::Bool:
      return select(value, integer(1), integer(0));
    case Scalar::Long:
      if (is_split(value)) return split(value).low;
      return made(Scalar::Int, op(spv::Op::OpSConvert, type_id(Scalar::Int), {value.id_}));
    case Scalar::Float:
      break;
  }
  return made(Scalar::Int, op(spv::Op::OpConvertFToS, type_id(Scalar::Int), {value.id_}));
}

Value Kernel::int_of_whole(Value number, std::uint32_t bits) {
  if (grid_.native_vectors) return to_int(number);
  // Adding a float whose unit in the last place is 1 moves a whole number into the low bits of the sum.
  const auto small = [&](Value x) {
    constexpr float kPlaceOfOne = 0x1.8p23f;
    return bits_of(x + real(kPlaceOfOne)) - std::bit_cast<std::int32_t>(kPlaceOfOne);
  };
  if (bits <= 22) return small(number);
  // Larger numbers are split into a multiple of 4 and a remainder.
  constexpr float kUnitOfFour = 0x1.8p25f;
  const Value fours = number + real(kUnitOfFour), rest = number - (fours - real(kUnitOfFour));
  return ((bits_of(fours) - std::bit_cast<std::int32_t>(kUnitOfFour)) << 2) + small(rest);
}

Value Kernel::to_long(Value value) {
  if (value.known_) return long_integer(*value.known_);
  if (value.type_ == Scalar::Long) return value;
  if (!grid_.longs) {
    const Value low = to_int(value);
    return joined({low, low >> 31});
  }
  return uniform_if(value.uniform_,
                    made(Scalar::Long, op(spv::Op::OpSConvert, type_id(Scalar::Long), {id(to_int(value))})));
}

Value Kernel::to_float(Value value) {
  if (value.type_ == Scalar::Float) return value;
  return made(Scalar::Float, op(spv::Op::OpConvertSToF, type_id(Scalar::Float),
                                {id(value.type_ == Scalar::Bool ? to_int(value) : value)}));
}

Value Kernel::multiply_add(Value a, Value b, Value sum) { return extended(GLSLstd450Fma, {a, b, sum}); }

Value Kernel::dot_add(Value a, bool a_is_signed, Value b, Value sum) {
  builder_.capability(spv::Capability::DotProduct);
  builder_.capability(spv::Capability::DotProductInput4x8BitPacked);
  builder_.extension("SPV_KHR_integer_dot_product");
  const spirv::Id left = id(b), right = id(a);
  return sum + made(Scalar::Int, op(a_is_signed ? spv::Op::OpSDot : spv::Op::OpSUDot, type_id(Scalar::Int),
                                    {left, right, word(spv::PackedVectorFormat::PackedVectorFormat4x8Bit)}));
}

Value Kernel::pair_add(Value a, Value b, Value sum) {
  using enum spv::Capability;
  for (const spv::Capability needed : {Int16, DotProduct, DotProductInputAll}) builder_.capability(needed);
  builder_.extension("SPV_KHR_integer_dot_product");
  const spirv::Id pair = builder_.type_vector(builder_.type_int(16, false), 2);
  const spirv::Id left = op(spv::Op::OpBitcast, pair, {id(a)}), right = op(spv::Op::OpBitcast, pair, {id(b)});
  return sum + made(Scalar::Int, op(spv::Op::OpSDot, type_id(Scalar::Int), {left, right}));
}

Value Kernel::multiply_high(Value a, Value b) {
  const spirv::Id type = type_id(Scalar::Int);
  if (!pair_type_) pair_type_ = builder_.type_struct(Words{type, type});
  const spirv::Id left = id(a), right = id(b), product = op(spv::Op::OpSMulExtended, pair_type_, {left, right});
  return made(Scalar::Int, op(spv::Op::OpCompositeExtract, type, {product, 1}));
}

Value Kernel::bits_of(Value real_value) {
  return made(Scalar::Int, op(spv::Op::OpBitcast, type_id(Scalar::Int), {id(real_value)}));
}
Value Kernel::float_of_bits(Value bits) {
  return made(Scalar::Float, op(spv::Op::OpBitcast, type_id(Scalar::Float), {id(bits)}));
}

spirv::Id Kernel::half_type() {
  builder_.capability(spv::Capability::Float16);
  builder_.capability(spv::Capability::Int16);
  converts_16_ = true;
  return builder_.type_float(16);
}
Value Kernel::f16_bits_of(Value real_value) {
  const spirv::Id half = op(spv::Op::OpFConvert, half_type(), {id(real_value)});
  const spirv::Id bits = op(spv::Op::OpBitcast, builder_.type_int(16, false), {half});
  const spirv::Id wide = op(spv::Op::OpUConvert, builder_.type_int(32, false), {bits});
  return made(Scalar::Int, op(spv::Op::OpBitcast, type_id(Scalar::Int), {wide}));
}
Value Kernel::float_of_f16_bits(Value value) {
  const spirv::Id wide = op(spv::Op::OpBitcast, builder_.type_int(32, false), {id(value)});
  const spirv::Id bits = op(spv::Op::OpUConvert, builder_.type_int(16, false), {wide});
  const spirv::Id half = op(spv::Op::OpBitcast, half_type(), {bits});
  return made(Scalar::Float, op(spv::Op::OpFConvert, type_id(Scalar::Float), {half}));
}

Value Kernel::find_most_significant(Value value) {
  if (!glsl_) glsl_ = builder_.import("GLSL.std.450");
  // FindUMsb treats the bits as unsigned, whatever their type.
  return made(Scalar::Int, op(spv::Op::OpExtInst, type_id(Scalar::Int), {glsl_, GLSLstd450FindUMsb, id(value)}));
}

Value Kernel::extended(std::uint32_t instruction, std::initializer_list<Value> arguments) {
  if (!glsl_) glsl_ = builder_.import("GLSL.std.450");
  Words words = {type_id(Scalar::Float), builder_.new_id(), glsl_, instruction};
  for (const Value& argument : arguments) words.push_back(id(argument));
  const spirv::Id result = words[1];
  body_.push_back({spv::Op::OpExtInst, std::move(words)});
  return made(Scalar::Float, result);
}

// --- statements ---

void Kernel::when(Value condition, const std::function<void()>& then) {
  if (condition.known_) {
    if (*condition.known_) then();
    return;
  }
  const spirv::Id inside = builder_.new_id(), behind = builder_.new_id();
  op_void(spv::Op::OpSelectionMerge, {behind, word(spv::SelectionControlMask::MaskNone)});
  op_void(spv::Op::OpBranchConditional, {condition.id_, inside, behind});
  op_void(spv::Op::OpLabel, {inside});
  then();
  op_void(spv::Op::OpBranch, {behind});
  op_void(spv::Op::OpLabel, {behind});
}

void Kernel::loop(Value count, const std::function<void(Value)>& body) {
  if (count.known_ && *count.known_ <= 0) return;
  if (count.is(1)) return body(integer(0));
  const Variable counter = variable(integer(0));
  const spirv::Id header = builder_.new_id(), test = builder_.new_id(), inside = builder_.new_id(),
                  step = builder_.new_id(), behind = builder_.new_id();
  op_void(spv::Op::OpBranch, {header});
  op_void(spv::Op::OpLabel, {header});
  op_void(spv::Op::OpLoopMerge, {behind, step, word(spv::LoopControlMask::MaskNone)});
  op_void(spv::Op::OpBranch, {test});
  op_void(spv::Op::OpLabel, {test});
  const Value i = uniform_if(count.uniform_, get(counter));
  op_void(spv::Op::OpBranchConditional, {id(i < count), inside, behind});
  op_void(spv::Op::OpLabel, {inside});
  body(i);
  op_void(spv::Op::OpBranch, {step});
  op_void(spv::Op::OpLabel, {step});
  set(counter, get(counter) + 1);
  op_void(spv::Op::OpBranch, {header});
  op_void(spv::Op::OpLabel, {behind});
}

Variable Kernel::variable(Value initial) {
  const Variable variable{builder_.new_id(), initial.type_};
  locals_.emplace_back(builder_.type_pointer(spv::StorageClass::Function, type_id(initial.type_)), variable.id);
  set(variable, initial);
  return variable;
}
Value Kernel::get(Variable variable) {
  return made(variable.type, op(spv::Op::OpLoad, type_id(variable.type), {variable.id}));
}
void Kernel::set(Variable variable, Value value) { op_void(spv::Op::OpStore, {variable.id, id(value)}); }

Words Kernel::finish() {
  if (grid_.addresses) declare_push_constants();
  const spirv::Id nothing = builder_.type_void();
  const spirv::Id main = builder_.begin_function(nothing, builder_.type_function(nothing, {}));
  builder_.label();
  for (const auto& [type, variable] : locals_) {
    builder_.emit(spirv::Section::Functions, spv::Op::OpVariable, {type, variable, word(spv::StorageClass::Function)});
  }
  for (const std::vector<Instruction>* part : {&prologue_, &body_}) {
    for (const Instruction& instruction : *part)
      builder_.emit(spirv::Section::Functions, instruction.op, spirv::Operands(instruction.operands));
  }
  builder_.op_void(spv::Op::OpReturn);
  builder_.end_function();
  builder_.entry_point(spv::ExecutionModel::GLCompute, main, "main", interface_);
  builder_.execution_mode(main, spv::ExecutionMode::LocalSize, {grid_.local_size, 1, 1});
  const auto float_control = [&](bool wanted, spv::Capability capability, spv::ExecutionMode mode) {
    if (!wanted) return;
    builder_.capability(capability);
    builder_.extension("SPV_KHR_float_controls");
    builder_.execution_mode(main, mode, {32});
    if (converts_16_) builder_.execution_mode(main, mode, {16});
  };
  float_control(floats_.signed_zero_inf_nan_preserve, spv::Capability::SignedZeroInfNanPreserve,
                spv::ExecutionMode::SignedZeroInfNanPreserve);
  float_control(floats_.denorm_preserve, spv::Capability::DenormPreserve, spv::ExecutionMode::DenormPreserve);
  float_control(floats_.rounding_rte, spv::Capability::RoundingModeRTE, spv::ExecutionMode::RoundingModeRTE);
  return builder_.words();
}

}  // namespace slipway::lower
