// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows, and pooling over them.
#include "importer/emit/network/windows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/unsigned.hpp"

namespace slipway::importer {
namespace {

using tosa::Op;

// Two of the spatial dimensions, or one with another of extent 1.
using PoolPair = std::function<Term(Builder& b, const Term& x, const Windows& windows)>;

// Pools whose windows are products of windows along each dimension.
Term pool_by_pairs(Builder& b, const Term& x, const Windows& windows, const PoolPair& pool) {
  if (x.rank() != windows.rank() + 2)
    throw Refused(formatted("windows of {} dimensions in a tensor of rank {}", windows.rank(), x.rank()));
  Term made = x;
  std::size_t end = windows.rank();
  while (end > 0) {
    const std::size_t begin = end >= 2 ? end - 2 : 0;
    Windows pair = windows_of({1, 1});
    for (std::size_t d = begin; d < end; ++d) {
      pair.kernel[d - begin] = windows.kernel[d];
      pair.stride[d - begin] = windows.stride[d];
      pair.dilation[d - begin] = windows.dilation[d];
      pair.before[d - begin] = windows.before[d];
      pair.after[d - begin] = windows.after[d];
    }
    // Dimensions before the pair are batches, those after it are channels.
    const std::span<const std::int64_t> dimensions = made.shape;
    const tensor::Shape merged{product_of(dimensions.first(1 + begin)), made.shape[1 + begin],
                               end - begin == 2 ? made.shape[end] : 1, product_of(dimensions.subspan(1 + end))};
    tensor::Shape shape = made.shape;
    const Term pooled = pool(b, b.reshape(made, merged), pair);
    for (std::size_t d = begin; d < end; ++d) shape[1 + d] = pooled.shape[1 + d - begin];
    made = b.reshape(pooled, std::move(shape));
    end = begin;
  }
  return made;
}

bool is_dilated(const Windows& windows) {
  return std::ranges::any_of(windows.dilation, [](std::int64_t each) { return each != 1; });
}

bool pads_fit(const Windows& windows) {
  for (std::size_t d = 0; d < windows.rank(); ++d) {
    if (windows.before[d] >= windows.kernel[d] || windows.after[d] >= windows.kernel[d]) return false;
  }
  return true;
}

// [top, bottom, left, right]
std::vector<std::int64_t> pads_of(const Windows& windows) {
  std::vector<std::int64_t> pads;
  for (std::size_t d = 0; d < windows.rank(); ++d) pads.insert(pads.end(), {windows.before[d], windows.after[d]});
  return pads;
}

double lowest(FileType type) {
  if (is_real(type)) return -std::numeric_limits<double>::infinity();
  return is_unsigned(type) ? 0 : -std::ldexp(1.0, static_cast<int>(std::min(bits_of(type), 32U)) - 1);
}

// x with its padding.
Term padded_pair(Builder& b, const Term& x, const Windows& windows, double filling) {
  return b.pad(x, {0, windows.before[0], windows.before[1], 0}, {0, windows.after[0], windows.after[1], 0},
               b.number(x.type, filling));
}

// One dimension after the other, by the maximum of strided slices.
Term max_of_slices(Builder& b, const Term& x, const Windows& windows) {
  constexpr std::int64_t kMaxSlices = 256;
  Term made = padded_pair(b, x, windows, lowest(x.type));
  const tensor::Shape counts = window_counts(windows, std::span(x.shape).subspan(1, 2));
  for (std::size_t d = 0; d < 2; ++d) {
    if (windows.kernel[d] > kMaxSlices)
      throw Refused(formatted("a dilated window of {} elements is too long", windows.kernel[d]));
    const Term source = made;
    const auto axis = static_cast<std::int64_t>(1 + d);
    for (std::int64_t i = 0; i < windows.kernel[d]; ++i) {
      const Term slice = b.stride(source, axis, i * windows.dilation[d], windows.stride[d], counts[d]);
      made = i == 0 ? slice : b.binary(Binary::Max, made, slice);
    }
  }
  return made;
}

Term max_pair(Builder& b, const Term& x, const Windows& windows) {
  const bool direct = is_real(x.type) || x.type == FileType::I8 || x.type == FileType::I16;
  if (is_dilated(windows) || !direct || !pads_fit(windows)) return max_of_slices(b, x, windows);
  Windows fit = windows;
  const Term source = fitted(b, b.computable(x), fit);
  const tosa::ValueId made =
      b.add(Op::MAX_POOL2D, {b.value(source)},
            {{"kernel", fit.kernel}, {"stride", fit.stride}, {"pad", pads_of(fit)}, {"nan_mode", {kPropagate}}});
  return b.cast(b.term(made, source.type), x.type);
}

Term sum_pair(Builder& b, const Term& x, const Windows& windows, std::int64_t zero) {
  const std::int64_t channels = x.extent(-1);
  const Term ones = b.number(x.type, 1, {windows.kernel[0], windows.kernel[1], channels, 1});
  return depthwise(b, x, ones, nullptr, windows, {.input_zero = zero});
}

// How many elements of each window along a dimension are inside.
std::vector<double> inside_counts(const Windows& windows, std::size_t d, std::int64_t extent, std::int64_t count) {
  std::vector<double> counts(static_cast<std::size_t>(count), 0);
  for (std::int64_t w = 0; w < count; ++w) {
    for (std::int64_t i = 0; i < windows.kernel[d]; ++i) {
      const std::int64_t at = w * windows.stride[d] - windows.before[d] + i * windows.dilation[d];
      if (at >= 0 && at < extent) counts[static_cast<std::size_t>(w)] += 1;
    }
  }
  return counts;
}

Term average_pair(Builder& b, const Term& x, const Windows& windows, std::int64_t zero) {
  const bool is_integer = x.type == FileType::I8 || x.type == FileType::I16;
  if (!is_real(x.type) && !is_integer) throw Refused(formatted("the average of {} is not supported", name_of(x.type)));
  if (!is_dilated(windows) && pads_fit(windows)) {
    Windows fit = windows;
    const Term source = fitted(b, b.computable(x), fit);
    const auto accumulator = is_integer ? tosa::AccType::Int32 : tosa::AccType::Fp32;
    tosa::Attributes attributes{{"kernel", fit.kernel},
                                {"stride", fit.stride},
                                {"pad", pads_of(fit)},
                                {"acc_type", {static_cast<std::int64_t>(accumulator)}}};
    for (const std::string_view name : {"input_zp", "output_zp"}) {
      if (is_integer)
        attributes.set(name, zero);
      else
        attributes.set_real(name, 0);
    }
    return b.cast(b.term(b.add(Op::AVG_POOL2D, {b.value(source)}, std::move(attributes)), source.type), x.type);
  }
  if (is_integer) throw Refused("averages of integers over dilated windows are not supported");
  const tensor::Shape counts = window_counts(windows, std::span(x.shape).subspan(1, 2));
  std::vector<double> factors;
  const std::vector<double> columns = inside_counts(windows, 1, x.shape[2], counts[1]);
  for (const double row : inside_counts(windows, 0, x.shape[1], counts[0])) {
    for (const double column : columns) factors.push_back(1 / (row * column));
  }
  const Term scale = known_term(array_of(x.type, {1, counts[0], counts[1], 1}, std::span<const double>(factors)));
  return b.mul(sum_pair(b, x, windows, 0), scale);
}

}  // namespace

Windows windows_of(const tensor::Shape& kernel) {
  const tensor::Shape ones(kernel.size(), 1), zeros(kernel.size(), 0);
  return {.kernel = kernel, .stride = ones, .dilation = ones, .before = zeros, .after = zeros};
}

void set_padding(Windows& windows, tensor::ShapeView extents, Padding padding) {
  for (std::size_t d = 0; d < windows.rank(); ++d) {
    const std::int64_t count = (extents[d] + windows.stride[d] - 1) / windows.stride[d];
    const std::int64_t total =
        std::max<std::int64_t>((count - 1) * windows.stride[d] + windows.reach(d) - extents[d], 0);
    const std::int64_t less = total / 2, more = total - less;
    windows.before[d] = padding == Padding::Valid ? 0 : padding == Padding::SameUpper ? less : more;
    windows.after[d] = padding == Padding::Valid ? 0 : padding == Padding::SameUpper ? more : less;
  }
}

tensor::Shape window_counts(const Windows& windows, tensor::ShapeView extents) {
  tensor::Shape counts;
  for (std::size_t d = 0; d < windows.rank(); ++d) {
    const std::int64_t space = extents[d] + windows.before[d] + windows.after[d] - windows.reach(d);
    if (space < 0) {
      throw Refused(formatted("a window of {} elements is larger than the {} elements with their padding",
                              windows.reach(d), extents[d] + windows.before[d] + windows.after[d]));
    }
    counts.push_back(space / windows.stride[d] + 1);
  }
  return counts;
}

Term fitted(Builder& b, const Term& x, Windows& windows) {
  const tensor::Shape counts = window_counts(windows, std::span(x.shape).subspan(1, windows.rank()));
  tensor::Shape start(x.rank(), 0), size = x.shape;
  for (std::size_t d = 0; d < windows.rank(); ++d) {
    const std::int64_t used = (counts[d] - 1) * windows.stride[d] + windows.reach(d);
    windows.after[d] = used - x.shape[1 + d] - windows.before[d];
    start[1 + d] = std::max<std::int64_t>(-windows.before[d], 0);
    size[1 + d] -= start[1 + d] + std::max<std::int64_t>(-windows.after[d], 0);
    windows.before[d] = std::max<std::int64_t>(windows.before[d], 0);
    windows.after[d] = std::max<std::int64_t>(windows.after[d], 0);
    if (size[1 + d] <= 0) throw Refused("padding crops the whole tensor");
  }
  return b.slice(x, start, size);
}

Term max_pool(Builder& b, const Term& x, const Windows& windows) {
  if (signed_offset(x.type) != 0) return from_signed(b, max_pool(b, as_signed(b, x), windows), x.type);
  return pool_by_pairs(b, x, windows, max_pair);
}

Term average_pool(Builder& b, const Term& x, const Windows& windows, std::int64_t zero) {
  return pool_by_pairs(b, x, windows, [zero](Builder& to, const Term& pair, const Windows& of) {
    return average_pair(to, pair, of, zero);
  });
}

Term sum_pool(Builder& b, const Term& x, const Windows& windows, std::int64_t zero) {
  return pool_by_pairs(
      b, x, windows, [zero](Builder& to, const Term& pair, const Windows& of) { return sum_pair(to, pair, of, zero); });
}

Term neighbour_sum(Builder& b, const Term& x, std::int64_t axis, std::int64_t before, std::int64_t after) {
  const std::size_t at = axis_of(axis, x.rank());
  const std::int64_t extent = x.shape[at];
  // Further neighbours are outside.
  const std::int64_t first = std::min(before, extent - 1), last = std::min(after, extent - 1);
  constexpr std::int64_t kMaxSlices = 256;
  if (first + last >= kMaxSlices) throw Refused(formatted("the sum of {} neighbours is too long", first + last + 1));
  tensor::Shape front(x.rank(), 0), back(x.rank(), 0);
  front[at] = first;
  back[at] = last;
  const Term padded = b.pad(x, front, back, b.number(x.type, 0));
  Term sum;
  for (std::int64_t i = 0; i <= first + last; ++i) {
    const Term slice = b.slice_axis(padded, axis, i, extent);
    sum = i == 0 ? slice : b.add(sum, slice);
  }
  return sum;
}

Term channels_last(Builder& b, const Term& x) {
  std::vector<std::int64_t> permutation(x.rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  if (x.rank() > 2) std::rotate(permutation.begin() + 1, permutation.begin() + 2, permutation.end());
  return b.transpose(x, std::move(permutation));
}

Term channels_first(Builder& b, const Term& x) {
  std::vector<std::int64_t> permutation(x.rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  if (x.rank() > 2) std::rotate(permutation.begin() + 1, permutation.end() - 1, permutation.end());
  return b.transpose(x, std::move(permutation));
}

}  // namespace slipway::importer
