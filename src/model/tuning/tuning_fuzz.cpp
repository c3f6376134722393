// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading a tuning table must survive any text, and a table that was read is written so that it reads back.
#include <cstdlib>

#include "base/print_diagnostic.hpp"
#include "model/tuning/tuning_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  const auto table =
      model::read_tuning(make_source("fuzz.json", std::string(reinterpret_cast<const char*>(data), size)), diagnostics);
  format_diagnostics(diagnostics.all(), {.max_errors = 20});
  if (!table) return 0;
  const auto again = model::read_tuning(make_source("again.json", model::write_tuning(*table)), diagnostics);
  if (!again || again->tuning() != table->tuning()) std::abort();
  return 0;
}
