// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public class, as programs use it: through public headers only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <utility>

#include "slipway/xrt_runner.hpp"
#include "testing/cpu_libraries.hpp"

namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr const char* kRecipe = R"({
  "header": { "module": "inc.comp" },
  "resources": {
    "buffers": [ { "name": "ifm", "type": "input" }, { "name": "ofm", "type": "output" } ],
    "kernels": [ { "name": "inc", "grid": [1, 1, 1] } ]
  },
  "execution": { "runs": [ { "name": "inc",
    "arguments": [ { "name": "ifm", "argidx": 0 }, { "name": "ofm", "argidx": 1 } ],
    "constants": [ { "value": "16", "argidx": 2 }, { "value": 1, "type": "int", "argidx": 3 } ] } ] }
})";

slipway::artifacts files() {
  const std::string shader = R"(#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform P { uint count; uint step; } p;
void main() { uint i = gl_GlobalInvocationID.x; if (i < p.count) y[i] = x[i] + p.step; }
)";
  return slipway::artifacts({{"inc.comp", {shader.begin(), shader.end()}}});
}

std::vector<std::uint32_t> words(const slipway::bo& buffer) {
  std::vector<std::uint32_t> values(buffer.size() / 4);
  buffer.read(values.data());
  return values;
}

TEST(PublicRunner, HasTheInterfaceOfTheFormatDocument) {
  const xrt::device device;
  xrt::runner runner(device, kRecipe, files());
  ASSERT_TRUE(runner);
  xrt::bo ifm(device, 64), ofm(device, 64);
  for (int i = 0; i < 16; ++i) ifm.map<std::uint32_t*>()[i] = 41;
  ifm.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  runner.bind_input("ifm", ifm);
  runner.bind_output("ofm", ofm);
  for (int i = 0; i < 2; ++i) {
    runner.execute();
    runner.wait();
  }
  runner.wait();
  ofm.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  EXPECT_THAT(words(ofm), Each(42u));
  EXPECT_EQ(runner.map_buffer<const std::uint32_t*>("ofm")[3], 42u);
  EXPECT_TRUE(runner.map_buffer("nothing").empty());
  EXPECT_TRUE(runner.wait(std::chrono::milliseconds(1)));
  EXPECT_THAT(
      runner.get_report(),
      HasSubstr(
          R"("runs":[{"index":0, "id":"inc", "kernel":"inc", "where":"npu", "backend":"vulkan", "status":"ok", "count":2)"));
}

TEST(PublicRunner, PartsOfABufferCanBeBound) {
  const slipway::device device;
  slipway::runner runner(device, kRecipe, files());
  slipway::bo both(device, 2048);
  std::memset(both.map(), 0, 2048);
  runner.bind("ifm", slipway::bo(both, 64, 0));
  runner.bind("ofm", slipway::bo(both, 64, 1024));
  runner.execute();
  runner.wait();
  EXPECT_THAT(words(slipway::bo(both, 64, 1024)), Each(1u));
  EXPECT_THAT(words(slipway::bo(both, 64, 0)), Each(0u));
}

template <class Error>
std::string thrown_by(auto&& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_FALSE(error.diagnostics().empty());
    return error.what();
  }
  return "nothing";
}

TEST(PublicRunner, ErrorsHaveAClassAndAllDiagnostics) {
  using slipway::runner;
  const slipway::device device;
  const auto load = [&](const std::string& recipe) {
    return [&, recipe] { const runner unused(device, recipe, files()); };
  };
  EXPECT_THAT(thrown_by<runner::json_error>(load("{")), HasSubstr(""));
  EXPECT_THAT(thrown_by<runner::repo_error>(load("nowhere.json")), HasSubstr("nowhere.json"));
  EXPECT_THAT(thrown_by<runner::recipe_error>(
                  load(R"({"resources": {}, "execution": {"runs": [{"name": "a"}, {"name": "b"}]}})")),
              HasSubstr("Unknown kernel 'a' (and 1 other problem)"));
  EXPECT_THAT(
      thrown_by<runner::hwctx_error>(load(
          R"({"resources": {"hwctxs": [{"name": "a"}]}, "execution": {"runs": [{"name": "f", "where": "cpu"}]}})")),
      HasSubstr("hwctx"));
  EXPECT_THAT(thrown_by<runner::error>(load("{")), ::testing::Not("nothing"));

  runner good(device, kRecipe, files());
  EXPECT_THAT(thrown_by<runner::state_error>([&] { good.execute(); }), HasSubstr("'ifm', 'ofm' are not bound"));
  EXPECT_THAT(thrown_by<runner::recipe_error>([&] { good.bind("x", slipway::bo(device, 4)); }),
              HasSubstr("Unknown buffer 'x'"));
  EXPECT_THAT(thrown_by<runner::state_error>([&] { good.bind("ifm", slipway::bo()); }), HasSubstr("empty"));
  EXPECT_THAT(thrown_by<runner::state_error>([&] { runner().wait(); }), HasSubstr("this runner is empty"));
}

