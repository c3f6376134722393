// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios with tensors on a device, under the validation layers: shaders that access them, images that share memory
// with them.
#include <gmock/gmock.h>

#include <bit>
#include <random>

#include "base/format.hpp"
#include "executors/vulkan/executor.hpp"
#include "launch/check/check_device.hpp"
#include "launch/run.hpp"
#include "scenario/load.hpp"
#include "tensor/element.hpp"
#include "testing/gpu_fixture.hpp"
#include "testing/scenario_case.hpp"
#include "testing/scene.hpp"

namespace slipway::scenario {
namespace {

using testing::must;

using slipway::testing::joined;
using slipway::testing::scene;

constexpr std::string_view kPreamble =
    "#version 460\n#extension GL_ARM_tensors : require\n"
    "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
    "#extension GL_EXT_bfloat16 : require\n#extension GL_ARM_tensors_bfloat16 : require\n"
    "#extension GL_EXT_float_e4m3 : require\n#extension GL_ARM_tensors_float_e4m3 : require\n"
    "#extension GL_EXT_float_e5m2 : require\n#extension GL_ARM_tensors_float_e5m2 : require\n";

// A triangle over the whole image.
constexpr std::string_view kTriangle =
    "#version 460\nvoid main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1); "
    "}\n";

std::string shader(std::string_view uid, std::string_view file, std::string_view more = "") {
  return formatted(R"({{"shader": {{"uid": "{}", "type": "GLSL", "src": "{}"{}}}}})", uid, file, more);
}

std::string tensor(std::string_view uid, const tensor::Shape& dims, std::string_view format,
                   std::string_view more = "") {
  return formatted(R"({{"tensor": {{"uid": "{}", "dims": {}, "format": "VK_FORMAT_{}", )"
                   R"("shader_access": "readwrite"{}}}}})",
                   uid, tensor::shape_text(dims), format, more);
}

std::string buffer(std::string_view uid, std::size_t bytes, std::string_view more) {
  return formatted(R"({{"buffer": {{"uid": "{}", "size": {}, "shader_access": "readwrite"{}}}}})", uid, bytes, more);
}

template <class T>
std::string list(const std::vector<T>& values) {
  std::string text;
  for (const T value : values) text += formatted("{}{}", text.empty() ? "" : ", ", value);
  return "[" + text + "]";
}

// Binds the resources at 0, 1, ... of set 0.
std::string dispatch(std::string_view shader, const std::vector<std::string>& resources,
                     std::string_view groups = "1") {
  std::vector<std::string> bindings;
  for (std::size_t i = 0; i < resources.size(); ++i) {
    bindings.push_back(formatted(R"({{"set": 0, "id": {}, "resource_ref": "{}"}})", i, resources[i]));
  }
  return formatted(R"({{"dispatch_compute": {{"shader_ref": "{}", "rangeND": [{}], "bindings": [{}]}}}})", shader,
                   groups, joined(bindings, ", "));
}

class TensorsTest : public testing::GpuTest {
 protected:
  void run_scene(const std::string& text, const testing::CaseFiles& files, launch::RunOptions options = {}) {
    testing::Case made(files);
    const auto& plan = made.plan(text);
    ASSERT_TRUE(plan) << made.messages(true) << text;
    ASSERT_TRUE(made.diagnostics().empty()) << made.messages(true);
    const vk::Needs needs = launch::needs_of(*plan);
    const Diagnostics lacks = launch::check_device(*plan, needs, snapshot());
    if (!lacks.empty()) {
      lacks_.push_back(lacks.all()[0].message);
      return;
    }
    const launch::Report report =
        must(launch::run(*plan, launch::VulkanExecutor(device(needs)), std::move(options), {}));
    EXPECT_FALSE(report.expectations.empty());
    for (const Diagnostic& problem : report.diagnostics) {
      ADD_FAILURE() << problem.message << "\n"
                    << launch::print_expectations(report.expectations) << text << made.plan_text();
    }
  }

