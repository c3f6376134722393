// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creates pipelines of random programs of the Render Pipeline Language, for Vulkan 1.1 and 1.3, from nothing but their
// metadata and validated code. SLIPWAY_RPL_PROGRAMS sets the number of programs (default 40), SLIPWAY_RPL_SEED the
// first seed; split large counts over processes.
#include <cstdlib>

#include "base/print_diagnostic.hpp"
#include "executors/vulkan/executor.hpp"
#include "rpl/compile.hpp"
#include "scenario/rpl/create_pipeline.hpp"
#include "spirv/tools.hpp"
#include "testing/gpu_fixture.hpp"
#include "testing/rpl_generator.hpp"
#include "vk/device_plan.hpp"

namespace slipway::scenario {
namespace {

using testing::text_of;

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Throws the diagnostics of the program.
rpl::Compiled compile(std::uint64_t seed, rpl::Target target) {
  const testing::RplProgramShape shape = testing::numbered_shape(seed);
  const testing::GeneratedRpl generated = testing::generate_rpl(seed, shape);
  Diagnostics diagnostics;
  const rpl::Program program = rpl::parse(make_source("generated.rpl", generated.text), diagnostics);
  rpl::Assignment assignment;
  for (std::size_t i = 0; i < generated.flags.size(); ++i) {
    rpl::set_option(program, generated.flags[i], (seed >> i & 1) != 0 ? "on" : "off", rpl::OptionFilter::Any,
                    SourceLocation::nowhere(), assignment, diagnostics);
  }
  rpl::CompileOptions options;
  options.spirv.target = target;
  options.spirv.split_stages = seed % 5 == 0;
  options.entry_points = {{rpl::Stage::Compute, "compute_main"}};
  options.resolve.pipeline = rpl::PipelineKind::Compute;
  if (!shape.compute) {
    options.entry_points = {{rpl::Stage::Vertex, "vertex_main"}, {rpl::Stage::Fragment, "fragment_main"}};
    options.resolve.pipeline = rpl::PipelineKind::Graphics;
  }
  auto made = program.valid ? rpl::Compiler().compile(program, assignment, options, diagnostics) : std::nullopt;
  if (!made) throw std::runtime_error(format_diagnostics(diagnostics.all()) + generated.text);
  return std::move(*made);
}

using GeneratedPipelines = testing::GpuTest;

TEST_F(GeneratedPipelines, AreCreatedWithoutMessages) {
  const std::uint64_t first = number_of("SLIPWAY_RPL_SEED", 1);
  const std::uint64_t count = number_of("SLIPWAY_RPL_PROGRAMS", 40);
  // One device with the features that any of the programs needs.
  vk::Needs needs{.graphics = true};
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    needs.features.merge(pipeline_needs(compile(seed, rpl::Target::Vulkan13).metadata).features);
  }
  std::size_t pipelines = 0, words = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    for (const rpl::Target target : {rpl::Target::Vulkan11, rpl::Target::Vulkan13}) {
      const rpl::Compiled compiled = compile(seed, target);
      std::vector<spirv::Words> modules;
      for (const rpl::SpirvModule& module : compiled.modules) {
        const auto environment =
            target == rpl::Target::Vulkan11 ? spirv::Environment::Vulkan11 : spirv::Environment::Vulkan13;
        const Result<> valid = spirv::validate(module.words, "module", environment, spirv::BlockLayout::Standard);
        ASSERT_TRUE(valid) << "seed " << seed << ", " << name_of(target) << "\n" << text_of(valid.error());
        words += module.words.size();
        modules.push_back(module.words);
      }
      launch::VulkanExecutor executor(device(needs));
      const Result<std::string> report = create_pipeline(executor, compiled.metadata, modules, "generated");
      ASSERT_TRUE(report) << "seed " << seed << ", " << name_of(target) << "\n" << text_of(report.error());
      // Inputs that a stage does not read are declared too: locations are those of all variants
      // (docs/spec/rpl.md#resolution-and-numbering).
      std::vector<std::string> messages = take_messages();
      std::erase_if(messages, [](const std::string& message) { return message.contains("OutputNotConsumed"); });
      ASSERT_TRUE(messages.empty()) << "seed " << seed << ", " << name_of(target) << "\n" << messages.front();
      ++pipelines;
    }
  }
  std::printf("%zu programs from %zu on, %zu words, %zu pipelines\n", static_cast<std::size_t>(count),
              static_cast<std::size_t>(first), words, pipelines);
}

}  // namespace
}  // namespace slipway::scenario
