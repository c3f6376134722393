// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models whose outputs are any values: inputs, constants, results that other operators use, views of these, and one
// value several times. Each form of a model, on each engine, and on graphs of the driver.
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

#include "base/format.hpp"
#include "executors/cpu/info.hpp"
#include "slipway/convert.hpp"
#include "slipway/model.hpp"
#include "testing/layer.hpp"
#include "testing/vgf_recipe.hpp"
#include "tosa/text.hpp"
#include "tosa/write/write_mlir.hpp"
#include "tosa/write/write_tosa.hpp"
#include "tosa_cases/random_outputs.hpp"

namespace slipway {
namespace {

using ::testing::ElementsAreArray;
using ::testing::SizeIs;

std::string problems_text(const Problems& problems) {
  std::string text;
  for (const Problem& problem : problems) text += problem.text;
  return text;
}

template <class T>
T value_of(Outcome<T> outcome) {
  if (!outcome) throw std::runtime_error(problems_text(outcome.error()));
  return std::move(*outcome);
}

class AnyOutputs : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "cpu" && !launch::has_cpu_engine()) GTEST_SKIP() << "this build has no CPU engine";
    if (GetParam() == "layer") {
      if (!testing::UseLayer::is_here()) GTEST_SKIP() << "the layer is not built";
      layer_.emplace(testing::Validation::Off);
    }
    if (GetParam() == "vulkan" || GetParam() == "layer") device_.emplace(value_of(Device::open()));
  }

  PreparedModel prepare(const Model& model, PrepareOptions options = {}) {
    options.reference = GetParam() == "reference";
    return value_of(device_ ? model.prepare(*device_, options) : model.prepare(options));
  }

  // What the outputs are after each of two runs. Inputs keep their values.
  void expect(PreparedModel prepared, const std::vector<std::vector<std::byte>>& inputs,
              const std::vector<std::vector<std::byte>>& outputs, const std::string& what) {
    ASSERT_THAT(prepared.inputs(), SizeIs(inputs.size())) << what;
    ASSERT_THAT(prepared.outputs(), SizeIs(outputs.size())) << what;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      ASSERT_EQ(prepared.inputs()[i].size(), inputs[i].size()) << what;
      std::ranges::copy(inputs[i], prepared.input_data(i));
    }
    for (int run = 0; run < 2; ++run) {
      const auto ran = prepared.run();
      ASSERT_TRUE(ran) << what << ": " << problems_text(ran.error());
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        ASSERT_EQ(prepared.outputs()[i].size(), outputs[i].size()) << what;
        EXPECT_THAT(std::span(prepared.output_data(i), outputs[i].size()), ElementsAreArray(outputs[i]))
            << what << ", output " << i << ", run " << run;
      }
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        EXPECT_THAT(std::span(prepared.input_data(i), inputs[i].size()), ElementsAreArray(inputs[i]))
            << what << ", input " << i << ", run " << run;
      }
    }
  }

  std::optional<testing::UseLayer> layer_;
  std::optional<Device> device_;
};

// The same graph as a file of each form.
Model model_of(const tosa::Graph& graph, std::uint64_t form) {
  const std::string text = tosa::print(graph, {.max_elements = 1 << 20});
  ModelOptions options;
  options.cache = false;
  switch (form % 4) {
    case 0:
      return value_of(Model::parse(ByteView(text), "net.graph", options));
    case 1: {
      const auto file = tosa::write_tosa({.file = {}, .graph = graph, .memory = nullptr});
      if (!file) throw std::runtime_error(file.error()[0].message);
      return value_of(Model::parse(ByteView(*file), "net.tosa", options));
    }
    case 2: {
      const auto file = tosa::write_mlir({.file = {}, .graph = graph, .memory = nullptr}, {.max_elements = 1 << 20});
      if (!file) throw std::runtime_error(file.error()[0].message);
      return value_of(Model::parse(ByteView(*file), "net.mlir", options));
    }
    default:
      return value_of(
          Model::parse(ByteView(value_of(convert_model(ByteView(text), "net.graph")).file), "net.vgf", options));
  }
}