  std::vector<std::string> lacks_;  // why scenes were skipped
};

// --- accesses of every kind against a model of them ------------------------------------------------------------------

struct Element {
  std::string_view format, type;
  std::size_t numbers = 120;  // this many from 0 on are exact
};
constexpr Element kElements[] = {
    {"R8_BOOL_ARM", "bool"},
    {"R8_UINT", "uint8_t"},
    {"R8_SINT", "int8_t"},
    {"R16_UINT", "uint16_t"},
    {"R16_SINT", "int16_t"},
    {"R32_UINT", "uint32_t"},
    {"R32_SINT", "int32_t"},
    {"R64_UINT", "uint64_t"},
    {"R64_SINT", "int64_t"},
    {"R16_SFLOAT", "float16_t"},
    {"R32_SFLOAT", "float"},
    {"R64_SFLOAT", "double"},
    {"R16_SFLOAT_FPENCODING_BFLOAT16_ARM", "bfloat16_t"},
    {"R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM", "floate4m3_t", 16},
    {"R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM", "floate5m2_t", 8},
};

// Reads at random indices, inside and outside, and writes what it read to the same indices. One invocation does all.
class Accesses {
 public:
  Accesses(const Element& element, std::uint32_t seed) : element_(element), random_(seed) {
    const std::size_t rank = 1 + below(6);
    for (std::size_t i = 0; i < rank; ++i)
      shape_.push_back(1 + static_cast<std::int64_t>(below(i + 1 == rank ? 9 : 4)));
    constexpr std::uint32_t kLengths[] = {0, 1, 2, 3, 5, 40};
    length_ = kLengths[below(std::size(kLengths))];
    const std::size_t count = *tensor::element_count(shape_);
    for (std::size_t i = 0; i < count; ++i) values_.push_back(is_bool() ? below(2) : (7 * i + 1) % element.numbers);
    written_.resize(count);
    for (std::size_t k = 0; k < kAccesses; ++k) access();
  }

  std::string glsl() const {
    const std::size_t rank = shape_.size();
    const std::string type(element_.type);
    const bool array = length_ > 0;
    return std::string(kPreamble) +
           formatted(
               "layout(set = 0, binding = 0) uniform readonly tensorARM<{0}, {1}> a;\n"
               "layout(set = 0, binding = 1) uniform tensorARM<{0}, {1}> c;\n"
               "layout(set = 0, binding = 2) readonly buffer Places {{ uint place[]; }};\n"
               "layout(set = 0, binding = 3) buffer Got {{ int got[]; }};\n"
               "void main() {{\n  for (uint k = 0; k < {2}; ++k) {{\n    uint at[{1}];\n"
               "    for (uint d = 0; d < {1}; ++d) at[d] = place[k * {1} + d];\n",
               type, rank, kAccesses) +
           (array ? formatted("    {} v[{}];\n", type, length_) : formatted("    {} v;\n", type)) +
           formatted(
               "    if (k % 2 == 0) tensorReadARM(a, at, v);\n"
               "    else tensorReadARM(a, at, v, gl_TensorOperandsOutOfBoundsValueARM, {}(7.0f));\n",
               type) +
           (array ? formatted("    for (uint j = 0; j < {0}; ++j) got[k * {0} + j] = int(float(v[j]));\n", length_)
                  : "    got[k] = int(float(v));\n") +
           "    tensorWriteARM(c, at, v);\n  }\n" + sizes() + "}\n";
  }

  std::string scenario() const {
    return scene(
        {shader("s", "s.comp"), tensor("a", shape_, element_.format, formatted(R"(, "data": {})", list(values_))),
         tensor("c", shape_, element_.format, formatted(R"(, "fill": 0, "expect": {{"data": {}}})", list(written_))),
         buffer("indices", indices_.size() * 4,
                formatted(R"(, "data": {{"type": "u32", "values": {}}})", list(indices_))),
         buffer("got", (got_.size() + shape_.size()) * 4,
                formatted(R"(, "expect": {{"type": "i32", "data": {}}})", list(expected())))},
        {dispatch("s", {"a", "c", "indices", "got"})});
  }

 private:
  static constexpr std::size_t kAccesses = 24;

