// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and checks any text as a profile. A valid profile must not write outside its buffers.
#include <cstdint>

#include "base/print_diagnostic.hpp"
#include "recipe/plan/load.hpp"
#include "recipe/profile/data.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  auto document = recipe::read_document(
      make_source("fuzz.json", std::string(reinterpret_cast<const char*>(data), size)), {}, diagnostics);
  if (!document) return 0;
  const auto profile = recipe::read_profile(document, {}, diagnostics);
  const auto artifacts = recipe::Artifacts::in_memory(
      std::make_shared<recipe::ArtifactMap>(recipe::ArtifactMap{{"data.bin", std::vector<char>(100, 'x')}}));
  if (profile) recipe::check_profile(*profile, nullptr, &artifacts, diagnostics);
  format_diagnostics(diagnostics.all(), {.max_errors = 20});
  if (!profile || diagnostics.has_errors()) return 0;
  for (const recipe::Binding& binding : profile->bindings) {
    if (!binding.init) continue;
    const auto file = binding.init->form == recipe::Init::Form::File ? artifacts.open_data(binding.init->file)
                                                                     : Result<recipe::Artifact>(recipe::Artifact{});
    const std::uint64_t bytes = binding.size != 0 ? binding.size : file->bytes.size() - binding.init->skip;
    if (bytes > 65536) continue;
    std::vector<std::byte> buffer(bytes);
    recipe::initialize(*binding.init, {.file = file->bytes, .buffer = binding.name, .iteration = 3}, buffer);
  }
  return 0;
}
