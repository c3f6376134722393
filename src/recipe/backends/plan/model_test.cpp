// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole models as kernels of recipes: on a device, under the validation layer with synchronisation validation; on the
// CPU; and their graphs on the CPU, between shaders on a device.
#include "base/format.hpp"
#include "executors/cpu/executor.hpp"
#include "executors/cpu/info.hpp"
#include "recipe/backends/plan/parts.hpp"
#include "recipe/plan/model_kernel.hpp"
#include "slipway/recipe.hpp"
#include "testing/graph_recipe.hpp"
#include "testing/layer.hpp"
#include "testing/recipes.hpp"
#include "testing/vgf_recipe.hpp"

namespace slipway::recipe {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<char> chars_of_file(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  return {text.begin(), text.end()};
}

std::vector<char> model_of(std::string_view recipe) { return chars_of_file(testing::cook_vgf(std::string(recipe))); }

// y = |x|
std::vector<char> graph_model() {
  return model_of(testing::graph_recipe("R32_SINT", "i32[4]", "ABS(%0) i32[4]", "given", "absolute"));
}

// A model y = (x + 100) * 2 of two shaders with an intermediate between them.
constexpr std::string_view kShaderModel = R"(
resource x input storage_buffer R32_SINT [4]
resource t intermediate storage_buffer R32_SINT [4]
resource y output storage_buffer R32_SINT [4]
module plus compute main glsl
| #version 450
| layout(set = 0, binding = 0) readonly buffer X { int x[]; };
| layout(set = 0, binding = 1) writeonly buffer Y { int y[]; };
| void main() { y[gl_WorkGroupID.x] = x[gl_WorkGroupID.x] + 100; }
module twice compute main glsl
| #version 450
| layout(set = 0, binding = 0) readonly buffer X { int x[]; };
| layout(set = 0, binding = 1) writeonly buffer Y { int y[]; };
| void main() { y[gl_WorkGroupID.x] = x[gl_WorkGroupID.x] * 2; }
segment plus plus 4 1 1
set 0: 0 x, 1 t
in 0 x
out 1 t
segment twice twice 4 1 1
set 0: 0 t, 1 y
in 1 t
out 2 y
input 0 x
output 2 y
)";

// A model y = 2 |x - 10| of a shader, a graph and a shader.
constexpr std::string_view kMixedModel = R"(
resource x input storage_buffer R32_SINT [4]
resource a intermediate storage_buffer R32_SINT [4] alias 0
resource at intermediate tensor R32_SINT [4] alias 0
resource b intermediate tensor R32_SINT [4] alias 1
resource bb intermediate storage_buffer R32_SINT [4] alias 1
resource y output storage_buffer R32_SINT [4]
module minus compute main glsl
| #version 450
| layout(set = 0, binding = 0) readonly buffer X { int x[]; };
| layout(set = 0, binding = 1) writeonly buffer Y { int y[]; };
| void main() { y[gl_WorkGroupID.x] = x[gl_WorkGroupID.x] - 10; }
module abs graph main graph
| graph main {
|   %0 = input i32[4] at 0.0
|   %1 = ABS(%0) i32[4]
|   output %1 at 0.1
| }
module twice compute main glsl
| #version 450
| layout(set = 0, binding = 0) readonly buffer X { int x[]; };
| layout(set = 0, binding = 1) writeonly buffer Y { int y[]; };
| void main() { y[gl_WorkGroupID.x] = 2 * x[gl_WorkGroupID.x]; }
segment minus minus 4 1 1
set 0: 0 x, 1 a
in 0 x
out 1 a
segment abs abs
set 0: 0 at, 1 b
in 1 at
out 2 b
segment twice twice 4 1 1
set 0: 0 bb, 1 y
in 2 bb
out 3 y
input 0 x x
output 3 y y
)";