  bool is_bool() const { return element_.type == "bool"; }
  std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  void access() {
    tensor::Shape at;
    for (const std::int64_t size : shape_) {
      // Mostly inside; otherwise just past the end, or far away.
      const std::uint32_t choice = below(16);
      const std::uint32_t coordinate = choice == 0   ? ~0u - below(3)
                                       : choice == 1 ? static_cast<std::uint32_t>(size)
                                                     : below(static_cast<std::size_t>(size));
      indices_.push_back(coordinate);
      at.push_back(coordinate);
    }
    const int outside = got_.size() / std::max(length_, 1u) % 2 == 0 ? 0 : is_bool() ? 1 : 7;
    for (std::uint32_t j = 0; j < std::max(length_, 1u); ++j, ++at.back()) {
      const bool inside = std::ranges::equal(at, shape_, [](std::int64_t a, std::int64_t size) { return a < size; });
      got_.push_back(inside ? static_cast<int>(values_[tensor::index_of(shape_, at)]) : outside);
      if (inside) written_[tensor::index_of(shape_, at)] = values_[tensor::index_of(shape_, at)];
    }
  }

  std::string sizes() const {
    std::string text;
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      text += formatted("  got[{}] = int(tensorSizeARM(a, {}));\n", got_.size() + d, d);
    }
    return text;
  }

  std::vector<std::int64_t> expected() const {
    std::vector<std::int64_t> all(got_.begin(), got_.end());
    all.insert(all.end(), shape_.begin(), shape_.end());
    return all;
  }

