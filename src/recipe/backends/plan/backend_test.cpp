// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recipes on a Vulkan device, under the validation layer with synchronisation validation.
#include <malloc.h>

#include <filesystem>

#include "base/format.hpp"
#include "testing/recipes.hpp"
#include "vgf/write.hpp"

// The address sanitizer replaces the heap, so `mallinfo2` of the C library does not see it.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" __attribute__((weak)) std::size_t __sanitizer_get_current_allocated_bytes();

namespace slipway::recipe {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PlanBackendOnVulkan : public RecipeTest {
 protected:
  OpenOptions options(bool validation = true, std::uint32_t queues = 0) { return only(on_vulkan(queues, validation)); }
};

TEST_F(PlanBackendOnVulkan, ChainedRunsSeeEachOther) {
  std::string runs;
  for (int i = 0; i < 8; ++i) runs += (i ? ", " : "") + (i % 2 ? add_run("b", "a", 4, 1) : add_run("a", "b", 4, 1));
  Opened opened(recipe_json(buffer_json("a", "inout", 16) + "," + buffer_json("b", "internal", 16), runs), options());
  ASSERT_EQ(opened.problems, "");
  EXPECT_EQ(opened.session.plan()->lists.size(), 1u);
  for (std::uint32_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(opened.run(), "ok");
    EXPECT_THAT(opened.words("a"), Each(8 * i));
  }
}

TEST_F(PlanBackendOnVulkan, MixedListsShareTheirBuffers) {
  Opened opened(recipe_json(buffer_json("x", "input") + "," + buffer_json("a", "internal", 64) + "," +
                                buffer_json("b", "internal", 64) + "," + buffer_json("y", "output"),
                            cpu_run("copy", R"({"name": "x", "argidx": 0}, {"name": "a", "argidx": 1})") + "," +
                                add_run("a", "b", 16, 1) + "," + add_run("b", "a", 16, 1) + "," +
                                cpu_run("add", R"({"name": "a", "argidx": 0, "size": 32, "offset": 32})",
                                        R"({"value": 2, "argidx": 1})") +
                                "," + cpu_run("copy", R"({"name": "a", "argidx": 0}, {"name": "y", "argidx": 1})"),
                            cpus_json({"copy", "add"})),
                options());
  ASSERT_EQ(opened.problems, "");
  opened.bind("x", std::vector<std::uint32_t>(16, 7));
  opened.bind("y", std::vector<std::uint32_t>(16, 0));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(opened.run(), "ok");
    std::vector<std::uint32_t> expected(16, 9);
    std::fill(expected.begin() + 8, expected.end(), 0x0202020b);
    EXPECT_EQ(opened.words("y"), expected);
  }
}

// Offsets of arguments need not have the alignment that the device requires of descriptors.
TEST_F(PlanBackendOnVulkan, PartsMayBeginAnywhere) {
  Opened opened(
      recipe_json(buffer_json("x", "inout", 64) + "," + buffer_json("y", "output", 64),
                  add_run("x", "y", 4, 100, R"(, "offset": 4, "size": 16)", R"(, "offset": 20, "size": 16)") + "," +
                      add_run("y", "y", 2, 1000, R"(, "offset": 20, "size": 8)", R"(, "offset": 44, "size": 8)")),
      options());
  ASSERT_EQ(opened.problems, "");
  std::vector<std::uint32_t> counting(16);
  for (std::uint32_t i = 0; i < 16; ++i) counting[i] = i;
  opened.bind("x", counting);
  ASSERT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(0, 0, 0, 0, 0, 101, 102, 103, 104, 0, 0, 1101, 1102, 0, 0, 0));
}

TEST_F(PlanBackendOnVulkan, OneBufferInSeveralArguments) {
  Opened opened(recipe_json(buffer_json("x", "inout"), add_run("x", "x", 4, 5)), options());
  opened.bind("x", {1, 2, 3, 4});
  ASSERT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("x"), ElementsAre(6, 7, 8, 9));
  opened.bind("x", {10, 20, 30, 40});  // changes both arguments
  ASSERT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("x"), ElementsAre(15, 25, 35, 45));
}

