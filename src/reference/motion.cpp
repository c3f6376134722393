// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block matching: Arm.MotionEngine.100 (docs/spec/vgf.md#motion-engine-instructions). Elements are compared as unsigned
// bytes; pixels outside an image are 0.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "reference/operation.hpp"

namespace slipway::reference {
namespace {

// A position in the search window, [x, y].
struct Candidate {
  std::int64_t x, y;
};

std::vector<Candidate> candidates_of(const Operation& operation) {
  const auto size = operation.list("search_window_sizes");
  std::vector<Candidate> candidates;
  const bool spiral =
      operation.node.attributes.has("search_pattern") &&
      operation.node.attributes.enumerant<tosa::SearchPattern>("search_pattern") == tosa::SearchPattern::Spiral;
  if (!spiral) {
    for (std::int64_t y = 0; y < size[0]; ++y) {
      for (std::int64_t x = 0; x < size[1]; ++x) candidates.push_back({x, y});
    }
    return candidates;
  }
  const std::int64_t radius = std::max<std::int64_t>(operation.list("window_offsets")[0], 0);
  candidates.push_back({radius, radius});
  for (std::int64_t ring = 1; ring <= radius; ++ring) {
    for (std::size_t side = 0; side < 4; ++side) {
      for (std::int64_t step = -ring; step < ring; ++step) {
        const std::array<Candidate, 4> at = {{{radius + step, radius + ring},
                                              {radius + ring, radius - step},
                                              {radius - step, radius - ring},
                                              {radius - ring, radius + step}}};
        candidates.push_back(at[side]);
      }
    }
  }
  return candidates;
}

class Matcher {
 public:
  explicit Matcher(const Operation& operation)
      : operation_(operation),
        candidates_(candidates_of(operation)),
        height_(operation.in(0).extent(2)),
        width_(operation.in(0).extent(3)),
        search_height_(operation.in(1).extent(2)),
        search_width_(operation.in(1).extent(3)) {}

  const std::vector<Candidate>& candidates() const { return candidates_; }

  // The displacement of a candidate, without the stride of the window.
  Candidate displacement(const Candidate& candidate) const {
    const auto offset = operation_.list("window_offsets");
    return {candidate.x - offset[1], candidate.y - offset[0]};
  }

  // The sum of absolute differences, of 16 bits.
  std::int64_t cost(std::int64_t image, std::int64_t oy, std::int64_t ox, const Candidate& candidate) const {
    const auto kernel = operation_.list("kernel_sizes"), stride = operation_.list("input_strides");
    const auto window = operation_.list("window_strides"), padding = operation_.list("padding");
    const Candidate by = displacement(candidate);
    const std::int64_t y0 = oy * stride[0] - padding[0], x0 = ox * stride[1] - padding[1];
    go_on_after(kernel[0] * kernel[1]);
    std::int64_t sum = 0;
    for (std::int64_t y = 0; y < kernel[0]; ++y) {
      for (std::int64_t x = 0; x < kernel[1]; ++x) {
        const std::int64_t here = pixel(operation_.in(0), image, height_, width_, y0 + y, x0 + x);
        const std::int64_t there = pixel(operation_.in(1), image, search_height_, search_width_,
                                         y0 + y + by.y * window[0], x0 + x + by.x * window[1]);
        sum += std::abs(there - here);
      }
    }
    return wrap_to(DataType::I16, sum);
  }

 private:
  static std::int64_t pixel(const Tensor& of, std::int64_t image, std::int64_t height, std::int64_t width,
                            std::int64_t y, std::int64_t x) {
    if (y < 0 || x < 0 || y >= height || x >= width) return 0;
    return of.integers[static_cast<std::size_t>((image * height + y) * width + x)] & 0xff;
  }

  const Operation& operation_;
  std::vector<Candidate> candidates_;
  std::int64_t height_, width_, search_height_, search_width_;
};

// The first candidate with the smallest cost wins.
void find_flow(Operation& operation, bool with_cost) {
  const Matcher matcher(operation);
  const Tensor& in = operation.in();
  const std::int64_t images = in.extent(0) * in.extent(1);
  const std::int64_t rows = operation.out().extent(2), columns = operation.out().extent(3) / 2;
  for (std::int64_t at = 0; at < images * rows * columns; ++at) {
    const std::int64_t image = at / (rows * columns), oy = at / columns % rows, ox = at % columns;
    std::int64_t best_cost = 0x10000;
    Candidate best{};
    for (const Candidate& candidate : matcher.candidates()) {
      const std::int64_t cost = matcher.cost(image, oy, ox, candidate) & 0xffff;
      if (cost >= best_cost) continue;
      best_cost = cost;
      best = matcher.displacement(candidate);
    }
    operation.out(0).integers[static_cast<std::size_t>(2 * at)] = wrap_to(DataType::I8, best.x);
    operation.out(0).integers[static_cast<std::size_t>(2 * at + 1)] = wrap_to(DataType::I8, best.y);
    if (with_cost) operation.out(1).integers[static_cast<std::size_t>(at)] = wrap_to(DataType::I16, best_cost);
  }
}

}  // namespace

void run_MIN_SAD(Operation& operation) { find_flow(operation, false); }
void run_MIN_SAD_COST(Operation& operation) { find_flow(operation, true); }

void run_RAW_SAD(Operation& operation) {
  const Matcher matcher(operation);
  const Tensor& out = operation.out();
  const auto count = static_cast<std::int64_t>(matcher.candidates().size());
  const std::int64_t channels = operation.in().extent(1), rows = out.extent(2), columns = out.extent(3);
  std::size_t at = 0;
  for (std::int64_t image = 0; image < out.extent(0) * channels; ++image) {
    for (std::int64_t k = 0; k < count; ++k) {
      for (std::int64_t pixel = 0; pixel < rows * columns; ++pixel) {
        operation.out().integers[at++] =
            matcher.cost(image, pixel / columns, pixel % columns, matcher.candidates()[static_cast<std::size_t>(k)]);
      }
    }
  }
}

}  // namespace slipway::reference