  Element element_;
  std::mt19937 random_;
  tensor::Shape shape_;
  std::uint32_t length_ = 0;  // of arrays; 0: single elements
  std::vector<std::uint64_t> values_, written_;
  std::vector<std::uint32_t> indices_;
  std::vector<int> got_;
};

TEST_F(TensorsTest, RandomAccessesOfEveryType) {
  std::uint32_t seed = 1;
  for (const Element& element : kElements) {
    for (int i = 0; i < 4; ++i, ++seed) {
      SCOPED_TRACE(formatted("{}, seed {}", element.type, seed));
      const Accesses accesses(element, seed);
      run_scene(accesses.scenario(), {{"s.comp", accesses.glsl()}});
    }
  }
  EXPECT_THAT(lacks_, ::testing::IsEmpty());
}

// Every small float as a 32-bit float; 32-bit floats of all magnitudes as small floats, including those between two
// small floats.
TEST_F(TensorsTest, SmallFloatsAreConvertedExactly) {
  struct Small {
    tensor::ElementType type;
    std::string_view format, glsl;
  };
  for (const auto& [type, format, glsl] :
       {Small{tensor::ElementType::BF16, "R16_SFLOAT_FPENCODING_BFLOAT16_ARM", "bfloat16_t"},
        Small{tensor::ElementType::F8E4M3, "R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM", "floate4m3_t"},
        Small{tensor::ElementType::F8E5M2, "R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM", "floate5m2_t"}}) {
    SCOPED_TRACE(glsl);
    const std::uint32_t count = 1u << (8 * tensor::size_of(type));
    const auto quoted = [](std::uint32_t bits) { return formatted("\"{:#x}\"", bits); };
    std::vector<std::string> all, wide, floats, rounded;
    for (std::uint32_t bits = 0; bits < count; ++bits) {
      all.push_back(quoted(bits));
      const auto value = static_cast<float>(tensor::double_of(type, reinterpret_cast<const std::byte*>(&bits)));
      const auto value_bits = std::bit_cast<std::uint32_t>(value);
      // Some bfloat16 values are 32-bit subnormals, which a device may flush to zero.
      wide.push_back(quoted(value_bits));
      for (const std::uint32_t near : {value_bits, value_bits + 1, value_bits - 1, value_bits + (1u << 19),
                                       value_bits + (1u << 15), value_bits + (1u << 20)}) {
        if (count > 256 && bits % 64 != 5) continue;  // a sample is enough
        const auto real = std::bit_cast<float>(near);
        floats.push_back(quoted(near));
        std::uint32_t small = 0;
        tensor::store_rounded(type, real, reinterpret_cast<std::byte*>(&small));
        rounded.push_back(quoted(small));
      }
    }
    run_scene(
        scene({shader("s", "s.comp"), tensor("all", {count}, format, formatted(R"(, "data": [{}])", joined(all, ", "))),
               tensor("wide", {count}, "R32_SFLOAT",
                      formatted(R"(, "expect": {{"data": [{}], "abs": 1.2e-38}})", joined(wide, ", "))),
               tensor("floats", {static_cast<std::int64_t>(floats.size())}, "R32_SFLOAT",
                      formatted(R"(, "data": [{}])", joined(floats, ", "))),
               tensor("rounded", {static_cast<std::int64_t>(floats.size())}, format,
                      formatted(R"(, "expect": {{"data": [{}], "abs": 1.2e-38}})", joined(rounded, ", ")))},
              {dispatch("s", {"all", "wide", "floats", "rounded"}, "1024")}),
        {{"s.comp",
          std::string(kPreamble) + formatted("layout(local_size_x = 64) in;\n"
                                             "layout(set = 0, binding = 0) uniform tensorARM<{0}, 1> all;\n"
                                             "layout(set = 0, binding = 1) uniform tensorARM<float, 1> wide;\n"
                                             "layout(set = 0, binding = 2) uniform tensorARM<float, 1> floats;\n"
                                             "layout(set = 0, binding = 3) uniform tensorARM<{0}, 1> rounded;\n"
                                             "void main() {{ uint at[] = uint[](gl_GlobalInvocationID.x);\n"
                                             "  {0} v; tensorReadARM(all, at, v); tensorWriteARM(wide, at, float(v));\n"
                                             "  float f; tensorReadARM(floats, at, f);\n"
                                             "  tensorWriteARM(rounded, at, {0}(f)); }}\n",
                                             glsl)}});
  }
  EXPECT_THAT(lacks_, ::testing::IsEmpty());
}

// Invocations of one workgroup write neighbouring bytes.
TEST_F(TensorsTest, NeighboursOfNarrowElementsStay) {
  std::vector<int> expected;
  for (int i = 0; i < 1000; ++i) expected.push_back(i % 100);
  run_scene(scene({shader("s", "s.comp"),
                   tensor("t", {1000}, "R8_SINT", formatted(R"(, "expect": {{"data": {}}})", list(expected)))},
                  {dispatch("s", {"t"}, "16")}),
            {{"s.comp", std::string(kPreamble) + "layout(local_size_x = 64) in;\n"
                                                 "layout(set = 0, binding = 0) uniform tensorARM<int8_t, 1> t;\n"
                                                 "void main() { uint i = gl_GlobalInvocationID.x;\n"
                                                 "  tensorWriteARM(t, uint[](i), int8_t(i % 100)); }\n"}});
}

TEST_F(TensorsTest, RankZeroIsOneElement) {
  run_scene(
      scene({shader("s", "s.comp"), tensor("t", {}, "R32_SFLOAT", R"(, "data": [2.5], "expect": {"data": [3.5]})")},
            {dispatch("s", {"t"})}),
      {{"s.comp", std::string(kPreamble) + "layout(set = 0, binding = 0) uniform tensorARM<float, 1> t;\n"
                                           "void main() { float v; tensorReadARM(t, uint[](0), v);\n"
                                           "  tensorWriteARM(t, uint[](0), v + 1); }\n"}});
}

// One shader for two shapes; a function that takes either of its tensors.
TEST_F(TensorsTest, AShaderWithOtherShapesIsAnotherModule) {
  const std::string code = std::string(kPreamble) +
                           "layout(set = 0, binding = 0) uniform tensorARM<int32_t, 2> a;\n"
                           "layout(set = 0, binding = 1) uniform tensorARM<int32_t, 2> b;\n"
                           "int last(tensorARM<int32_t, 2> t) {\n"
                           "  int v; tensorReadARM(t, uint[](tensorSizeARM(t, 0) - 1, tensorSizeARM(t, 1) - 1), v);\n"
                           "  return v; }\n"
                           "void main() { tensorWriteARM(b, uint[](0, 0), 10 * last(a) + last(b)); }\n";
  run_scene(scene({shader("s", "s.comp"), tensor("a", {2, 3}, "R32_SINT", R"(, "data": [1, 2, 3, 4, 5, 6])"),
                   tensor("b", {1, 4}, "R32_SINT", R"(, "data": [1, 2, 3, 4], "expect": {"data": [64, 2, 3, 4]})"),
                   tensor("c", {1, 2}, "R32_SINT", R"(, "data": [0, 9])"),
                   tensor("d", {2, 1}, "R32_SINT", R"(, "data": [7, 8], "expect": {"data": [98, 8]})")},
                  {dispatch("s", {"a", "b"}), dispatch("s", {"c", "d"})}),
            {{"s.comp", code}});
}

TEST_F(TensorsTest, FragmentShadersReadTensors) {
  run_scene(
      scene({shader("v", "v.vert", R"(, "stage": "vertex")"), shader("f", "f.frag", R"(, "stage": "fragment")"),
             tensor("t", {2, 2}, "R32_SFLOAT", R"(, "data": [0.25, 0.5, 0.75, 1])"),
             R"({"image": {"uid": "i", "dims": [2, 2], "format": "VK_FORMAT_R32_SFLOAT", "shader_access": "readonly",
                 "color_attachment": true, "expect": {"data": [0.25, 0.5, 0.75, 1]}}})"},
            {R"({"dispatch_fragment": {"vertex_shader_ref": "v", "fragment_shader_ref": "f", "color_attachment_refs":
                ["i"], "bindings": [{"set": 0, "id": 0, "resource_ref": "t"}]}})"}),
      {{"v.vert", std::string(kTriangle)},
       {"f.frag",
        std::string(kPreamble) +
            "layout(set = 0, binding = 0) uniform readonly tensorARM<float, 2> t;\n"
            "layout(location = 0) out vec4 color;\n"
            "void main() { float v; tensorReadARM(t, uint[](uint(gl_FragCoord.y), uint(gl_FragCoord.x)), v);\n"
            "  color = vec4(v); }\n"}});
}

