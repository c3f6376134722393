// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The metrics of kernels, and the differences between two texts, as values (docs/spec/zeinfo.md#arguments-and-sizes,
// docs/spec/zeinfo.md#commands).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zeinfo/model.hpp"
#include "zeinfo/target.hpp"

namespace slipway::zeinfo {

struct KernelSummary {
  std::string_view name;
  std::int32_t simd = 0;
  std::int32_t grf = 0;
  std::optional<int> threads_per_eu;
  std::optional<std::uint64_t> code_bytes;           // from the container
  std::optional<std::uint64_t> instructions, sends;  // if they were counted
  std::shared_ptr<const std::string> isa;            // their text
  std::uint64_t spill_bytes = 0;                     // per hardware thread
  double spill_registers_per_lane = 0;               // 32-bit registers: bytes / (4 * simd)
  std::uint64_t scratch_bytes = 0;                   // as allocated: each buffer rounded up to a power of two
  std::uint64_t private_bytes = 0;                   // per hardware thread
  std::uint64_t slm_bytes = 0;
  std::int32_t barriers = 0;
  std::uint64_t cross_thread_bytes = 0;
  std::uint64_t inline_bytes = 0;
  std::uint64_t per_thread_bytes = 0;
};
// The pseudo-kernel has a summary too; callers that count kernels must skip it (is_pseudo_kernel).
KernelSummary summarize(const Kernel& kernel, Version version, const Target& target);

// One field of one kernel (or of the whole text) that differs. The values are numbers if both sides are numbers.
struct Change {
  std::string_view
      field;  // simd, grf, threads, occupancy, spill, scratch, private, slm, barriers, code, instructions,
              // sends, cross_thread, inline, per_thread, args, flags, attributes, added, removed, target, version
  std::string from, to;  // as printed; "" where one side has nothing
  std::optional<double> before, after;
  bool operator==(const Change&) const = default;
};

struct KernelChanges {
  std::string name;
  std::vector<Change> changes;
};

struct Comparison {
  std::vector<Change> whole;           // target, version
  std::vector<KernelChanges> kernels;  // by name, in the order of A, then those that only B has
  bool equal() const { return whole.empty() && kernels.empty(); }
};

struct Side {
  const Document* document;
  const Target* target;
};
Comparison compare(Side a, Side b);

struct CompareOptions {
  // The work-group size for `occupancy`, of kernels that require none. Without one their occupancy is not compared.
  std::optional<std::array<std::uint32_t, 3>> local_size;
};

// A number of a kernel; empty if it is not known.
struct Metric {
  std::string_view field;
  std::optional<std::uint64_t> value;
};
// In the order of `diff_fields`, the same fields for every kernel.
std::vector<Metric> metrics_of(const Kernel& kernel, Side side, const CompareOptions& options = {});
// The fields that differ. Metrics that only one side knows are left out.
std::vector<Change> compare_kernels(const Kernel& a, Side of_a, const Kernel& b, Side of_b,
                                    const CompareOptions& options = {});

// Whether a change is for the better: fewer bytes, instructions and spills, more threads and work groups. Other fields
// have no direction.
enum class Direction : std::uint8_t { None, Better, Worse };
Direction direction_of(const Change& change);

// Every field that `diff` knows.
std::span<const std::string_view> diff_fields();

// --fail-on FIELD[+N|+N%].
struct Threshold {
  std::string field;
  double more = 0;
  bool percent = false;
};
std::optional<Threshold> parse_threshold(std::string_view text);
// Whether a change is worse than the threshold allows: larger is worse, smaller for `threads` and `occupancy`; any
// change for fields that have no order (simd, grf, args, removed...).
bool exceeds(const Change& change, const Threshold& threshold);

}  // namespace slipway::zeinfo