TEST_P(AnyOutputs, OfRandomGraphs) {
  constexpr std::uint64_t kGraphs = 48;
  std::size_t inputs = 0, constants = 0, twice = 0;
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    tosa_cases::GraphBuilder made = tosa_cases::graph_of_views(seed);
    made.graph.name = "main";
    std::vector<std::vector<std::byte>> given, wanted;
    for (const auto& tensor : made.inputs()) given.push_back(tensor.to_bytes());
    for (const auto& tensor : made.outputs()) wanted.push_back(tensor.to_bytes());
    const auto& outputs = made.graph.outputs;
    inputs += std::ranges::any_of(outputs, [&](auto v) { return made.graph[v].kind == tosa::ValueKind::Input; });
    constants += std::ranges::any_of(outputs, [&](auto v) { return made.graph[v].kind == tosa::ValueKind::Constant; });
    twice += std::ranges::any_of(outputs, [&](auto v) { return std::ranges::count(outputs, v) > 1; });
    const std::string what = formatted("seed {}: {}", seed, tosa::print(made.graph));
    SCOPED_TRACE(what);
    expect(prepare(model_of(made.graph, seed)), given, wanted, formatted("seed {}", seed));
  }
  EXPECT_GT(inputs, kGraphs / 4);
  EXPECT_GT(constants, kGraphs / 8);
  EXPECT_GT(twice, kGraphs / 4);
}

std::vector<std::byte> integers(std::initializer_list<std::int32_t> values) {
  const Bytes bytes = std::as_bytes(std::span(values.begin(), values.size()));
  return {bytes.begin(), bytes.end()};
}

TEST_P(AnyOutputs, OfOpenShapes) {
  const Model model = value_of(Model::parse(ByteView(std::string_view(R"(graph net {
  %0 = input i32[-1, 2] "x"
  %1 = input i32[-1] "y"
  %2 = ABS(%0) i32[-1, 2]
  output %0
  output %2
  output %1
  output %2
  output %0
}
)")),
                                            "net"));
  PrepareOptions options;
  options.shapes = {{"x", {2, 2}}, {"y", {3}}};
  const auto x = integers({1, -2, 3, -4}), y = integers({7, 8, 9}), size = integers({1, 2, 3, 4});
  expect(prepare(model, options), {x, y}, {x, size, y, size, x}, "open shapes");
}

// Storage that inputs and outputs of a file share: a view with the same logical number, one with its own, and an output
// that replaces its input.
TEST_P(AnyOutputs, OfSharedStorage) {
  constexpr std::string_view kGraph = R"(module m graph main graph
| graph main {
|   %0 = input i32[4] at 0.0
|   %1 = REVERSE(%0) i32[4] axis=0
|   output %1 at 0.1
| }
)";
  const auto run = [&](std::string_view recipe, const std::vector<std::vector<std::byte>>& inputs,
                       const std::vector<std::vector<std::byte>>& outputs) {
    const std::vector<std::byte> file = testing::cook_vgf(std::string(recipe));
    expect(prepare(value_of(Model::parse(ByteView(file), "net.vgf"))), inputs, outputs, std::string(recipe));
  };
  const auto x = integers({1, 2, 3, 4}), reversed = integers({4, 3, 2, 1});
  run(formatted("{}{}{}", R"(
resource x input tensor R32_SINT [4] alias 0
resource same output tensor R32_SINT [4] alias 0
resource y output tensor R32_SINT [4]
)",
                kGraph, R"(segment s m
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x x
output 0 same same
output 1 y y
output 1 y again
)"),
      {x}, {x, reversed, reversed});
  run(formatted("{}{}{}", R"(
resource x input tensor R32_SINT [4] alias 3
resource same output tensor R32_SINT [4] alias 3
resource y output tensor R32_SINT [4]
)",
                kGraph, R"(segment s m
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x x
output 7 same same
output 1 y y
)"),
      {x}, {x, reversed});
  run(formatted("{}{}{}", R"(
resource x input tensor R32_SINT [4] alias 0
resource y output tensor R32_SINT [4] alias 0
)",
                kGraph, R"(segment s m
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x x
output 1 y y
)"),
      {x}, {reversed});
}

INSTANTIATE_TEST_SUITE_P(Engines, AnyOutputs, ::testing::Values("cpu", "reference", "vulkan", "layer"),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace slipway