TEST_F(TensorsTest, TensorBarriersOrderDispatches) {
  const std::string code = std::string(kPreamble) +
                           "layout(local_size_x = 64) in;\n"
                           "layout(set = 0, binding = 0) uniform readonly tensorARM<int32_t, 1> a;\n"
                           "layout(set = 0, binding = 1) uniform writeonly tensorARM<int32_t, 1> b;\n"
                           "void main() { uint i = gl_GlobalInvocationID.x; int v;\n"
                           "  tensorReadARM(a, uint[](1023 - i), v); tensorWriteARM(b, uint[](i), v + 1); }\n";
  const auto step = [](std::string_view from, std::string_view to) {
    std::string text = dispatch("s", {std::string(from), std::string(to)}, "16");
    text.insert(text.size() - 2, R"(, "implicit_barrier": false)");
    return text;
  };
  run_scene(scene({shader("s", "s.comp"), tensor("a", {1024}, "R32_SINT"), tensor("b", {1024}, "R32_SINT"),
                   tensor("c", {1024}, "R32_SINT", R"(, "expect": {"fill": 2})"),
                   R"({"tensor_barrier": {"uid": "between", "tensor_resource": "b", "src_access":
                       "compute_shader_write", "dst_access": "compute_shader_read", "src_stage": ["compute"],
                       "dst_stage": ["compute"]}})"},
                  {step("a", "b"), R"({"dispatch_barrier": {"tensor_barrier_refs": ["between"]}})", step("b", "c")}),
            {{"s.comp", code}});
}

// --- images ----------------------------------------------------------------------------------------------------------

// An image of 5 x 3 texels, whose rows are padded if it is linear, and a tensor over it.
struct Sharing {
  std::string_view name;
  std::string_view image, tensor;  // additional keys
};
class TensorsAndImages : public TensorsTest, public ::testing::WithParamInterface<Sharing> {
 protected:
  static std::string image(std::string_view more = "") {
    return formatted(R"({{"image": {{"uid": "i", "dims": [5, 3], "format": "VK_FORMAT_R8G8B8A8_UINT", )"
                     R"("shader_access": "image_read"{}{}}}}})",
                     GetParam().image, more);
  }
  static std::string seen(const tensor::Shape& dims, std::string_view more = "") {
    return tensor("t", dims, "R8_UINT", formatted("{}{}", GetParam().tensor, more));
  }