// A shader that writes two of four elements.
constexpr std::string_view kPartialModel = R"(
resource x input storage_buffer R32_SINT [4]
resource y output storage_buffer R32_SINT [4]
module twice compute main glsl
| #version 450
| layout(set = 0, binding = 0) readonly buffer X { int x[]; };
| layout(set = 0, binding = 1) writeonly buffer Y { int y[]; };
| void main() { y[gl_WorkGroupID.x] = 2 * x[gl_WorkGroupID.x]; }
segment twice twice 2 1 1
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x x
output 1 y y
)";

// y = |x|, and x itself as the second output, which has the binding of the input.
constexpr std::string_view kPassThroughModel = R"(
resource x input tensor R32_SINT [4] alias 0
resource y output tensor R32_SINT [4]
resource same output tensor R32_SINT [4] alias 0
module abs graph main graph
| graph main {
|   %0 = input i32[4] at 0.0
|   %1 = ABS(%0) i32[4]
|   output %1 at 0.1
| }
segment abs abs
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x x
output 1 y y
output 0 same same
)";

// y = x + 1
constexpr std::string_view kIncrementModel = R"(
resource x input tensor R32_SINT [4]
resource y output tensor R32_SINT [4]
resource one constant R32_SINT [4]: i32 1 1 1 1
module increment graph main graph
| graph main {
|   %0 = input i32[4] at 0.0
|   %1 = const i32[4] graph_constant 0
|   %2 = ADD(%0, %1) i32[4]
|   output %2 at 0.1
| }
segment increment increment
set 0: 0 x, 1 y
in 0 x
out 1 y
constants one
input 0 x x
output 1 y y
)";

// Runs the model twice: from x to a, then from a to y at byte offset 8.
std::string twice_recipe(std::string_view keys = "") {
  return formatted(
      R"({{"header": {{"module": "m.vgf"}}, "resources": {{"buffers": [{}, {}, {}], "kernels": [{{"name": "model"{}}}]}},
      "execution": {{"runs": [
      {{"kernel": "model", "name": "first", "arguments": [{{"name": "x", "argidx": 0}}, {{"name": "a", "argidx": 1}}]}},
      {{"kernel": "model", "name": "second", "arguments": [{{"name": "a", "argidx": 0}}, {{"name": "y", "argidx": 1, "offset": 8}}]}}]}}}})",
      buffer_json("x", "input"), buffer_json("a", "internal", 16), buffer_json("y", "inout", 24), keys);
}

// A model with an output that is its input; each argument has memory of its own, or some share it.
std::string pass_through_recipe(std::string_view x, std::string_view y, std::string_view same) {
  return formatted(
      R"({{"header": {{"module": "m.vgf"}}, "resources": {{"buffers": [{}, {}, {}], "kernels": [{{"name": "model"}}]}},
      "execution": {{"runs": [{{"kernel": "model", "arguments": [{{"name": "{}", "argidx": 0}}, {{"name": "{}", "argidx": 1}},
        {{"name": "{}", "argidx": 2}}]}}]}}}})",
      buffer_json("x", "inout", 16), buffer_json("y", "output", 16), buffer_json("z", "output", 16), x, y, same);
}

void expect_pass_through(OpenOptions options, const model::GraphChoices& graphs) {
  const auto model = model_of(kPassThroughModel);
  const std::vector<std::uint32_t> given = {1, -2U, 3, -4U}, absolute = {1, 2, 3, 4};
  const auto run = [&](std::string_view x, std::string_view y, std::string_view same) {
    Opened opened(pass_through_recipe(x, y, same), options, "", {{"m.vgf", model}}, graphs);
    EXPECT_EQ(opened.problems.find("error"), std::string::npos) << opened.problems;
    opened.bind("x", given);
    EXPECT_FALSE(opened.session.run());
    EXPECT_TRUE(opened.runner().unwritten_outputs().empty());
    return std::vector{opened.words("x"), opened.words("y"), opened.words("z")};
  };
  EXPECT_THAT(run("x", "y", "z"), ElementsAre(given, absolute, given));
  const std::vector<std::uint32_t> zeros(4);
  // The buffer of the input is bound twice: to the output that is the input, and to the other one.
  EXPECT_THAT(run("x", "y", "x"), ElementsAre(given, absolute, zeros));
  EXPECT_THAT(run("x", "x", "z"), ElementsAre(absolute, zeros, given));
}

