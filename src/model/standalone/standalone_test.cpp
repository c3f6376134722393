// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/standalone.hpp"

#include <gmock/gmock.h>

#include "base/print_diagnostic.hpp"
#include "model/plan/graph_engine.hpp"
#include "model/standalone/compare_model.hpp"
#include "model/tuning/kernel_times.hpp"
#include "tensor/files/npy.hpp"
#include "tensor/files/npz.hpp"
#include "testing/graph_recipe.hpp"
#include "testing/launch_fixture.hpp"
#include "testing/vgf_recipe.hpp"

namespace slipway::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Twice the input, then a shader that adds one, then the absolute value.
constexpr std::string_view kThreeSegments = R"(
resource x input tensor R32_SINT [4]
resource a intermediate tensor R32_SINT [4]
resource b intermediate tensor R32_SINT [4]
resource y output tensor R32_SINT [4]
module twice graph main graph
| graph main {
|   %0 = input i32[4] at 0.0
|   %1 = ADD(%0, %0) i32[4]
|   output %1 at 0.1
| }
module more compute main glsl
| #version 460
| #extension GL_ARM_tensors : require
| #extension GL_EXT_shader_explicit_arithmetic_types : require
| layout(set = 0, binding = 0) uniform tensorARM<int32_t, 1> a;
| layout(set = 0, binding = 1) uniform tensorARM<int32_t, 1> b;
| void main() {
|   for (uint i = 0; i < 4; ++i) {
|     int32_t value;
|     tensorReadARM(a, uint[](i), value);
|     value += 1;
|     tensorWriteARM(b, uint[](i), value);
|   }
| }
module size graph main graph
| graph main {
|   %0 = input i32[4] at 0.0
|   %1 = ABS(%0) i32[4]
|   output %1 at 0.1
| }
segment first twice
set 0: 0 x, 1 a
in 0 x
out 1 a
segment second more 1 1 1
set 0: 0 a, 1 b
in 1 a
out 2 b
segment third size
set 0: 0 b, 1 y
in 2 b
out 3 y
input 0 x picture
output 3 y result
)";

class StandaloneTest : public launch::LaunchTest {
 protected:
  std::shared_ptr<const ModelFile> model(std::string_view recipe) {
    const Path path = directory_ / "m.vgf";
    testing::must(write_file(path, Bytes(testing::VgfRecipe::cook(std::string(recipe)))));
    auto file = open_model(path, "m.vgf", diagnostics_);
    if (!file) throw std::runtime_error(format_diagnostics(diagnostics_.all()));
    return file;
  }

  StandaloneOptions request(std::shared_ptr<const ModelFile> file) {
    auto shaders = compile_modules(*file, Cache(), diagnostics_);
    if (!shaders) throw std::runtime_error(format_diagnostics(diagnostics_.all()));
    return {.file = std::move(file), .name = "m", .model = {.shaders = std::move(*shaders)}};
  }

  template <class T>
  Path npy(const std::string& name, std::string_view descr, const tensor::Shape& shape, std::vector<T> values) {
    std::string text = tensor::npy_header(descr, shape);
    text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    testing::must(write_file(directory_ / name, text));
    return directory_ / name;
  }

  std::string refused(const StandaloneOptions& request) {
    Diagnostics diagnostics;
    EXPECT_FALSE(plan_standalone(request, diagnostics));
    return format_diagnostics(diagnostics.all());
  }

  Diagnostics diagnostics_;
};

