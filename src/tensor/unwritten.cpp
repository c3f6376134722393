// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/unwritten.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "tensor/random.hpp"

namespace slipway::tensor {
namespace {

constexpr std::uint64_t kPatternWord = 8;  // bytes

// Words with the lowest and with the highest bit of each element of `bytes` bytes.
constexpr std::uint64_t low_bits(std::uint64_t bytes) {
  return bytes == 8 ? 1 : bytes == 4 ? 0x0000000100000001 : bytes == 2 ? 0x0001000100010001 : 0x0101010101010101;
}

constexpr bool has_zero(std::uint64_t word, std::uint64_t bytes) {
  const std::uint64_t low = low_bits(bytes);
  return ((word - low) & ~word & (low << (8 * bytes - 1))) != 0;
}

void add_range(std::vector<ByteRange>& ranges, ByteRange range) {
  if (!ranges.empty() && ranges.back().end == range.begin)
    ranges.back().end = range.end;
  else
    ranges.push_back(range);
}

}  // namespace

UnwrittenElements::UnwrittenElements(std::uint64_t size, std::uint64_t element, std::uint64_t seed)
    : size_(size),
      element_(std::max<std::uint64_t>(element, 1)),
      seed_(seed),
      granule_(std::gcd(element_, kPatternWord)) {
  if (size > 0) ranges_.push_back({0, size});
}

// Odd runs have the complement of the run before. Bytes of the first run are neither 0 nor 1, which many results are.
std::uint64_t UnwrittenElements::pattern(std::uint64_t word) const {
  const std::uint64_t bits = draw(seed_ + runs_ / 2, word) | 0x0202020202020202;
  return runs_ % 2 == 0 ? bits : ~bits;
}

void UnwrittenElements::fill(MutableBytes bytes) const {
  for (const ByteRange range : ranges_) {
    for (std::uint64_t at = range.begin; at < range.end;) {
      const std::uint64_t word = pattern(at / kPatternWord), offset = at % kPatternWord;
      const std::uint64_t count = std::min(kPatternWord - offset, range.end - at);
      std::memcpy(bytes.data() + at, reinterpret_cast<const std::byte*>(&word) + offset, count);
      at += count;
    }
  }
}

void UnwrittenElements::check(Bytes bytes) {
  std::vector<ByteRange> found;
  for (const ByteRange range : ranges_) check(bytes, range, found);
  ranges_ = std::move(found);
  ++runs_;
}

void UnwrittenElements::check(Bytes bytes, ByteRange range, std::vector<ByteRange>& found) const {
  for (std::uint64_t at = range.begin; at < range.end;) {
    const std::uint64_t end = std::min(range.end, round_up(at + 1, kPatternWord));
    const std::uint64_t word = pattern(at / kPatternWord);
    if (end - at == kPatternWord) {
      if (!has_zero(load<std::uint64_t>(bytes.data() + at) ^ word, granule_)) {
        at = end;
        continue;
      }
    }
    while (at < end) {
      const std::uint64_t next = std::min(at + granule_, end);
      if (std::memcmp(bytes.data() + at, reinterpret_cast<const std::byte*>(&word) + at % kPatternWord, next - at) == 0)
        add_range(found, {at, next});
      at = next;
    }
  }
}

bool UnwrittenElements::is_decided() const {
  constexpr std::uint64_t kEvidence = 4;  // bytes of patterns
  return ranges_.empty() || (runs_ >= 2 && std::ranges::all_of(ranges_, [&](const ByteRange& range) {
                               return range.size() * runs_ >= kEvidence;
                             }));
}

void UnwrittenElements::drop_undecided() {
  std::erase_if(ranges_, [&](const ByteRange& range) { return range.size() * runs_ < kPatternWord; });
}

std::string unwritten_text(std::string_view name, const UnwrittenElements& unwritten) {
  std::uint64_t bytes = 0;
  for (const ByteRange range : unwritten.ranges()) bytes += range.size();
  const std::uint64_t element = unwritten.element(), first = unwritten.ranges().front().begin;
  // An element that is written in part counts.
  const std::uint64_t count = divide_up(bytes, element), all = divide_up(unwritten.size(), element);
  const std::string_view unit = element == 1 ? "byte" : "element";
  std::string which = count == all ? formatted("all {} {}s", all, unit)
                                   : formatted("{} of {} {}s, from {} {} on,", count, all, unit, unit, first / element);
  if (count != all && element != 1) which.insert(which.size() - 4, formatted(" (byte {})", first));
  return formatted("output `{}` was not written: {} hold what was in the memory before the run", name, which);
}

}  // namespace slipway::tensor
