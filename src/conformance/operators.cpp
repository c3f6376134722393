// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite `tosa`. A row is `OPERATOR/TYPES` of the matrix, or of an operator: `codes`, `statistics`, `random`.
#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "conformance/case_runner.hpp"
#include "conformance/suites.hpp"
#include "tosa_cases/codes.hpp"
#include "tosa_cases/dot_data.hpp"
#include "tosa_cases/matrix/matrix.hpp"
#include "tosa_cases/random_case.hpp"

namespace slipway::conformance {
namespace {

using tosa_cases::OperatorCase;
using tosa_cases::Pattern;

constexpr std::string_view kCodesRow = "codes", kStatisticsRow = "statistics", kRandomRow = "random";
constexpr std::size_t kSampleOfMatrix = 4, kSampleOfCodes = 6, kSampleOfSets = 2, kSampleOfRandom = 4,
                      kRandomCases = 200;

std::string_view op_of(std::string_view name) { return name.substr(0, name.find('/')); }

bool has_random_cases(const tosa::OperatorInfo& info) { return info.set != tosa::InstructionSet::BlockScaled; }

struct MatrixCase {
  std::size_t configuration;
  Pattern pattern;
};
std::vector<MatrixCase> matrix_cases(std::string_view label) {
  std::vector<MatrixCase> cases;
  const auto& matrix = tosa_cases::matrix();
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (matrix[i].label != label) continue;
    for (const Pattern pattern : tosa_cases::kPatterns) {
      if (matrix[i].has_edges || pattern != Pattern::Random2) cases.push_back({i, pattern});
    }
  }
  return cases;
}

Result<> run_matrix(std::string_view label, bool whole, CaseRunner& runner, const ItemProgress& progress) {
  const std::vector<MatrixCase> cases = matrix_cases(label);
  // The sample is of configurations that TOSA allows, with another pattern for each.
  const std::size_t step = whole ? 1 : std::max<std::size_t>(cases.size() / kSampleOfMatrix, 1);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < cases.size() && (whole || taken < kSampleOfMatrix); i += step) {
    if (progress) progress(i, cases.size());
    std::optional<OperatorCase> made;
    for (std::size_t at = i + (whole ? 0 : taken); !made && at < std::min(cases.size(), i + step + taken); ++at) {
      Diagnostics refused;
      made = tosa_cases::case_of(cases[at].configuration, cases[at].pattern, refused);
    }
    if (!made) continue;
    ++taken;
    SLIPWAY_TRY_VOID(runner.add(std::move(*made)));
  }
  return {};
}

Result<> run_codes(std::string_view name, bool whole, CaseRunner& runner) {
  std::vector<OperatorCase> cases;
  const tosa::Op op = *tosa::op_from_name(name);
  tosa_cases::for_each_code_case(
      whole ? tosa_cases::Codes::All : tosa_cases::Codes::Quick,
      [&](OperatorCase made) { cases.push_back(std::move(made)); }, [op](tosa::Op one) { return one == op; });
  const std::size_t step = whole ? 1 : std::max<std::size_t>(cases.size() / kSampleOfCodes, 1);
  for (std::size_t i = 0; i < cases.size(); i += step) SLIPWAY_TRY_VOID(runner.add(std::move(cases[i])));
  return {};
}

Result<> run_statistics(std::string_view op, bool whole, CaseRunner& runner, const ItemProgress& progress) {
  std::vector<tosa_cases::DotSetup> setups = tosa_cases::dot_setups();
  std::erase_if(setups, [&](const tosa_cases::DotSetup& setup) { return op_of(setup.name) != op; });
  const std::size_t step = whole ? 1 : std::max<std::size_t>(setups.size() / kSampleOfSets, 1);
  for (std::size_t i = 0; i < setups.size(); i += step) {
    if (progress) progress(i, setups.size());
    for (int set = 0; set < tosa_cases::kDotSets; ++set) {
      if (!whole && set != static_cast<int>(i) % tosa_cases::kDotSets) continue;
      SLIPWAY_TRY_VOID(runner.add(tosa_cases::dot_case(setups[i], set),
                                  [set](const OperatorCase& made, std::span<const reference::Tensor> results) {
                                    return tosa_cases::Judgement{.why = tosa_cases::dot_failure(made, set, results)};
                                  }));
    }
  }
  return {};
}

