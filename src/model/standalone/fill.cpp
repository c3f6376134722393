// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/fill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/format.hpp"
#include "tensor/element.hpp"
#include "tensor/random.hpp"

namespace slipway::model {
namespace {

using tensor::Number;

constexpr std::array<std::string_view, 4> kNames = {"random", "zeros", "ramp", "edges"};

// The values of a type, which may have fewer bits than its storage: i4 is stored in bytes. `is_unsigned` types of files
// have the storage of signed ones.
struct Bounds {
  Number low, high;
};

Bounds bounds_of(tosa::DataType type, const Fill& fill) {
  Bounds bounds{-1.0, 1.0};
  if (type == tosa::DataType::Bool) {
    bounds = {std::int64_t{0}, std::int64_t{1}};
  } else if (!tosa::is_float(type)) {
    const std::int64_t half = std::int64_t{1} << (tosa::bits_of(type) - 1);
    bounds = {-half, half - 1};
  }
  const auto number = [&](double value) {
    const bool whole = !tosa::is_float(type) && std::trunc(value) == value && std::fabs(value) < 0x1p63;
    return whole ? Number(static_cast<std::int64_t>(value)) : Number(value);
  };
  if (fill.low) bounds.low = number(*fill.low);
  if (fill.high) bounds.high = number(*fill.high);
  return bounds;
}

std::vector<Number> edges_of(tosa::DataType type) {
  if (tosa::is_float(type)) return {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 0.0078125, -0.0078125, 100.0, -100.0};
  const Bounds bounds = bounds_of(type, {});
  const auto low = std::get<std::int64_t>(bounds.low), high = std::get<std::int64_t>(bounds.high);
  if (type == tosa::DataType::Bool) return {low, high};
  return {low, low + 1, high, high - 1, std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}};
}

// Step `i` of a ramp of at most 256 steps.
Number ramp_at(tosa::DataType type, const Bounds& bounds, std::uint64_t i) {
  constexpr std::uint64_t kSteps = 256;
  if (tosa::is_float(type)) {
    const double low = tensor::double_of(bounds.low), high = tensor::double_of(bounds.high);
    return low + (high - low) * static_cast<double>(i % kSteps) / (kSteps - 1);
  }
  const auto low = std::get<std::int64_t>(bounds.low), high = std::get<std::int64_t>(bounds.high);
  const auto span = static_cast<std::uint64_t>(high - low);
  if (span < kSteps) return low + static_cast<std::int64_t>(i % (span + 1));
  return low + static_cast<std::int64_t>(span / (kSteps - 1) * (i % kSteps));
}

std::unexpected<Failure> refused(std::string why) { return fail(DiagnosticKind::OutOfRange, {}, std::move(why)); }

}  // namespace

std::string_view name_of(FillKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<FillKind> fill_kind_from_name(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<FillKind>(found - kNames.begin());
}

Result<> fill(tosa::DataType type, const Fill& fill, MutableBytes to) {
  const tensor::ElementType storage = tosa::storage_of(type);
  const std::uint32_t size = tensor::size_of(storage);
  const Bounds bounds = bounds_of(type, fill);
  if (fill.kind == FillKind::Random) {
    const tensor::RandomContents contents{.seed = fill.seed,
                                          .distribution = tensor::UniformDistribution{bounds.low, bounds.high}};
    if (auto filled = tensor::fill_random(storage, contents, to); !filled) return refused(std::move(filled.error()));
    return {};
  }
  if (fill.kind == FillKind::Zeros) {
    std::ranges::fill(to, std::byte{});
    return {};
  }
  if (fill.kind == FillKind::Ramp) {
    std::array<std::byte, 8> ends{};
    for (const Number bound : {bounds.low, bounds.high}) {
      if (auto stored = tensor::store_number(storage, bound, ends.data()); !stored)
        return refused(std::move(stored.error()));
    }
    if (tensor::double_of(bounds.low) > tensor::double_of(bounds.high)) {
      return refused(formatted("the minimum `{}` is above the maximum `{}`", tensor::text_of(bounds.low),
                               tensor::text_of(bounds.high)));
    }
  }
  const std::vector<Number> edges = fill.kind == FillKind::Edges ? edges_of(type) : std::vector<Number>();
  for (std::uint64_t i = 0; i < to.size() / size; ++i) {
    const Number value = edges.empty() ? ramp_at(type, bounds, i) : edges[tensor::draw(fill.seed, i) % edges.size()];
    if (tosa::is_float(type))
      tensor::store_rounded(storage, tensor::double_of(value), to.data() + i * size);
    else if (auto stored = tensor::store_number(storage, value, to.data() + i * size); !stored)
      return refused(std::move(stored.error()));
  }
  return {};
}

}  // namespace slipway::model
