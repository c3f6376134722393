// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast a GPU is, measured with a few kernels (lower::Rates).
#pragma once

#include <optional>

#include "base/system/cache.hpp"
#include "lower/device_facts.hpp"

namespace slipway::launch {
class Executor;
}

namespace slipway::model {

// The times on the device that the defaults of lower::Rates are for: those of a product of 1024 x 1024 floats, of a
// copy, and of a dispatch after another one.
struct MeasuredTimes {
  double product = 70, copy = 31.4, dispatch = 1.33;  // microseconds
};
inline constexpr std::uint32_t kReferenceMultiprocessors = 132;

// The rates of a device with these times: the defaults, changed by the ratios.
lower::Rates rates_of(const MeasuredTimes& times, std::uint32_t multiprocessors);

// Empty where estimates do not use rates (CPUs, devices without buffers by address), and where a kernel does not run.
// The device must have been opened for timestamps. Takes about half a second.
std::optional<lower::Rates> measure_rates(launch::Executor& executor, const lower::DeviceFacts& facts,
                                          const Cache& cache);

}  // namespace slipway::model