Result<> run_random(tosa::Op op, const RowRequest& request, CaseRunner& runner) {
  const std::size_t wanted = request.extent == Extent::Whole ? kRandomCases : kSampleOfRandom;
  constexpr std::uint64_t kTrials = 40;  // for each case; some seeds have none
  std::vector<std::pair<std::string, std::uint64_t>> seeds;
  for (std::uint64_t seed = request.seed; seeds.size() < wanted && seed < request.seed + kTrials * wanted; ++seed) {
    std::optional<OperatorCase> made = tosa_cases::random_case(op, seed);
    if (!made) continue;
    seeds.emplace_back(made->name, seed);
    SLIPWAY_TRY_VOID(runner.add(std::move(*made)));
  }
  SLIPWAY_TRY_VOID(runner.finish());
  std::optional<FailedCase>& first = runner.outcome().first;
  const auto seed = first ? std::ranges::find(seeds, first->name, [](const auto& s) { return s.first; }) : seeds.end();
  if (seed == seeds.end()) return {};
  // A case of its own may succeed where one among others fails.
  if (const auto made = tosa_cases::random_case(op, seed->second); made && runner.fails(*made)) {
    runner.describe(
        tosa_cases::shrink(op, seed->second, [&](const OperatorCase& smaller) { return runner.fails(smaller); }));
  }
  return {};
}

std::vector<std::string> all_rows() {
  std::vector<std::string> rows;
  std::set<std::string_view> labels;
  for (const auto& configuration : tosa_cases::matrix()) {
    if (labels.insert(configuration.label).second) rows.push_back(configuration.label);
  }
  std::set<std::string_view> with_statistics;
  const std::vector<tosa_cases::DotSetup> setups = tosa_cases::dot_setups();
  for (const tosa_cases::DotSetup& setup : setups) with_statistics.insert(op_of(setup.name));
  const std::set<tosa::Op> with_codes = tosa_cases::operators_with_codes();
  for (const tosa::OperatorInfo& info : tosa::operators()) {
    if (with_codes.contains(info.op)) rows.push_back(formatted("{}/{}", info.name, kCodesRow));
    if (with_statistics.contains(info.name)) rows.push_back(formatted("{}/{}", info.name, kStatisticsRow));
    if (has_random_cases(info)) rows.push_back(formatted("{}/{}", info.name, kRandomRow));
  }
  std::ranges::stable_sort(rows, {}, op_of);
  return rows;
}

}  // namespace

// The same for both; each row asks for them.
std::vector<std::string> operator_rows(Extent) {
  static const std::vector<std::string> rows = all_rows();
  return rows;
}

Result<> run_operator_row(SuiteRun& run) {
  SLIPWAY_TRY(model::GraphDevice* const device, run.target.graphs());
  CaseRunner runner(*device, run.request.together, run.outcome);
  const std::string_view op = op_of(run.row), what = run.row.substr(op.size() + 1);
  if (what == kCodesRow) {
    SLIPWAY_TRY_VOID(run_codes(op, run.whole(), runner));
  } else if (what == kStatisticsRow) {
    SLIPWAY_TRY_VOID(run_statistics(op, run.whole(), runner, run.progress));
  } else if (what == kRandomRow) {
    SLIPWAY_TRY_VOID(run_random(*tosa::op_from_name(op), run.request, runner));
  } else {
    SLIPWAY_TRY_VOID(run_matrix(run.row, run.whole(), runner, run.progress));
  }
  return runner.finish();
}

}  // namespace slipway::conformance
