// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a conformance run: what computes TOSA graphs - a driver, a layer, kernels on a device, an engine - is
// compared with the interpreter, by TOSA's rules (docs/conformance.md). A row is a set of cases that stand or fall for
// one thing: an operator with its types, or graphs of one kind.
//
//   for (const std::string& name : row_names(Extent::Sample)) {
//     Result<RowOutcome> outcome = run_row({.name = name}, device);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/item_progress.hpp"
#include "model/standalone/graph_device.hpp"

namespace slipway::conformance {

// Sample: a few cases of each row, chosen evenly. Whole: all of them.
enum class Extent : std::uint8_t { Sample, Whole };

struct RowRequest {
  std::string name;  // of row_names
  Extent extent = Extent::Sample;
  std::uint64_t seed = 1;  // the first seed of random cases
  // Whether cases of one operator are computed as one graph, which saves time. A driver's own graphs are not.
  bool together = true;
};

// The first case that failed, as small as it could be made.
struct FailedCase {
  std::string name, why;
  std::string graph;                      // as text (tosa/text.hpp)
  std::vector<reference::Tensor> inputs;  // of the graph
};

struct RowOutcome {
  std::uint64_t passed = 0, failed = 0, unsupported = 0;
  std::map<std::string, std::uint64_t> lacks;  // what the device lacks: how many cases need it
  double of_bound = 0;                         // the largest error of a case that passed, in units of its bound
  std::string nearest;                         // that case
  std::optional<FailedCase> first;
};

// In the order of suites: `tosa/CONV2D/i8 i8 i32`.
std::vector<std::string> row_names(Extent extent);

// The suites, with what they test.
struct Suite {
  std::string_view name, what;
};
std::span<const Suite> suites();

// Errors: unknown-reference, for a name that no row has; those of a device that is lost or does not answer.
Result<RowOutcome> run_row(const RowRequest& request, model::GraphDevice& device, const ItemProgress& progress = {});

}  // namespace slipway::conformance
