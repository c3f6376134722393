// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and plans any text as a recipe, without the files that it names.
#include <cstdint>

#include "base/print_diagnostic.hpp"
#include "recipe/plan/load.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  auto document = recipe::read_document(
      make_source("fuzz.json", std::string(reinterpret_cast<const char*>(data), size)), {}, diagnostics);
  if (!document) return 0;
  const auto recipe = recipe::read_recipe(document, {}, diagnostics);
  // In memory: must not touch the disk.
  const auto artifacts = recipe::Artifacts::in_memory(std::make_shared<recipe::ArtifactMap>());
  if (recipe) {
    if (const auto plan = recipe::plan_recipe(*recipe, artifacts, {}, diagnostics)) recipe::print_plan(*plan);
  }
  format_diagnostics(diagnostics.all(), {.max_errors = 20});
  return 0;
}
