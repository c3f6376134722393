// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models in plans: their segments, and their results on a device.
#include "model/plan/plan_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/print_diagnostic.hpp"
#include "executors/cpu/info.hpp"
#include "launch/plan/explain.hpp"
#include "model/plan/graph_engine.hpp"
#include "testing/launch_fixture.hpp"
#include "testing/vgf_recipe.hpp"

namespace slipway::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A shader that adds a pushed number, a graph that takes absolute values and multiplies, a shader that adds 1.
constexpr std::string_view kSandwich = R"(
resource x input storage_buffer R32_SFLOAT [4]
resource a intermediate storage_buffer R32_SFLOAT [4] alias 0
resource at intermediate tensor R32_SFLOAT [4] alias 0
resource b intermediate tensor R32_SFLOAT [4] alias 1
resource bb intermediate storage_buffer R32_SFLOAT [4] alias 1
resource y output storage_buffer R32_SFLOAT [4]
resource w constant R32_SFLOAT [4]: f32 1 10 100 1000
module pre compute main glsl
| layout(local_size_x = 1) in;
| layout(set = 0, binding = 0) readonly buffer In { float x[]; };
| layout(set = 0, binding = 1) writeonly buffer Out { float y[]; };
| layout(push_constant) uniform Push { float offset; };
| void main() { y[gl_GlobalInvocationID.x] = x[gl_GlobalInvocationID.x] + offset; }
module mid graph main graph
| graph main {
|   %0 = input f32[4] at 0.0
|   %1 = const f32[4] graph_constant 0
|   %2 = ABS(%0) f32[4]
|   %3 = MUL(%2, %1) f32[4] shift=0
|   output %3 at 0.1
| }
module post compute main glsl
| layout(local_size_x = 1) in;
| layout(set = 0, binding = 0) readonly buffer In { float x[]; };
| layout(set = 0, binding = 1) writeonly buffer Out { float y[]; };
| layout(constant_id = 3) const float kOne = 1;
| void main() { y[gl_GlobalInvocationID.x] = x[gl_GlobalInvocationID.x] + kOne; }
segment first pre 4 1 1
set 0: 0 x, 1 a
in 0 x
out 1 a
push 0 4
segment second mid
set 0: 0 at, 1 b
in 1 at
out 2 b
constants w
segment - post 4 1 1
set 0: 0 bb, 1 y
in 2 bb
out 3 y
input 0 x x
output 3 y y
)";

class PlanModelTest : public launch::LaunchTest {
 protected:
  std::shared_ptr<const ModelFile> open(std::string_view recipe) {
    const Path path = directory_ / "m.vgf";
    slipway::testing::must(write_file(path, Bytes(testing::cook_vgf(std::string(recipe)))));
    return open_model(path, "m.vgf", diagnostics_);
  }

  static launch::ResourceIndex add_buffer(launch::Plan& plan, std::string name, std::vector<std::byte> contents) {
    launch::Resource resource{.name = std::move(name), .kind = launch::Buffer{.size = contents.size()}};
    const std::uint64_t size = contents.size();
    resource.initial.push_back({size, [contents = std::move(contents)](MutableBytes to) -> Result<> {
                                  std::ranges::copy(contents, to.begin());
                                  return {};
                                }});
    plan.resources.push_back(std::move(resource));
    return static_cast<launch::ResourceIndex>(plan.resources.size() - 1);
  }

  template <class T>
  static void capture(launch::Plan& plan, launch::ResourceIndex resource, std::vector<T>& into) {
    plan.captures.push_back({resource, [&into](Bytes bytes) {
                               into.resize(bytes.size() / sizeof(T));
                               std::memcpy(into.data(), bytes.data(), bytes.size());
                             }});
  }

  std::string messages() const { return format_diagnostics(diagnostics_.all(), {.sources = false}); }

  Diagnostics diagnostics_;
};

