// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and checking must handle any text.
#include <cstdint>

#include "base/print_diagnostic.hpp"
#include "scenario/check.hpp"
#include "scenario/portable.hpp"
#include "scenario/read.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  const auto source = make_source("fuzz.json", std::string(reinterpret_cast<const char*>(data), size));
  const auto scenario = scenario::read_scenario(source, "/", {}, diagnostics);
  if (scenario) {
    scenario::check_scenario(*scenario, {.checking = true}, diagnostics);
    scenario::check_portable(*scenario, diagnostics);
  }
  format_diagnostics(diagnostics.all(), {.max_errors = 20});
  return 0;
}
