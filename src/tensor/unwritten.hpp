// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the elements of an output that a run does not write.
//
// Before a run the memory is filled with a pattern. What holds the pattern after it was not written, or got the same
// bytes by chance. A second run decides: its pattern differs from the first one in every bit, and it is put only where
// the first one was found.
//
//   UnwrittenElements unwritten(bytes.size(), 4, seed);
//   do {
//     unwritten.fill(bytes);
//     run();
//     unwritten.check(bytes);
//   } while (!unwritten.is_decided());
//   for (const ByteRange range : unwritten.ranges()) ...
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace slipway::tensor {

// Bytes [begin, end).
struct ByteRange {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t size() const { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

class UnwrittenElements {
 public:
  // `element`: bytes that are always written together; 1 if that is not known. All may be unwritten until `check`.
  UnwrittenElements(std::uint64_t size, std::uint64_t element, std::uint64_t seed);

  // Puts the pattern of the next run where bytes may be unwritten, which initially is everywhere.
  void fill(MutableBytes bytes) const;
  // After the run: what does not hold the pattern was written.
  void check(Bytes bytes);

  // In order, whole elements, with written bytes between them.
  std::span<const ByteRange> ranges() const { return ranges_; }
  // Whether no byte is left, or enough runs have shown the same. Work that does not give the same results in each run
  // may need up to four.
  bool is_decided() const;
  // For work that cannot run again: forgets what may be chance, which is fewer than 8 bytes in a row.
  void drop_undecided();

  std::uint64_t size() const { return size_; }
  std::uint64_t element() const { return element_; }

 private:
  std::uint64_t pattern(std::uint64_t word) const;
  void check(Bytes bytes, ByteRange range, std::vector<ByteRange>& found) const;

  std::uint64_t size_, element_, seed_;
  std::uint64_t granule_;  // 1, 2, 4 or 8 bytes that are compared at once
  std::uint64_t runs_ = 0;
  std::vector<ByteRange> ranges_;
};

// `output 'y' was not written: 3 of 12 elements, from element 4 (byte 16) on, hold what was in the memory before the
// run`, with backticks. At least one element must be unwritten.
std::string unwritten_text(std::string_view name, const UnwrittenElements& unwritten);

}  // namespace slipway::tensor