TEST_F(PlanModelTest, SegmentsRunInOrder) {
  for (const Engine engine : {Engine::Kernels, Engine::Reference, Engine::Cpu}) {
    if (engine == Engine::Cpu && !launch::has_cpu_engine()) continue;
    for (const bool barrier : {true, false}) {
      const auto file = open(kSandwich);
      ASSERT_TRUE(file) << messages();
      auto shaders = compile_modules(*file, Cache(), diagnostics_);
      ASSERT_TRUE(shaders) << messages();
      auto model = ModelPlan::make(file, "net", {.graphs = {.engine = engine}, .shaders = *shaders}, diagnostics_);
      ASSERT_TRUE(model) << messages();
      launch::Plan plan;
      const auto x = add_buffer(plan, "x", launch::bytes_of<float>({-3, 1, -1, 5}));
      const auto y = add_buffer(plan, "y", std::vector<std::byte>(16));
      const auto z = add_buffer(plan, "z", std::vector<std::byte>(16));
      // Twice, the second time from the result of the first.
      const auto ran = model->dispatch(plan,
                                       {.bindings = {{.binding = 0, .resource = x}, {.binding = 3, .resource = y}},
                                        .push_constants = {{0, launch::bytes_of<float>({2})}},
                                        .barrier_after = barrier},
                                       diagnostics_);
      ASSERT_TRUE(ran) << messages();
      if (!barrier) plan.steps.back().barrier_after = true;  // the next step reads its result
      const auto again = model->dispatch(
          plan, {.bindings = {{.binding = 0, .resource = y}, {.binding = 3, .resource = z}}, .barrier_after = barrier},
          diagnostics_);
      ASSERT_TRUE(again) << messages();
      std::vector<float> first, second;
      capture(plan, y, first);
      capture(plan, z, second);
      run_it(plan);
      EXPECT_THAT(first, ElementsAre(2, 31, 101, 7001));
      EXPECT_THAT(second, ElementsAre(3, 311, 10101, 7001001));
      ASSERT_EQ(ran->size(), 3u);
      EXPECT_EQ((*ran)[1].name, "second");
      EXPECT_EQ((*ran)[2].name, "segment_2");
      ASSERT_EQ(plan.graphs.size(), 2u);
      EXPECT_EQ(plan.graphs[0].name, "net/second");
      EXPECT_EQ(plan.graphs[0].first_step, (*ran)[1].first_step);
      EXPECT_EQ(plan.steps.back().name, "net/segment_2");
      // The second dispatch has the shaders and constants of the first.
      std::size_t constants = 0;
      for (const launch::Resource& resource : plan.resources) constants += resource.name.contains("constant");
      EXPECT_EQ(constants, engine == Engine::Kernels ? 1u : 0u);
    }
  }
}

// Other writers number the slots of each segment from 0. The data flow follows the resources.
TEST_F(PlanModelTest, NumbersOfSlotsMayBeLocalToASegment) {
  std::string recipe(kSandwich);
  for (const auto& [from, to] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"\nin 1 at\nout 2 b\n", "\nin 0 at\nout 1 b\n"}, {"\nin 2 bb\nout 3 y\n", "\nin 0 bb\nout 1 y\n"}}) {
    ASSERT_NE(recipe.find(from), recipe.npos);
    recipe.replace(recipe.find(from), from.size(), to);
  }
  const auto file = open(recipe);
  ASSERT_TRUE(file) << messages();
  const auto shaders = compile_modules(*file, Cache(), diagnostics_);
  ASSERT_TRUE(shaders) << messages();
  auto model = ModelPlan::make(file, "net", {.shaders = *shaders}, diagnostics_);
  ASSERT_TRUE(model) << messages();
  launch::Plan plan;
  const auto x = add_buffer(plan, "x", launch::bytes_of<float>({-3, 1, -1, 5}));
  const auto y = add_buffer(plan, "y", std::vector<std::byte>(16));
  ASSERT_TRUE(model->dispatch(plan,
                              {.bindings = {{.binding = 0, .resource = x}, {.binding = 3, .resource = y}},
                               .push_constants = {{0, launch::bytes_of<float>({2})}},
                               .barrier_after = true},
                              diagnostics_))
      << messages();
  std::vector<float> result;
  capture(plan, y, result);
  run_it(plan);
  EXPECT_THAT(result, ElementsAre(2, 31, 101, 7001));
  EXPECT_EQ(messages(), "");
}

TEST_F(PlanModelTest, WithoutBarriersTheDataFlowIsKept) {
  const auto file = open(kSandwich);
  ASSERT_TRUE(file) << messages();
  const auto shaders = compile_modules(*file, Cache(), diagnostics_);
  auto model = ModelPlan::make(file, "net", {.shaders = *shaders}, diagnostics_);
  launch::Plan plan;
  const auto x = add_buffer(plan, "x", std::vector<std::byte>(16)),
             y = add_buffer(plan, "y", std::vector<std::byte>(16));
  const ModelDispatch dispatch{.bindings = {{.binding = 0, .resource = x}, {.binding = 3, .resource = y}},
                               .barrier_after = false};
  ASSERT_TRUE(model->dispatch(plan, dispatch, diagnostics_)) << messages();
  for (std::size_t i = 0; i < plan.steps.size(); ++i) EXPECT_EQ(plan.steps[i].barrier_after, i + 1 < plan.steps.size());
  // The intermediates are still in use.
  const std::size_t before = plan.steps.size();
  ASSERT_TRUE(model->dispatch(plan, dispatch, diagnostics_)) << messages();
  EXPECT_TRUE(std::holds_alternative<launch::Barriers>(plan.steps[before].action));
}

