// What both ways of computing a contraction by tiles have in common: which results a workgroup has, where their operands
// stand, and what becomes of a sum.
#pragma once

#include "lower/families/contraction.hpp"
#include "lower/program_builder.hpp"

namespace slipway::lower {

struct TileSize {
  std::int64_t rows = 64, channels = 64;
};

struct TileWork {
  TileWork(ProgramBuilder& program, const Contraction& c, const tosa::Node& node, const Anchor& anchor);

  // Chooses the tile of this workgroup; to be called once, before the others.
  void place(Kernel& k, TileSize size);

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
  Value batch, first_row, panel, first_channel;

 private:
  Coordinates coordinates(Kernel& k, const tensor::Shape& shape, Value row, Value channel) const;
};

// With cooperative matrices, where types, sizes and the device allow them.
bool lower_matrix_tiles(TileWork& work);

}  // namespace slipway::lower
