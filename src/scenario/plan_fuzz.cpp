// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planning must handle any scenario: whatever reading accepts is planned, and small contents are written.
#include <cstdint>

#include "base/print_diagnostic.hpp"
#include "launch/plan/explain.hpp"
#include "scenario/check.hpp"
#include "scenario/contents/contents.hpp"
#include "scenario/plan.hpp"
#include "scenario/read.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  constexpr std::uint64_t kSmall = 1 << 16;  // bytes
  Diagnostics diagnostics;
  const auto source = make_source("fuzz.json", std::string(reinterpret_cast<const char*>(data), size));
  auto scenario = scenario::read_scenario(source, "/nowhere", {}, diagnostics);
  if (!scenario) return 0;
  scenario->confine = true;
  scenario::check_scenario(*scenario, {}, diagnostics);
  const auto plan = scenario::plan_scenario(*scenario, {}, diagnostics);
  format_diagnostics(diagnostics.all(), {.max_errors = 20});
  if (!plan) return 0;
  launch::print_plan(*plan);
  for (const launch::Resource& resource : plan->resources) {
    for (const launch::Contents& contents : resource.initial) {
      if (contents.size <= kSmall && !scenario::read_contents(contents)) __builtin_trap();
    }
  }
  for (const launch::Expectation& expectation : plan->expectations) {
    const auto* contents = std::get_if<launch::Contents>(&expectation.expected);
    if (contents && contents->size <= kSmall && !scenario::read_contents(*contents)) __builtin_trap();
  }
  return 0;
}