constexpr std::string_view kOpen = R"(
resource x input tensor R8_SINT [1, -1, 3]
resource h intermediate tensor R8_SINT [1, -1, 3]
resource y output tensor R8_SINT [1, -1, 3]
module both graph main graph
| graph main {
|   %0 = input i8[1, -1, 3] at 0.0
|   %1 = REVERSE(%0) i8[1, -1, 3] axis=1
|   output %1 at 0.1
| }
segment one both
set 0: 0 x, 1 h
in 0 x
out 1 h
segment two both
set 0: 0 h, 1 y
in 1 h
out 2 y
input 0 x x
output 2 y y
)";

TEST_F(PlanModelTest, OpenDimensionsFollowBoundResources) {
  const auto file = open(kOpen);
  ASSERT_TRUE(file) << messages();
  auto model = ModelPlan::make(file, "net", {}, diagnostics_);
  ASSERT_TRUE(model) << messages();
  const auto shapes = model->resolve_shapes(std::vector<KnownShape>{{0, {1, 2, 3}}}, diagnostics_);
  ASSERT_TRUE(shapes) << messages();
  EXPECT_THAT(*shapes, ElementsAre(tensor::Shape{1, 2, 3}, tensor::Shape{1, 2, 3}, tensor::Shape{1, 2, 3}));
  launch::Plan plan;
  const auto x = add_buffer(plan, "x", launch::bytes_of<std::int8_t>({1, 2, 3, 4, 5, 6}));
  const auto y = add_buffer(plan, "y", std::vector<std::byte>(6));
  ASSERT_TRUE(model->dispatch(plan,
                              {.bindings = {{.binding = 0, .resource = x, .shape = {1, 2, 3}},
                                            {.binding = 2, .resource = y, .shape = {1, 2, 3}}}},
                              diagnostics_))
      << messages();
  std::vector<std::int8_t> result;
  capture(plan, y, result);
  run_it(plan);
  EXPECT_THAT(result, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(PlanModelTest, UnknownShapesAreReported) {
  const auto file = open(kOpen);
  auto model = ModelPlan::make(file, "net", {}, diagnostics_);
  ASSERT_TRUE(model) << messages();
  EXPECT_FALSE(model->resolve_shapes({}, diagnostics_));
  EXPECT_THAT(messages(), HasSubstr("resource 0 has the shape [1, ?, 3], and its open dimensions are unknown"));
  EXPECT_FALSE(model->resolve_shapes(std::vector<KnownShape>{{0, {2, 2, 3}}}, diagnostics_));
  EXPECT_THAT(messages(), HasSubstr("resource 0 has the shape [1, ?, 3], and what is bound to it [2, 2, 3]"));
}

TEST_F(PlanModelTest, TensorsOfComputeSegmentsAreRewritten) {
  const auto file = open(R"(
resource x input tensor R16_SINT [2, 3]
resource y output tensor R16_SINT [3, 2]
module turn compute main glsl
| #extension GL_ARM_tensors : require
| #extension GL_EXT_shader_explicit_arithmetic_types : require
| layout(local_size_x = 1) in;
| layout(set = 0, binding = 0) uniform tensorARM<int16_t, 2> x;
| layout(set = 0, binding = 1) uniform tensorARM<int16_t, 2> y;
| void main() {
|   int16_t value;
|   tensorReadARM(x, uint[](gl_GlobalInvocationID.x, gl_GlobalInvocationID.y), value);
|   tensorWriteARM(y, uint[](gl_GlobalInvocationID.y, gl_GlobalInvocationID.x), value);
| }
segment turn turn 2 3 1
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x x
output 1 y y
)");
  ASSERT_TRUE(file) << messages();
  const auto shaders = compile_modules(*file, Cache(), diagnostics_);
  ASSERT_TRUE(shaders) << messages();
  auto model = ModelPlan::make(file, "net", {.shaders = *shaders}, diagnostics_);
  ASSERT_TRUE(model) << messages();
  launch::Plan plan;
  const auto x = add_buffer(plan, "x", launch::bytes_of<std::int16_t>({1, 2, 3, 4, 5, 6}));
  const auto y = add_buffer(plan, "y", std::vector<std::byte>(12));
  ASSERT_TRUE(
      model->dispatch(plan, {.bindings = {{.binding = 0, .resource = x}, {.binding = 1, .resource = y}}}, diagnostics_))
      << messages();
  std::vector<std::int16_t> result;
  capture(plan, y, result);
  run_it(plan);
  EXPECT_THAT(result, ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST_F(PlanModelTest, ImagesWithSamplers) {
  const auto file = open(R"(
resource x input storage_buffer R32_SFLOAT [4]
resource p intermediate storage_image R32_SFLOAT [1, 4, 1] alias 0
resource s intermediate combined_image_sampler R32_SFLOAT [1, 4, 1] alias 0 sampler NEAREST NEAREST REPEAT CLAMP_TO_EDGE
resource y output storage_buffer R32_SFLOAT [4]
module draw compute main glsl
| layout(local_size_x = 1) in;
| layout(set = 0, binding = 0) readonly buffer In { float x[]; };
| layout(set = 0, binding = 1, r32f) writeonly uniform image2D p;
| void main() { imageStore(p, ivec2(gl_GlobalInvocationID.x, 0), vec4(x[gl_GlobalInvocationID.x])); }
module look compute main glsl
| layout(local_size_x = 1) in;
| layout(set = 0, binding = 0) uniform sampler2D s;
| layout(set = 0, binding = 1) writeonly buffer Out { float y[]; };
| void main() { y[gl_GlobalInvocationID.x] = textureLod(s, vec2((gl_GlobalInvocationID.x + 1.5) / 4, 0.5), 0).r; }
segment draw draw 4 1 1
set 0: 0 x, 1 p
in 0 x
out 1 p
segment look look 4 1 1
set 0: 0 s, 1 y
in 1 s
out 2 y
input 0 x x
output 2 y y
)");
  ASSERT_TRUE(file) << messages();
  const auto shaders = compile_modules(*file, Cache(), diagnostics_);
  ASSERT_TRUE(shaders) << messages();
  auto model = ModelPlan::make(file, "net", {.shaders = *shaders}, diagnostics_);
  launch::Plan plan;
  const auto x = add_buffer(plan, "x", launch::bytes_of<float>({1, 2, 3, 4}));
  const auto y = add_buffer(plan, "y", std::vector<std::byte>(16));
  ASSERT_TRUE(
      model->dispatch(plan, {.bindings = {{.binding = 0, .resource = x}, {.binding = 2, .resource = y}}}, diagnostics_))
      << messages();
  std::vector<float> result;
  capture(plan, y, result);
  run_it(plan);
  EXPECT_THAT(result, ElementsAre(2, 3, 4, 1));
}

// Views of buffers as texels; the memory of one is that of a tensor, too.
TEST_F(PlanModelTest, TexelBuffers) {
  const auto file = open(R"(
resource x input uniform_texel_buffer R8G8B8A8_UNORM [2, 4]
resource t intermediate storage_texel_buffer R32G32B32A32_SFLOAT [2] alias 0
resource u intermediate tensor R32_SFLOAT [2, 4] alias 0
resource y output tensor R32_SFLOAT [2, 4]
module unpack compute main glsl
| layout(set = 0, binding = 0) uniform samplerBuffer x;
| layout(set = 0, binding = 1, rgba32f) writeonly uniform imageBuffer t;
| void main() { int i = int(gl_GlobalInvocationID.x); imageStore(t, i, texelFetch(x, i) * textureSize(x)); }
module twice graph main graph
| graph main {
|   %0 = input f32[2, 4] at 0.0
|   %1 = ADD(%0, %0) f32[2, 4]
|   output %1 at 0.1
| }
segment unpack unpack 2 1 1
set 0: 0 x, 1 t
in 0 x
out 1 t
segment twice twice
set 0: 0 u, 1 y
in 1 u
out 2 y
input 0 x x
output 2 y y
)");
  ASSERT_TRUE(file) << messages();
  const auto shaders = compile_modules(*file, Cache(), diagnostics_);
  ASSERT_TRUE(shaders) << messages();
  auto model = ModelPlan::make(file, "net", {.shaders = *shaders}, diagnostics_);
  launch::Plan plan;
  const auto x = add_buffer(plan, "x", launch::bytes_of<std::uint8_t>({0, 255, 51, 102, 255, 0, 0, 255}));
  const auto y = add_buffer(plan, "y", std::vector<std::byte>(32));
  ASSERT_TRUE(
      model->dispatch(plan, {.bindings = {{.binding = 0, .resource = x}, {.binding = 2, .resource = y}}}, diagnostics_))
      << messages();
  EXPECT_THAT(launch::print_plan(plan), HasSubstr("`x` as VK_FORMAT_R8G8B8A8_UNORM, "
                                                  "VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, read"));
  std::vector<float> result;
  capture(plan, y, result);
  run_it(plan);
  ASSERT_EQ(result.size(), 8u);
  for (std::size_t i = 0; i < result.size(); ++i) {
    constexpr std::array kExpected = {0.0, 4.0, 0.8, 1.6, 4.0, 0.0, 0.0, 4.0};
    EXPECT_NEAR(result[i], kExpected[i], 1e-6) << i;
  }
  vk::Snapshot without = snapshot();
  without.limits_by_name["maxTexelBufferElements"] = 1;
  const Diagnostics lacks = launch::check_device(plan, launch::needs_of(plan), without);
  ASSERT_FALSE(lacks.empty());
  EXPECT_EQ(lacks.all()[0].message,
            "`net/unpack` binds the 2 texels of `x` as uniform texel buffer, but the device allows 1 "
            "(maxTexelBufferElements)");
}

TEST_F(PlanModelTest, TexelBuffersOfOtherFormats) {
  const auto file = open(R"(
resource x input storage_buffer R32_SFLOAT [4]
resource y output storage_texel_buffer R32_SINT [4]
module m compute main glsl
| layout(set = 0, binding = 0) uniform samplerBuffer x;
| layout(set = 0, binding = 1, rgba32f) writeonly uniform imageBuffer y;
| void main() { imageStore(y, 0, texelFetch(x, 0)); }
segment m m 1 1 1
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x x
output 1 y y
)");
  ASSERT_TRUE(file) << messages();
  const auto shaders = compile_modules(*file, Cache(), diagnostics_);
  ASSERT_TRUE(shaders) << messages();
  auto model = ModelPlan::make(file, "net", {.shaders = *shaders}, diagnostics_);
  launch::Plan plan;
  const auto x = add_buffer(plan, "x", std::vector<std::byte>(16));
  const auto y = add_buffer(plan, "y", std::vector<std::byte>(16));
  EXPECT_FALSE(model->dispatch(plan, {.bindings = {{.binding = 0, .resource = x}, {.binding = 1, .resource = y}}},
                               diagnostics_));
  EXPECT_THAT(messages(), HasSubstr("declares set 0, binding 0 as a uniform texel buffer, and the model binds a "
                                    "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER there"));
  EXPECT_THAT(messages(),
              HasSubstr("declares set 0, binding 1 as a storage texel buffer, of the format "
                        "VK_FORMAT_R32G32B32A32_SFLOAT, but resource 1 of the model has VK_FORMAT_R32_SINT"));
}

// Tensors and images in one alias group: rows of an image may be longer than its texels, while graphs take packed rows.
TEST_F(PlanModelTest, TensorsAndImagesOfAnAliasGroup) {
  for (const Engine engine : {Engine::Kernels, Engine::Reference}) {
    const auto file = open(R"(
resource x input storage_buffer R32_SFLOAT [15]
resource p intermediate storage_image R32_SFLOAT [3, 5, 1] alias 0
resource t intermediate tensor R32_SFLOAT [3, 5, 1] alias 0
resource u intermediate tensor R32_SFLOAT [1, 3, 5, 1] alias 1
resource s intermediate combined_image_sampler R32_SFLOAT [1, 3, 5, 1] alias 1 sampler NEAREST NEAREST CLAMP_TO_EDGE CLAMP_TO_EDGE
resource y output storage_buffer R32_SFLOAT [15]
module draw compute main glsl
| layout(local_size_x = 1) in;
| layout(set = 0, binding = 0) readonly buffer In { float x[]; };
| layout(set = 0, binding = 1, r32f) writeonly uniform image2D p;
| void main() { uvec2 at = gl_GlobalInvocationID.xy; imageStore(p, ivec2(at), vec4(x[at.x + 5 * at.y])); }
module mid graph main graph
| graph main {
|   %0 = input f32[3, 5, 1] at 0.0
|   %1 = REVERSE(%0) f32[3, 5, 1] axis=1
|   %2 = ADD(%1, %0) f32[3, 5, 1]
|   %3 = RESHAPE(%2) f32[1, 3, 5, 1] shape=[1, 3, 5, 1]
|   output %3 at 0.1
| }
module look compute main glsl
| layout(local_size_x = 1) in;
| layout(set = 0, binding = 0) uniform sampler2D s;
| layout(set = 0, binding = 1) writeonly buffer Out { float y[]; };
| void main() { uvec2 at = gl_GlobalInvocationID.xy; y[at.x + 5 * at.y] = texelFetch(s, ivec2(at), 0).r; }
segment draw draw 5 3 1
set 0: 0 x, 1 p
in 0 x
out 1 p
segment mid mid
set 0: 0 t, 1 u
in 1 t
out 2 u
segment look look 5 3 1
set 0: 0 s, 1 y
in 2 s
out 3 y
input 0 x x
output 3 y y
)");
    ASSERT_TRUE(file) << messages();
    const auto shaders = compile_modules(*file, Cache(), diagnostics_);
    ASSERT_TRUE(shaders) << messages();
    auto model = ModelPlan::make(file, "net", {.graphs = {.engine = engine}, .shaders = *shaders}, diagnostics_);
    ASSERT_TRUE(model) << messages();
    launch::Plan plan;
    const auto x =
        add_buffer(plan, "x", launch::bytes_of<float>({1, 2, 3, 4, 5, 10, 20, 30, 40, 50, 100, 200, 300, 400, 500}));
    const auto y = add_buffer(plan, "y", std::vector<std::byte>(60));
    ASSERT_TRUE(model->dispatch(plan, {.bindings = {{.binding = 0, .resource = x}, {.binding = 3, .resource = y}}},
                                diagnostics_))
        << messages();
    std::vector<float> result;
    capture(plan, y, result);
    run_it(plan);
    EXPECT_THAT(result, ElementsAre(6, 6, 6, 6, 6, 60, 60, 60, 60, 60, 600, 600, 600, 600, 600));
  }
}

TEST_F(PlanModelTest, MismatchesAreReported) {
  EXPECT_EQ(open(R"(
resource x input storage_buffer R32_SFLOAT [4]
module nothing compute main none
segment s nothing 1 1 1
set 0: 0 x
in 0 x
input 0 x x
)") != nullptr,
            true)
      << messages();
  const auto placeholder = open(R"(
resource x input storage_buffer R32_SFLOAT [4]
module nothing compute main none
segment s nothing 1 1 1
set 0: 0 x
in 0 x
input 0 x x
)");
  EXPECT_FALSE(compile_modules(*placeholder, Cache(), diagnostics_));
  EXPECT_THAT(messages(), HasSubstr("No shader module present and no shader substituion defined."));
  const auto file = open(R"(
resource x input storage_buffer R32_SFLOAT [4]
resource y output combined_image_sampler R8G8B8A8_UNORM [4, 4, 4] sampler CUBIC_EXT LINEAR REPEAT MIRROR_CLAMP_TO_EDGE FLOAT_CUSTOM_EXT
module m compute main glsl
| layout(local_size_x = 1) in;
| layout(set = 0, binding = 0, rgba8) uniform image2D x;
| layout(set = 0, binding = 2) buffer Out { float y[]; };
| void main() { y[0] = imageLoad(x, ivec2(0)).r; }
segment s m 1 1 1
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x x
output 1 y y
)");
  ASSERT_TRUE(file) << messages();
  const auto shaders = compile_modules(*file, Cache(), diagnostics_);
  ASSERT_TRUE(shaders) << messages();
  auto model = ModelPlan::make(file, "net", {.shaders = *shaders}, diagnostics_);
  launch::Plan plan;
  const auto x = add_buffer(plan, "x", std::vector<std::byte>(16)),
             y = add_buffer(plan, "y", std::vector<std::byte>(64));
  EXPECT_FALSE(model->dispatch(plan, {.bindings = {{.binding = 0, .resource = x}, {.binding = 1, .resource = y}}},
                               diagnostics_));
  EXPECT_THAT(messages(), HasSubstr("declares set 0, binding 0 as a storage image, and the model binds a "
                                    "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER there"));
  EXPECT_THAT(messages(), HasSubstr("the segment binds set 0, binding 1, which shader `m` does not declare"));
  EXPECT_THAT(messages(), HasSubstr("uses set 0, binding 2 (a storage buffer), but the segment binds nothing there"));
}

}  // namespace
}  // namespace slipway::model
