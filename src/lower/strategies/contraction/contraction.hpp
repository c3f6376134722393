// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and matrix products in one form, a batched matrix product: for each batch element, an M x K matrix A
// times a K x N matrix B. This file reads the graph only; contraction_result.hpp finishes sums in kernels.
//
// A is not always a matrix in memory. A row of A begins at an offset that the batch element and the row decide, and
// consists of K blocks, each `contiguous_k` neighbouring elements. In a convolution a block is what one row of the
// window covers of one row of the image. B has the K factors of each of the N channels in the same order.
//
//   CONV2D        batch: image rows of all images; M: x; K blocks: window rows; contiguous: window columns x channels
//   1x1           batch: 1; M: all pixels; contiguous: channels
//   MATMUL        batch: batches; M: rows; contiguous: K; B differs for each batch element
//
// Padding is materialised: A is then a copy of the input with a border of zeros. The same holds for an A that is not of
// the type in which it is multiplied (Factors). Products of 8-bit integers as floats are exact, because no more
// products are added before a conversion than stay within 2^24.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/device_facts.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

// How a contraction is computed on CPUs: with floats, pairs of 16-bit integers without their zero points, or words of
// bytes, whose B has no zero point. Sums of the latter two are 32-bit integers, and their B is a constant.
enum class Factors : std::uint8_t { Floats, Pairs, Bytes };
inline constexpr std::int64_t kBytesOfWord = 4;
// The type of A, and the products of one instruction and lane.
inline tensor::ElementType type_of(Factors factors) {
  using enum tensor::ElementType;
  return factors == Factors::Bytes ? I8 : factors == Factors::Pairs ? I16 : F32;
}
inline std::int64_t products_of_step(Factors factors) { return kBytesOfWord / tensor::size_of(type_of(factors)); }

struct ContractionLoop {
  std::int64_t count = 1, stride = 0;  // stride in elements of A
};

// The border around the spatial dimensions of an image [N, spatial..., C].
struct Border {
  tensor::Shape shape;               // with the border
  std::vector<std::int64_t> before;  // by dimension
};

struct Contraction {
  const tosa::Node* node = nullptr;
  tosa::ValueId a{}, b{};
  std::optional<tosa::ValueId> bias;
  Border border;                       // of a convolution
  bool same_border = true;             // there is no padding: the bordered image is the image itself
  std::vector<ContractionLoop> batch;  // outermost first
  std::int64_t m = 1, m_stride = 0;
  std::vector<ContractionLoop> k_blocks;  // outermost first
  std::int64_t contiguous_k = 1;          // neighbouring elements of A in a block
  std::int64_t n = 1;
  bool flat_m = false;  // M counts all pixels of all images, and the batch is 1
  bool is_matmul = false;
  std::int64_t a_zero = 0, b_zero = 0;

  std::int64_t batch_count() const;
  std::int64_t k_block_count() const;
  std::int64_t k() const;                     // products of one sum
  std::int64_t steps(Factors factors) const;  // of one sum; each block has whole steps
  // The same with one block of all K products, for readers that compute the offset of each product themselves.
  Contraction with_contiguous_k() const;
};

// `is_contraction`: CONV2D, CONV3D or MATMUL. What one of floats or 8-bit integers computes; empty for other types.
bool is_contraction(tosa::Op op);
std::optional<Contraction> contraction_of(const tosa::Graph& graph, const tosa::Node& node);

// For people, one line: `M 64 N 16 K 27 = 3 x 9 contiguous, batch 8, padded to [1, 10, 10, 3]`.
std::string print_contraction(const Contraction& contraction);

// How many products of 8-bit integers a float sums exactly for certain, and whether a contraction has no more.
std::int64_t exact_products(const Contraction& c);
bool sums_exactly(const tosa::Graph& graph, const Contraction& c);
inline constexpr std::uint32_t kSumBits = 24;

// `stored` is the result of plan_fusion.
Factors factors_of(const tosa::Graph& graph, const std::vector<bool>& stored, const Contraction& c,
                   const DeviceFacts& device);
// The value that is read for `value`: the first one on the way through views of it that is stored.
tosa::ValueId source_of(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId value);
// Whether B is a constant, through views of it.
bool has_constant_b(const tosa::Graph& graph, const std::vector<bool>& stored, const Contraction& c);

// How many products of a sum are straight code: Mesa's software driver blends and spills every sum at the end of an
// iteration, and compiles long code slowly.
inline constexpr std::int64_t kUnrolled = 16;

// The one contraction of a fused group whose other operators are pointwise, or a RESHAPE that keeps the channels.
struct Anchor {
  const tosa::Node* node = nullptr;
  bool reads_by_row_and_channel = true;  // every operand of the others has the result's shape, or only channels
  bool has_residual = false;             // an operand of the others is stored, and not one of channels
  bool is_reshaped = false;              // the group's result has other dimensions before the channels
};
// Whether a node is a RESHAPE that keeps the last of at least two dimensions.
bool keeps_channels(const tosa::Graph& graph, const tosa::Node& node);
std::optional<Anchor> find_anchor(const tosa::Graph& graph, const std::vector<bool>& stored, const tosa::Node& node,
                                  bool (*is_anchor)(tosa::Op) = is_contraction);

}  // namespace slipway::lower
