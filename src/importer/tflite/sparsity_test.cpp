// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "importer/tflite/read_tflite.hpp"
#include "importer/tflite/testing.hpp"
#include "testing/messages.hpp"

namespace slipway::importer {
namespace {

std::unique_ptr<fb::DimensionMetadataT> dense_level(std::int32_t size) {
  auto level = std::make_unique<fb::DimensionMetadataT>();
  level->dense_size = size;
  return level;
}

std::unique_ptr<fb::DimensionMetadataT> sparse_level(std::vector<std::int32_t> segments,
                                                     const std::vector<std::uint8_t>& indices) {
  auto level = std::make_unique<fb::DimensionMetadataT>();
  level->format = fb::DimensionType::SPARSE_CSR;
  fb::Int32VectorT wide;
  wide.values = std::move(segments);
  level->array_segments.Set(wide);
  fb::Uint8VectorT narrow;
  narrow.values = indices;
  level->array_indices.Set(narrow);
  return level;
}

struct SparseModel {
  TfliteModel model;
  fb::SparsityParametersT* sparsity;

  SparseModel(const TestTensor& tensor, const std::vector<double>& values) {
    model.output(model.constant(tensor, values));
    model.tensor_at(0).sparsity = std::make_unique<fb::SparsityParametersT>();
    sparsity = model.tensor_at(0).sparsity.get();
  }
  std::string messages() const {
    Diagnostics diagnostics;
    (void)read_tflite(model.bytes(), "net.tflite", {}, diagnostics);
    return testing::messages(diagnostics);
  }
  // Of the dense tensor.
  std::vector<double> values() const {
    const std::vector<std::byte> bytes = model.bytes();
    Diagnostics diagnostics;
    const std::optional<Net> net = read_tflite(bytes, "net.tflite", {}, diagnostics);
    EXPECT_EQ(testing::messages(diagnostics), "");
    if (!net || !net->main().values[0].constant) return {};
    return net->main().values[0].constant->reals();
  }
};

SparseModel rows(FileType type = FileType::F32) {
  SparseModel made({.name = "w", .type = type, .shape = {3, 3}}, {1, 2, 3});
  made.sparsity->traversal_order = {0, 1};
  made.sparsity->dim_metadata.push_back(dense_level(3));
  made.sparsity->dim_metadata.push_back(sparse_level({0, 2, 2, 3}, {0, 2, 1}));
  return made;
}

TEST(Sparsity, RowsBecomeDense) {
  EXPECT_EQ(rows().values(), (std::vector<double>{1, 0, 2, 0, 0, 0, 0, 3, 0}));
  EXPECT_EQ(rows(FileType::I16).values(), (std::vector<double>{1, 0, 2, 0, 0, 0, 0, 3, 0}));
  // Three elements of half a byte: the file has four.
  EXPECT_EQ(rows(FileType::I4).values(), (std::vector<double>{1, 0, 2, 0, 0, 0, 0, 3, 0}));
}

TEST(Sparsity, WhatIsNotStoredIsTheZeroPoint) {
  SparseModel made = rows(FileType::I8);
  made.model.tensor_at(0).quantization = std::make_unique<fb::QuantizationParametersT>();
  made.model.tensor_at(0).quantization->scale = {1};
  made.model.tensor_at(0).quantization->zero_point = {-7};
  EXPECT_EQ(made.values(), (std::vector<double>{1, -7, 2, -7, -7, -7, -7, 3, -7}));
}

TEST(Sparsity, ColumnsMayComeFirst) {
  SparseModel made = rows();
  made.sparsity->traversal_order = {1, 0};
  EXPECT_EQ(made.values(), (std::vector<double>{1, 0, 0, 0, 0, 3, 2, 0, 0}));
}

TEST(Sparsity, BlocksBecomeDense) {
  SparseModel made({.name = "w", .shape = {4, 4}}, {1, 2, 3, 4, 5, 6, 7, 8});
  made.sparsity->traversal_order = {0, 1, 2, 3};
  made.sparsity->block_map = {0, 1};
  made.sparsity->dim_metadata.push_back(dense_level(2));
  made.sparsity->dim_metadata.push_back(sparse_level({0, 1, 2}, {1, 0}));
  made.sparsity->dim_metadata.push_back(dense_level(2));
  made.sparsity->dim_metadata.push_back(dense_level(2));
  EXPECT_EQ(made.values(), (std::vector<double>{0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0}));
}

// Tensors of random shapes, blocks, orders and formats of levels are encoded here and read back.
TEST(Sparsity, RandomTensorsAreReadBack) {
  std::mt19937 random(3);
  for (int run = 0; run < 300; ++run) {
    const std::size_t rank = 1 + random() % 3;
    std::vector<std::int32_t> shape, blocks(rank, 1), block_map;
    for (std::size_t i = 0; i < rank; ++i) {
      if (random() % 2 == 0) {
        blocks[i] = static_cast<std::int32_t>(2 + random() % 2);
        block_map.push_back(static_cast<std::int32_t>(i));
      }
      shape.push_back(static_cast<std::int32_t>(1 + random() % 3) * blocks[i]);
    }
    const std::size_t levels = rank + block_map.size();
    std::vector<std::int32_t> order(levels);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    std::int64_t count = 1;
    for (const std::int32_t extent : shape) count *= extent;
    std::vector<double> dense(static_cast<std::size_t>(count));
    // The coordinates of an element by levels, and all beginnings of those of elements that are not 0.
    const auto coordinates = [&](std::size_t element) {
      std::vector<std::int32_t> at(levels), index(rank);
      for (std::size_t i = rank; i-- > 0;) {
        index[i] = static_cast<std::int32_t>(element) % shape[i];
        element /= static_cast<std::size_t>(shape[i]);
      }
      for (std::size_t level = 0; level < levels; ++level) {
        const auto entry = static_cast<std::size_t>(order[level]);
        const std::size_t of = entry < rank ? entry : static_cast<std::size_t>(block_map[entry - rank]);
        at[level] = entry < rank ? index[of] / blocks[of] : index[of] % blocks[of];
      }
      return at;
    };
    std::map<std::vector<std::int32_t>, double> by_coordinates;
    std::set<std::vector<std::int32_t>> beginnings;
    for (std::size_t i = 0; i < dense.size(); ++i) {
      if (random() % 3 == 0) dense[i] = static_cast<double>(1 + random() % 100);
      std::vector<std::int32_t> at = coordinates(i);
      by_coordinates[at] = dense[i];
      for (; dense[i] != 0 && !at.empty(); at.pop_back()) beginnings.insert(at);
    }
    std::vector<std::unique_ptr<fb::DimensionMetadataT>> metadata;
    std::vector<std::vector<std::int32_t>> positions = {{}};
    for (std::size_t level = 0; level < levels; ++level) {
      const auto entry = static_cast<std::size_t>(order[level]);
      const std::int32_t size =
          entry < rank ? shape[entry] / blocks[entry] : blocks[static_cast<std::size_t>(block_map[entry - rank])];
      const bool is_sparse = entry < rank && random() % 2 == 0;
      std::vector<std::int32_t> segments = {0};
      std::vector<std::uint8_t> indices;
      std::vector<std::vector<std::int32_t>> next;
      for (const std::vector<std::int32_t>& parent : positions) {
        for (std::int32_t i = 0; i < size; ++i) {
          std::vector<std::int32_t> child = parent;
          child.push_back(i);
          if (is_sparse && !beginnings.contains(child)) continue;
          indices.push_back(static_cast<std::uint8_t>(i));
          next.push_back(std::move(child));
        }
        segments.push_back(static_cast<std::int32_t>(indices.size()));
      }
      metadata.push_back(is_sparse ? sparse_level(segments, indices) : dense_level(size));
      positions = std::move(next);
    }
    std::vector<double> values;
    for (const std::vector<std::int32_t>& position : positions) values.push_back(by_coordinates.at(position));
    if (values.empty()) continue;  // a buffer without data is not a constant
    SparseModel made({.name = "w", .shape = shape}, values);
    made.sparsity->traversal_order = order;
    made.sparsity->block_map = block_map;
    made.sparsity->dim_metadata = std::move(metadata);
    ASSERT_EQ(made.values(), dense) << "run " << run;
  }
}

TEST(Sparsity, WrongLevelsAreRefused) {
  const auto messages = [](const auto& change) {
    SparseModel made = rows();
    change(*made.sparsity);
    return made.messages();
  };
  using Sparsity = fb::SparsityParametersT;
  EXPECT_EQ(
      messages([](Sparsity& s) { s.traversal_order = {0}; }),
      "tensor `w` has 2 dimensions, 0 blocked dimensions, 1 levels of sparsity and data of 2 levels; the levels have "
      "to be as many as the dimensions and the blocked ones together [file-format]\n");
  EXPECT_EQ(messages([](Sparsity& s) { s.traversal_order = {0, 0}; }),
            "tensor `w` has a sparse traversal order in which 0 is repeated or too large [file-format]\n");
  EXPECT_EQ(messages([](Sparsity& s) { s.dim_metadata[0]->dense_size = 4; }),
            "tensor `w` has a level of size 4 in sparsity level 0; it has to be 3 [file-format]\n");
  EXPECT_EQ(messages([](Sparsity& s) { s.dim_metadata[1] = sparse_level({0, 2, 1, 3}, {0, 2, 1}); }),
            "tensor `w` has 4 sparse segments; they have to be 4, ascending from 0 to 3, the count of indices "
            "[file-format]\n");
  EXPECT_EQ(messages([](Sparsity& s) { s.dim_metadata[1] = sparse_level({0, -2, 2, 3}, {0, 2, 1}); }),
            "tensor `w` has 4 sparse segments; they have to be 4, ascending from 0 to 3, the count of indices "
            "[file-format]\n");
  EXPECT_EQ(messages([](Sparsity& s) { s.dim_metadata[1] = sparse_level({0, 2, 2, 3}, {2, 0, 1}); }),
            "tensor `w` has the sparse index 0 at 1; indices have to ascend and to be below 3 [file-format]\n");
  EXPECT_EQ(messages([](Sparsity& s) { s.dim_metadata[1] = sparse_level({0, 2, 2, 3}, {0, 3, 1}); }),
            "tensor `w` has the sparse index 3 at 1; indices have to ascend and to be below 3 [file-format]\n");
  EXPECT_EQ(messages([](Sparsity& s) { s.dim_metadata[1] = sparse_level({0, 1, 1, 2}, {0, 2}); }),
            "tensor `w` has 2 sparse values of 4 bytes; its data has 12 bytes [file-format]\n");
  EXPECT_EQ(messages([](Sparsity& s) { s.dim_metadata[1]->array_indices.Reset(); }),
            "tensor `w` has sparse indices of the unknown type 0 [file-format]\n");
  EXPECT_EQ(messages([](Sparsity& s) { s.dim_metadata[0]->format = static_cast<fb::DimensionType>(5); }),
            "tensor `w` has a sparse level of the unknown format 5 [file-format]\n");
  EXPECT_EQ(messages([](Sparsity& s) {
              s.traversal_order = {0, 1, 2};
              s.block_map = {1};
              s.dim_metadata.push_back(dense_level(2));
            }),
            "tensor `w` has blocks of 2 in dimension 1 of 3; they have to divide it [file-format]\n");
}

TEST(Sparsity, SmallFilesDoNotBecomeGigabytes) {
  SparseModel made = rows();
  made.model.tensor_at(0).shape = {1 << 15, 1 << 15};
  EXPECT_EQ(made.messages(),
            formatted("tensor `w` is sparse and has the shape [32768, 32768]; its dense form is limited to {} bytes "
                      "[out-of-range]\n",
                      (64 << 20) + 2 * made.model.bytes().size()));
}

}  // namespace
}  // namespace slipway::importer
