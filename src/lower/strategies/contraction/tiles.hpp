// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What both ways of computing a contraction by tiles have in common: which results a workgroup has, where their
// operands are, and how a sum becomes a stored element. In the terms of a matrix product (GEMM): rows are M, channels
// are N, products are K. With several `parts` of K (split-K) each has a workgroup of its own.
#pragma once

#include <functional>
#include <span>

#include "lower/program_builder.hpp"
#include "lower/strategies/contraction/contraction_result.hpp"

namespace slipway::lower {

// Tile M and N: of a workgroup, or of one of its subgroups (the subgroup tile, also called warp tile).
struct TileSize {
  std::int64_t rows = 64, channels = 64;
};

struct TileWork {
  TileWork(ProgramBuilder& program, const Contraction& c, const tosa::Node& node, const Anchor& anchor);

  std::int64_t tiles(TileSize size) const;

  // Chooses the tile of this workgroup; to be called once, before the others. Products are summed in `parts`, each by a
  // workgroup of its own.
  void place(Kernel& k, TileSize size, std::int64_t parts = 1);

  // Offset of a row of A, in elements. Rows after the last one are read as the last one.
  Value row_begin(Kernel& k, Value row) const;

  // Step `index`, of `length` products. No step crosses the end of a K block.
  struct Step {
    Value a;         // its offset from the beginning of a row of A
    Value products;  // products before it
    Value in_block;  // those of them in the same K block
  };
  Step step(Kernel& k, Value index, std::int64_t length) const;
  std::int64_t steps(std::int64_t length) const;

  // The stored element that a sum becomes, and its row-major index.
  Value element(KernelBuilder& builder, Value sum, Value row, Value channel, Value& index) const;

  ProgramBuilder& program;
  const Contraction& c;
  const tosa::Node& node;  // the one that stores
  const Anchor& anchor;
  tosa::DataType type;  // of the contraction's own result
  std::int64_t batches = 1, rows = 1, groups = 1;
  Value part, tile, batch, first_row, panel, first_channel;  // `tile`: among all of all batches

 private:
  Coordinates coordinates(Kernel& k, const tensor::Shape& shape, Value row, Value channel) const;
};

// Sums of parts: [parts][batches][rows][channels], rows and channels rounded up to whole tiles.
struct PartialSums {
  PartialSums(TileWork& work, TileSize tile, std::int64_t parts, ElementType type);

  // The index of an element of a part.
  Value index(Kernel& k, Value part, Value batch, Value row, Value channel) const;

  std::uint32_t buffer = 0;  // of the program
  std::int64_t parts = 1, batches = 1, rows = 1, channels = 1;
  ElementType type = ElementType::F32;
};

// Adds the kernel that sums the parts and stores the results. `adjust(builder, sum, batch, channel)` is applied to each
// sum first. `buffers`: what it reads besides the sums.
using AdjustSum = std::function<Value(KernelBuilder&, Value, Value, Value)>;
void add_parts(TileWork& work, const PartialSums& sums, const AdjustSum& adjust,
               std::span<const std::uint32_t> buffers);

// The strategy with cooperative matrices; false where types, sizes or the device do not allow them.
bool lower_matrix_tiles(ProgramBuilder& program, const Contraction& c, const tosa::Node& node, const Anchor& anchor);

}  // namespace slipway::lower
