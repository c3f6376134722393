// How a device treats 32-bit floats. Nothing said means the least that Vulkan promises.
#pragma once

namespace slipway::lower {

struct FloatFacts {
  // Modes that the device has (SPIR-V 3.6); kernels ask for all of them.
  bool signed_zero_inf_nan_preserve = false;
  bool denorm_preserve = false;
  bool rounding_rte = false;
  // Division gives the nearest float, as IEEE 754 has it; elsewhere it may be off by 2.5 units in the last place and
  // wrong for subnormals and what is next to the largest numbers.
  bool exact_division = false;
  // 16-bit floats are converted to and from, as IEEE 754 has it: types of 16 bits, and the modes above for them.
  bool f16_conversions = false;
  bool operator==(const FloatFacts&) const = default;
};

}  // namespace slipway::lower