// What runs the graphs of a model.
struct Target {
  const char* name;
  model::Engine engine = model::Engine::Kernels;
  bool is_host = false, has_layer = false;
};

class PlanBackend : public RecipeTest, public ::testing::WithParamInterface<Target> {
 protected:
  void SetUp() override {
    if (GetParam().engine == model::Engine::Cpu && !launch::has_cpu_engine()) GTEST_SKIP() << "no CPU engine";
    if (!GetParam().has_layer) return;
    if (!testing::UseLayer::is_here()) GTEST_SKIP() << "no driver with tensors and graphs here";
    layer_.emplace();
  }

  // On the CPU, opening any other back end fails.
  OpenOptions options(std::uint32_t queues = 0) {
    if (!GetParam().is_host) return only(on_vulkan(queues));
    return {.runner = {.open_backend = [backend = on_cpu()](BackendKind kind) -> Result<BackendPtr> {
              if (kind == BackendKind::Engine) return backend;
              return fail(DiagnosticKind::NoDevice, {}, "there is no device");
            }}};
  }

  static BackendPtr on_cpu() {
    return make_plan_backend(BackendKind::Engine, std::make_shared<launch::CpuExecutor>()).value();
  }
  static model::GraphChoices graphs() { return {.engine = GetParam().engine, .threads = 2}; }

  // A recipe with one model and these runs; `r` runs it from x to y.
  static std::string model_recipe(std::string_view buffers, std::string_view runs) {
    return formatted(
        R"({{"header": {{"module": "m.vgf"}}, "resources": {{"buffers": [{}], "kernels": [{{"name": "model"}}]}}, "execution": {{"runs": [{}]}}}})",
        buffers, runs);
  }
  static std::string model_run(std::string_view x, std::string_view y, int x_offset = 0, int y_offset = 0) {
    return formatted(
        R"({{"kernel": "model", "name": "{}_to_{}", "arguments": [{{"name": "{}", "argidx": 0, "size": 16, "offset": {}}}, {{"name": "{}", "argidx": 1, "size": 16, "offset": {}}}]}})",
        x, y, x, x_offset, y, y_offset);
  }
  static ArtifactMap increment_model() { return {{"m.vgf", model_of(kIncrementModel)}}; }

 private:
  std::optional<testing::UseLayer> layer_;
};

TEST_P(PlanBackend, Computes) {
  OpenOptions timed = options();
  timed.runner.timings = true;
  Opened opened(twice_recipe(), timed, "", {{"m.vgf", graph_model()}}, graphs());
  ASSERT_EQ(opened.problems, "");
  EXPECT_THAT(print_plan(*opened.session.plan()),
              HasSubstr(formatted("kernel model: {0}, the whole model m.vgf\n"
                                  "    0: given, argument 0, buffer\n    1: absolute, argument 1, buffer\n"
                                  "run lists\n  0: {0}, 2 runs\n    first (model)\n",
                                  GetParam().is_host ? "engine" : "vulkan")));
  for (std::uint32_t i = 1; i < 4; ++i) {
    opened.bind("x", {1, -2U, 3, -i});
    ASSERT_EQ(opened.run(), "ok");
    EXPECT_THAT(opened.words("y"), ElementsAre(0, 0, 1, 2, 3, i));
  }
  for (const RunRecord& record : opened.runner().records()) {
    EXPECT_EQ(record.count, 3U);
    EXPECT_GT(record.total_ns.value_or(0), 0);
  }
  EXPECT_EQ(opened.runner().chained(0), !GetParam().is_host);
  const auto backends = opened.runner().backends();
  ASSERT_EQ(backends.size(), 1U);
  if (GetParam().is_host) {
    const bool interprets = GetParam().engine == model::Engine::Reference;
    EXPECT_THAT(backends[0].second.device, HasSubstr(interprets ? "the reference interpreter" : "(CPU engine"));
  }
}