// A recipe with a module of its own: buffers x and y, one run of kernel `k`.
std::string module_recipe(std::string_view module, std::string_view keys) {
  return formatted(
      R"({{"header": {{"module": "{}"}}, "resources": {{"buffers": [{}, {}], "kernels": [{{"name": "k"{}}}]}},
      "execution": {{"runs": [{{"kernel": "k", "name": "r", "arguments": [{{"name": "x", "argidx": 0}}, {{"name": "y", "argidx": 1}}]}}]}}}})",
      module, buffer_json("x", "input"), buffer_json("y", "output", 16), keys);
}

std::vector<char> chars_of(std::string_view text) { return {text.begin(), text.end()}; }

// RPL assigns bindings itself: read-only buffers come first.
TEST_F(PlanBackendOnVulkan, KernelsOfRpl) {
  constexpr std::string_view kProgram = R"(
set_object read_write_storage_buffer result { u1... values; };
set_object read_only_storage_buffer given { u1... values; };
void twice (void) { u1 i = compute_stage_input_global_id ().x; result.values[i] = given.values[i] * 2u; }
void negate (void) { u1 i = compute_stage_input_global_id ().x; result.values[i] = ~given.values[i]; }
)";
  const auto open = [&](std::string_view keys) {
    return std::make_unique<Opened>(module_recipe("m.rpl", keys), options(), "",
                                    ArtifactMap{{"m.rpl", chars_of(kProgram)}});
  };
  const auto twice = open(R"(, "entry": "twice", "grid": [4, 1, 1])");
  ASSERT_EQ(twice->problems, "");
  twice->bind("x", {1, 2, 3, 4});
  ASSERT_EQ(twice->run(), "ok");
  EXPECT_THAT(twice->words("y"), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(
      open(R"(, "grid": [4, 1, 1])")->problems,
      HasSubstr(
          "kernel `k` needs `entry` with the name of a function; its module has `twice`, `negate` [kernel-entry]"));
  EXPECT_THAT(open(R"(, "entry": "thrice", "grid": [4, 1, 1])")->problems, HasSubstr("[rpl-entry-missing]"));
  EXPECT_THAT(open(R"(, "entry": "twice")")->problems, HasSubstr("kernel `k` needs a `grid`"));
}

// A compute module of a VGF has its code, and the segment that dispatches it has the work groups.
TEST_F(PlanBackendOnVulkan, KernelsOfVgf) {
  vgf::Encoder encoder;
  const auto x = encoder.add_resource({.category = vgf::Category::Input,
                                       .descriptor_type = vk::DescriptorType::STORAGE_BUFFER,
                                       .format = vk::Format::R32_UINT,
                                       .shape = {4}});
  const auto in = encoder.add_slot(0, x);
  const auto module = encoder.add_module({.kind = vgf::ModuleKind::Compute,
                                          .name = "post",
                                          .entry_point = "main",
                                          .code = vgf::CodeKind::Glsl,
                                          .text = "#version 450\n"
                                                  "layout(set = 0, binding = 0) readonly buffer X { uint x[]; };\n"
                                                  "layout(set = 0, binding = 1) buffer Y { uint y[]; };\n"
                                                  "void main() { uint i = gl_WorkGroupID.x; y[i] = x[i] + 100; }\n"});
  encoder.add_segment({.module = module, .name = "s", .inputs = std::array{in}, .dispatch = {4, 1, 1}});
  const std::vector<std::byte> bytes = encoder.finish().value();
  const std::string_view text = text_of(Bytes(bytes));
  const auto open = [&](std::string_view keys) {
    return std::make_unique<Opened>(module_recipe("m.vgf", keys), options(), "",
                                    ArtifactMap{{"m.vgf", chars_of(text)}});
  };
  const auto post = open(R"(, "entry": "post")");
  ASSERT_EQ(post->problems, "");
  post->bind("x", {1, 2, 3, 4});
  ASSERT_EQ(post->run(), "ok");
  EXPECT_THAT(post->words("y"), ElementsAre(101, 102, 103, 104));
  EXPECT_THAT(open(R"(, "entry": "pre")")->problems,
              HasSubstr("has no compute module `pre`; it has `post` [kernel-entry]"));
}

