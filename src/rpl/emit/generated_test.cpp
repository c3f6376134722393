// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random programs (testing/rpl_generator.hpp): each compiles to valid modules for all targets, and compute programs
// compute on the device what the interpreter computes. The number of programs is 200, or SLIPWAY_RPL_PROGRAMS, from the
// seed SLIPWAY_RPL_SEED on; one in eight of the compute programs runs on the device, or one in
// SLIPWAY_RPL_DEVICE.
#include <cstdlib>

#include "rpl/emit/interpreter.hpp"
#include "rpl/emit/testing.hpp"
#include "rpl/print/print_resolved.hpp"
#include "testing/compute_fixture.hpp"
#include "testing/rpl_generator.hpp"

namespace slipway::rpl {
namespace {

using testing::ComputeBuffer;
using testing::GeneratedRpl;
using testing::RplProgramShape;

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

class RplGenerated : public testing::ComputeTest {
 protected:
  struct Inputs {
    std::vector<std::uint32_t> params, source, result, push;
  };

  // Whole numbers, as the programs expect in memory of floats; the integers are anything.
  static Inputs inputs_of(const GeneratedRpl& generated, std::uint64_t seed) {
    std::uint64_t state = seed;
    auto number = [&](std::uint32_t limit) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<std::uint32_t>(state >> 33) % limit;
    };
    auto fill = [&](std::size_t words, std::initializer_list<std::pair<std::size_t, std::size_t>> floats) {
      std::vector<std::uint32_t> memory(words);
      for (std::uint32_t& word : memory) word = number(0xffffffff);
      for (const auto& [first, last] : floats) {
        for (std::size_t i = first; i < last; ++i)
          memory[i] = std::bit_cast<std::uint32_t>(static_cast<float>(number(100)));
      }
      return memory;
    };
    return {fill(generated.params_words, {{16, 36}}), fill(generated.source_words, {{8, 12}}),
            fill(generated.result_words, {{64, 128}}), fill(generated.push_words, {{4, 8}})};
  }

  // The words that the device and the interpreter leave in the result buffer, the same ones.
  void compare(const Resolved& resolved, const spirv::Words& words, const GeneratedRpl& generated, std::uint64_t seed) {
    const Inputs inputs = inputs_of(generated, seed);
    InterpreterMemory memory;
    memory.buffers.resize(resolved.buffers.size());
    std::size_t result = 0;
    for (std::size_t i = 0; i < resolved.buffers.size(); ++i) {
      const std::string_view name = resolved.program->text(resolved.buffers[i].name);
      if (name == "params") memory.buffers[i] = inputs.params;
      if (name == "source") memory.buffers[i] = inputs.source;
      if (name == "push") memory.buffers[i] = inputs.push;
      if (name == "result") memory.buffers[result = i] = inputs.result;
      if (name == "group") memory.buffers[i].resize(4096);
    }
    const std::string stopped = interpret(resolved, memory);
    ASSERT_EQ(stopped, "") << "seed " << seed;
    std::vector<ComputeBuffer> buffers = {{.set = 2, .binding = 0, .words = inputs.params, .uniform = true},
                                          {.set = 2, .binding = 1, .words = inputs.source},
                                          {.set = 2, .binding = 2, .words = inputs.result}};
    dispatch(words, "compute_main", buffers, {1, 1, 1}, inputs.push);
    EXPECT_EQ(buffers[2].words, memory.buffers[result]) << "seed " << seed;
    changed_ += memory.buffers[result] != inputs.result;
    ++compared_;
  }

