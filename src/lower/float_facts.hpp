// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a device treats 32-bit floats. The defaults are the minimum that Vulkan guarantees.
#pragma once

namespace slipway::lower {

struct FloatFacts {
  // Execution modes that the device has (SPIR-V 1.6, 3.6); kernels request all of them.
  bool signed_zero_inf_nan_preserve = false;
  bool denorm_preserve = false;
  bool rounding_rte = false;
  // Division returns the nearest float, as in IEEE 754. Otherwise it may be off by 2.5 units in the last place, and
  // wrong for subnormals and near the largest floats.
  bool exact_division = false;
  // Conversions from and to 16-bit floats follow IEEE 754: there are 16-bit types, and the modes above hold for them.
  bool f16_conversions = false;
  // The driver's compiler removes a conversion to 16 bits whose result is converted back, and with it the rounding.
  bool removes_conversions = false;
  // A product and a sum are one instruction, which rounds once.
  bool fused_multiply_add = false;
  bool operator==(const FloatFacts&) const = default;
};

}  // namespace slipway::lower