TEST_P(PlanBackend, OutputsThatAreInputs) { expect_pass_through(options(), graphs()); }

TEST_P(PlanBackend, OutputsAreProven) {
  Opened opened(model_recipe(buffer_json("x", "input", 16) + "," + buffer_json("y", "output", 16), model_run("x", "y")),
                options(), R"({"executions": [{"iterations": 2, "verbose": false}]})", increment_model(), graphs());
  ASSERT_EQ(opened.problems, "");
  EXPECT_FALSE(opened.session.run());
  EXPECT_TRUE(opened.runner().unwritten_outputs().empty());
  EXPECT_THAT(opened.words("y"), Each(1u));
}

TEST_P(PlanBackend, ChainedRunsSeeEachOther) {
  std::string runs;
  for (int i = 0; i < 8; ++i) runs += (i ? ", " : "") + (i % 2 ? model_run("b", "a") : model_run("a", "b"));
  Opened opened(model_recipe(buffer_json("a", "inout", 16) + "," + buffer_json("b", "internal", 16), runs), options(),
                "", increment_model(), graphs());
  ASSERT_EQ(opened.problems, "");
  EXPECT_EQ(opened.session.plan()->lists.size(), 1u);
  for (std::uint32_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(opened.run(), "ok");
    EXPECT_THAT(opened.words("a"), Each(8 * i));
  }
}

// On the CPU the first run uses both ranges in place, and the others copy.
TEST_P(PlanBackend, PartsMayBeginAnywhere) {
  Opened opened(
      model_recipe(buffer_json("x", "inout", 256), model_run("x", "x", 0, 64) + "," + model_run("x", "x", 64, 100) +
                                                       "," + model_run("x", "x", 100, 192)),
      options(), "", increment_model(), graphs());
  ASSERT_EQ(opened.problems, "");
  for (std::uint32_t i = 0; i < 3; ++i) {
    std::vector<std::uint32_t> given(64, 7);
    given[0] = i;
    opened.bind("x", given);
    ASSERT_EQ(opened.run(), "ok");
    std::vector<std::uint32_t> expected = given;
    for (const auto& [at, more] : {std::pair(16, 1U), std::pair(25, 2U), std::pair(48, 3U)}) {
      for (int k = 0; k < 4; ++k) expected[at + k] = given[k] + more;
    }
    EXPECT_EQ(opened.words("x"), expected);
  }
}

// Inputs are read before outputs are written.
TEST_P(PlanBackend, RangesMayOverlap) {
  for (const int offset : {0, 4, 12}) {
    Opened opened(model_recipe(buffer_json("x", "inout", 64), model_run("x", "x", 0, offset)), options(), "",
                  increment_model(), graphs());
    ASSERT_EQ(opened.problems, "");
    std::vector<std::uint32_t> values = {10, 20, 30, 40, 50, 60, 70, 80};
    values.resize(16);
    opened.bind("x", values);
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(opened.run(), "ok");
      const std::vector<std::uint32_t> before = values;
      for (int k = 0; k < 4; ++k) values[offset / 4 + k] = before[k] + 1;
      EXPECT_EQ(opened.words("x"), values) << offset;
    }
  }
}

// Each copy has its own t. All read and write the counter, so their accesses to it must be ordered.
TEST_P(PlanBackend, CopiesInFlightKeepWhatTheyShare) {
  const std::string recipe = model_recipe(buffer_json("counter", "inout") + "," + buffer_json("t", "internal", 16),
                                          model_run("counter", "t") + "," + model_run("t", "counter"));
  const std::string profile = R"({"bindings": [{"name": "counter", "size": 16}],
    "executions": [{"mode": "throughput", "depth": 4, "iterations": 25, "verbose": false}]})";
  Opened opened(recipe, options(3), profile, increment_model(), graphs());
  ASSERT_EQ(opened.problems, "");
  const auto failure = opened.session.run();
  EXPECT_FALSE(failure) << Opened::text(failure->diagnostics);
  EXPECT_THAT(opened.words("counter"), Each(2u * 4 * 25));
}

