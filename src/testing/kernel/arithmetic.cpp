// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that compute values of invocations from values of the same invocations.
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <spirv/unified1/GLSL.std.450.h>

#include "base/format.hpp"
#include "tensor/element.hpp"
#include "testing/kernel/workgroup.hpp"

namespace slipway::testing {
namespace {

float real_of(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
std::uint64_t bits_of(float real) { return std::bit_cast<std::uint32_t>(real); }

float extended_result(std::uint32_t function, float a, float b, float c) {
  switch (function) {
    case GLSLstd450Fma:
      return std::fma(a, b, c);
    case GLSLstd450RoundEven:
      return std::nearbyint(a);
    case GLSLstd450Floor:
      return std::floor(a);
    case GLSLstd450Ceil:
      return std::ceil(a);
    case GLSLstd450Exp:
      return std::exp(a);
    case GLSLstd450InverseSqrt:
      return 1 / std::sqrt(a);
    default:
      throw std::runtime_error(formatted("the interpreter does not know function {} of GLSL.std.450", function));
  }
}

std::int32_t truncated(float real) {
  if (std::isnan(real)) return 0;
  if (real >= 0x1p31f) return std::numeric_limits<std::int32_t>::max();
  return real < -0x1p31f ? std::numeric_limits<std::int32_t>::min() : static_cast<std::int32_t>(real);
}

}  // namespace

// Long, because it has one case per instruction.
void Workgroup::arithmetic(const Instruction& in, const Active& active) {
  using enum spv::Op;
  const Shape& shape = code_.shapes[in.result];
  std::vector<std::uint64_t>& to = values(in.result);
  const Id a = in.operand(2), b = in.operand(3);
  const std::uint64_t* const x = values(a).data();
  const bool has_two = in.operands.size() > 3 && in.op != OpCompositeExtract;
  const std::uint64_t* const y = has_two ? values(b).data() : nullptr;
  const std::uint32_t width = code_.shapes[a].width, shift_mask = shape.width - 1;
  const auto bits = [&](const auto& f) {
    for (const std::uint32_t i : active) to[i] = f(x[i], y ? y[i] : 0) & shape.mask();
  };
  const auto numbers = [&](const auto& f) {
    for (const std::uint32_t i : active)
      to[i] = static_cast<std::uint64_t>(f(signed_of(x[i], width), y ? signed_of(y[i], width) : 0)) & shape.mask();
  };
  const auto reals = [&](const auto& f) {
    for (const std::uint32_t i : active) to[i] = bits_of(f(real_of(x[i]), real_of(y[i])));
  };
  const auto compared = [&](const auto& f) {
    for (const std::uint32_t i : active) to[i] = f(real_of(x[i]), real_of(y[i]));
  };
  using U = std::uint64_t;
  using S = std::int64_t;
  switch (in.op) {
    case OpIAdd:
      return bits([](U p, U q) { return p + q; });
    case OpISub:
      return bits([](U p, U q) { return p - q; });
    case OpIMul:
      return bits([](U p, U q) { return p * q; });
    case OpUDiv:
      return bits([](U p, U q) { return q == 0 ? 0 : p / q; });
    case OpSDiv:
      return numbers([](S p, S q) { return q == 0 || (q == -1 && p == INT64_MIN) ? 0 : p / q; });
    case OpBitwiseAnd:
    case OpLogicalAnd:
      return bits([](U p, U q) { return p & q; });
    case OpBitwiseOr:
    case OpLogicalOr:
      return bits([](U p, U q) { return p | q; });
    case OpBitwiseXor:
    case OpLogicalNotEqual:
      return bits([](U p, U q) { return p ^ q; });
    case OpNot:
    case OpLogicalNot:
      return bits([](U p, U) { return ~p; });
    case OpLogicalEqual:
    case OpIEqual:
      return bits([](U p, U q) -> U { return p == q; });
    case OpINotEqual:
      return bits([](U p, U q) -> U { return p != q; });
    case OpULessThan:
      return bits([](U p, U q) -> U { return p < q; });
    case OpSLessThan:
      return numbers([](S p, S q) { return p < q; });
    case OpSLessThanEqual:
      return numbers([](S p, S q) { return p <= q; });
    case OpShiftLeftLogical:
      return bits([&](U p, U q) { return p << (q & shift_mask); });
    case OpShiftRightLogical:
      return bits([&](U p, U q) { return p >> (q & shift_mask); });
    case OpShiftRightArithmetic:
      return numbers([&](S p, S q) { return p >> (q & shift_mask); });
    case OpFAdd:
      return reals([](float p, float q) { return p + q; });
    case OpFSub:
      return reals([](float p, float q) { return p - q; });
    case OpFMul:
      return reals([](float p, float q) { return p * q; });
    case OpFDiv:
      return reals([](float p, float q) { return p / q; });
    case OpFOrdEqual:
      return compared([](float p, float q) { return p == q; });
    case OpFUnordNotEqual:
      return compared([](float p, float q) { return !(p == q); });
    case OpFOrdLessThan:
      return compared([](float p, float q) { return p < q; });
    case OpFOrdLessThanEqual:
      return compared([](float p, float q) { return p <= q; });
    case OpSConvert:
      return numbers([](S p, S) { return p; });
    case OpUConvert:
    case OpConvertUToPtr:
      return bits([](U p, U) { return p; });
    case OpConvertSToF:
      return numbers([](S p, S) { return bits_of(static_cast<float>(p)); });
    case OpConvertFToS:
      return bits([](U p, U) { return static_cast<U>(truncated(real_of(p))); });
    case OpFConvert:
      for (const std::uint32_t i : active) {
        std::array<std::byte, 4> half{};
        if (shape.width == 16) {
          tensor::store_rounded(tensor::ElementType::F16, real_of(x[i]), half.data());
          to[i] = slipway::load<std::uint16_t>(half.data());
        } else {
          slipway::store(half.data(), static_cast<std::uint16_t>(x[i]));
          to[i] = bits_of(static_cast<float>(tensor::double_of(tensor::ElementType::F16, half.data())));
        }
      }
      return;
    case OpSMulExtended:
      for (const std::uint32_t i : active) {
        const auto product = static_cast<U>(signed_of(x[i], 32) * signed_of(y[i], 32));
        to[i] = product & shape.mask();
        to[size_ + i] = product >> 32;
      }
      return;
    case OpSUDot:
      for (const std::uint32_t i : active) {
        S sum = 0;
        for (std::uint32_t byte = 0; byte < 4; ++byte)
          sum += signed_of(x[i] >> (8 * byte), 8) * static_cast<S>((y[i] >> (8 * byte)) & 0xff);
        to[i] = static_cast<U>(sum) & shape.mask();
      }
      return;
    case OpSDot:
      for (const std::uint32_t i : active) {
        S sum = 0;
        for (std::uint32_t byte = 0; byte < 4 && code_.shapes[a].components == 1; ++byte)
          sum += signed_of(x[i] >> (8 * byte), 8) * signed_of(y[i] >> (8 * byte), 8);
        for (std::uint32_t part = 0; part < code_.shapes[a].components && code_.shapes[a].components > 1; ++part)
          sum += signed_of(x[part * size_ + i], width) * signed_of(y[part * size_ + i], width);
        to[i] = static_cast<U>(sum) & shape.mask();
      }
      return;
    case OpBitcast:
      if (code_.shapes[a].components == 1 && shape.components > 1) {
        for (std::uint32_t part = 0; part < shape.components; ++part) {
          for (const std::uint32_t i : active) to[part * size_ + i] = x[i] >> (part * shape.width) & shape.mask();
        }
        return;
      }
      for (std::uint32_t part = 0; part < shape.components; ++part) {
        for (const std::uint32_t i : active) to[part * size_ + i] = x[part * size_ + i];
      }
      return;
    case OpCompositeExtract:
      for (const std::uint32_t i : active) to[i] = x[in.operand(3) * size_ + i];
      return;
    case OpCompositeConstruct:
      for (std::uint32_t part = 0; part < shape.components; ++part) {
        for (const std::uint32_t i : active) to[part * size_ + i] = value(in.operand(2 + part), i);
      }
      return;
    default:
      unknown(in);
  }
}

void Workgroup::extended(const Instruction& in, const Active& active) {
  std::vector<std::uint64_t>& to = values(in.result);
  const auto argument = [&](std::size_t index, std::uint32_t i) {
    return in.operands.size() > 4 + index ? value(in.operand(4 + index), i) : 0;
  };
  for (const std::uint32_t i : active) {
    if (in.operand(3) == GLSLstd450FindUMsb)
      to[i] = static_cast<std::uint32_t>(31 - std::countl_zero(static_cast<std::uint32_t>(argument(0, i))));
    else
      to[i] = bits_of(
          extended_result(in.operand(3), real_of(argument(0, i)), real_of(argument(1, i)), real_of(argument(2, i))));
  }
}

void Workgroup::select(const Instruction& in, const Active& active) {
  std::vector<std::uint64_t>& to = values(in.result);
  const bool by_part = code_.shapes[in.operand(2)].components > 1;
  for (std::uint32_t part = 0; part < code_.shapes[in.result].components; ++part) {
    for (const std::uint32_t i : active)
      to[part * size_ + i] = value(in.operand(value(in.operand(2), i, by_part ? part : 0) ? 3 : 4), i, part);
  }
}

}  // namespace slipway::testing
