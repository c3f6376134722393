// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the rows of a reduction are spread over the invocations of a workgroup.
#pragma once

#include <optional>

#include "lower/device_facts.hpp"
#include "tensor/shape.hpp"

namespace slipway::lower {

// The rows of a tensor along one axis.
struct ReductionAxis {
  tensor::Shape shape;
  std::size_t axis = 0;
  bool operator==(const ReductionAxis&) const = default;

  std::int64_t length() const { return shape[axis]; }  // elements of a row
  std::int64_t count() const;                          // rows
  std::int64_t inner() const;  // elements from one element of a row to the next: rows that are neighbours
  tensor::Shape reduced() const;
  bool is_whole(const tensor::Shape& of) const { return of == shape; }
  bool is_reduced(const tensor::Shape& of) const;  // with the axis as 1, or, after ARGMAX, without it
};

// Invocations that share a row each process every `threads_per_row`th element of it.
struct ReductionGrid {
  std::int64_t threads_per_row = 1;  // a power of two, at most the length of a row
  std::int64_t rows_per_group = 1;
  std::int64_t steps = 1;  // elements of an invocation
  // Whole values stay in registers from one pass along the row to the next. Otherwise each pass computes again what it
  // needs from the stored values.
  bool in_registers = true;
};

// Empty where other strategies are better on the device.
std::optional<ReductionGrid> plan_reduction_grid(const ReductionAxis& axis, const DeviceFacts& device);

}  // namespace slipway::lower
