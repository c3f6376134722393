// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Suppression of boxes that overlap better ones. The number of results is fixed, so that it needs no operand that is
// known: one step for each result.
#include <limits>

#include "base/format.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {
namespace {

// Boxes [N, 1] each, with the smaller corner first.
struct Boxes {
  Term top, left, bottom, right, area;
};

Boxes boxes_of(Builder& b, const Term& corners) {
  const auto column = [&](std::int64_t i) { return b.slice_axis(corners, 1, i, 1); };
  const Term y = column(0), x = column(1), v = column(2), u = column(3);
  Boxes made{.top = b.binary(Binary::Min, y, v),
             .left = b.binary(Binary::Min, x, u),
             .bottom = b.binary(Binary::Max, y, v),
             .right = b.binary(Binary::Max, x, u),
             .area = {}};
  made.area = b.mul(b.sub(made.bottom, made.top), b.sub(made.right, made.left));
  return made;
}

// What each box has in common with one, and what both cover.
std::pair<Term, Term> common_and_all(Builder& b, const Boxes& boxes, const Boxes& one) {
  const auto extent = [&](const Term& low, const Term& other_low, const Term& high, const Term& other_high) {
    const Term difference = b.sub(b.binary(Binary::Min, high, other_high), b.binary(Binary::Max, low, other_low));
    return b.binary(Binary::Max, difference, 0);
  };
  const Term common =
      b.mul(extent(boxes.top, one.top, boxes.bottom, one.bottom), extent(boxes.left, one.left, boxes.right, one.right));
  return {common, b.sub(b.add(boxes.area, one.area), common)};
}

struct Suppressed {
  Term indices, scores, count;
};

Suppressed suppressed(const NodeContext& node, double sigma) {
  Builder& b = node.b;
  const Term& corners = node.in(0);
  const std::int64_t count = single_integer(node, 2, "max_output_size");
  constexpr std::int64_t kMaxResults = 512;
  if (corners.type != FileType::F32 || corners.rank() != 2 || corners.shape[1] != 4 || corners.shape[0] < 1 ||
      node.in(1).count() != corners.shape[0])
    throw Refused("the shapes of its boxes and scores do not fit");
  if (count < 1 || count > kMaxResults)
    throw Refused(formatted("the number of results is {}; 1 to {} are supported", count, kMaxResults));
  const auto scalar = [&](std::size_t i) { return b.reshape(node.in(i), {1, 1}); };
  const Term overlap = scalar(3), least = scalar(4), zero = b.number(FileType::F32, 0, {1, 1});
  const Term none = b.number(FileType::F32, -std::numeric_limits<double>::infinity(), {1, 1});
  const Boxes boxes = boxes_of(b, corners);
  Term scores = b.reshape(node.in(1), {corners.shape[0], 1});
  const Term positions = b.reshape(b.arange(FileType::I32, 0, corners.shape[0]), {corners.shape[0], 1});
  std::vector<Term> indices, best_scores;
  Term valid_count = b.number(FileType::I32, 0, {1, 1});
  for (std::int64_t i = 0; i < count; ++i) {
    const Term best = b.reduce(Reduction::Max, scores, {0}, true);
    const Term at = b.reshape(b.argmax(scores, 0), {1});
    const Term valid = b.binary(Binary::Greater, best, least);
    const Term index = b.reshape(at, {1, 1});
    indices.push_back(b.select(valid, index, b.number(FileType::I32, 0, {1, 1})));
    best_scores.push_back(b.select(valid, best, zero));
    valid_count = b.add(valid_count, b.widen(valid));
    if (i + 1 == count) break;
    const auto [common, all] = common_and_all(b, boxes, boxes_of(b, b.rows(corners, at)));
    // Boxes without an area overlap none.
    const Term overlaps = b.logical(Binary::BitAnd, b.binary(Binary::Greater, common, 0),
                                    b.binary(Binary::GreaterEqual, common, b.mul(all, overlap)));
    const Term goes = b.logical(Binary::BitOr, overlaps, b.binary(Binary::Equal, positions, index));
    if (sigma > 0) {
      const Term share = b.select(b.binary(Binary::Greater, common, 0), b.div(common, all), zero);
      scores = b.mul(scores, b.unary(Unary::Exp, b.binary(Binary::Mul, b.mul(share, share), -0.5 / sigma)));
    }
    scores = b.select(goes, none, scores);
  }
  return {.indices = b.reshape(b.concat(indices, 0), {count}),
          .scores = b.reshape(b.concat(best_scores, 0), {count}),
          .count = b.reshape(valid_count, {})};
}

}  // namespace

void emit_tflite_NON_MAX_SUPPRESSION_V4(NodeContext& node) {
  Suppressed made = suppressed(node, 0);
  node.out(0, std::move(made.indices));
  node.out(1, std::move(made.count));
}

void emit_tflite_NON_MAX_SUPPRESSION_V5(NodeContext& node) {
  Suppressed made = suppressed(node, node.known(5, "soft_nms_sigma").real(0));
  node.out(0, std::move(made.indices));
  node.out(1, std::move(made.scores));
  node.out(2, std::move(made.count));
}

}  // namespace slipway::importer
