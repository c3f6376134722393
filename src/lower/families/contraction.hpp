// Convolutions and matrix products as one thing: sums of products along runs of two operands.
//
// The results are lines of rows of channels. A row of the first operand (A) begins where the line and the row say, and
// consists of segments, each a run of neighbouring elements: of a convolution a run is what a row of the kernel covers
// of a row of the image. The second operand (B) has for each channel the factors in the same order.
//
//   CONV2D        lines: image rows of all images; rows: x; segments: kernel rows; run: kernel columns x channels
//   1x1           lines: one; rows: all pixels; run: channels
//   MATMUL        lines: batches; rows: rows; run: the common dimension; B differs by line
//
// Padding is written out: A is then a copy of the input with a border of zeros. So is an A of another type than 32-bit
// floats: 8-bit integers are computed with as floats, exactly, in chunks of as many products as cannot exceed 2^24.
#pragma once

#include <optional>
#include <vector>

#include "lower/kernel_maker.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

struct Loop {
  std::int64_t count = 1, stride = 0;  // in elements of A
};

// The border around the spatial dimensions of an image [N, spatial..., C].
struct Border {
  tensor::Shape shape;               // with the border
  std::vector<std::int64_t> before;  // by dimension
  bool is_none() const {
    for (const std::int64_t b : before) {
      if (b) return false;
    }
    return true;
  }
};

struct Contraction {
  const tosa::Node* node = nullptr;
  tosa::ValueId a{}, b{};
  std::optional<tosa::ValueId> bias;
  Border border;            // of a convolution
  bool same_border = true;  // the bordered image is the image itself
  std::vector<Loop> lines;  // outermost first
  std::int64_t rows = 1, row_stride = 0;
  std::vector<Loop> segments;  // outermost first
  std::int64_t run = 1;        // neighbouring elements
  std::int64_t channels = 1;
  bool flat_rows = false;  // rows are all pixels, one line
  bool is_matmul = false;
  std::int64_t a_zero = 0, b_zero = 0;

  std::int64_t line_count() const;
  std::int64_t segment_count() const;
  std::int64_t depth() const;  // products of a sum
  // The same with all products of a row as one run: for rows whose products are found by their numbers.
  Contraction in_one_run() const;
};

// What a CONV2D, CONV3D or MATMUL of floats or 8-bit integers computes; nothing for other operators and types.
bool is_contraction(tosa::Op op);
std::optional<Contraction> contraction_of(const tosa::Graph& graph, const tosa::Node& node);

// The result of a contraction from its sum, a number of the result's kind: rounded, with its bias.
Value result_of_sum(KernelMaker& maker, const Contraction& c, Value sum, Value channel);

// The only operator of a kind among those that are computed on the way to a result, where all others are pointwise.
struct Anchor {
  const tosa::Node* node = nullptr;
  bool reads_by_row_and_channel = true;  // all operands of the others have the result's shape, or only channels
};
std::optional<Anchor> find_anchor(const tosa::Graph& graph, const std::vector<bool>& stored, const tosa::Node& node,
                                  bool (*is_anchor)(tosa::Op) = is_contraction);

}  // namespace slipway::lower
