// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison of two arrays within a tolerance, and its report (docs/spec/scenario.md#expectations).
//
// An element passes if the values are equal (+0 = -0, same infinities), or |got - expected| <= abs + rel * |expected|,
// or their distance in representable values is at most ulp. Differences of integers are exact.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "tensor/element_type.hpp"
#include "tensor/shape.hpp"

namespace slipway::tensor {

enum class NanPolicy : std::uint8_t {
  Equal,   // NaN matches NaN only
  Fail,    // any NaN is a mismatch
  Ignore,  // positions where NaN is expected are skipped
};

struct Tolerance {
  double abs = 0;
  double rel = 0;
  std::uint64_t ulp = 0;
  NanPolicy nan = NanPolicy::Equal;
  std::uint64_t max_mismatches = 0;
  std::uint64_t show = 10;  // mismatches that are kept as examples
};

struct Difference {
  double abs = 0;         // NaN if one of the values is NaN
  double rel = 0;         // abs / |expected|; infinite if that is 0 and abs is not
  std::uint64_t ulp = 0;  // for integers the exact difference
};

struct Mismatch {
  Shape coordinates;
  std::string got;
  std::string expected;
  Difference difference;
};

struct Comparison {
  ElementType type = ElementType::U8;
  std::uint64_t count = 0;    // elements
  std::uint64_t skipped = 0;  // of them, by NanPolicy::Ignore
  std::uint64_t mismatches = 0;
  Difference max;  // over all elements, also those that pass; without NaN
  std::vector<Mismatch> examples;
  bool passed = true;  // mismatches <= max_mismatches
};

// `got` and `expected` hold the elements of `shape` in row-major order; neither needs alignment.
Comparison compare(ElementType type, Bytes got, Bytes expected, ShapeView shape, const Tolerance& tolerance = {});

// One line with the verdict, and one line for each example. Each ends with a line break.
//
//   expect 'out' : FAILED 37 of 4096 elements differ (max abs 0.5, max rel 1.2e-3, max ulp 91)
//     [0, 3, 17, 2] got 1.25 expected 0.75 (abs 0.5, rel 0.667, ulp 4194304)
//   expect 'out2': ok (1024 elements, max abs 0)
//
// `uid_width` is the length of the longest uid of the list; it aligns the colons.
std::string comparison_text(std::string_view uid, const Comparison& comparison, std::size_t uid_width = 0);

struct LeftOutOutput {
  std::string output;  // its name
  std::string reason;  // why it could not be compared
};

// How many outputs of a run were compared with what they should be, and why others could not be.
struct ComparedOutputs {
  std::size_t compared = 0;
  std::size_t total = 0;
  // Those that were to be compared and could not be. An output that no expectation names is not one of them.
  std::vector<LeftOutOutput> left_out = {};

  bool is_partial() const { return !left_out.empty(); }
};

// `2 of 3 outputs`
std::string compared_text(const ComparedOutputs& outputs);

// What is_partial() means for the verdict: an error of kind partly-compared with a note for each output that was left
// out. A note instead if the user accepts it.
Diagnostic partly_compared(const ComparedOutputs& outputs, bool is_accepted, SourceLocation location);

// Whether an incomplete comparison is all that is wrong.
bool is_only_partly_compared(std::span<const Diagnostic> diagnostics);

}  // namespace slipway::tensor
