// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single graph modules on a device, including those of the motion engine, against the interpreter.
#include "model/plan/plan_spirv_graph.hpp"
#include "base/format.hpp"
#include "model/plan/graph_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/print_diagnostic.hpp"
#include "testing/launch_fixture.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"
#include "tosa/write/write_spirv.hpp"

namespace slipway::model {
namespace {

using ::testing::HasSubstr;

struct Input {
  tensor::Shape shape;
  std::vector<std::byte> bytes;
};
struct Output {
  tensor::Shape shape;
  std::size_t size = 0;  // bytes
};

class PlanSpirvGraphTest : public launch::LaunchTest {
 protected:
  // The outputs of a graph in text, which goes through a SPIR-V module.
  std::vector<std::vector<std::byte>> run_graph(const std::string& text, const std::vector<Input>& inputs,
                                                const std::vector<Output>& outputs, Engine engine) {
    auto graph = tosa::parse(make_source("t.graph", text), diagnostics_);
    if (graph) tosa::verify(*graph, diagnostics_);
    if (!graph || diagnostics_.has_errors()) throw std::runtime_error(messages());
    const auto module =
        slipway::testing::must(spirv::read_module(slipway::testing::must(tosa::write_graph_module(*graph)), "t.spv"));
    launch::Plan plan;
    SpirvGraph request{.entry_point = graph->name, .constants = {}, .tensors = {}};
    const auto add = [&](const tensor::Shape& shape, std::size_t size, const std::vector<std::byte>& bytes) {
      launch::Resource resource{.name = formatted("r{}", plan.resources.size()), .kind = launch::Buffer{.size = size}};
      if (!bytes.empty()) {
        resource.initial.push_back({size, [bytes](MutableBytes to) -> Result<> {
                                      std::ranges::copy(bytes, to.begin());
                                      return {};
                                    }});
      }
      const auto index = static_cast<launch::ResourceIndex>(plan.resources.size());
      request.tensors.push_back({{0, index}, index, shape});
      plan.resources.push_back(std::move(resource));
      return index;
    };
    for (const Input& input : inputs) add(input.shape, input.bytes.size(), input.bytes);
    std::vector<std::vector<std::byte>> results(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto index = add(outputs[i].shape, outputs[i].size, {});
      plan.captures.push_back({index, [&results, i](Bytes bytes) { results[i].assign(bytes.begin(), bytes.end()); }});
    }
    auto read = read_spirv_graph(module, request, diagnostics_);
    if (!read) throw std::runtime_error(messages());
    if (!plan_spirv_graph(plan, std::move(*read), module, request, {.engine = engine}, "g", {}, true, diagnostics_))
      throw std::runtime_error(messages());
    run_it(plan);
    return results;
  }

  std::string messages() const { return format_diagnostics(diagnostics_.all(), {.sources = false}); }

