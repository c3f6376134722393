// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expectations files: which cases are known to fail, and where. Each line has a verdict, a pattern of files,
// conditions, and a reason:
//
//   fail   conv/*.json                                  # wrong rounding
//   crash  big.json       device="llvmpipe*"
//   hang   loop.json      driver="*26.1*"
//   flaky  timing.json                                  # runs again, up to three times
//   skip   huge/*
//   unsupported  f16/*                                  # the device has no 16-bit floats
//
// The first line that applies to a case counts. A file with lines `unsupported` lists all that the device cannot run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/lab/results/result.hpp"

namespace slipway::cli {

enum class Expected : std::uint8_t { Fail, Crash, Hang, Flaky, Skip, Unsupported };
std::string_view name_of(Expected expected);

// How often a flaky case runs again.
inline constexpr std::uint32_t kFlakyRetries = 3;

struct CaseExpectation {
  Expected expected = Expected::Fail;
  std::string pattern;                        // `*` and `?` match any characters, `/` too
  std::optional<std::string> device, driver;  // patterns
  std::string reason;
  SourceLocation location;
  std::uint32_t line = 1;
};

// Whether a text matches a pattern of `*` and `?`.
bool matches_pattern(std::string_view pattern, std::string_view text);

class Expectations {
 public:
  static std::optional<Expectations> read(const std::string& path, Diagnostics& diagnostics);
  static std::optional<Expectations> parse(SourcePtr source, Diagnostics& diagnostics);

  // The first one for a file on a device, or null. A pattern matches the whole name of a file, or its end after a `/`.
  const CaseExpectation* find(std::string_view file, const DeviceIdentity& device) const;
  // A diagnostic for a case that the device cannot run, if the file lists such cases and not this one. The result is
  // not ok then.
  std::optional<Diagnostic> unlisted(CaseResult& result) const;
  std::span<const CaseExpectation> all() const { return all_; }
  const SourcePtr& source() const { return source_; }

 private:
  SourcePtr source_;
  std::vector<CaseExpectation> all_;
};

// Whether a verdict is the one that is expected.
bool is_expected(Expected expected, CaseVerdict verdict);

// Adds to a result what is expected of it. Returns a diagnostic if the verdict is another one.
std::optional<Diagnostic> apply_expectation(const CaseExpectation& expectation, CaseResult& result);

// The text of an expectations file after the results of a run: cases that fail unexpectedly are added, those that pass
// are removed, and verdicts that changed are changed. Other lines, comments among them, stay. `changes` has a line for
// people for each change. With `for_device` a new line has the device of its case as a condition.
std::string update_expectations(const Expectations& expectations, std::span<const CaseResult> results, bool for_device,
                                std::vector<std::string>& changes);

}  // namespace slipway::cli