TEST_F(StandaloneTest, SegmentsRunOneAfterTheOther) {
  StandaloneOptions wanted = request(model(kThreeSegments));
  wanted.inputs = {{"picture", npy<std::int32_t>("x.npy", "<i4", {4}, {1, -2, 3, -40})}};
  wanted.output_directory = directory_ / "out";
  wanted.values = std::make_shared<ModelValues>();
  const auto alone = plan_standalone(wanted, diagnostics_);
  ASSERT_TRUE(alone) << format_diagnostics(diagnostics_.all());
  const launch::Report report = run_it(alone->plan, {.repeat = 2, .timestamps = true});
  const MappedFile file = testing::must(map_file(directory_ / "out/result.npy"));
  Diagnostics warnings;
  const tensor::NpyView view = testing::must(tensor::parse_npy(file.bytes(), "result.npy", warnings));
  EXPECT_EQ(view.shape, tensor::Shape{4});
  std::array<std::int32_t, 4> values{};
  tensor::copy_elements(view, std::as_writable_bytes(std::span(values)));
  EXPECT_THAT(values, ElementsAre(3, 3, 7, 79));

  const auto compared = compare_model(wanted.file->vgf, *alone, *wanted.values);
  ASSERT_TRUE(compared);
  ASSERT_EQ(compared->outputs.size(), 2u);
  EXPECT_EQ(compared->outputs[0].name, "resource 1");
  EXPECT_EQ(compared->outputs[1].name, "result");
  EXPECT_TRUE(compared->outputs[0].values.passed());
  EXPECT_TRUE(compared->outputs[1].values.passed());
  // The result is right for the inputs of its own segment, and nothing checks the shader.
  EXPECT_EQ(tensor::compared_text(compared->compared), "0 of 1 output");
  ASSERT_EQ(compared->compared.left_out.size(), 1u);
  EXPECT_EQ(compared->compared.left_out[0].output, "result");
  EXPECT_EQ(compared->compared.left_out[0].reason, "it depends on what was not compared: segment `second` is a shader");

  // A difference is reported for the segment that causes it.
  (*wanted.values)[1][0] = std::byte{9};
  const auto wrong = compare_model(wanted.file->vgf, *alone, *wanted.values);
  EXPECT_FALSE(wrong->outputs[0].values.passed());
  EXPECT_TRUE(wrong->outputs[1].values.passed());

  const std::vector<KernelTime> times = kernel_times(*alone, report.profile);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].name, "ADD");
  EXPECT_EQ(times[0].result, "i32[4]");
  EXPECT_EQ(times[0].operations, 4u);
  EXPECT_EQ(times[0].bytes, 32u);
  EXPECT_EQ(times[1].name, "second");
  const std::string table = print_times(*alone, times, report.profile);
  EXPECT_THAT(table, HasSubstr("segment 2 `third`: "));
  EXPECT_THAT(table, HasSubstr("3 steps, "));
  EXPECT_THAT(table, HasSubstr(" (median of 2 iterations)\n"));
}

TEST_F(StandaloneTest, TheInterpreterBetweenShaders) {
  StandaloneOptions wanted = request(model(kThreeSegments));
  wanted.model.graphs.engine = Engine::Reference;
  wanted.fill = {.seed = 3, .low = -1000, .high = 1000};
  wanted.values = std::make_shared<ModelValues>();
  const auto alone = plan_standalone(wanted, diagnostics_);
  ASSERT_TRUE(alone);
  const launch::Report report = run_it(alone->plan, {.timestamps = true});
  EXPECT_EQ(report.profile.calls.size(), 2u);
  const auto compared = compare_model(wanted.file->vgf, *alone, *wanted.values);
  for (const OutputComparison& output : compared->outputs) EXPECT_EQ(output.values.different, 0u);
  const std::vector<KernelTime> times = kernel_times(*alone, report.profile);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].name, "first");
}

TEST_F(StandaloneTest, FilesOfADirectory) {
  npy<std::int32_t>("picture.npy", "<i4", {4}, {7, 7, 7, 7});
  StandaloneOptions wanted = request(model(kThreeSegments));
  wanted.input_directory = directory_ / ".";
  wanted.values = std::make_shared<ModelValues>();
  ASSERT_TRUE(plan_standalone(wanted, diagnostics_));
  EXPECT_EQ(std::to_integer<int>(wanted.values->at(0)[0]), 7);
}