// Several runners on one back end, whose lists use one buffer, which the application has made in memory of the host or
// with the back end.
TEST_P(PlanBackend, RunnersKeepWhatTheyShare) {
  const OpenOptions shared = options(3);
  const std::string recipe = model_recipe(buffer_json("x", "inout", 16), model_run("x", "x"));
  for (const bool on_host : {false, true}) {
    std::vector<std::unique_ptr<Opened>> runners;
    for (int i = 0; i < 3; ++i)
      runners.push_back(std::make_unique<Opened>(recipe, shared, "", increment_model(), graphs()));
    const BufferPtr x =
        on_host ? *cpu::make_host_buffer(16) : *runners.front()->runner().create_buffer({.size = 16, .name = "x"});
    for (const auto& runner : runners) ASSERT_TRUE(runner->runner().bind("x", {x, 0, 16}));
    for (int round = 0; round < 20; ++round) {
      for (const auto& runner : runners) {
        ASSERT_TRUE(runner->runner().execute());
        if (on_host) {
          ASSERT_TRUE(runner->runner().wait());
        }
      }
      for (const auto& runner : runners) ASSERT_TRUE(runner->runner().wait());
    }
    EXPECT_THAT(runners.front()->words("x"), Each(60u));
  }
}

TEST_P(PlanBackend, CopiesInFlight) {
  const std::string profile =
      R"({"bindings": [{"name": "x", "size": 16, "init": {"stride": 4, "value": 5}}, {"name": "golden", "size": 24, "init": {"stride": 4, "value": 5, "begin": 8}},
      {"name": "y", "size": 24, "validate": {"name": "golden"}}],
      "executions": [{"mode": "throughput", "depth": 3, "iterations": 10, "validate": true, "verbose": false}]})";
  Opened opened(twice_recipe(), options(3), profile, {{"m.vgf", graph_model()}}, graphs());
  ASSERT_EQ(opened.problems, "");
  const auto failure = opened.session.run();
  EXPECT_FALSE(failure) << Opened::text(failure->diagnostics);
}

TEST_P(PlanBackend, BuffersOfOtherSizesAreRefused) {
  Opened larger(twice_recipe(), options(), "", {{"m.vgf", graph_model()}}, graphs());
  ASSERT_EQ(larger.problems, "");
  larger.bind("x", {1, 2, 3, 4, 5});
  EXPECT_EQ(larger.run(),
            "`given` of the model needs a buffer of 16 bytes, but argument 0 of run `first` has 20 [buffer-size]");
  BackendPtr backend;
  if (GetParam().is_host) backend = on_cpu();
  const Result<BufferPtr> buffer = (backend ? backend : on_vulkan())->create_buffer({.size = SIZE_MAX / 2});
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().front().kind, DiagnosticKind::DeviceLacks);
}

TEST_P(PlanBackend, ShadersNeedADevice) {
  const Opened shaders(recipe_json(buffer_json("x", "inout", 16), add_run("x", "x", 4, 1)),
                       GetParam().is_host ? only(on_cpu()) : options());
  EXPECT_THAT(shaders.problems, HasSubstr(GetParam().is_host ? "error: kernel `add` is a shader, and " : ""));
  EXPECT_EQ(shaders.problems.contains(" runs models only [device-lacks]"), GetParam().is_host);
  const Opened mixed(twice_recipe(), options(), "", {{"m.vgf", model_of(kMixedModel)}}, graphs());
  EXPECT_THAT(mixed.problems, HasSubstr(GetParam().is_host ? "there is no device" : ""));
}

