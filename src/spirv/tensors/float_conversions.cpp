// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/tensors/float_conversions.hpp"

#include <bit>
#include <spirv/unified1/spirv.hpp11>

namespace slipway::spirv {
namespace {

constexpr std::uint32_t kMagnitude = 0x7fffffff, kInfinity = 0x7f800000, kQuietNan = 0x7fc00000;
constexpr std::uint32_t kBias = 127, kMantissaBits = 23;

// How a small float is made up. Subnormals are made and read through integers, so that a device that flushes subnormals
// of 32 bits does not matter.
struct Layout {
  std::uint32_t exponent_bits, mantissa_bits;
  std::uint32_t infinity;  // the bits of infinity; for e4m3, which has none, of NaN
  std::uint32_t nan, largest;

  std::uint32_t bias() const { return (1u << (exponent_bits - 1)) - 1; }
  std::uint32_t dropped() const { return kMantissaBits - mantissa_bits; }
  std::uint32_t rebias() const { return (kBias - bias()) << kMantissaBits; }
};

constexpr Layout layout_of(SmallFloat format) {
  switch (format) {
    case SmallFloat::BF16:
      return {8, 7, 0x7f80, 0x7fc0, 0x7f7f};
    case SmallFloat::E4M3:
      return {4, 3, 0x7f, 0x7f, 0x7e};
    case SmallFloat::E5M2:
      return {5, 2, 0x7c, 0x7e, 0x7b};
  }
  std::unreachable();
}

// Unsigned arithmetic of 32 bits.
class Arithmetic {
 public:
  explicit Arithmetic(Builder& builder)
      : builder_(builder), u32_(builder.type_int(32, false)), f32_(builder.type_float(32)) {}

  Id number(std::uint32_t value) { return builder_.constant_u32(value); }
  Id add(Id a, Id b) { return builder_.op(spv::Op::OpIAdd, u32_, {a, b}); }
  Id subtract(Id a, Id b) { return builder_.op(spv::Op::OpISub, u32_, {a, b}); }
  Id both(Id a, Id b) { return builder_.op(spv::Op::OpBitwiseAnd, u32_, {a, b}); }
  Id either(Id a, Id b) { return builder_.op(spv::Op::OpBitwiseOr, u32_, {a, b}); }
  Id left(Id a, Id by) { return builder_.op(spv::Op::OpShiftLeftLogical, u32_, {a, by}); }
  Id right(Id a, Id by) { return builder_.op(spv::Op::OpShiftRightLogical, u32_, {a, by}); }
  Id less(Id a, Id b) { return builder_.op(spv::Op::OpULessThan, builder_.type_bool(), {a, b}); }
  Id select(Id condition, Id a, Id b) { return builder_.op(spv::Op::OpSelect, u32_, {condition, a, b}); }
  Id least(Id a, Id b) { return select(less(a, b), a, b); }
  Id bits(Id real) { return builder_.op(spv::Op::OpBitcast, u32_, {real}); }
  Id real(Id bits) { return builder_.op(spv::Op::OpBitcast, f32_, {bits}); }
  Id scaled(Id integer, float by) {
    const Id converted = builder_.op(spv::Op::OpConvertUToF, f32_, {integer});
    return bits(builder_.op(spv::Op::OpFMul, f32_, {converted, builder_.constant_f32(by)}));
  }

