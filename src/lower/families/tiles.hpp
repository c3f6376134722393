// What both ways of computing a contraction by tiles have in common: which results a workgroup has, where their
// operands stand, and what becomes of a sum.
#pragma once

#include <functional>
#include <span>

#include "lower/families/contraction.hpp"
#include "lower/program_builder.hpp"

namespace slipway::lower {

struct TileSize {
  std::int64_t rows = 64, channels = 64;
};

struct TileWork {
  TileWork(ProgramBuilder& program, const Contraction& c, const tosa::Node& node, const Anchor& anchor);

  std::int64_t tiles(TileSize size) const;

  // Chooses the tile of this workgroup; to be called once, before the others. Products are summed in `parts`, each by a
  // workgroup of its own.
  void place(Kernel& k, TileSize size, std::int64_t parts = 1);

  // Where a row of A begins, in elements. Rows behind the last one are read as the last one.
  Value row_begin(Kernel& k, Value row) const;

  // The step `number` of `length` products: none goes over the end of a run.
  struct Step {
    Value a;         // its place behind the beginning of a row of A
    Value products;  // how many products stand before it
    Value in_run;    // of these in the same run
  };
  Step step(Kernel& k, Value number, std::int64_t length) const;
  std::int64_t steps(std::int64_t length) const;

  // The stored element that a sum becomes, and its row-major index.
  Value element(KernelMaker& maker, Value sum, Value row, Value channel, Value& index) const;

  ProgramBuilder& program;
  const Contraction& c;
  const tosa::Node& node;  // the one that stores
  const Anchor& anchor;
  tosa::DataType type;  // of the contraction's own result
  std::int64_t batches = 1, rows = 1, groups = 1;
  Value part, batch, first_row, panel, first_channel;

 private:
  Coordinates coordinates(Kernel& k, const tensor::Shape& shape, Value row, Value channel) const;
};

// Sums of parts: [parts][batches][rows][channels], rows and channels up to whole tiles.
struct PartialSums {
  PartialSums(TileWork& work, TileSize tile, std::int64_t parts, ElementType type);

  // The place of an element of a part.
  Value index(Kernel& k, Value part, Value batch, Value row, Value channel) const;

  std::uint32_t buffer = 0;  // of the program
  std::int64_t parts = 1, batches = 1, rows = 1, channels = 1;
  ElementType type = ElementType::F32;
};

// The kernel that adds the parts and stores what becomes of their sums. `adjust(maker, sum, batch, channel)`: what is
// done to a sum first. `buffers`: those besides the sums that it reads.
using AdjustSum = std::function<Value(KernelMaker&, Value, Value, Value)>;
void add_parts(TileWork& work, const PartialSums& sums, const AdjustSum& adjust,
               std::span<const std::uint32_t> buffers);

// With cooperative matrices, where types, sizes and the device allow them.
bool lower_matrix_tiles(ProgramBuilder& program, const Contraction& c, const tosa::Node& node, const Anchor& anchor);

}  // namespace slipway::lower
