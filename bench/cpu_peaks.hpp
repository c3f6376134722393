// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the instructions of this CPU reach at most, in registers, on several threads.
#pragma once

#include "cpu/compiler_table.hpp"

namespace slipway::bench {

// In 10^9 per second; a product and a sum are two operations. Bytes: sums of products of 8-bit integers, or of 16-bit
// ones without an instruction for bytes; 0 on other CPUs than x86-64.
struct CpuPeaks {
  double floats = 0, bytes = 0;
};

// Each is measured for about `duration` milliseconds.
CpuPeaks measure_peaks(const cpu::Target& target, unsigned threads, double duration);

}  // namespace slipway::bench