TEST_F(PlanBackendOnVulkan, ConstantsOfEveryKindAreConverted) {
  constexpr std::string_view kTypes = R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(constant_id = 3) const uint factor = 1;
layout(constant_id = 4) const bool negate = false;
layout(set = 1, binding = 2) buffer Y { double y[]; };
layout(set = 0, binding = 0) uniform U { float scale; } u;
layout(push_constant) uniform P { int i; uint64_t l; float f; double d; vec2 v; mat2 m; uint array[3]; } p;
void main() {
  y[0] = p.i; y[1] = double(p.l); y[2] = p.f; y[3] = p.d; y[4] = p.v.x * 10 + p.v.y;
  y[5] = p.m[0][0] * 1000 + p.m[0][1] * 100 + p.m[1][0] * 10 + p.m[1][1];
  y[6] = p.array[0] * 100 + p.array[1] * 10 + p.array[2];
  y[7] = double(factor) * (negate ? -1 : 1);
  y[8] = u.scale;
}
)";
  const std::string recipe = formatted(
      R"({{"resources": {{"buffers": [{}, {}], "kernels": [{{"name": "types", "module": "types.comp", "grid": ["1", 1, 1], "specialization": {{"factor": 3, "4": true}}}}]}},
      "execution": {{"runs": [{{"name": "types", "arguments": [{{"name": "u", "argidx": 0}}, {{"name": "y", "argidx": "1"}}],
      "constants": [{{"value": -7, "argidx": 2}}, {{"value": "0x100000000", "argidx": 3}}, {{"value": 0.5, "argidx": 4}}, {{"value": -2.25, "argidx": 5}},
        {{"value": [3, 4.5], "argidx": 6}}, {{"value": [1, 2, 3, 4], "argidx": 7}}, {{"value": [5, 6, 7], "argidx": 8}}]}}]}}}})",
      buffer_json("u", "input", 256), buffer_json("y", "output", 72));
  Opened opened(recipe, options(), "", {{"types.comp", {kTypes.begin(), kTypes.end()}}});
  ASSERT_EQ(opened.problems, "");
  const float scale = 1.25f;
  store(host_bytes(*opened.runner().bound("u")->storage).data(), scale);
  ASSERT_EQ(opened.run(), "ok");
  const Bytes bytes = *opened.runner().map_buffer("y");
  std::vector<double> y(9);
  std::memcpy(y.data(), bytes.data(), 72);
  EXPECT_THAT(y, ElementsAre(-7, 4294967296.0, 0.5, -2.25, 34.5, 1234, 567, -3, 1.25));
}

TEST_F(PlanBackendOnVulkan, AZeroStandsForABufferOfZeros) {
  const std::string run =
      R"({"kernel": "add", "arguments": [{"name": "y", "argidx": 1}], "constants": [{"value": "0", "argidx": 0}, {"value": 4, "argidx": 2}, {"value": 3, "argidx": 3}]})";
  Opened opened(recipe_json(buffer_json("y", "output", 16), run), options());
  ASSERT_EQ(opened.problems, "");
  ASSERT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), Each(3u));
}

