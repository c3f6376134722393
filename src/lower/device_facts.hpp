// What kernels are chosen by: facts of a device, as plain data. Nothing said means the least that Vulkan promises.
#pragma once

#include <cstdint>
#include <vector>

#include "lower/float_facts.hpp"
#include "lower/tuning.hpp"
#include "tensor/element_type.hpp"

namespace slipway::lower {

// A product that a subgroup computes together: an m x k matrix times a k x n matrix plus an m x n matrix.
struct MatrixShape {
  std::uint32_t m = 0, n = 0, k = 0;
  tensor::ElementType factors = tensor::ElementType::F16, sum = tensor::ElementType::F32;
  bool operator==(const MatrixShape&) const = default;
};

struct DeviceFacts {
  // Buffers by address, with 64-bit integers. Without them all kernels are of the plainest family.
  bool addresses = false;
  // A processor that runs so many invocations as one vector, and whose workgroups are vectors one after the other;
  // lanes take numbers from each other. 0: a GPU.
  std::uint32_t lanes = 0;
  std::uint32_t subgroup_size = 1;
  std::uint32_t shared_memory = 16384;   // bytes of a workgroup
  std::uint32_t most_invocations = 128;  // of a workgroup
  // Of 16-bit floats (F16, BF16) with 32-bit sums, and of 8-bit integers with theirs (I8, I32); by whole subgroups of
  // `subgroup_size`, with the Vulkan memory model.
  std::vector<MatrixShape> matrices;
  FloatFacts floats;
  Tuning tuning;  // what was measured on it
  bool operator==(const DeviceFacts&) const = default;
};

}  // namespace slipway::lower