TEST_F(StandaloneTest, FilesThatDoNotFit) {
  StandaloneOptions wanted = request(model(kThreeSegments));
  wanted.inputs = {{"picture", npy<std::int32_t>("x.npy", "<i4", {2, 2}, {1, 2, 3, 4})}};
  EXPECT_THAT(refused(wanted), HasSubstr("the file has the shape [2, 2], but the model takes [4] [file-mismatch]"));
  wanted.inputs = {{"picture", npy<float>("f.npy", "<f4", {4}, {1, 2, 3, 4})}};
  EXPECT_THAT(refused(wanted),
              HasSubstr("elements of dtype `<f4`, but the model takes i32; `--cast` converts them [file-mismatch]"));
  wanted.inputs = {{"pictur", directory_ / "x.npy"}};
  EXPECT_THAT(refused(wanted),
              HasSubstr("the model has no input `pictur`; did you mean `picture`? [unknown-reference]"));
  wanted.inputs = {{"q", directory_ / "x.npy"}};
  EXPECT_THAT(refused(wanted), HasSubstr("the model has no input `q`; it has `picture` [unknown-reference]"));
  wanted.inputs = {{"input_0", directory_ / "nothing.npy"}};
  EXPECT_THAT(refused(wanted), HasSubstr("[file-not-found]"));
  wanted.inputs = {};
  wanted.fill = {.low = 2.5};
  EXPECT_THAT(refused(wanted), HasSubstr("[out-of-range]\n  note: when filling input `picture`"));
  wanted.shapes = {{"unknown", {1}}};
  EXPECT_THAT(refused(wanted), HasSubstr("the model has no input or output `unknown`"));
}

TEST_F(StandaloneTest, ElementsOfOtherTypesAreCast) {
  StandaloneOptions wanted = request(model(kThreeSegments));
  wanted.values = std::make_shared<ModelValues>();
  const auto given = [&] {
    std::array<std::int32_t, 4> values{};
    std::memcpy(values.data(), wanted.values->at(0).data(), sizeof values);
    return values;
  };
  wanted.inputs = {{"picture", npy<double>("x.npy", "<f8", {4}, {1, -2, 3, -40})}};
  EXPECT_THAT(refused(wanted), HasSubstr("but the model takes i32; `--cast` converts them [file-mismatch]"));
  wanted.cast = true;
  ASSERT_TRUE(plan_standalone(wanted, diagnostics_)) << format_diagnostics(diagnostics_.all());
  EXPECT_THAT(given(), ElementsAre(1, -2, 3, -40));
  wanted.inputs = {{"picture", npy<std::int64_t>("x.npy", "<i8", {4}, {1, -2, 2147483647, -2147483648})}};
  ASSERT_TRUE(plan_standalone(wanted, diagnostics_));
  EXPECT_THAT(given(), ElementsAre(1, -2, 2147483647, -2147483647 - 1));
  wanted.inputs = {{"picture", npy<std::int64_t>("x.npy", "<i8", {4}, {1, 2147483648, 3, 4})}};
  EXPECT_THAT(refused(wanted), HasSubstr("element [1] of the array is 2147483648: "));
  wanted.inputs = {{"picture", npy<double>("x.npy", "<f8", {4}, {1, 2, 3, 0.5})}};
  EXPECT_THAT(refused(wanted), HasSubstr("element [3] of the array is 0.5: "));
}

// Two graphs of one input each, so that outputs may have equal or different shapes.
constexpr std::string_view kTwoOutputs = R"(
resource x input tensor R32_SINT [1, 2, 3, 4]
resource y output tensor R32_SINT [1, 2, 3, 4]
resource z output tensor R32_SINT [1, 2, 3, 4]
module g graph main graph
| graph main {
|   %0 = input i32[1, 2, 3, 4] at 0.0
|   %1 = ABS(%0) i32[1, 2, 3, 4]
|   %2 = ADD(%0, %0) i32[1, 2, 3, 4]
|   output %1 at 0.1
|   output %2 at 0.2
| }
segment s g
set 0: 0 x, 1 y, 2 z
in 0 x
out 1 y
out 2 z
input 0 x x
output 1 y size:0
output 2 z size_0
)";