  // The resolved program as text compiles to the same words (docs/spec/rpl.md#printable-steps).
  static void print_and_compile_again(const Resolved& resolved, const std::vector<EntryPointName>& entries,
                                      std::uint64_t seed) {
    const std::string text = print_resolved(resolved).at(0).text;
    Diagnostics diagnostics;
    const Program program = parse(make_source("resolved.rpl", text), diagnostics);
    std::optional<Resolved> again;
    if (program.valid) again = resolve(program, {}, entries, {.pipeline = resolved.pipeline}, diagnostics);
    ASSERT_TRUE(again) << "seed " << seed << "\n" << format_diagnostics(diagnostics.all()) << text;
    EXPECT_EQ(emit_spirv(*again).at(0).words, emit_spirv(resolved).at(0).words) << "seed " << seed << "\n" << text;
  }

  std::size_t compared_ = 0;
  std::size_t changed_ = 0;  // programs that left something other than what they found
};

TEST_F(RplGenerated, ProgramsAreValidAndComputeTheRightThing) {
  const std::uint64_t first = number_of("SLIPWAY_RPL_SEED", 1);
  const std::uint64_t count = number_of("SLIPWAY_RPL_PROGRAMS", 200);
  const std::uint64_t one_in = number_of("SLIPWAY_RPL_DEVICE", 8);
  std::size_t words = 0;
  std::size_t ran = 0;
  SpirvEmitter emitter;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const RplProgramShape shape = testing::numbered_shape(seed);
    const GeneratedRpl generated = testing::generate_rpl(seed, shape);
    Diagnostics diagnostics;
    const Program program = parse(make_source("generated.rpl", generated.text), diagnostics);
    Assignment assignment;
    for (std::size_t i = 0; i < generated.flags.size(); ++i) {
      set_option(program, generated.flags[i], (seed >> i & 1) != 0 ? "on" : "off", OptionFilter::Any,
                 SourceLocation::nowhere(), assignment, diagnostics);
    }
    std::vector<EntryPointName> entries = {{Stage::Compute, "compute_main"}};
    if (!shape.compute) entries = {{Stage::Vertex, "vertex_main"}, {Stage::Fragment, "fragment_main"}};
    std::optional<Resolved> resolved;
    if (program.valid) {
      resolved = resolve(program, assignment, entries,
                         {.pipeline = shape.compute ? PipelineKind::Compute : PipelineKind::Graphics}, diagnostics);
    }
    Failure errors;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      if (diagnostic.severity == Severity::Error) errors.push_back(diagnostic);
    }
    ASSERT_TRUE(resolved) << "seed " << seed << "\n" << format_diagnostics(errors) << generated.text;
    if (seed % 4 == 0) print_and_compile_again(*resolved, entries, seed);
    spirv::Words newest;
    for (const Target target : kAllTargets) {
      const SpirvOptions options{
          .target = target, .split_stages = seed % 5 == 0, .strip = seed % 2 == 0, .debug_lines = seed % 4 == 0};
      for (const SpirvModule& module : emitter.emit(*resolved, options)) {
        const std::string problem = problem_of(module.words, target);
        ASSERT_EQ(problem, "") << name_of(target) << ", seed " << seed << "\n" << generated.text;
        words += module.words.size();
        newest = module.words;
      }
      if (shape.exact && seed % 15 == 1 && target == Target::Vulkan11) compare(*resolved, newest, generated, seed);
    }
    if (!shape.compute || seed / 3 % one_in != 0) continue;
    ++ran;
    if (shape.exact) {
      compare(*resolved, newest, generated, seed);
    } else {
      const std::vector<ComputeBuffer> buffers = {{.set = 2, .binding = 0, .words = {}, .uniform = true},
                                                  {.set = 2, .binding = 1, .words = {}},
                                                  {.set = 2, .binding = 2, .words = {}}};
      make_pipeline(newest, "compute_main", buffers, generated.push_words * 4);
    }
    if (HasFailure()) {
      ADD_FAILURE() << generated.text;
      return;
    }
  }
  EXPECT_EQ(changed_, compared_);
  std::printf("%zu programs, %zu words, %zu pipelines, %zu results compared\n", static_cast<std::size_t>(count), words,
              ran, compared_);
}

}  // namespace
}  // namespace slipway::rpl
