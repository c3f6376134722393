// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/profile/data.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "tensor/element.hpp"

namespace slipway::recipe {
namespace {

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// SplitMix64 (docs/spec/recipe.md#initialization).
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15;
  std::uint64_t z = state;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

void fill_from_file(Bytes data, std::uint64_t position, MutableBytes to) {
  position %= data.size();
  while (!to.empty()) {
    const std::size_t count = std::min<std::size_t>(to.size(), data.size() - position);
    std::ranges::copy(data.subspan(position, count), to.begin());
    to = to.subspan(count);
    position = 0;  // wrap at the end of the file
  }
}

void fill_strided(std::uint64_t stride, std::uint64_t value, MutableBytes to) {
  const Bytes bytes = std::as_bytes(std::span(&value, 1));
  for (std::uint64_t at = 0; at < to.size();) {
    const std::uint64_t count = std::min({std::uint64_t{8}, stride, to.size() - at});
    std::ranges::copy(bytes.first(count), to.begin() + static_cast<std::ptrdiff_t>(at));
    if (stride >= to.size() - at) break;
    at += stride;
  }
}

void fill_random(std::uint64_t state, MutableBytes to) {
  while (!to.empty()) {
    const std::uint64_t value = next_random(state);
    const std::size_t count = std::min<std::size_t>(8, to.size());
    std::ranges::copy(std::as_bytes(std::span(&value, 1)).first(count), to.begin());
    to = to.subspan(count);
  }
}

// |a-g| <= atol + rtol * |g|. NaN equals NaN; an infinity equals only itself.
bool close(double a, double g, const Validate& validate) {
  if (std::isnan(a) || std::isnan(g)) return std::isnan(a) && std::isnan(g);
  if (a == g) return true;
  if (std::isinf(a) || std::isinf(g)) return false;
  return std::abs(a - g) <= validate.atol + validate.rtol * std::abs(g);
}

}  // namespace

void initialize(const Init& init, const InitSource& source, MutableBytes buffer) {
  const std::uint64_t begin = init.begin.value_or(0);
  const std::uint64_t end = init.end.value_or(buffer.size());
  std::ranges::fill(buffer.first(begin), std::byte{});
  std::ranges::fill(buffer.subspan(end), std::byte{});
  const MutableBytes range = buffer.subspan(begin, end - begin);
  switch (init.form) {
    case Init::Form::File: {
      const Bytes data = source.file.subspan(init.skip);
      const std::uint64_t step = data.empty() ? 0 : range.size() % data.size();
      if (!data.empty()) fill_from_file(data, source.iteration % data.size() * step % data.size(), range);
      return;
    }
    case Init::Form::Stride:
      if (init.stride > 8) std::ranges::fill(range, std::byte{});  // the bytes between the values
      return fill_strided(init.stride, init.value, range);
    case Init::Form::Random:
      return fill_random((init.seed.value_or(source.seed) ^ fnv1a(source.buffer)) + source.iteration, range);
  }
}

std::expected<GoldenRange, std::string> golden_range(const Validate& validate, std::uint64_t buffer_size,
                                                     std::uint64_t golden_size) {
  const auto mismatch = [](std::string why) { return std::unexpected("Size mismatch during validation: " + why); };
  if (validate.skip > golden_size) {
    return mismatch(formatted("`skip` is {}, but the golden data have {} bytes", validate.skip, golden_size));
  }
  const std::uint64_t length = golden_size - validate.skip;
  GoldenRange range{.golden_begin = validate.skip, .size = buffer_size};
  if (!validate.begin && !validate.end) {
    if (length != buffer_size)
      return mismatch(formatted("golden data of {} bytes, a buffer of {}", length, buffer_size));
  } else {
    const std::uint64_t begin = validate.begin.value_or(0), end = validate.end.value_or(buffer_size);
    if (begin > end || end > buffer_size) {
      return mismatch(formatted("the range {}..{} is not inside the buffer of {} bytes", begin, end, buffer_size));
    }
    range.buffer_begin = begin;
    range.size = end - begin;
    if (length >= end)
      range.golden_begin += begin;
    else if (length != end - begin)
      return mismatch(formatted("golden data of {} bytes for the range {}..{}", length, begin, end));
  }
  if (validate.type) {
    const std::uint32_t element = tensor::size_of(*validate.type);
    if (range.size % element != 0 || range.buffer_begin % element != 0) {
      return mismatch(formatted("{} bytes from {} are not whole elements of type {}", range.size, range.buffer_begin,
                                tensor::name_of(*validate.type)));
    }
  }
  return range;
}

ValidationResult compare_golden(const Validate& validate, std::string_view buffer, Bytes data, Bytes golden,
                                const GoldenRange& range) {
  constexpr std::size_t kShown = 10;
  ValidationResult result{.buffer = std::string(buffer)};
  const Bytes got = data.subspan(range.buffer_begin, range.size);
  const Bytes expected = golden.subspan(range.golden_begin, range.size);
  if (std::ranges::equal(got, expected)) return result;
  const tensor::ElementType type = validate.type.value_or(tensor::ElementType::U8);
  const std::uint32_t element = tensor::size_of(type);
  const bool exact = !tensor::is_float(type) && validate.atol == 0 && validate.rtol == 0;
  for (std::uint64_t at = 0; at < range.size; at += element) {
    const bool same = std::ranges::equal(got.subspan(at, element), expected.subspan(at, element));
    if (same || (!exact && close(tensor::double_of(type, &got[at]), tensor::double_of(type, &expected[at]), validate)))
      continue;
    const std::uint64_t index = (range.buffer_begin + at) / element;
    if (result.mismatches++ == 0) result.first = index;
    if (result.examples.size() < kShown) {
      result.examples.push_back(formatted("gold[{}] = {} does not match bo value in bo {}", index,
                                          tensor::text_of(type, &expected[at]), tensor::text_of(type, &got[at])));
    }
  }
  return result;
}

}  // namespace slipway::recipe