TEST_F(StandaloneTest, NamesOfResults) {
  const auto file = model(kTwoOutputs);
  // File systems reject the colon, and both names would be the same without it.
  EXPECT_THAT(output_file_names(file->vgf), ElementsAre("size_0", "size_0_1"));
  StandaloneOptions wanted = request(file);
  const std::vector<std::int32_t> ones(24, 1), twos(24, 2);
  const tensor::Shape shape{1, 2, 3, 4};
  const auto archive = [&](std::string_view first, std::string_view second, const tensor::Shape& of_second) {
    std::vector<MappedFile> files;
    files.push_back(testing::must(map_file(npy("1.npy", "<i4", shape, ones))));
    files.push_back(testing::must(map_file(npy("2.npy", "<i4", of_second, twos))));
    const std::vector<tensor::NpzMember> members = {{std::string(first), files[0].bytes()},
                                                    {std::string(second), files[1].bytes()}};
    testing::must(write_file(directory_ / "a.npz", Bytes(testing::must(tensor::write_npz(members)))));
    wanted.expected = directory_ / "a.npz";
  };
  const auto first_expected = [&]() -> std::string {
    Diagnostics diagnostics;
    const auto alone = plan_standalone(wanted, diagnostics);
    if (!alone) return format_diagnostics(diagnostics.all());
    std::string text = tensor::compared_text(alone->compared);
    for (const launch::Expectation& expectation : alone->plan.expectations) {
      std::vector<std::byte> bytes(24 * 4);
      testing::must(std::get<launch::Contents>(expectation.expected).write(bytes));
      text += formatted(", {} {}", alone->plan.resources[expectation.resource].name, std::to_integer<int>(bytes[0]));
    }
    for (const Diagnostic& diagnostic : diagnostics.all()) text += "\n" + diagnostic.message;
    return text;
  };
  archive("size_0", "size:0", shape);  // their own names, in another order
  EXPECT_EQ(first_expected(), "2 of 2 outputs, size:0 2, size_0 1");
  archive("output_0", "output_1", shape);
  EXPECT_EQ(first_expected(), "2 of 2 outputs, size:0 1, size_0 2");
  archive("tosa:0", "tosa:1", shape);
  EXPECT_EQ(
      first_expected(),
      "2 of 2 outputs, size:0 1, size_0 2\nno output has the name of these arrays, which are taken in their order: "
      "`tosa:0` for `size:0`, `tosa:1` for `size_0`");
  archive("tosa:0", "tosa:1", {2, 3, 4});  // the shapes do not agree
  EXPECT_THAT(first_expected(), HasSubstr("there is no array for an output of the model"));
  archive("size:0", "other", {1, 4, 2, 3});
  EXPECT_EQ(first_expected(), "1 of 2 outputs, size:0 1");
  archive("size:0", "size_0", {1, 4, 2, 3});
  EXPECT_THAT(first_expected(), HasSubstr("the file has the shape [1, 4, 2, 3], but the model takes [1, 2, 3, 4]; "
                                          "`numpy.transpose(array, (0, 2, 3, 1))` has it"));
}

const std::string kOpenShape = testing::graph_recipe("R32_SFLOAT", "f32[-1, 3]", "TANH(%0) f32[-1, 3]");

