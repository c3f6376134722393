// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The differences between all kernels of two builds, which may have many zebins for many devices
// (docs/spec/zeinfo.md#diff).
//
//   const BuildDiff diff = compare_builds(old_zebins, new_zebins);
//   if (diff.count(KernelVerdict::Worse) > 0) ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zeinfo/kernel/compare.hpp"
#include "zeinfo/zebin/input.hpp"

namespace slipway::zebin {

// A zebin or a text of a build.
struct BuildInput {
  std::string path;  // of its file, relative to the directory of the build; empty for a build of one file
  Input input;
};

// In the order in which people look at them.
enum class KernelVerdict : std::uint8_t {
  Worse,      // a field is worse and none is better
  Mixed,      // fields are better and worse
  Different,  // only fields without a direction
  Better,
  Added,
  Removed,
};
inline constexpr std::array<std::string_view, 6> kKernelVerdictNames = {"worse",  "mixed", "different",
                                                                        "better", "added", "removed"};
std::string_view name_of(KernelVerdict verdict);

struct KernelDiff {
  std::string path, device, name;  // the path and the device of the first build, or of the second if it was added
  KernelVerdict verdict = KernelVerdict::Different;
  std::vector<zeinfo::Change> changes;
};

// A metric over all kernels that both builds have and for which both know it.
struct MetricTotal {
  std::string_view field;
  double before = 0, after = 0;         // sums
  std::size_t better = 0, worse = 0;    // kernels; 0 for metrics without a direction
  std::size_t smaller = 0, larger = 0;  // kernels
  std::optional<double> ratio;          // the geometric mean of after / before, of kernels where neither is 0
};

struct BuildDiff {
  std::vector<zeinfo::Change> whole;  // target, version
  std::vector<KernelDiff> kernels;    // that differ, by verdict, then in the order of the builds
  std::vector<MetricTotal> totals;    // of metrics that differ in a kernel
  std::size_t files = 0;              // with different paths, of both builds
  std::size_t compared = 0;           // kernels that both builds have
  std::size_t equal_kernels = 0;
  bool has_places = false;  // a side has several zebins or is a directory, so a name alone names no kernel

  bool equal() const { return whole.empty() && kernels.empty(); }
  std::size_t count(KernelVerdict verdict) const;
};

struct BuildDiffOptions {
  zeinfo::CompareOptions compare;
  std::string kernel;                // compare only kernels of this name; all if empty
  std::vector<std::string> ignored;  // fields
};

// Kernels are matched by path, device and name; those that are left by device and name, if both sides have one. If each
// side has one zebin, the name alone decides. Equal names in one zebin, or in several of one file, are matched in
// order.
BuildDiff compare_builds(std::span<const BuildInput> a, std::span<const BuildInput> b,
                         const BuildDiffOptions& options = {});

}  // namespace slipway::zebin