// Whether the driver runs the graph of a model itself.
TEST_P(PlanBackend, Emulation) {
  const auto native = [&](bool emulates, bool allows_native = true) -> Result<bool> {
    const BackendPtr backend = GetParam().is_host ? on_cpu() : on_vulkan();
    model::GraphChoices choices = graphs();
    choices.native = allows_native;
    const Opened opened(twice_recipe(), only(backend), "", {{"m.vgf", graph_model()}}, choices, emulates);
    SLIPWAY_TRY(const KernelPtr kernel, backend->load_kernel(opened.session.plan()->kernels.front(), nullptr));
    return static_cast<const PlanKernel&>(*kernel).plan().model->plan.graphs.front().native;
  };
  EXPECT_EQ(native(true).value(), GetParam().has_layer);
  EXPECT_FALSE(native(true, false).value());
  const Result<bool> never = native(false);
  ASSERT_EQ(never.has_value(), GetParam().has_layer);
  if (never) return;
  EXPECT_EQ(never.error().front().kind, DiagnosticKind::DeviceLacks);
  EXPECT_THAT(never.error().front().message, HasSubstr("--emulate=never forbids to emulate it"));
}

INSTANTIATE_TEST_SUITE_P(
    Executors, PlanBackend,
    ::testing::Values(Target{.name = "Vulkan"}, Target{.name = "NativeGraphs", .has_layer = true},
                      Target{.name = "Cpu", .engine = model::Engine::Cpu, .is_host = true},
                      Target{.name = "Reference", .engine = model::Engine::Reference, .is_host = true}),
    [](const auto& target) { return target.param.name; });

// --- on a device ---

class ModelOnVulkan : public RecipeTest {
 protected:
  OpenOptions options(std::uint32_t queues = 0) { return only(on_vulkan(queues)); }
};

TEST_F(ModelOnVulkan, ComputesWithItsShaders) {
  Opened opened(twice_recipe(), options(), "", {{"m.vgf", model_of(kShaderModel)}});
  ASSERT_EQ(opened.problems, "");
  for (std::uint32_t i = 0; i < 2; ++i) {
    opened.bind("x", {1, 2, 3, i});
    ASSERT_EQ(opened.run(), "ok");
    EXPECT_THAT(opened.words("y"), ElementsAre(0, 0, 604, 608, 612, 600 + 4 * i));
  }
}

TEST_F(ModelOnVulkan, OutputsAreProven) {
  const std::string recipe = formatted(
      R"({{"header": {{"module": "m.vgf"}}, "resources": {{"buffers": [{}, {}], "kernels": [{{"name": "model"}}]}},
      "execution": {{"runs": [{{"kernel": "model", "arguments": [{{"name": "x", "argidx": 0}}, {{"name": "y", "argidx": 1}}]}}]}}}})",
      buffer_json("x", "input", 16), buffer_json("y", "output", 16));
  constexpr std::string_view kProfile = R"({"bindings": [{"name": "x", "size": 16, "init": {"stride": 4, "value": 21}}],
    "executions": [{"iterations": 2, "verbose": false}]})";
  Opened partial(recipe, options(), std::string(kProfile), {{"m.vgf", model_of(kPartialModel)}});
  ASSERT_EQ(partial.problems, "");
  EXPECT_FALSE(partial.session.run());
  EXPECT_THAT(Opened::text(partial.runner().unwritten_outputs()),
              HasSubstr("output `y` was not written: 2 of 4 elements, from element 2"));
  EXPECT_THAT(partial.words("y"), ElementsAre(42, 42, 0, 0));
  Opened complete(recipe, options(), std::string(kProfile), {{"m.vgf", graph_model()}});
  EXPECT_FALSE(complete.session.run());
  EXPECT_TRUE(complete.runner().unwritten_outputs().empty());
}

// Each copy needs its own intermediates.
TEST_F(ModelOnVulkan, CopiesOfShadersInFlight) {
  const std::string profile =
      R"({"bindings": [{"name": "x", "size": 16, "init": {"stride": 4, "value": 5}}, {"name": "golden", "size": 24, "init": {"stride": 4, "value": 620, "begin": 8}},
      {"name": "y", "size": 24, "validate": {"name": "golden"}}],
      "executions": [{"mode": "throughput", "depth": 3, "iterations": 10, "validate": true, "verbose": false}]})";
  Opened opened(twice_recipe(), options(3), profile, {{"m.vgf", model_of(kShaderModel)}});
  ASSERT_EQ(opened.problems, "");
  const auto failure = opened.session.run();
  EXPECT_FALSE(failure) << Opened::text(failure->diagnostics);
}

