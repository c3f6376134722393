// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of a run: which files it runs, in which order, and which of them a shard has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/lab/results/result.hpp"
#include "cli/lab/supervisor.hpp"

namespace slipway::cli {

// The cases that arguments name: a file; a directory, for each file below it that runs; `@FILE`, for each line of FILE,
// which is one of these. Formats are not detected yet, except below directories.
std::vector<LabCase> list_cases(const std::vector<std::string>& arguments, Diagnostics& diagnostics);

// Sets the format of a case, or why it cannot run.
void detect_format(LabCase& lab_case);

// I/N, with I from 1 to N.
struct Shard {
  std::uint32_t index = 1, count = 1;
};
std::optional<Shard> shard_from_text(std::string_view text);

// The cases of a shard, in order. Each case is in one shard of N, and the same one whenever the list is the same: every
// Nth case, or, with times of earlier results, so that the sums of the times are nearly equal. A case without an
// earlier time counts as the median.
std::vector<LabCase> cases_of_shard(std::vector<LabCase> cases, const Shard& shard, std::span<const CaseResult> times);

std::string key_of(const LabCase& lab_case);

}  // namespace slipway::cli