  // The value of each component of each texel.
  static std::vector<int> numbers(int plus = 0) {
    std::vector<int> all;
    for (int i = 0; i < 60; ++i) all.push_back(i + plus);
    return all;
  }
  static std::string expect(const std::vector<int>& values) {
    return formatted(R"(, "expect": {{"data": {}}})", list(values));
  }

  const std::string fill_image_ =
      "#version 460\nlayout(local_size_x = 5, local_size_y = 3) in;\n"
      "layout(set = 0, binding = 0, rgba8ui) uniform uimage2D i;\n"
      "void main() { ivec2 p = ivec2(gl_LocalInvocationID.xy);\n"
      "  imageStore(i, p, uvec4(0, 1, 2, 3) + 4 * (p.x + 5 * p.y)); }\n";
  // Adds 10 to each texel of the image.
  const std::string change_image_ =
      "#version 460\nlayout(local_size_x = 5, local_size_y = 3) in;\n"
      "layout(set = 0, binding = 0, rgba8ui) uniform uimage2D i;\n"
      "void main() { ivec2 p = ivec2(gl_LocalInvocationID.xy); imageStore(i, p, imageLoad(i, p) + 10); }\n";
  // Adds 100 to all elements of a tensor of rank 4.
  const std::string change_tensor_ =
      std::string(kPreamble) +
      "layout(local_size_x = 5, local_size_y = 3) in;\n"
      "layout(set = 0, binding = 0) uniform tensorARM<uint8_t, 4> t;\n"
      "void main() { uint8_t v[4]; uint at[4] = uint[](0, gl_LocalInvocationID.y, gl_LocalInvocationID.x, 0);\n"
      "  tensorReadARM(t, at, v); for (uint c = 0; c < 4; ++c) v[c] += uint8_t(100); tensorWriteARM(t, at, v); }\n";
};

TEST_P(TensorsAndImages, EachSeesWhatTheOtherWrites) {
  for (const std::uint32_t repeat : {1u, 2u}) {
    // The first step initialises the image in each iteration.
    run_scene(scene({shader("fill", "fill.comp"), shader("more", "more.comp"), shader("image", "image.comp"),
                     image(expect(numbers(110))), seen({1, 3, 5, 4}, expect(numbers(110)))},
                    {dispatch("fill", {"i"}), dispatch("more", {"t"}), dispatch("image", {"i"})}),
              {{"fill.comp", fill_image_}, {"more.comp", change_tensor_}, {"image.comp", change_image_}},
              {.repeat = repeat});
  }
}

TEST_P(TensorsAndImages, ContentsOfTheImageAreSeen) {
  run_scene(
      scene({shader("more", "more.comp"), image(formatted(R"(, "data": {}{})", list(numbers()), expect(numbers(100)))),
             seen({1, 3, 5, 4}, expect(numbers(100)))},
            {dispatch("more", {"t"})}),
      {{"more.comp", change_tensor_}});
}

TEST_P(TensorsAndImages, WithoutCommandsResultsAgree) {
  run_scene(scene({image(formatted(R"(, "data": {})", list(numbers()))), seen({3, 5, 4}, expect(numbers()))}, {}), {});
}

INSTANTIATE_TEST_SUITE_P(
    TensorsTest, TensorsAndImages,
    ::testing::Values(Sharing{"alias", "", R"(, "alias_target": {"resource_ref": "i"})"},
                      Sharing{"linear_alias", R"(, "tiling": "LINEAR")", R"(, "alias_target": {"resource_ref": "i"})"},
                      Sharing{"optimal_alias", R"(, "tiling": "OPTIMAL")",
                              R"(, "tiling": "OPTIMAL", "alias_target": {"resource_ref": "i"})"},
                      Sharing{"group", R"(, "memory_group": {"id": "g"})", R"(, "memory_group": {"id": "g"})"},
                      Sharing{"optimal_group", R"(, "memory_group": {"id": "g", "offset": 4096})",
                              R"(, "tiling": "OPTIMAL", "memory_group": {"id": "g", "offset": 4096})"}),
    [](const auto& of) { return std::string(of.param.name); });