TEST(PublicRunner, AProfileRunsInExecute) {
  const std::string profile =
      R"({"bindings": [{"name": "ifm", "size": 64, "init": {"stride": 4, "value": 1}}, {"name": "gold", "size": 64, "init": {"stride": 4, "value": 2}},
    {"name": "ofm", "size": 64, "validate": {"name": "gold"}}], "execution": {"iterations": 3, "validate": true, "verbose": false}})";
  slipway::runner runner(slipway::device(), kRecipe, profile, files());
  runner.execute();
  runner.wait();
  // The shape of the shipped runner: the execution of the profile key `execution` is the report itself.
  EXPECT_THAT(runner.report(), ::testing::StartsWith(R"({"cpu":{"elapsed":)"));
  EXPECT_THAT(runner.report(), HasSubstr(R"("iterations":3, "name":"default")"));
  EXPECT_THAT(runner.report(), ::testing::Not(HasSubstr(R"("execution")")));
  const std::string wrong = std::string(profile).replace(profile.find("\"value\": 2"), 10, "\"value\": 3");
  slipway::runner failing(slipway::device(), kRecipe, wrong, files());
  EXPECT_THAT(thrown_by<slipway::runner::validation_error>([&] { failing.execute(); }),
              HasSubstr("is not what is expected"));
  EXPECT_THAT(failing.report(), HasSubstr(R"("error":{"kind":"expectation-failed")"));
}

// Once, by the first `wait`; results can be read all the same.
TEST(PublicRunner, OutputsAreProven) {
  std::string recipe = kRecipe;
  recipe.replace(recipe.find("\"type\": \"output\""), 16, "\"type\": \"output\", \"size\": 64");
  recipe.replace(recipe.find("\"value\": \"16\""), 13, "\"value\": \"12\"");
  const slipway::device device;
  slipway::runner runner(device, recipe, files());
  runner.bind("ifm", slipway::bo(device, 64));
  runner.execute();
  EXPECT_THAT(thrown_by<slipway::runner::validation_error>([&] { runner.wait(); }),
              HasSubstr("output `ofm` was not written: 4 of 16 elements, from element 12"));
  EXPECT_EQ(runner.map_buffer<const std::uint32_t*>("ofm")[11], 1u);
  EXPECT_EQ(runner.map_buffer<const std::uint32_t*>("ofm")[12], 0u);
  runner.execute();
  runner.wait();
}

TEST(PublicRunner, TheExceptionOfAFunctionIsNested) {
  const std::string recipe =
      R"({"resources": {"cpus": [{"name": "fail", "library_path": "arithmetic"}]}, "execution": {"runs": [{"name": "fail", "where": "cpu"}]}})";
  slipway::runner runner(slipway::device("no such device"), recipe,
                         slipway::run_options{.library_root = slipway::testing::cpu_libraries()});
  runner.execute();
  try {
    runner.wait();
    FAIL() << "nothing was thrown";
  } catch (const slipway::runner::cpu_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("run 'fail' (function 'fail' of"));
    try {
      std::rethrow_if_nested(error);
      FAIL() << "nothing is nested";
    } catch (const std::runtime_error& original) {
      EXPECT_STREQ(original.what(), "the answer is not 42");
    }
  }
}

// NOLINTBEGIN(bugprone-use-after-move,performance-move-const-arg)
TEST(PublicRunner, DevicesAndArtifactsThatWereMovedFromStayUsable) {
  slipway::device device;
  const slipway::device taken = std::move(device);
  slipway::artifacts all = files();
  const slipway::artifacts others = std::move(all);
  using Objects = std::pair<const slipway::device*, const slipway::artifacts*>;
  for (const auto& [one, data] : {Objects(&device, &all), Objects(&taken, &others)}) {
    slipway::runner made(*one, kRecipe, *data);
    slipway::bo ifm(*one, 64), ofm(*one, 64);
    made.bind_input("ifm", ifm);
    made.bind_output("ofm", ofm);
    made.execute();
    made.wait();
    EXPECT_THAT(words(ofm), Each(1u));
    const slipway::runner moved = std::move(made);
    EXPECT_THROW(made.execute(), slipway::runner::state_error);
  }
}
// NOLINTEND(bugprone-use-after-move,performance-move-const-arg)

TEST(PublicRunner, SeveralRunnersShareADevice) {
  const slipway::device device;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&device] {
      slipway::runner runner(device, kRecipe, files());
      slipway::bo ifm(device, 64), ofm(device, 64);
      runner.bind_input("ifm", ifm);
      runner.bind_output("ofm", ofm);
      for (int i = 0; i < 20; ++i) {
        runner.execute();
        runner.wait();
      }
      EXPECT_THAT(words(ofm), Each(1u));
    });
  }
}

}  // namespace
