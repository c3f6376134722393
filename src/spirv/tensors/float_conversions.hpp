// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of a SPIR-V module that convert between 32-bit floats and the bits of smaller ones.
#pragma once

#include <map>
#include <utility>

#include "spirv/builder.hpp"

namespace slipway::spirv {

enum class SmallFloat { BF16, E4M3, E5M2 };

// In memory.
constexpr std::uint32_t bits_of(SmallFloat format) { return format == SmallFloat::BF16 ? 16 : 8; }

class FloatConversions {
 public:
  explicit FloatConversions(Builder& builder) : builder_(builder) {}

  // A function from an unsigned integer of as many bits to a float.
  Id to_float(SmallFloat format);
  // A function in the opposite direction. `saturates`: what is too large becomes the largest number.
  Id from_float(SmallFloat format, bool saturates);
  // Writes the requested functions.
  void write();

 private:
  enum class Direction { ToFloat, FromFloat, FromFloatSaturated };

  Builder& builder_;
  std::map<std::pair<SmallFloat, Direction>, Id> functions_;
};

}  // namespace slipway::spirv