// The contents of a tensor are written to the image's texels, and nowhere else.
TEST_F(TensorsTest, ContentsOfATensorAreSeenByTheImage) {
  for (const std::string_view tiling : {"LINEAR", "OPTIMAL"}) {
    const std::string shared = formatted(R"(, "tiling": "{}", "memory_group": {{"id": "g"}})", tiling);
    run_scene(scene({formatted(R"({{"image": {{"uid": "i", "dims": [3, 2], "format": "VK_FORMAT_R32_SFLOAT", )"
                               R"("shader_access": "readonly", "expect": {{"data": [1, 2, 3, 4, 5, 6]}}{}}}}})",
                               shared),
                     tensor("t", {2, 3, 1}, "R32_SFLOAT", R"(, "data": [1, 2, 3, 4, 5, 6])" + shared)},
                    {}),
              {});
  }
}

// The result of a draw to an attachment is read as a tensor.
TEST_F(TensorsTest, DrawnTexelsAreSeen) {
  for (const std::string_view tiling : {"LINEAR", "OPTIMAL"}) {
    run_scene(scene({shader("v", "v.vert", R"(, "stage": "vertex")"), shader("f", "f.frag", R"(, "stage": "fragment")"),
                     shader("s", "s.comp"),
                     formatted(R"({{"image": {{"uid": "i", "dims": [3, 2], "format": "VK_FORMAT_R8G8B8A8_UNORM", )"
                               R"("tiling": "{}", "shader_access": "readonly", "color_attachment": true}}}})",
                               tiling),
                     tensor("t", {1, 2, 3, 4}, "R8_UINT",
                            formatted(R"(, "tiling": "{}", "alias_target": {{"resource_ref": "i"}})", tiling)),
                     tensor("copy", {2, 3}, "R8_UINT", R"(, "expect": {"fill": 51})")},
                    {R"({"dispatch_fragment": {"vertex_shader_ref": "v", "fragment_shader_ref": "f",
                  "color_attachment_refs": ["i"], "bindings": []}})",
                     dispatch("s", {"t", "copy"})}),
              {{"v.vert", std::string(kTriangle)},
               {"f.frag",
                "#version 460\nlayout(location = 0) out vec4 color;\nvoid main() { color = vec4(1, 0, 0.2, 1); }\n"},
               {"s.comp",
                std::string(kPreamble) +
                    "layout(local_size_x = 3, local_size_y = 2) in;\n"
                    "layout(set = 0, binding = 0) uniform readonly tensorARM<uint8_t, 4> t;\n"
                    "layout(set = 0, binding = 1) uniform writeonly tensorARM<uint8_t, 2> copy;\n"
                    "void main() { uvec2 p = gl_LocalInvocationID.xy; uint8_t v;\n"
                    "  tensorReadARM(t, uint[](0, p.y, p.x, 2), v); tensorWriteARM(copy, uint[](p.y, p.x), v); }\n"}});
  }
}

// --- without emulation -----------------------------------------------------------------------------------------------

TEST_F(TensorsTest, EmulationCanBeForbidden) {
  const std::string text = scene({formatted(R"({{"shader": {{"uid": "s", "type": "GLSL", "source": "{}"}}}})",
                                            "#version 460\\n#extension GL_ARM_tensors : require\\n"
                                            "layout(set = 0, binding = 0) uniform tensorARM<int, 1> t;\\n"
                                            "void main() { tensorWriteARM(t, uint[](0), 1); }"),
                                  tensor("t", {4}, "R32_SINT")},
                                 {dispatch("s", {"t"})});
  for (const Emulation emulation : {Emulation::Auto, Emulation::Always, Emulation::Never}) {
    Diagnostics diagnostics;
    const Loaded loaded = load(make_source("scene.json", text), ".", {.emulation = emulation}, diagnostics);
    ASSERT_TRUE(loaded.plan) << format_diagnostics(diagnostics.all());
    check_device(loaded, snapshot(), diagnostics);
    if (emulation != Emulation::Never) {
      EXPECT_TRUE(diagnostics.empty());
      continue;
    }
    ASSERT_EQ(diagnostics.all().size(), 1u);
    EXPECT_EQ(diagnostics.all()[0].message,
              "shader `s` has tensors, and --emulate=never forbids to emulate them: the device does not have "
              "VK_ARM_tensors");
    EXPECT_EQ(exit_status(diagnostics.all()), 4);
  }
}

}  // namespace
}  // namespace slipway::scenario