TEST_F(ModelOnVulkan, ReportsWhatDoesNotFit) {
  const auto problems = [&](const std::string& recipe, std::vector<char> model) {
    Opened opened(recipe, options(), "", {{"m.vgf", std::move(model)}});
    if (!opened.problems.empty()) return opened.problems;
    opened.bind("x", {1, 2, 3, 4, 5});
    return opened.run();
  };
  EXPECT_EQ(problems(twice_recipe(), graph_model()),
            "`given` of the model needs a buffer of 16 bytes, but argument 0 of run `first` has 20 [buffer-size]");
  EXPECT_THAT(problems(twice_recipe(R"(, "grid": [1, 1, 1])"), graph_model()),
              HasSubstr("kernel `model` is the whole model m.vgf, which takes no `grid`"));
  EXPECT_THAT(problems(twice_recipe(R"(, "parameters": [])"), graph_model()), HasSubstr("takes no `parameters`"));
  std::vector<char> broken = graph_model();
  broken.resize(broken.size() / 2);
  EXPECT_THAT(problems(twice_recipe(), broken), HasSubstr("note: the recipe names it here"));
  constexpr std::string_view kImage = "resource x input storage_image R32_SINT [1, 2, 2, 1]\ninput 0 x picture\n";
  EXPECT_THAT(
      problems(twice_recipe(), model_of(kImage)),
      HasSubstr("`picture` of the model is an image; recipes bind buffers to tensors and buffers [unsupported]"));
}

// --- graphs on the host, between shaders on a device ---

class ModelOnHost : public ModelOnVulkan, public ::testing::WithParamInterface<model::Engine> {
 protected:
  void SetUp() override {
    if (GetParam() == model::Engine::Cpu && !launch::has_cpu_engine()) GTEST_SKIP() << "this build has no CPU engine";
  }
  static BackendPtr on_cpu() {
    return make_plan_backend(BackendKind::Engine, std::make_shared<launch::CpuExecutor>()).value();
  }
  static model::GraphChoices graphs() { return {.engine = GetParam(), .threads = 2}; }
};

TEST_P(ModelOnHost, BesideShadersOnTheDevice) {
  const std::string recipe = formatted(
      R"({{"resources": {{"buffers": [{}, {}, {}, {}], "kernels": [{{"name": "model", "module": "m.vgf"}},
      {{"name": "add", "module": "add.comp", "grid": [1, 1, 1]}}]}}, "execution": {{"runs": [{},
      {{"kernel": "model", "name": "abs", "arguments": [{{"name": "a", "argidx": 0}}, {{"name": "b", "argidx": 1}}]}}, {}]}}}})",
      buffer_json("x", "input", 16), buffer_json("a", "internal", 16), buffer_json("b", "internal", 16),
      buffer_json("y", "output", 16), add_run("x", "a", 4, 10), add_run("b", "y", 4, 1));
  OpenOptions both = options();
  both.runner.open_backend = [vulkan = both.runner.open_backend](BackendKind kind) -> Result<BackendPtr> {
    return kind == BackendKind::Engine ? on_cpu() : vulkan(kind);
  };
  Opened opened(recipe, both, "", {{"m.vgf", graph_model()}}, graphs());
  ASSERT_EQ(opened.problems, "");
  for (std::uint32_t i = 1; i < 4; ++i) {
    opened.bind("x", {1, -20U, 30, -i});
    ASSERT_EQ(opened.run(), "ok");
    EXPECT_THAT(opened.words("y"), ElementsAre(12, 11, 41, 11 - i));
  }
}