TEST_F(PlanBackendOnVulkan, RunsMayChooseThePipelineVariant) {
  constexpr std::string_view kScale = R"(#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint factor = 1;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
void main() { y[gl_WorkGroupID.x] = y[gl_WorkGroupID.x] * factor + 1; }
)";
  const auto run = [](int factor) {
    return formatted(
        R"({{"name": "scale", "arguments": [{{"name": "y", "argidx": 0}}], "constants": [{{"value": {}, "argidx": 1}}]}})",
        factor);
  };
  const std::string recipe = formatted(
      R"({{"resources": {{"buffers": [{}], "kernels": [{{"name": "scale", "module": "scale.comp", "grid": [4, 1, 1], "parameters": [{{"argidx": 0, "name": "Y"}}, {{"argidx": 1, "spec": 0}}]}}]}},
      "execution": {{"runs": [{}, {}, {}]}}}})",
      buffer_json("y", "output", 16), run(1), run(10), run(100));
  Opened opened(recipe, options(), "", {{"scale.comp", {kScale.begin(), kScale.end()}}});
  ASSERT_EQ(opened.problems, "");
  ASSERT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), Each(1101u));
}

TEST_F(PlanBackendOnVulkan, TooLargeGridsAndBuffersAreRefused) {
  const std::string many =
      R"({"kernel": "add", "grid": [4294967295, 1, 1], "arguments": [{"name": "x", "argidx": 0}, {"name": "x", "argidx": 1}], "constants": [{"value": 4, "argidx": 2}, {"value": 3, "argidx": 3}]})";
  Opened grid(recipe_json(buffer_json("x", "inout", 16), many), options());
  EXPECT_THAT(grid.run(), HasSubstr("[kernel-grid]"));
  const Opened buffer(
      recipe_json(R"({"name": "x", "type": "inout", "size": "0x7fffffffffffffff"})", add_run("x", "x", 4, 1)),
      options());
  EXPECT_THAT(buffer.problems, HasSubstr("has 9223372036854775807 bytes, but the device allows at most"));
  EXPECT_THAT(buffer.problems, HasSubstr("[device-lacks]"));
}

// A profile from its bindings to its report.
TEST_F(PlanBackendOnVulkan, AProfileBindsRunsAndValidates) {
  const std::string recipe = recipe_json(
      buffer_json("x", "input") + "," + buffer_json("t", "internal", 64) + "," + buffer_json("y", "output", 64),
      add_run("x", "t", 16, 1) + "," + add_run("t", "y", 16, 41));
  const std::string profile =
      R"({"bindings": [{"name": "x", "size": 64, "init": {"stride": 4, "value": 7}}, {"name": "golden", "size": 64, "init": {"stride": 4, "value": 49}},
    {"name": "y", "size": 64, "validate": {"name": "golden"}}],
    "executions": [{"mode": "validate", "iterations": 2}, {"mode": "latency", "iterations": 10}, {"mode": "throughput", "depth": 3, "iterations": 5, "validate": true}]})";
  OpenOptions verbose = options();
  verbose.runner.timings = true;
  std::string printed;
  verbose.profile.print = [&](std::string_view text) { printed += text; };
  Opened opened(recipe, verbose, profile);
  ASSERT_EQ(opened.problems, "");
  const auto failure = opened.session.run();
  EXPECT_FALSE(failure) << Opened::text(failure->diagnostics);
  EXPECT_THAT(printed, HasSubstr("Execution profile: latency\nElapsed time (us): "));
  EXPECT_THAT(printed, HasSubstr("Average Throughput (op/s): "));
  const auto& outcomes = opened.session.engine().executions();
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_EQ(outcomes[1].samples.count, 10u);
  EXPECT_EQ(outcomes[2].samples.count, 15u);
  EXPECT_EQ(outcomes[2].depth, 3u);
  EXPECT_TRUE(opened.runner().records()[0].total_ns);
  EXPECT_EQ(opened.runner().records()[1].count, 2u + 10 + 15);
  const std::string report = opened.session.report(nullptr, nullptr, 0);
  EXPECT_THAT(report, HasSubstr(R"("validation":[{"buffer":"y", "ok":true)"));
  EXPECT_THAT(report, HasSubstr(R"("runlists":[{"kind":"vulkan", "runs":2, "chained":true}])"));
}