TEST_F(StandaloneTest, OpenDimensions) {
  StandaloneOptions wanted = request(model(kOpenShape));
  EXPECT_THAT(refused(wanted), HasSubstr("[unsupported]"));
  wanted.shapes = {{"x", {5, 3}}};
  auto alone = plan_standalone(wanted, diagnostics_);
  ASSERT_TRUE(alone) << format_diagnostics(diagnostics_.all());
  EXPECT_EQ(alone->shapes[1], (tensor::Shape{5, 3}));
  // A file decides it as well.
  wanted.shapes = {};
  wanted.inputs = {{"x", npy<float>("x.npy", "<f4", {2, 3}, {1, 2, 3, 4, 5, 6})}};
  alone = plan_standalone(wanted, diagnostics_);
  ASSERT_TRUE(alone) << format_diagnostics(diagnostics_.all());
  EXPECT_EQ(alone->shapes[1], (tensor::Shape{2, 3}));
}

// An image that is returned as a tensor: the two share memory, whose rows may be padded.
TEST_F(StandaloneTest, AnImageThatIsAnOutput) {
  StandaloneOptions wanted = request(model(R"(
resource x input storage_image R32_SFLOAT [3, 5, 1] alias 0
resource t output tensor R32_SFLOAT [3, 5, 1] alias 0
resource y output storage_buffer R32_SFLOAT [15]
module look compute main glsl
| layout(local_size_x = 1) in;
| layout(set = 0, binding = 0, r32f) readonly uniform image2D x;
| layout(set = 0, binding = 1) writeonly buffer Out { float y[]; };
| void main() { uvec2 at = gl_GlobalInvocationID.xy; y[at.x + 5 * at.y] = imageLoad(x, ivec2(at)).r; }
segment look look 5 3 1
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x x
output 0 t t
output 1 y y
)"));
  const std::vector<std::byte> texels =
      launch::bytes_of<float>({1, 2, 3, 4, 5, 10, 20, 30, 40, 50, 100, 200, 300, 400, 500});
  wanted.given = {{0, texels}};
  wanted.values = std::make_shared<ModelValues>();
  const auto alone = plan_standalone(wanted, diagnostics_);
  ASSERT_TRUE(alone) << format_diagnostics(diagnostics_.all());
  EXPECT_TRUE(run_it(alone->plan).diagnostics.empty());
  EXPECT_EQ(wanted.values->at(1), texels);
  EXPECT_EQ(wanted.values->at(2), texels);
}

// A resource that is bound to an input and an output is read before it is written.
TEST_F(StandaloneTest, OneResourceForInputAndOutput) {
  const auto file = model(testing::graph_recipe("R32_SINT", "i32[4]", "REVERSE(%0) i32[4] axis=0"));
  for (const Engine engine : {Engine::Kernels, Engine::Reference}) {
    auto made = ModelPlan::make(file, "net", {.graphs = {.engine = engine}}, diagnostics_);
    ASSERT_TRUE(made);
    launch::Plan plan;
    launch::Resource both{.name = "both", .kind = launch::Buffer{.size = 16}};
    both.initial = {launch::contents_of<std::int32_t>({1, 2, 3, 4})};
    both.outputs = {launch::raw_output(directory_ / "both")};
    plan.resources.push_back(std::move(both));
    ASSERT_TRUE(made->dispatch(plan, {.bindings = {{.binding = 0, .resource = 0}, {.binding = 1, .resource = 0}}},
                               diagnostics_))
        << format_diagnostics(diagnostics_.all());
    EXPECT_TRUE(run_it(plan).diagnostics.empty());
    EXPECT_THAT(launch::read_raw<std::int32_t>(directory_ / "both"), ElementsAre(4, 3, 2, 1));
  }
}

TEST(FileNames, HaveNoCharactersThatFileSystemsReject) {
  EXPECT_EQ(file_name_for("serving_default_x:0"), "serving_default_x_0");
  EXPECT_EQ(file_name_for("../../etc/passwd"), "_._.._etc_passwd");
  EXPECT_EQ(file_name_for(".hidden"), "_hidden");
  EXPECT_EQ(file_name_for(""), "_");
}

}  // namespace
}  // namespace slipway::model