TEST_P(ModelOnHost, TimeOut) {
  if (GetParam() != model::Engine::Cpu) GTEST_SKIP() << "the interpreter has no time limit";
  Opened opened(twice_recipe(), only(on_cpu()), "", {{"m.vgf", graph_model()}}, graphs());
  ASSERT_EQ(opened.problems, "");
  opened.bind("x", {1, 2, 3, 4});
  ASSERT_TRUE(opened.runner().prepare({.time_out = std::chrono::nanoseconds(0)}));
  EXPECT_EQ(opened.run(), "the graph did not end in the given time [timed-out]");
  ASSERT_TRUE(opened.runner().prepare({}));
  EXPECT_EQ(opened.run(), "ok");
}

// The shaders of a model run on the device, between the calls of the engine. Its second run reads what the first wrote.
TEST_P(ModelOnHost, BetweenItsShaders) {
  const auto run = [&](const model::GraphChoices& how, const char* graphs_on) {
    OpenOptions both = options(2);
    both.runner.timings = true;
    Opened opened(twice_recipe(), both, "", {{"m.vgf", model_of(kMixedModel)}}, how);
    EXPECT_EQ(opened.problems, "");
    EXPECT_THAT(print_plan(*opened.session.plan()),
                HasSubstr(formatted("kernel model: vulkan, the whole model m.vgf{}\n", graphs_on)));
    std::vector<std::vector<std::uint32_t>> results;
    for (std::uint32_t i = 1; i < 4; ++i) {
      opened.bind("x", {1, -20U, 30, -i});
      EXPECT_EQ(opened.run(), "ok");
      results.push_back(opened.words("y"));
    }
    for (const RunRecord& record : opened.runner().records()) {
      EXPECT_EQ(record.count, 3U);
      EXPECT_GT(record.total_ns.value_or(0), 0);
    }
    return results;
  };
  const bool cpu = GetParam() == model::Engine::Cpu;
  const auto results = run(graphs(), cpu ? ", its graphs on the CPU engine" : ", its graphs on the interpreter");
  EXPECT_THAT(results[0], ElementsAre(0, 0, 16, 100, 60, 24));
  EXPECT_EQ(results, run({}, ""));
}

TEST_P(ModelOnHost, CopiesInFlightBetweenShaders) {
  const std::string profile =
      R"({"bindings": [{"name": "x", "size": 16, "init": {"stride": 4, "value": 6}}, {"name": "golden", "size": 24, "init": {"stride": 4, "value": 4, "begin": 8}},
      {"name": "y", "size": 24, "validate": {"name": "golden"}}],
      "executions": [{"mode": "throughput", "depth": 3, "iterations": 10, "validate": true, "verbose": false}]})";
  Opened opened(twice_recipe(), options(3), profile, {{"m.vgf", model_of(kMixedModel)}}, graphs());
  ASSERT_EQ(opened.problems, "");
  const auto failure = opened.session.run();
  EXPECT_FALSE(failure) << Opened::text(failure->diagnostics);
}

TEST(PublicRunner, RunsModelsOnTheCpuEngine) {
  if (!launch::has_cpu_engine()) GTEST_SKIP() << "this build has no CPU engine";
  const device cpu("cpu");
  slipway::runner runner(cpu, twice_recipe(), slipway::artifacts({{"m.vgf", graph_model()}}));
  bo x(cpu, 16);
  std::ranges::copy(std::to_array<std::uint32_t>({1, -2U, 3, -4U}), x.map<std::uint32_t*>());
  runner.bind("x", x);
  runner.execute();
  runner.wait();
  EXPECT_THAT(std::span(runner.map_buffer<const std::uint32_t*>("y"), 6), ElementsAre(0, 0, 1, 2, 3, 4));
}

INSTANTIATE_TEST_SUITE_P(Engines, ModelOnHost, ::testing::Values(model::Engine::Cpu, model::Engine::Reference),
                         [](const auto& engine) { return engine.param == model::Engine::Cpu ? "Cpu" : "Reference"; });

}  // namespace
}  // namespace slipway::recipe
