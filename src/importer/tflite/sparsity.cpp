// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/sparsity.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "importer/tflite/tflite_file.hpp"
#include "tflite_generated.h"

namespace slipway::importer {
namespace {

// One level of the traversal: a dimension, or the blocks of one.
struct SparseLevel {
  bool is_sparse = false;
  std::uint64_t size = 1;                        // of the dimension, in blocks if it has some
  std::uint64_t stride = 1;                      // from one index to the next, in elements of the dense tensor
  std::vector<std::uint64_t> segments, indices;  // of sparse levels
};

using Problem = std::unexpected<std::string>;

template <class Table>
void append_values(const void* vector, std::vector<std::uint64_t>& to) {
  if (!vector) return;
  for (const auto value : span_of(static_cast<const Table*>(vector)->values()))
    to.push_back(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));  // negative: too large
}

std::expected<std::vector<std::uint64_t>, std::string> values_of(fb::SparseIndexVector type, const void* vector) {
  std::vector<std::uint64_t> values;
  if (type == fb::SparseIndexVector::Int32Vector)
    append_values<fb::Int32Vector>(vector, values);
  else if (type == fb::SparseIndexVector::Uint16Vector)
    append_values<fb::Uint16Vector>(vector, values);
  else if (type == fb::SparseIndexVector::Uint8Vector)
    append_values<fb::Uint8Vector>(vector, values);
  else
    return Problem(formatted("has sparse indices of the unknown type {}", static_cast<int>(type)));
  return values;
}

class DenseBuilder {
 public:
  explicit DenseBuilder(const SparseConstant& constant) : constant_(constant), element_(constant.fill.size()) {}

  std::expected<std::vector<std::byte>, std::string> run() {
    if (auto order = check_order(); !order) return Problem(order.error());
    if (auto sizes = find_blocks(); !sizes) return Problem(sizes.error());
    std::uint64_t positions = 1;
    for (std::size_t level = 0; level < order_.size(); ++level) {
      auto next = add_level(level, positions);
      if (!next) return Problem(next.error());
      positions = *next;
    }
    const std::uint64_t needed = positions * element_;
    if (constant_.values.size() < needed || constant_.values.size() > needed + constant_.padding * element_) {
      return Problem(formatted("has {} sparse values of {} bytes; its data has {} bytes", positions, element_,
                               constant_.values.size()));
    }
    std::uint64_t count = 1;
    for (const std::int64_t extent : constant_.shape) count *= static_cast<std::uint64_t>(extent);
    dense_.resize(count * element_);
    if (std::ranges::any_of(constant_.fill, [](std::byte byte) { return byte != std::byte{0}; })) {
      for (std::uint64_t i = 0; i < count; ++i)
        std::memcpy(dense_.data() + i * element_, constant_.fill.data(), element_);
    }
    visit(0, 0, 0);
    return std::move(dense_);
  }

 private:
  std::size_t rank() const { return constant_.shape.size(); }

  std::expected<void, std::string> check_order() {
    order_ = span_of(constant_.sparsity.traversal_order());
    const std::span<const std::int32_t> blocks = span_of(constant_.sparsity.block_map());
    const std::size_t metadata = count_of(constant_.sparsity.dim_metadata());
    if (order_.size() != rank() + blocks.size() || metadata != order_.size() || blocks.size() > rank()) {
      return Problem(
          formatted("has {} dimensions, {} blocked dimensions, {} levels of sparsity and data of {} levels; "
                    "the levels have to be as many as the dimensions and the blocked ones together",
                    rank(), blocks.size(), order_.size(), metadata));
    }
    level_of_.assign(order_.size(), order_.size());
    for (std::size_t level = 0; level < order_.size(); ++level) {
      const auto entry = static_cast<std::size_t>(order_[level]);
      if (order_[level] < 0 || entry >= order_.size() || level_of_[entry] != order_.size())
        return Problem(formatted("has a sparse traversal order in which {} is repeated or too large", order_[level]));
      level_of_[entry] = level;
    }
    return {};
  }

  std::expected<void, std::string> find_blocks() {
    block_.assign(rank(), 1);
    const std::span<const std::int32_t> blocks = span_of(constant_.sparsity.block_map());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto dimension = static_cast<std::size_t>(blocks[i]);
      if (blocks[i] < 0 || dimension >= rank()) return Problem(formatted("has blocks of dimension {}", blocks[i]));
      const std::int64_t size = metadata(level_of_[rank() + i]).dense_size();
      if (size < 1 || block_[dimension] != 1 || constant_.shape[dimension] % size != 0) {
        return Problem(formatted("has blocks of {} in dimension {} of {}; they have to divide it", size, dimension,
                                 constant_.shape[dimension]));
      }
      block_[dimension] = static_cast<std::uint64_t>(size);
    }
    row_.assign(rank(), 1);
    for (std::size_t i = rank(); i-- > 1;) row_[i - 1] = row_[i] * static_cast<std::uint64_t>(constant_.shape[i]);
    return {};
  }

