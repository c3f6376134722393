// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and checks any text as a capture, without the files that it names.
#include <cstdint>

#include "base/print_diagnostic.hpp"
#include "recipe/replay/replay.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  auto document = recipe::read_document(
      make_source("fuzz.json", std::string(reinterpret_cast<const char*>(data), size)), {}, diagnostics);
  if (!document) return 0;
  const auto replay = recipe::read_replay(std::move(document), {}, diagnostics);
  if (replay) recipe::check_replay(*replay, nullptr, diagnostics);
  format_diagnostics(diagnostics.all(), {.max_errors = 20});
  return 0;
}
