// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers for tests: the same seed produces the same numbers on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/random.hpp"

namespace slipway::tosa_cases {

class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}

  std::uint64_t next() { return tensor::draw(seed_, index_++); }
  // A random number from `low` to `high`, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const std::uint64_t count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + (count ? next() % count : next()));
  }
  double real(double low, double high) { return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53); }
  bool chance(int percent) { return between(1, 100) <= percent; }
  template <class Values>
  const auto& pick(const Values& values) {
    return values[static_cast<std::size_t>(next() % std::size(values))];
  }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[next() % values.size()];
  }

 private:
  std::uint64_t seed_, index_ = 0;
};

}  // namespace slipway::tosa_cases