  const fb::DimensionMetadata& metadata(std::size_t level) const {
    return *constant_.sparsity.dim_metadata()->Get(static_cast<flatbuffers::uoffset_t>(level));
  }

  // The number of positions after the level.
  std::expected<std::uint64_t, std::string> add_level(std::size_t number, std::uint64_t parents) {
    const auto entry = static_cast<std::size_t>(order_[number]);
    SparseLevel level;
    if (entry < rank()) {
      level.size = static_cast<std::uint64_t>(constant_.shape[entry]) / block_[entry];
      level.stride = row_[entry] * block_[entry];
    } else {
      const auto dimension = static_cast<std::size_t>(span_of(constant_.sparsity.block_map())[entry - rank()]);
      level.size = block_[dimension];
      level.stride = row_[dimension];
    }
    const fb::DimensionMetadata& from = metadata(number);
    std::uint64_t positions = parents * level.size;
    if (from.format() == fb::DimensionType::SPARSE_CSR) {
      level.is_sparse = true;
      if (auto read = read_indices(from, parents, level); !read) return Problem(read.error());
      positions = level.indices.size();
    } else if (from.format() != fb::DimensionType::DENSE) {
      return Problem(formatted("has a sparse level of the unknown format {}", static_cast<int>(from.format())));
    } else if (from.dense_size() < 0 || static_cast<std::uint64_t>(from.dense_size()) != level.size) {
      return Problem(formatted("has a level of size {} in sparsity level {}; it has to be {}", from.dense_size(),
                               number, level.size));
    }
    levels_.push_back(std::move(level));
    return positions;
  }

  static std::expected<void, std::string> read_indices(const fb::DimensionMetadata& from, std::uint64_t parents,
                                                       SparseLevel& level) {
    auto segments = values_of(from.array_segments_type(), from.array_segments());
    if (!segments) return Problem(segments.error());
    auto indices = values_of(from.array_indices_type(), from.array_indices());
    if (!indices) return Problem(indices.error());
    if (segments->size() != parents + 1 || segments->front() != 0 || segments->back() != indices->size() ||
        !std::ranges::is_sorted(*segments)) {
      return Problem(
          formatted("has {} sparse segments; they have to be {}, ascending from 0 to {}, the count of indices",
                    segments->size(), parents + 1, indices->size()));
    }
    for (std::size_t i = 0; i < parents; ++i) {
      for (std::uint64_t j = (*segments)[i]; j < (*segments)[i + 1]; ++j) {
        const std::uint64_t index = (*indices)[j];
        if (index >= level.size || (j > (*segments)[i] && index <= (*indices)[j - 1])) {
          return Problem(formatted("has the sparse index {} at {}; indices have to ascend and to be below {}",
                                   static_cast<std::int64_t>(index), j, level.size));
        }
      }
    }
    level.segments = *std::move(segments);
    level.indices = *std::move(indices);
    return {};
  }

  // `position`: among those of the level before; `offset`: in elements of the dense tensor.
  void visit(std::size_t number, std::uint64_t position, std::uint64_t offset) {
    if (number == levels_.size()) {
      std::memcpy(dense_.data() + offset * element_, constant_.values.data() + position * element_, element_);
      return;
    }
    const SparseLevel& level = levels_[number];
    if (level.is_sparse) {
      for (std::uint64_t j = level.segments[position]; j < level.segments[position + 1]; ++j)
        visit(number + 1, j, offset + level.indices[j] * level.stride);
    } else {
      for (std::uint64_t i = 0; i < level.size; ++i)
        visit(number + 1, position * level.size + i, offset + i * level.stride);
    }
  }

  const SparseConstant& constant_;
  std::size_t element_;  // bytes
  std::span<const std::int32_t> order_;
  std::vector<std::size_t> level_of_;       // by entry of the order
  std::vector<std::uint64_t> block_, row_;  // by dimension: size of a block, elements of a step
  std::vector<SparseLevel> levels_;
  std::vector<std::byte> dense_;
};

}  // namespace

std::expected<std::vector<std::byte>, std::string> dense_of(const SparseConstant& constant) {
  return DenseBuilder(constant).run();
}

}  // namespace slipway::importer
