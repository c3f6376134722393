// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts of a device that decide which kernels are built, as plain data. The defaults are the minimum that Vulkan
// guarantees, but for integers and accesses of other sizes than 32 bits, which most devices have. What Vulkan does not
// report (multiprocessors and what each has) are those of a GPU of middle size.
#pragma once

#include <cstdint>
#include <vector>

#include "lower/float_facts.hpp"
#include "lower/tuning.hpp"
#include "tensor/element_type.hpp"

namespace slipway::lower {

// A cooperative matrix product of a subgroup: an m x k matrix times a k x n matrix plus an m x n matrix.
struct MatrixShape {
  std::uint32_t m = 0, n = 0, k = 0;
  tensor::ElementType factors = tensor::ElementType::F16, sum = tensor::ElementType::F32;
  bool operator==(const MatrixShape&) const = default;
};

// How fast a GPU is, for the estimates that order candidates. Times are in microseconds; rates are those of one
// multiprocessor in a microsecond. Results never depend on them. The defaults are fitted to the times of kernels of
// many sizes on one large GPU (docs/design/performance.md#tuned-parameters); other GPUs have other rates, but often
// similar ratios of them, and only ratios decide. `slipway tune` measures the first three.
struct Rates {
  double further_dispatch = 3;    // a dispatch that waits for the one before it
  double products = 218e3;        // multiply-adds of floats in tiles
  double moved_bytes = 15e3;      // between memory and registers
  double step_latency = 0.22;     // until the operands of a step of cooperative matrices are there
  double operand_bytes = 34e3;    // of such operands
  double matrix_results = 2.8e3;  // that pass from cooperative matrices to memory
  // Of attention with cooperative matrices: a step, multiply-adds and powers.
  double attention_step = 1.6, attention_products = 2.2e6, attention_powers = 5e3;
  bool operator==(const Rates&) const = default;
};

struct DeviceFacts {
  // Buffers by address, with 64-bit integers. Without them all kernels use the plain strategy.
  bool addresses = false;
  // Buffers have elements of 8 and 16 bits. Otherwise kernels read words of 32 bits, and change parts of them
  // atomically.
  bool narrow_accesses = true;
  // 64-bit integers; always with addresses. Otherwise each is two of 32 bits.
  bool longs = true;
  // Not 0 for a CPU: it runs this many invocations as one vector and the vectors of a workgroup one after the other,
  // and lanes can read values of each other. 0: a GPU.
  std::uint32_t lanes = 0;
  // With lanes: a load of neighbours by lane, a conversion of numbers, and Kernel::pair_add without its addition, is
  // one instruction on vectors. Otherwise kernels are written so that the driver's compiler makes one of several.
  bool native_vectors = false;
  std::uint32_t vector_registers = 16;  // with lanes
  bool dot_products = false;            // with native_vectors: Kernel::dot_add is one instruction
  bool signed_dot_products = false;     // with dot_products: for signed bytes, and not for unsigned ones
  // What such products add to each byte of A, because one factor must not be negative.
  std::int64_t byte_offset() const { return signed_dot_products ? 0 : 128; }
  // With native_vectors: a product takes one factor from a lane of a vector, and two neighbouring vectors are one load.
  bool lane_factors = false;
  std::uint32_t subgroup_size = 1;
  std::uint32_t shared_memory = 16384;  // bytes of a workgroup
  std::uint32_t max_invocations = 128;  // of a workgroup
  // Of a GPU: each multiprocessor runs its own workgroups, as many as its invocations and registers allow.
  std::uint32_t multiprocessors = 16;
  std::uint32_t invocations_of_multiprocessor = 1024;
  std::uint32_t registers_of_multiprocessor = 65536;  // 32 bits each
  // Workgroups of a dispatch start only after all of the dispatches before it in the queue have started, also without
  // a barrier between them: they may wait for those. Vulkan does not guarantee it.
  bool starts_in_order = false;
  Rates rates;
  std::int64_t invocations_in_flight() const { return std::int64_t{multiprocessors} * invocations_of_multiprocessor; }
  // Cooperative matrices of 16-bit floats (F16, BF16) with F32 sums, F16 also with F16 sums, and of 8-bit integers (I8)
  // with I32 sums; by whole subgroups of `subgroup_size`, with the Vulkan memory model. On CPUs they are the largest:
  // kernels may have matrices with fewer rows and products.
  std::vector<MatrixShape> matrices;
  // On CPUs: they are in vector registers, of which each has all products of two rows of A or columns of B. Those of a
  // column of B are neighbours.
  bool vector_matrices = false;
  FloatFacts floats;
  Tuning tuning;  // parameters that were measured on it
  bool operator==(const DeviceFacts&) const = default;
};

}  // namespace slipway::lower