TEST_F(PlanBackendOnVulkan, WhatIsNotAsExpectedIsCounted) {
  const std::string profile =
      R"({"bindings": [{"name": "x", "size": 64, "init": {"stride": 4, "value": 7}, "validate": {"file": "golden.bin"}}], "execution": {"validate": true}})";
  std::string printed;
  OpenOptions verbose = options();
  verbose.profile.print = [&](std::string_view text) { printed += text; };
  Opened opened(recipe_json(buffer_json("x", "inout"), add_run("x", "x", 16, 1)), verbose, profile,
                {{"golden.bin", std::vector<char>(64)}});
  ASSERT_EQ(opened.problems, "");
  const auto failure = opened.session.run();
  ASSERT_TRUE(failure);
  EXPECT_THAT(
      Opened::text(failure->diagnostics),
      HasSubstr("16 mismatches; the first is gold[0] = 0 does not match bo value in bo 8 [expectation-failed]"));
  EXPECT_THAT(printed, HasSubstr("16 mismatches in buffer 'x'\n"));
}

TEST_F(PlanBackendOnVulkan, ReinitAndRebindHappenInTheSameIteration) {
  // Every iteration initialises x again; otherwise its values would add up.
  const std::string profile =
      R"({"bindings": [{"name": "x", "size": 16, "reinit": true, "rebind": true, "init": {"file": "data.bin"}}],
    "executions": [{"iterations": 3, "iteration": {"init": true, "bind": true, "wait": true}}]})";
  std::vector<char> data(32);
  data[0] = 1;
  data[16] = 2;  // iteration 1 begins here; iteration 2 begins at the start of the file again
  Opened opened(recipe_json(buffer_json("x", "inout"), add_run("x", "x", 4, 100)), options(), profile,
                {{"data.bin", data}});
  ASSERT_EQ(opened.problems, "");
  ASSERT_FALSE(opened.session.run());
  EXPECT_THAT(opened.words("x"), ElementsAre(101, 100, 100, 100));
}

// Copies in flight on several queues. Each copy has its own t and u. All write y, and all read and write the counter,
// so their accesses to these two must be ordered.
TEST_F(PlanBackendOnVulkan, CopiesOnSeveralQueuesKeepWhatTheyShare) {
  const std::string recipe = recipe_json(buffer_json("x", "input") + "," + buffer_json("t", "internal", 64) + "," +
                                             buffer_json("u", "internal", 64) + "," + buffer_json("y", "output") + "," +
                                             buffer_json("counter", "inout"),
                                         add_run("x", "t", 16, 1) + "," + add_run("t", "u", 16, 1) + "," +
                                             add_run("u", "y", 16, 40) + "," + add_run("counter", "counter", 4, 1));
  const std::string profile =
      R"({"bindings": [{"name": "x", "size": 64, "init": {"stride": 4, "value": 7}}, {"name": "golden", "size": 64, "init": {"stride": 4, "value": 49}},
    {"name": "counter", "size": 16}, {"name": "y", "size": 64, "validate": {"name": "golden"}}],
    "executions": [{"mode": "throughput", "depth": 4, "iterations": 25, "validate": true}, {"mode": "throughput", "depth": 7, "iterations": 10, "validate": true}]})";
  for (const std::uint32_t queues : {1u, 4u}) {
    Opened opened(recipe, options(true, queues), profile);
    ASSERT_EQ(opened.problems, "");
    const auto failure = opened.session.run();
    EXPECT_FALSE(failure) << Opened::text(failure->diagnostics);
    EXPECT_THAT(opened.words("counter"), Each(4u * 25 + 7 * 10));
    EXPECT_THAT(opened.words("y"), Each(49u));
  }
}

