// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Validation suites of NPUs: recipes with profiles, from an `ar` archive or a directory, and the figures that their
// executions give (docs/npu.md#validation-archives).
//
//   Result<ValidationSuite> suite = read_suite("xrt_smi_strx.a");
//   for (const ValidationTest& test : suite->tests) ValidationOutcome outcome = run_test(*suite, test, options);
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/artifacts.hpp"
#include "recipe/session.hpp"

namespace slipway::recipe {

struct ValidationTest {
  std::string name;  // of the files `recipe_NAME.json` and `profile_NAME.json`
  SourcePtr recipe;
  SourcePtr profile;  // null: none
};

struct ValidationSuite {
  std::vector<ValidationTest> tests;  // by name
  Artifacts artifacts;
};

// A directory, or a file that is an archive. Errors: file-not-found, file-format, and file-unreadable.
Result<ValidationSuite> read_suite(const std::string& path);

// One figure of a test.
struct Figure {
  std::string_view name;  // of kFigures
  double value = 0;
};
// What figures mean; a larger value is better, or a smaller one.
struct FigureKind {
  std::string_view name, unit;
  bool larger_is_better;
};
inline constexpr FigureKind kFigures[] = {
    {"elapsed", "us", false},         {"latency", "us", false},  // elapsed time / iterations
    {"throughput", "op/s", true},                                // iterations / seconds
    {"bandwidth", "GiB/s", true},      // 2 x the largest buffer x iterations / seconds: it is read and written
    {"reconfiguration", "us", false},  // (elapsed - elapsed of the same test without work) / iterations
    {"sharing", "us", false},          // (elapsed of two at a time - 2 x elapsed of one) / iterations
    {"rate", "TOPS", true},            // of a matrix product: operations x clock / cycles, of all cores
};
const FigureKind& figure_kind(std::string_view name);

struct ValidationOutcome {
  std::string name;
  std::uint64_t iterations = 0;
  std::vector<Figure> figures;  // empty after an error
  Failure diagnostics;

  std::optional<double> figure(std::string_view named) const;
};

struct ValidationOptions {
  // The options of a session, without recipe, profile and artifacts, and those of its runner.
  SessionOptions session;
  std::function<OpenOptions()> open;
  double clock_mhz = 0;             // of the cores; 0: no rate of matrix products
  double core_operations = 196608;  // of a core in a test of matrix products
};

// Which figures a test has depends on its name (docs/npu.md#validation-archives).
ValidationOutcome run_test(const ValidationSuite& suite, const ValidationTest& test, const ValidationOptions& options);

// operations x clock / cycles of each core, summed, in 10^12 operations per second. A core has the count of its cycles
// in the first word of each 128 bytes. Errors: out-of-range for a count of 0, and for fewer bytes.
Result<double> matrix_rate(Bytes cycles, double clock_mhz, double core_operations);

}  // namespace slipway::recipe
