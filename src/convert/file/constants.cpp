// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/file/constants.hpp"

#include <algorithm>
#include <array>

namespace slipway::convert {
namespace {

constexpr std::size_t kPiece = 1 << 16;  // bytes converted at a time

// Whether every group of four elements (the last of a row may be shorter) has two whose bits are all zero.
template <class Word>
bool has_sparse_groups(const std::byte* data, std::uint64_t rows, std::uint64_t row) {
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t begin = 0; begin < row; begin += 4) {
      const std::uint64_t end = std::min(begin + 4, row);
      int zeros = 0;
      for (std::uint64_t i = begin; i < end; ++i) zeros += load<Word>(data + (r * row + i) * sizeof(Word)) == 0;
      if (zeros < 2) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<tosa::ValueId> number_constants(tosa::Graph& graph, const std::vector<bool>& shaders, bool replicate) {
  std::vector<bool> used(graph.constants.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (shaders[i]) continue;
    for (const tosa::ValueId input : graph.nodes[i].inputs) {
      if (graph[input].kind == tosa::ValueKind::Constant) used[graph[input].source] = true;
    }
  }
  // A graph segment outputs constants that shaders read or that the model returns, so it contains them too.
  const auto handed_out = [&](tosa::ValueId value) {
    if (graph[value].kind == tosa::ValueKind::Constant) used[graph[value].source] = true;
  };
  for (const tosa::ValueId output : graph.outputs) handed_out(output);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (shaders[i]) std::ranges::for_each(graph.nodes[i].inputs, handed_out);
  }
  std::vector<tosa::ValueId> numbered;
  for (std::size_t i = 0; i < graph.constants.size(); ++i) {
    tosa::Constant& constant = graph.constants[i];
    constant.graph_constant.reset();
    const tosa::TensorType& type = graph[constant.value].type;
    if (!used[i] || tensor::element_count(type.shape).value_or(0) <= kMaxInlinedElements) continue;
    if (replicate && constant.splat && constant_bytes(type) > kMaxExpandedSplat) continue;
    constant.graph_constant = static_cast<std::uint32_t>(numbered.size());
    numbered.push_back(constant.value);
  }
  return numbered;
}

std::uint64_t constant_bytes(const tosa::TensorType& type) {
  return tensor::byte_count(type.shape, storage_of(type.data)).value_or(0);
}

void put_constant(const tosa::Constant& constant, const tosa::TensorType& type, const std::function<void(Bytes)>& put) {
  const bool boolean = type.data == tosa::DataType::Bool;
  if (!constant.splat && !boolean) return put(constant.data.first(constant_bytes(type)));
  std::array<std::byte, kPiece> piece;
  const std::size_t element = tensor::size_of(storage_of(type.data));
  const auto converted = [&](std::byte value) {
    return boolean ? static_cast<std::byte>(value == std::byte{0} ? 0 : 0xff) : value;
  };
  if (constant.splat) {
    for (std::size_t i = 0; i < kPiece; ++i) piece[i] = converted(constant.data[i % element]);
  }
  const std::uint64_t size = constant_bytes(type);
  for (std::uint64_t at = 0; at < size; at += kPiece) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, size - at));
    if (!constant.splat) std::ranges::transform(constant.data.subspan(at, count), piece.begin(), converted);
    put(Bytes(piece).first(count));
  }
}

void put_constant(const DeferredTranspose& constant, const tosa::TensorType& type,
                  const std::function<void(Bytes)>& put) {
  constexpr std::size_t kTransposed = 4 << 20;
  constant.for_pieces(kTransposed, [&](Bytes piece) {
    put_constant(tosa::Constant{.data = piece},
                 tosa::TensorType{type.data, {static_cast<std::int64_t>(piece.size() / constant.element)}}, put);
    return true;
  });
}

std::vector<bool> weights(const tosa::Graph& graph) {
  std::vector<bool> found(graph.values.size());
  for (const tosa::Node& node : graph.nodes) {
    if (node.op == tosa::Op::CONV2D || node.op == tosa::Op::TRANSPOSE_CONV2D) found[index(node.inputs[1])] = true;
  }
  return found;
}

std::int64_t sparsity_of(const tosa::Graph& graph, tosa::ValueId value, bool is_weights,
                         const DeferredTransposes& deferred) {
  const tosa::Constant* constant = graph.constant(value);
  const tosa::TensorType& type = graph[value].type;
  if (!is_weights || type.shape.size() != 4 || type.shape[1] * type.shape[2] == 1) return -1;
  const auto row = static_cast<std::uint64_t>(type.shape[3]);
  const std::uint64_t rows = tensor::element_count(type.shape).value_or(0) / row;
  const auto transpose = deferred.find(graph[value].source);
  const auto sparse = [&]<class Word>(Word) {
    if (transpose != deferred.end()) {
      bool all = true;
      transpose->second.for_pieces(kPiece, [&](Bytes piece) {
        return all = has_sparse_groups<Word>(piece.data(), piece.size() / sizeof(Word) / row, row);
      });
      return all;
    }
    if (!constant->splat) return has_sparse_groups<Word>(constant->data.data(), rows, row);
    // All elements are equal: a group of one element has no second zero.
    return load<Word>(constant->data.data()) == 0 && row % 4 != 1;
  };
  switch (type.data) {
    case tosa::DataType::I4:
    case tosa::DataType::I8:
      return sparse(std::uint8_t{}) ? 3 : -1;
    case tosa::DataType::F16:
      return sparse(std::uint16_t{}) ? 3 : -1;
    case tosa::DataType::F32:
      return sparse(std::uint32_t{}) ? 3 : -1;
    default:
      return -1;
  }
}

}  // namespace slipway::convert