// Several runners on one device, whose lists are ordered because the same buffer is bound to all of them.
TEST_F(PlanBackendOnVulkan, RunnersOnOneDeviceKeepWhatTheyShare) {
  const OpenOptions shared = options(true, 3);
  const std::string recipe = recipe_json(buffer_json("x", "inout"), add_run("x", "x", 4, 1));
  std::vector<std::unique_ptr<Opened>> runners;
  for (int i = 0; i < 3; ++i) runners.push_back(std::make_unique<Opened>(recipe, shared));
  runners.front()->bind("x", {1, 2, 3, 4});
  const BufferRange x = *runners.front()->runner().bound("x");
  for (const auto& runner : runners) ASSERT_TRUE(runner->runner().bind("x", x));
  for (int round = 0; round < 50; ++round) {
    for (const auto& runner : runners) ASSERT_TRUE(runner->runner().execute());
    for (const auto& runner : runners) ASSERT_TRUE(runner->runner().wait());
  }
  EXPECT_THAT(runners.front()->words("x"), ElementsAre(151, 152, 153, 154));
}

// A staging copy of bytes that another argument of the run writes, or reads after they are written, would have other
// contents than the buffer.
TEST_F(PlanBackendOnVulkan, OverlappingPartsThatNeedACopyAreRefused) {
  const auto problem = [&](std::string_view x_slice, std::string_view y_slice) {
    Opened opened(recipe_json(buffer_json("x", "inout", 1024), add_run("x", "x", 4, 1, x_slice, y_slice)), options());
    EXPECT_EQ(opened.problems, "");
    return opened.run();
  };
  EXPECT_THAT(problem(R"(, "offset": 4, "size": 16)", R"(, "offset": 8, "size": 16)"),
              HasSubstr("arguments 0 and 1 of run `x_to_x` overlap, one of them is written, and offset"));
  EXPECT_THAT(problem(R"(, "offset": 0, "size": 16)", R"(, "offset": 12, "size": 16)"), HasSubstr("[buffer-size]"));
  EXPECT_EQ(problem(R"(, "offset": 4, "size": 16)", R"(, "offset": 20, "size": 16)"), "ok");
  EXPECT_EQ(problem(R"(, "offset": 256, "size": 16)", R"(, "offset": 256, "size": 16)"), "ok");
}

std::size_t heap_bytes() {
  return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : ::mallinfo2().uordblks;
}

// 10 times 250 iterations of 4 copies that are in flight on several queues.
TEST_F(PlanBackendOnVulkan, TenThousandExecutionsOfCopiesLeaveNothing) {
  Opened opened(
      recipe_json(buffer_json("x", "inout"), add_run("x", "x", 4, 1)), options(false, 4),
      R"({"bindings": [{"name": "x", "size": 16}], "executions": [{"mode": "throughput", "depth": 4, "iterations": 250}]})");
  ASSERT_EQ(opened.problems, "");
  ASSERT_FALSE(opened.session.run());  // the first one prepares the lists
  const std::size_t before = heap_bytes();
  for (int i = 0; i < 10; ++i) ASSERT_FALSE(opened.session.run());
  EXPECT_LT(heap_bytes(), before + 65536);
  EXPECT_THAT(opened.words("x"), Each(11'000u));
}

// Executions must not leak memory of the process.
TEST_F(PlanBackendOnVulkan, TenThousandExecutionsLeaveNothing) {
  Opened opened(
      recipe_json(buffer_json("x", "inout", 16),
                  add_run("x", "x", 4, 1) + "," +
                      cpu_run("add", R"({"name": "x", "argidx": 0, "size": 1})", R"({"value": 0, "argidx": 1})"),
                  cpus_json({"add"})),
      options(false));
  ASSERT_EQ(opened.problems, "");
  const auto run = [&](int times) {
    for (int i = 0; i < times; ++i) ASSERT_EQ(opened.run(), "ok");
  };
  run(500);
  const std::size_t before = heap_bytes();
  run(10'000);
  EXPECT_LT(heap_bytes(), before + 65536);
  EXPECT_THAT(opened.words("x"), Each(10'500u));
}

}  // namespace
}  // namespace slipway::recipe
