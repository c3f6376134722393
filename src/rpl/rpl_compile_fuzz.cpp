// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole compiler: any text parses, resolves and emits without a fault, and what is emitted is valid. The first byte
// chooses pipeline, target and form.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/print_diagnostic.hpp"
#include "rpl/emit/emit_spirv.hpp"
#include "rpl/resolve.hpp"
#include "spirv/tools.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  using namespace slipway::rpl;
  if (size == 0) return 0;
  const unsigned choice = data[0];
  Diagnostics diagnostics;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  const Program program = parse(make_source("fuzz.rpl", text), diagnostics);
  if (!program.valid) return 0;

  const bool compute = (choice & 1) != 0;
  std::vector<EntryPointName> entries = {{Stage::Compute, "compute_main"}};
  if (!compute) entries = {{Stage::Vertex, "vertex_main"}, {Stage::Fragment, "fragment_main"}};
  const PipelineKind pipeline = compute ? PipelineKind::Compute : PipelineKind::Graphics;
  const auto resolved = resolve(program, {}, entries, {.pipeline = pipeline, .check_unused = true}, diagnostics);
  if (!resolved) return 0;

  const auto target = static_cast<Target>(choice / 2 % 4);
  const spirv::Environment environments[] = {spirv::Environment::Vulkan11, spirv::Environment::Vulkan12,
                                             spirv::Environment::Vulkan13, spirv::Environment::Vulkan14};
  for (const SpirvModule& module : emit_spirv(*resolved, {.target = target,
                                                          .split_stages = (choice & 8) != 0,
                                                          .strip = (choice & 16) != 0,
                                                          .debug_lines = (choice & 32) != 0})) {
    constexpr std::size_t kMaxWords = 1 << 16;  // the validator is slow
    if (module.words.size() > kMaxWords) continue;
    const Result<> valid = spirv::validate(module.words, "fuzz.spv", environments[static_cast<std::size_t>(target)],
                                           spirv::BlockLayout::Standard);
    if (!valid) {
      std::fputs(format_diagnostics(valid.error()).c_str(), stderr);
      std::abort();
    }
  }
  return 0;
}