 private:
  Builder& builder_;
  Id u32_, f32_;
};

// `small` has its bits at the bottom and zeros above.
Id float_of(Arithmetic& a, SmallFloat format, Id small) {
  if (format == SmallFloat::BF16) return a.real(a.left(small, a.number(16)));
  const Layout layout = layout_of(format);
  const Id sign = a.left(a.both(small, a.number(0x80)), a.number(24));
  const Id magnitude = a.both(small, a.number(0x7f));
  const Id normal = a.add(a.left(magnitude, a.number(layout.dropped())), a.number(layout.rebias()));
  // A subnormal is its mantissa times the smallest subnormal, which is a normal number in 32 bits.
  const auto least_exponent = -static_cast<int>(layout.bias() - 1 + layout.mantissa_bits);
  const Id subnormal = a.scaled(magnitude, std::bit_cast<float>((kBias + least_exponent) << kMantissaBits));
  Id result = a.select(a.less(magnitude, a.number(1u << layout.mantissa_bits)), subnormal, normal);
  const Id is_number = a.less(magnitude, a.number(layout.infinity));
  Id special = a.number(kQuietNan);
  if (format == SmallFloat::E5M2) {
    special = a.select(a.less(a.number(layout.infinity), magnitude), special, a.number(kInfinity));
  }
  result = a.select(is_number, result, special);
  return a.real(a.either(result, sign));
}

// The bits without sign; `magnitude` are those of a float without sign.
Id rounded(Arithmetic& a, const Layout& layout, Id magnitude) {
  // Half of the last bit that stays, less one when that bit is even, is added before truncation.
  const auto shift_and_round = [&](Id bits, Id shift) {
    const Id odd = a.both(a.right(bits, shift), a.number(1));
    const Id half = a.subtract(a.left(a.number(1), a.subtract(shift, a.number(1))), a.number(1));
    return a.right(a.add(a.add(bits, half), odd), shift);
  };
  const Id normal = shift_and_round(a.subtract(magnitude, a.number(layout.rebias())), a.number(layout.dropped()));
  if (layout.rebias() == 0) return normal;  // subnormals have the exponent of those of 32 bits
  // Subnormal: the mantissa with its hidden bit is shifted by as much more as the exponent is too small.
  const Id exponent = a.right(magnitude, a.number(kMantissaBits));
  const Id mantissa = a.either(a.both(magnitude, a.number(0x7fffff)), a.number(0x800000));
  // From 25 on nothing is left. Wrapped around it is larger still.
  const Id shift = a.least(a.subtract(a.number(layout.dropped() + 1 + kBias - layout.bias()), exponent), a.number(25));
  const Id subnormal = shift_and_round(mantissa, shift);
  const Id least_normal = a.number((kBias - layout.bias() + 1) << kMantissaBits);
  return a.select(a.less(magnitude, least_normal), subnormal, normal);
}

Id bits_of_float(Arithmetic& a, SmallFloat format, Id real, bool saturates) {
  const Layout layout = layout_of(format);
  const Id bits = a.bits(real);
  const Id magnitude = a.both(bits, a.number(kMagnitude));
  const Id sign = a.left(a.right(bits, a.number(31)), a.number(bits_of(format) - 1));
  const Id most = a.number(saturates ? layout.largest : layout.infinity);
  Id small = a.least(rounded(a, layout, magnitude), most);
  const Id is_finite = a.less(magnitude, a.number(kInfinity));
  const Id is_nan = a.less(a.number(kInfinity), magnitude);
  small = a.select(is_finite, small, a.select(is_nan, a.number(layout.nan), most));
  return a.either(small, sign);
}

}  // namespace

Id FloatConversions::to_float(SmallFloat format) {
  const auto [known, fresh] = functions_.try_emplace({format, Direction::ToFloat});
  if (fresh) known->second = builder_.new_id();
  return known->second;
}

Id FloatConversions::from_float(SmallFloat format, bool saturates) {
  const auto [known, fresh] =
      functions_.try_emplace({format, saturates ? Direction::FromFloatSaturated : Direction::FromFloat});
  if (fresh) known->second = builder_.new_id();
  return known->second;
}

void FloatConversions::write() {
  for (const auto& [key, id] : functions_) {
    const auto [format, direction] = key;
    const bool widens = direction == Direction::ToFloat;
    const Id u32 = builder_.type_int(32, false), f32 = builder_.type_float(32);
    const Id small = builder_.type_int(bits_of(format), false);
    const Id from = widens ? small : f32, to = widens ? f32 : small;
    const Id parameters[] = {from};
    const Id type = builder_.type_function(to, parameters);
    builder_.emit(Section::Functions, spv::Op::OpFunction,
                  Operands({to, id}).add(spv::FunctionControlMask::MaskNone).add(type));
    const Id given = builder_.parameter(from);
    builder_.label();
    Arithmetic arithmetic(builder_);
    Id result = 0;
    if (widens) {
      result = float_of(arithmetic, format, builder_.op(spv::Op::OpUConvert, u32, {given}));
    } else {
      const Id bits = bits_of_float(arithmetic, format, given, direction == Direction::FromFloatSaturated);
      result = builder_.op(spv::Op::OpUConvert, small, {bits});
    }
    builder_.op_void(spv::Op::OpReturnValue, {result});
    builder_.end_function();
  }
}

}  // namespace slipway::spirv
