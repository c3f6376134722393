// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a conformance run: what computes TOSA graphs - a driver, a layer, kernels on a device, an engine - is
// compared with the interpreter, by TOSA's rules; what runs shaders and Vulkan's calls is compared with results that
// are known (docs/conformance.md). A row is a set of cases that test one thing: an operator with its types, graphs of
// one kind, images of a format.
//
//   for (const std::string& name : row_names(Extent::Sample)) {
//     Result<RowOutcome> outcome = run_row({.name = name}, target);
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/item_progress.hpp"
#include "conformance/outcome.hpp"
#include "conformance/run_target.hpp"

namespace slipway::conformance {

// In the order of suites: `tosa/CONV2D/i8 i8 i32`.
std::vector<std::string> row_names(Extent extent);

// The suites, with what they test.
struct Suite {
  std::string_view name, what;
};
std::span<const Suite> suites();

// Errors: unknown-reference, for a name that no row has; those of a device that is lost or does not answer.
Result<RowOutcome> run_row(const RowRequest& request, RunTarget& target, const ItemProgress& progress = {});

}  // namespace slipway::conformance