  Diagnostics diagnostics_;
};

std::vector<std::byte> random_bytes(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// The search image is the template moved by two columns and one row.
TEST_F(PlanSpirvGraphTest, MotionIsFound) {
  constexpr std::size_t kSide = 16;
  const std::vector<std::byte> search = random_bytes(kSide * kSide, 7);
  std::vector<std::byte> image(kSide * kSide);
  for (std::size_t y = 0; y < kSide; ++y) {
    for (std::size_t x = 0; x < kSide; ++x) {
      if (y + 1 < kSide && x + 2 < kSide) image[y * kSide + x] = search[(y + 1) * kSide + x + 2];
    }
  }
  for (const Engine engine : {Engine::Kernels, Engine::Reference}) {
    const auto results = run_graph(R"(graph main {
  %0 = input i8[1, 1, 16, 16] at 0.0
  %1 = input i8[1, 1, 16, 16] at 0.1
  %2, %3 = MIN_SAD_COST(%0, %1) i8[1, 1, 4, 8], i16[1, 1, 4, 4] kernel_sizes=[4, 4] search_window_sizes=[7, 7] input_strides=[4, 4] window_strides=[1, 1] window_offsets=[3, 3] padding=[0, 0] search_pattern=RASTER
  output %2 at 0.2
  output %3 at 0.3
})",
                                   {{{1, 1, kSide, kSide}, image}, {{1, 1, kSide, kSide}, search}},
                                   {{{1, 1, 4, 8}, 32}, {{1, 1, 4, 4}, 32}}, engine);
    // Blocks except the last row and column, which move out of the image.
    for (std::size_t y = 0; y < 3; ++y) {
      for (std::size_t x = 0; x < 3; ++x) {
        EXPECT_EQ(std::to_integer<int>(results[0][y * 8 + 2 * x]), 2);
        EXPECT_EQ(std::to_integer<int>(results[0][y * 8 + 2 * x + 1]), 1);
        EXPECT_EQ(load<std::int16_t>(&results[1][2 * (y * 4 + x)]), 0);
      }
    }
  }
}

struct MotionCase {
  const char* operation;
  std::vector<Output> outputs;
};

TEST_F(PlanSpirvGraphTest, MotionEnginesAgree) {
  const std::vector<Input> inputs = {{{2, 3, 12, 10}, random_bytes(720, 1)}, {{2, 3, 12, 10}, random_bytes(720, 2)}};
  const MotionCase cases[] = {
      {"%2 = MIN_SAD(%0, %1) i8[2, 3, 6, 4] kernel_sizes=[3, 2] search_window_sizes=[5, 4] input_strides=[2, 5] "
       "window_strides=[2, 1] window_offsets=[2, 1] padding=[1, 1] search_pattern=RASTER\n  output %2 at 0.2\n",
       {{{2, 3, 6, 4}, 144}}},
      {"%2 = MIN_SAD(%0, %1) i8[2, 3, 4, 10] kernel_sizes=[4, 4] search_window_sizes=[5, 5] input_strides=[3, 2] "
       "window_strides=[1, 1] window_offsets=[2, 2] padding=[0, 0] search_pattern=SPIRAL\n  output %2 at 0.2\n",
       {{{2, 3, 4, 10}, 240}}},
      {"%2, %3 = MIN_SAD_COST(%0, %1) i8[2, 3, 4, 10], i16[2, 3, 4, 5] kernel_sizes=[4, 4] search_window_sizes=[3, 3] "
       "input_strides=[3, 2] window_strides=[1, 3] window_offsets=[1, 1] padding=[2, 0] search_pattern=SPIRAL\n"
       "  output %2 at 0.2\n  output %3 at 0.3\n",
       {{{2, 3, 4, 10}, 240}, {{2, 3, 4, 5}, 240}}},
      {"%2 = RAW_SAD(%0, %1) i16[2, 18, 6, 5] kernel_sizes=[3, 2] search_window_sizes=[3, 2] input_strides=[2, 2] "
       "window_strides=[2, 1] window_offsets=[1, 1] padding=[1, 0]\n  output %2 at 0.2\n",
       {{{2, 18, 6, 5}, 2160}}},
  };
  for (const MotionCase& one : cases) {
    SCOPED_TRACE(one.operation);
    const std::string text =
        formatted("graph main {{\n  %0 = input i8[2, 3, 12, 10] at 0.0\n  %1 = input i8[2, 3, 12, 10] at 0.1\n  {}}}\n",
                  one.operation);
    const auto kernels = run_graph(text, inputs, one.outputs, Engine::Kernels);
    const auto reference = run_graph(text, inputs, one.outputs, Engine::Reference);
    EXPECT_EQ(kernels, reference);
    EXPECT_THAT(reference[0], ::testing::Contains(::testing::Ne(std::byte{0})));
  }
}

TEST_F(PlanSpirvGraphTest, OpenDimensionsAndConstants) {
  const auto results = run_graph(R"(graph main {
  %0 = input f32[-1, 2] at 0.0
  %1 = const f32[1, 2] [10, 100]
  %2 = MUL(%0, %1) f32[-1, 2] shift=0
  output %2 at 0.1
})",
                                 {{{2, 2}, launch::bytes_of<float>({1, 2, 3, 4})}}, {{{2, 2}, 16}}, Engine::Kernels);
  EXPECT_EQ(results[0], launch::bytes_of<float>({10, 200, 30, 400}));
}

// The module declares other shapes than the tensors have.
TEST_F(PlanSpirvGraphTest, ShapesOfTensorsAreTaken) {
  for (const Engine engine : {Engine::Kernels, Engine::Reference, Engine::Cpu}) {
    const auto results = run_graph(R"(graph main {
  %0 = input f32[4, 4] at 0.0
  %1 = NEGATE(%0) f32[4, 4] input1_zp=0 output_zp=0
  %2 = TRANSPOSE(%1) f32[4, 4] perms=[1, 0]
  output %2 at 0.1
})",
                                   {{{2, 3}, launch::bytes_of<float>({1, 2, 3, 4, 5, 6})}}, {{{3, 2}, 24}}, engine);
    EXPECT_EQ(results[0], launch::bytes_of<float>({-1, -4, -2, -5, -3, -6}));
    EXPECT_THAT(messages(), HasSubstr("warning: input 0 of graph `main` has the shape [4, 4] in the module, and the "
                                      "tensor that is bound to it [2, 3], which is taken [shape-mismatch]"));
  }
}

TEST_F(PlanSpirvGraphTest, WrongShapesAreReported) {
  EXPECT_THROW(run_graph(R"(graph main {
  %0 = input f32[-1, 2] at 0.0
  %1 = ABS(%0) f32[-1, 2]
  output %1 at 0.1
})",
                         {{{2, 2}, launch::bytes_of<float>({1, 2, 3, 4})}}, {{{3, 2}, 24}}, Engine::Kernels),
               std::runtime_error);
  EXPECT_THAT(messages(), HasSubstr("output 0 of graph `main` has the shape [2, 2], and what is bound to it [3, 2]"));
}

}  // namespace
}  // namespace slipway::model
