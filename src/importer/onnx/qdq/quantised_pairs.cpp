// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/qdq/quantised_pairs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace slipway::importer {
namespace {

constexpr int kCodes = 256;

template <class Real>
Real combined(Binary op, Real a, Real b) {
  return op == Binary::Add ? a + b : op == Binary::Sub ? a - b : a * b;
}

// How far factors are from the quotients of scales, in floats.
constexpr int kReach = 24;

class Search {
 public:
  Search(Binary op, const PairOperands& operands, const PairLimits& limits)
      : op_(op), low_(static_cast<float>(limits.low)), high_(static_cast<float>(limits.high)) {
    const auto [a, b] = operands.scales;
    for (int i = 0; i < kCodes; ++i) {
      for (int k = 0; k < kCodes; ++k) {
        const auto x = static_cast<float>(i - 128 - operands.zeros[0]);
        const auto y = static_cast<float>(k - 128 - operands.zeros[1]);
        all_.push_back({x, y, rounded(combined(op, x * a, y * b) / operands.result_scale)});
        const double exact =
            combined(op, static_cast<double>(a) * x, static_cast<double>(b) * y) / operands.result_scale;
        // Others round alike with all factors that are tried.
        constexpr double kNear = 1e-3;
        if (std::fabs(exact - std::floor(exact) - 0.5) < kNear) near_.push_back(all_.back());
      }
    }
  }

  bool agrees(float f, float g) const { return agrees(near_, f, g) && agrees(all_, f, g); }

 private:
  struct Codes {
    float x, y, result;
  };

  bool agrees(const std::vector<Codes>& list, float f, float g) const {
    const float factor = op_ == Binary::Sub ? -g : g;
    return std::ranges::all_of(list, [&](const Codes& each) {
      if (op_ == Binary::Mul) return rounded(each.x * each.y * f) == each.result;
      const float left = each.x * f, right = each.y * factor;
      return rounded(left + right) == each.result && rounded(fused(each.x, f, right)) == each.result &&
             rounded(fused(each.y, factor, left)) == each.result;
    });
  }

  float rounded(float x) const {
    constexpr float kWhole = 12582912;  // 1.5 * 2^23: the sum has no digits below 1
    return std::clamp(x, low_, high_) + kWhole - kWhole;
  }

  // Doubles hold the product, and the sum as far as it matters.
  static float fused(float x, float factor, float summand) {
    return static_cast<float>(static_cast<double>(x) * static_cast<double>(factor) + static_cast<double>(summand));
  }

  Binary op_;
  float low_, high_;
  std::vector<Codes> all_, near_;
};

// The float at a distance from another one, which is positive.
float float_beside(double of, int distance) {
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(static_cast<float>(of)) + distance);
}

}  // namespace

std::optional<std::pair<float, float>> pair_factors(Binary op, const PairOperands& operands, const PairLimits& limits) {
  const auto [a, b] = operands.scales;
  const auto result = static_cast<double>(operands.result_scale);
  const Search search(op, operands, limits);
  const double first =
      (op == Binary::Mul ? static_cast<double>(a) * static_cast<double>(b) : static_cast<double>(a)) / result;
  const double second = static_cast<double>(b) / result;
  constexpr double kMin = 1e-30, kMax = 1e30;
  if (!(first > kMin && first < kMax && second > kMin && second < kMax)) return std::nullopt;
  for (int distance = 0; distance <= kReach; ++distance) {
    for (int i = -distance; i <= distance; ++i) {
      const bool is_edge = i == -distance || i == distance;
      for (int k = -distance; k <= distance; k += is_edge || distance == 0 ? 1 : 2 * distance) {
        const float f = float_beside(first, i), g = float_beside(second, k);
        if (search.agrees(f, g)) return std::pair(f, g);
        if (op == Binary::Mul) break;
      }
    }
  }
  return std::nullopt;
}

}  // namespace slipway::importer
