// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NonMaxSuppression, whose number of results depends on its operands: these have to be known.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/format.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/parameters.hpp"

namespace slipway::importer {
namespace {

struct Box {
  double y1, x1, y2, x2;
  double area() const { return (y2 - y1) * (x2 - x1); }
};

Box box_of(const Array& boxes, std::size_t at, bool by_centre) {
  const double a = boxes.real(4 * at), b = boxes.real(4 * at + 1), c = boxes.real(4 * at + 2),
               d = boxes.real(4 * at + 3);
  if (by_centre) return {b - d / 2, a - c / 2, b + d / 2, a + c / 2};  // x, y, width, height
  return {std::min(a, c), std::min(b, d), std::max(a, c), std::max(b, d)};
}

double overlap(const Box& a, const Box& b) {
  const double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  const double width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (height <= 0 || width <= 0) return 0;
  const double common = height * width, all = a.area() + b.area() - common;
  return all <= 0 ? 0 : common / all;
}

struct Limits {
  std::int64_t count = 0;
  double overlap = 0, score = -std::numeric_limits<double>::infinity();
};

// The boxes of a class that stay, from the best on.
std::vector<std::size_t> suppress(std::span<const Box> boxes, std::span<const double> scores, const Limits& limits) {
  std::vector<std::size_t> order(boxes.size()), kept;
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return scores[i]; });
  for (const std::size_t i : order) {
    if (static_cast<std::int64_t>(kept.size()) >= limits.count) break;
    if (scores[i] < limits.score) continue;
    const bool hidden =
        std::ranges::any_of(kept, [&](std::size_t k) { return overlap(boxes[i], boxes[k]) > limits.overlap; });
    if (!hidden) kept.push_back(i);
  }
  return kept;
}

}  // namespace

void emit_onnx_NonMaxSuppression(NodeContext& node) {
  const Array& boxes = node.known(0, "boxes");
  const Array& scores = node.known(1, "scores");
  const bool fits = boxes.shape.size() == 3 && scores.shape.size() == 3 && boxes.shape[2] == 4 &&
                    boxes.shape[0] == scores.shape[0] && boxes.shape[1] == scores.shape[2];
  if (!fits) throw Refused("the shapes of its boxes and scores do not fit");
  Limits limits;
  if (node.has(2)) limits.count = integer_operand(node, 2, "max_output_boxes_per_class");
  if (node.has(3)) limits.overlap = node.known(3, "iou_threshold").real(0);
  if (node.has(4)) limits.score = node.known(4, "score_threshold").real(0);
  const bool by_centre = node.flag("center_point_box");
  const auto batches = scores.shape[0], classes = scores.shape[1];
  const auto count = static_cast<std::size_t>(boxes.shape[1]);
  const std::vector<double> all = scores.reals();
  std::vector<std::int64_t> selected;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    std::vector<Box> of_batch;
    for (std::size_t i = 0; i < count; ++i)
      of_batch.push_back(box_of(boxes, static_cast<std::size_t>(batch) * count + i, by_centre));
    for (std::int64_t kind = 0; kind < classes; ++kind) {
      const std::size_t first = static_cast<std::size_t>(batch * classes + kind) * count;
      for (const std::size_t i : suppress(of_batch, std::span(all).subspan(first, count), limits))
        selected.insert(selected.end(), {batch, kind, static_cast<std::int64_t>(i)});
    }
  }
  const auto rows = static_cast<std::int64_t>(selected.size() / 3);
  node.out(0, node.b.integers(FileType::I64, {rows, 3}, selected));
}

}  // namespace slipway::importer
