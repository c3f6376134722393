// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/difference_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tensor/element.hpp"

namespace slipway::launch {
namespace {

constexpr std::uint64_t kMaxViewElements = std::uint64_t{1} << 26;
constexpr std::uint64_t kMaxImageSide = 96, kMaxArraySide = 64;  // cells
constexpr std::size_t kMaxWorst = 10;
// Beyond it, decades are of no use.
constexpr int kMinExponent = -12, kMaxExponent = 12;

// An array as a grid of pixels.
struct Grid {
  std::uint64_t rows = 1, columns = 1, stride = 1;  // stride: elements of a pixel
  std::uint32_t channels = 1;                       // of them that are shown
  bool is_image = false;
};

Grid grid_of(tensor::ShapeView shape, std::uint64_t count) {
  std::vector<std::uint64_t> sizes(shape.begin(), shape.end());
  // A batch of one image is an image.
  if (sizes.size() == 4 && sizes[0] == 1) sizes.erase(sizes.begin());
  if (sizes.size() == 3 && (sizes[2] == 1 || sizes[2] == 3 || sizes[2] == 4) && sizes[0] > 1 && sizes[1] > 1)
    return {sizes[0], sizes[1], sizes[2], sizes[2] == 1 ? 1u : 3u, true};
  const std::uint64_t last = sizes.empty() ? 1 : sizes.back();
  if (last == count || last == 1) {
    // A vector is wrapped.
    const std::uint64_t columns = std::min(count, kMaxArraySide);
    return {(count + columns - 1) / columns, columns, 1, 1, false};
  }
  return {count / last, last, 1, 1, false};
}

// The differences that are largest so far, in descending order.
class WorstList {
 public:
  void add(double difference, std::uint64_t element) {
    if (list_.size() == kMaxWorst && difference <= list_.back().first) return;
    const auto at = std::ranges::upper_bound(list_, difference, std::greater(), &Entry::first);
    list_.insert(at, {difference, element});
    if (list_.size() > kMaxWorst) list_.pop_back();
  }
  const auto& entries() const { return list_; }

 private:
  using Entry = std::pair<double, std::uint64_t>;
  std::vector<Entry> list_;
};

class ViewBuilder {
 public:
  ViewBuilder(tensor::ElementType type, Bytes got, Bytes expected, tensor::ShapeView shape, std::uint64_t count)
      : type_(type),
        size_(tensor::info_of(type).size),
        got_(got),
        expected_(expected),
        shape_(shape),
        count_(count),
        grid_(grid_of(shape, count)) {
    const std::uint64_t side = grid_.is_image ? kMaxImageSide : kMaxArraySide;
    view_.columns = grid_.columns;
    view_.rows = grid_.rows;
    view_.width = static_cast<std::uint32_t>(std::min(grid_.columns, side));
    view_.height = static_cast<std::uint32_t>(std::min(grid_.rows, side));
    view_.channels = grid_.channels;
  }

  DifferenceView build() {
    find_cells();
    find_range();
    for (const Cell& cell : cells_) {
      for (std::uint32_t channel = 0; channel < grid_.channels; ++channel) {
        const std::uint64_t element = cell.pixel * grid_.stride + channel;
        const bool exists = cell.difference >= 0 && element < count_;
        view_.expected.push_back(exists ? shade(value(expected_, element)) : std::byte{0});
        view_.actual.push_back(exists ? shade(value(got_, element)) : std::byte{0});
      }
      // Small differences are visible, too.
      const double part = std::isinf(cell.difference) ? 1 : largest_ > 0 ? cell.difference / largest_ : 0;
      view_.difference.push_back(
          static_cast<std::byte>(cell.difference > 0 ? std::clamp(std::lround(part * 255), 1l, 255l) : 0l));
    }
    for (const auto& [exponent, number] : decades_) view_.decades.push_back({exponent, number});
    for (const auto& [difference, element] : worst_.entries()) {
      view_.worst.push_back({tensor::coordinates_of(shape_, element),
                             tensor::text_of(type_, got_.data() + element * size_),
                             tensor::text_of(type_, expected_.data() + element * size_), difference});
    }
    return std::move(view_);
  }

 private:
  struct Cell {
    std::uint64_t pixel = 0;  // with the largest difference
    double difference = -1;   // -1: no pixel yet
  };

  double value(Bytes from, std::uint64_t element) const {
    return tensor::double_of(type_, from.data() + element * size_);
  }

  double difference_at(std::uint64_t element) const {
    const double got = value(got_, element), expected = value(expected_, element);
    if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0;
    const double difference = std::fabs(got - expected);
    return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }

  void note(std::uint64_t element, double difference) {
    if (difference == 0) return;
    worst_.add(difference, element);
    if (std::isfinite(difference)) largest_ = std::max(largest_, difference);
    const int exponent = std::isinf(difference) ? kMaxExponent : static_cast<int>(std::floor(std::log10(difference)));
    ++decades_[std::clamp(exponent, kMinExponent, kMaxExponent)];
  }

  void find_cells() {
    cells_.resize(std::size_t{view_.width} * view_.height);
    const std::uint64_t pixels = (count_ + grid_.stride - 1) / grid_.stride;
    for (std::uint64_t pixel = 0; pixel < pixels; ++pixel) {
      double largest = 0;
      for (std::uint64_t i = pixel * grid_.stride; i < std::min((pixel + 1) * grid_.stride, count_); ++i) {
        const double difference = difference_at(i);
        note(i, difference);
        largest = std::max(largest, difference);
      }
      const std::uint64_t row = pixel / grid_.columns * view_.height / grid_.rows,
                          column = pixel % grid_.columns * view_.width / grid_.columns;
      Cell& cell = cells_[row * view_.width + column];
      if (largest > cell.difference) cell = {pixel, largest};
    }
  }

  // Images of bytes have all shades; other arrays those of their own values.
  void find_range() {
    if (grid_.is_image && type_ == tensor::ElementType::U8) {
      view_.low = 0;
      view_.high = 255;
      return;
    }
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::uint64_t i = 0; i < count_; ++i) {
      for (const double one : {value(expected_, i), value(got_, i)}) {
        if (!std::isfinite(one)) continue;
        low = std::min(low, one);
        high = std::max(high, one);
      }
    }
    if (low > high) low = high = 0;
    view_.low = low;
    view_.high = high;
  }

  std::byte shade(double of) const {
    if (std::isnan(of) || view_.high <= view_.low) return std::byte{0};
    return static_cast<std::byte>(std::lround(std::clamp((of - view_.low) / (view_.high - view_.low), 0.0, 1.0) * 255));
  }

  tensor::ElementType type_;
  std::size_t size_;
  Bytes got_, expected_;
  tensor::ShapeView shape_;
  std::uint64_t count_;
  Grid grid_;
  DifferenceView view_;
  std::vector<Cell> cells_;
  std::map<int, std::uint64_t> decades_;
  WorstList worst_;
  double largest_ = 0;
};

}  // namespace

std::optional<DifferenceView> view_difference(tensor::ElementType type, Bytes got, Bytes expected,
                                              tensor::ShapeView shape) {
  const auto count = tensor::element_count(shape);
  if (!count || *count == 0 || *count > kMaxViewElements) return std::nullopt;
  return ViewBuilder(type, got, expected, shape, *count).build();
}

}  // namespace slipway::launch
