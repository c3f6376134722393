// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that only move elements (docs/spec/tosa.md#data-layout, docs/spec/tosa.md#gather-and-scatter).
#include <algorithm>

#include "reference/operation.hpp"

namespace slipway::reference {

void run_CONCAT(Operation& operation) {
  const tensor::Shape& shape = operation.out().type.shape;
  const auto axis = static_cast<std::size_t>(operation.integer("axis"));
  const std::vector<std::int64_t> strides = strides_of(shape);
  std::int64_t start = 0;
  for (const Tensor* input : operation.inputs) {
    with_elements(operation.out(), *input, [&](auto& to, const auto& from) {
      for_each_strided(input->type.shape, strides, start,
                       [&](std::size_t i, std::size_t target) { to[target] = from[i]; });
    });
    start += input->extent(axis) * strides[axis];
  }
}

void run_PAD(Operation& operation) {
  const std::vector<std::int64_t> strides = strides_of(operation.out().type.shape);
  std::int64_t start = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) start += operation.list("padding")[2 * d] * strides[d];
  std::ranges::fill(operation.out().reals, operation.real("pad_const"));
  std::ranges::fill(operation.out().integers, operation.integer("pad_const"));
  with_elements(operation.out(), operation.in(), [&](auto& to, const auto& from) {
    for_each_strided(operation.in().type.shape, strides, start,
                     [&](std::size_t i, std::size_t target) { to[target] = from[i]; });
  });
}

void run_RESHAPE(Operation& operation) {
  with_elements(operation.out(), operation.in(), [](auto& to, const auto& from) { to = from; });
}

namespace {

// Every output element comes from one input element, by strides.
void read_strided(Operation& operation, const std::vector<std::int64_t>& strides, std::int64_t start) {
  with_elements(operation.out(), operation.in(), [&](auto& to, const auto& from) {
    for_each_strided(operation.out().type.shape, strides, start,
                     [&](std::size_t i, std::size_t source) { to[i] = from[source]; });
  });
}

}  // namespace

void run_REVERSE(Operation& operation) {
  std::vector<std::int64_t> strides = strides_of(operation.in().type.shape);
  const auto axis = static_cast<std::size_t>(operation.integer("axis"));
  const std::int64_t last = strides[axis] * (operation.in().extent(axis) - 1);
  strides[axis] = -strides[axis];
  read_strided(operation, strides, last);
}

void run_SLICE(Operation& operation) {
  const std::vector<std::int64_t> strides = strides_of(operation.in().type.shape);
  std::int64_t start = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) start += operation.list("start")[d] * strides[d];
  read_strided(operation, strides, start);
}

void run_TRANSPOSE(Operation& operation) {
  const std::vector<std::int64_t> from = strides_of(operation.in().type.shape);
  std::vector<std::int64_t> strides;
  for (const std::int64_t dimension : operation.list("perms"))
    strides.push_back(from[static_cast<std::size_t>(dimension)]);
  read_strided(operation, strides, 0);
}

void run_TILE(Operation& operation) {
  const tensor::Shape &in = operation.in().type.shape, &out = operation.out().type.shape;
  const std::vector<std::int64_t> from = strides_of(in), to_strides = strides_of(out);
  with_elements(operation.out(), operation.in(), [&](auto& to, const auto& elements) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      go_on_at(i);
      std::int64_t source = 0;
      for (std::size_t d = 0; d < in.size(); ++d)
        source += static_cast<std::int64_t>(i) / to_strides[d] % out[d] % in[d] * from[d];
      to[i] = elements[static_cast<std::size_t>(source)];
    }
  });
}

namespace {

// `count` neighbouring rows for each index. An index out of range is unpredictable in TOSA; here each row is clamped.
void gather(Operation& operation, std::int64_t count) {
  const std::int64_t rows = operation.in(0).extent(1), channels = operation.in(0).extent(2),
                     width = operation.in(1).extent(1) * count;
  const std::vector<std::int64_t>& indices = operation.in(1).integers;
  with_elements(operation.out(), operation.in(0), [&](auto& to, const auto& from) {
    for (std::int64_t i = 0; i < std::ssize(indices) * count; ++i) {
      go_on_after(channels);
      const std::int64_t first = indices[static_cast<std::size_t>(i / count)];
      const std::int64_t row = std::clamp<std::int64_t>(first + i % count, 0, rows - 1);
      std::copy_n(from.begin() + (i / width * rows + row) * channels, channels, to.begin() + i * channels);
    }
  });
}

}  // namespace

void run_GATHER(Operation& operation) { gather(operation, 1); }
void run_ROW_GATHER(Operation& operation) { gather(operation, operation.integer("row_count")); }

// An index out of range is unpredictable in TOSA; here it writes nothing.
void run_SCATTER(Operation& operation) {
  const std::int64_t rows = operation.in(0).extent(1), channels = operation.in(0).extent(2),
                     width = operation.in(1).extent(1);
  const std::vector<std::int64_t>& indices = operation.in(1).integers;
  run_RESHAPE(operation);
  with_elements(operation.out(), operation.in(2), [&](auto& to, const auto& from) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      go_on_after(channels);
      const std::int64_t batch = static_cast<std::int64_t>(i) / width;
      if (indices[i] < 0 || indices[i] >= rows) continue;
      std::copy_n(from.begin() + static_cast<std::int64_t>(i) * channels, channels,
                  to.begin() + (batch * rows + indices[i]) * channels);
    }
  });
}

}  // namespace slipway::reference
