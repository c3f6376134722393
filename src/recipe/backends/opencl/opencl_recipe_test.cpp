// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole recipes on OpenCL: SPIR-V, OpenCL C, and the SPIR-V that an Intel GPU binary carries. Skipped without a device.
#include <map>

#include "base/format.hpp"
#include "recipe/backends/opencl/backend.hpp"
#include "spirv/tools.hpp"
#include "testing/recipes.hpp"
#include "testing/zebin_recipe.hpp"
#include "zeinfo/kernel/pack.hpp"
#include "zeinfo/read/parse.hpp"
#include "zeinfo/zebin/zebin.hpp"

namespace slipway::recipe {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// scale(global const uint* x, global uint* y, uint factor): y[i] = x[i] * factor + bias, which is constant 7
constexpr std::string_view kAssembly = R"(
  OpCapability Kernel
  OpCapability Addresses
  OpCapability Int64
  OpMemoryModel Physical64 OpenCL
  OpEntryPoint Kernel %scale "scale" %gid
  OpName %x "x"
  OpName %y "y"
  OpName %factor "factor"
  OpName %bias "bias"
  OpDecorate %gid BuiltIn GlobalInvocationId
  OpDecorate %gid Constant
  OpDecorate %x FuncParamAttr NoWrite
  OpDecorate %bias SpecId 7
  %void = OpTypeVoid
  %u32 = OpTypeInt 32 0
  %u64 = OpTypeInt 64 0
  %v3 = OpTypeVector %u64 3
  %gptr = OpTypePointer CrossWorkgroup %u32
  %iptr = OpTypePointer Input %v3
  %bias = OpSpecConstant %u32 0
  %gid = OpVariable %iptr Input
  %scale_type = OpTypeFunction %void %gptr %gptr %u32
  %scale = OpFunction %void None %scale_type
  %x = OpFunctionParameter %gptr
  %y = OpFunctionParameter %gptr
  %factor = OpFunctionParameter %u32
  %1 = OpLabel
  %id = OpLoad %v3 %gid Aligned 32
  %i = OpCompositeExtract %u64 %id 0
  %from = OpInBoundsPtrAccessChain %gptr %x %i
  %to = OpInBoundsPtrAccessChain %gptr %y %i
  %value = OpLoad %u32 %from Aligned 4
  %product = OpIMul %u32 %value %factor
  %sum = OpIAdd %u32 %product %bias
  OpStore %to %sum Aligned 4
  OpReturn
  OpFunctionEnd
)";

constexpr std::string_view kSource = R"(
#ifndef BIAS
#define BIAS 0
#endif
kernel void scale(global const uint* x, global uint* y, uint factor) {
  size_t i = get_global_id(0);
  y[i] = x[i] * factor + BIAS;
}
)";

// ZE Info of the same kernel, as a compiler for Intel GPUs writes it.
constexpr std::string_view kZeInfo = R"(---
version: '1.63'
kernels:
- name: scale
  execution_env: { grf_count: 128, simd_size: 16 }
  payload_arguments:
  - { arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless, addrspace: global, access_type: readonly }
  - { arg_type: arg_bypointer, offset: 8, size: 8, arg_index: 1, addrmode: stateless, addrspace: global, access_type: readwrite }
  - { arg_type: arg_byvalue, offset: 16, size: 4, arg_index: 2 }
...
)";

spirv::Words module_words() {
  Result<spirv::Words> words = spirv::assemble(make_source("scale.spvasm", std::string(kAssembly)));
  if (!words) throw std::runtime_error(words.error().front().message);
  (*words)[1] = 0x10200;  // devices take older versions than the assembler writes
  return *std::move(words);
}

std::vector<char> chars_of(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  return {text.begin(), text.end()};
}

std::string hex(Bytes bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += formatted(" {:02x}", std::to_integer<unsigned>(byte));
  return text;
}

// A zebin with code for an unavailable GPU, the module, and optionally the values of its constants.
std::vector<std::byte> zebin(const spirv::Words& words, bool constants) {
  std::string recipe = "note 1 u32 1270\nsection .text.scale PROGBITS AX zeros 64\nsection .spv 0xff000009 - hex" +
                       hex(std::as_bytes(std::span(words))) + "\n";
  if (constants) {
    recipe +=
        "section .misc.specConstantsIds PROGBITS - hex 07 00 00 00\n"
        "section .misc.specConstantsValues PROGBITS - hex 05 00 00 00 00 00 00 00\n";
  }
  return testing::cook_zebin(recipe + "ze_info\n", kZeInfo);
}

std::string recipe_of(std::string_view module, std::string_view kernel_keys) {
  return formatted(
      R"({{"resources": {{"buffers": [{}, {}], "kernels": [{{"name": "scale", "module": "{}", "grid": [4, 1, 1]{}}}]}},
      "execution": {{"runs": [{{"kernel": "scale", "arguments": [{{"name": "x", "argidx": 0}}, {{"name": "y", "argidx": 1}}],
      "constants": [{{"value": 3, "argidx": 2}}]}}]}}}})",
      buffer_json("x", "input", 16), buffer_json("y", "output", 16), module, kernel_keys);
}

class RecipeOnOpenCl : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<BackendPtr> opened = opencl::open_backend();
    if (!opened) GTEST_SKIP() << opened.error().front().message;
    backend_ = std::move(*opened);
  }

  std::unique_ptr<Opened> open(std::string_view module, std::vector<char> bytes, std::string_view kernel_keys = "") {
    return std::make_unique<Opened>(recipe_of(module, kernel_keys),
                                    OpenOptions{.runner = {.open_backend = [&](BackendKind) { return backend_; }}}, "",
                                    ArtifactMap{{std::string(module), std::move(bytes)}});
  }

  // The contents of y for x = 1, 2, 3, 4.
  std::vector<std::uint32_t> results(Opened& opened) {
    EXPECT_EQ(opened.problems, "");
    if (!opened.problems.empty()) return {};
    opened.bind("x", {1, 2, 3, 4});
    EXPECT_EQ(opened.run(), "ok");
    return opened.words("y");
  }

 private:
  BackendPtr backend_;
};

TEST_F(RecipeOnOpenCl, SpirV) {
  const spirv::Words words = module_words();
  const std::vector<char> module = chars_of(std::as_bytes(std::span(words)));
  EXPECT_THAT(results(*open("m.spv", module)), ElementsAre(3, 6, 9, 12));
  EXPECT_THAT(results(*open("m.spv", module, R"(, "specialization": {"7": 100})")), ElementsAre(103, 106, 109, 112));
  EXPECT_THAT(results(*open("m.spv", module, R"(, "specialization": {"bias": 1})")), ElementsAre(4, 7, 10, 13));
  EXPECT_THAT(open("m.spv", module, R"(, "specialization": {"bios": 1})")->problems,
              HasSubstr("has no specialization constant `bios`; did you mean `bias`? [kernel-parameters]"));
  EXPECT_THAT(open("m.spv", module, R"(, "specialization": {"7": -1})")->problems, HasSubstr("[constant-value]"));
}

TEST_F(RecipeOnOpenCl, OpenClC) {
  const std::vector<char> source(kSource.begin(), kSource.end());
  EXPECT_THAT(results(*open("m.cl", source)), ElementsAre(3, 6, 9, 12));
  EXPECT_THAT(results(*open("m.cl", source, R"(, "options": {"build": "-D BIAS=10"})")), ElementsAre(13, 16, 19, 22));
  EXPECT_THAT(open("m.cl", source, R"(, "specialization": {"bias": 1})")->problems,
              HasSubstr("`bias`; OpenCL C has none: give `options` a `build` with `-D NAME=VALUE`"));
  const std::string_view broken = "kernel void scale(global const uint* x, global uint* y, uint factor) { y[0] = z; }";
  EXPECT_THAT(open("m.cl", {broken.begin(), broken.end()})->problems,
              HasSubstr("does not build module `m.cl` of kernel `scale`"));
  const std::string_view macro =
      "#define ARGUMENTS global const uint *x, global uint *y, uint f\nkernel void scale(ARGUMENTS) {}";
  EXPECT_THAT(
      open(
          "m.cl", {macro.begin(), macro.end()},
          R"(, "parameters": [{"argidx": 0, "ignore": true}, {"argidx": 1, "ignore": true}, {"argidx": 2, "ignore": true}])")
          ->problems,
      HasSubstr("which recipes cannot set"));
}

TEST_F(RecipeOnOpenCl, TheSpirVOfAZebin) {
  const spirv::Words words = module_words();
  EXPECT_THAT(results(*open("m.zebin", chars_of(zebin(words, false)))), ElementsAre(3, 6, 9, 12));
  // With the values of constants that the binary was built with, or others.
  const std::vector<char> built = chars_of(zebin(words, true));
  EXPECT_THAT(results(*open("m.zebin", built)), ElementsAre(8, 11, 14, 17));
  EXPECT_THAT(results(*open("m.zebin", built, R"(, "specialization": {"bias": 1})")), ElementsAre(4, 7, 10, 13));
  EXPECT_THAT(
      open("m.zebin", chars_of(testing::cook_zebin("section .text.scale PROGBITS AX zeros 64\nze_info\n", kZeInfo)))
          ->problems,
      HasSubstr("module `m.zebin` has no `.spv` section"));
}

// The arguments of a planned run in the layout of the binary's ZE Info: each argidx is where the GPU's code reads it.
TEST(RecipeOfAZebin, ItsRunsFillTheCrossThreadData) {
  const std::vector<std::byte> file = zebin(module_words(), false);
  Diagnostics diagnostics;
  const SessionOptions request{
      .recipe = make_source("<recipe>", recipe_of("m.zebin", "")),
      .artifacts = Artifacts::in_memory(std::make_shared<const ArtifactMap>(ArtifactMap{{"m.zebin", chars_of(file)}}))};
  const Session session = Session::load(request, diagnostics);
  ASSERT_TRUE(session.plan()) << format_diagnostics(diagnostics.all());
  const RunPlan& run = session.plan()->runs.front();

  zebin::ContainerDiagnostics problems("m.zebin", diagnostics);
  const auto read = zebin::read_zebin(file, problems);
  ASSERT_TRUE(read);
  zeinfo::TextDiagnostics text_diagnostics("m.zebin", read->text(), diagnostics);
  const zeinfo::Document document = zeinfo::parse(read->text(), text_diagnostics);
  ASSERT_EQ(document.kernels.size(), 1u) << format_diagnostics(diagnostics.all());

  zeinfo::LaunchValues values{.groups = run.groups};
  values.args.resize(3);
  const std::map<std::string, std::uint64_t, std::less<>> addresses = {{"x", 0x1000}, {"y", 0x2000}};
  for (const ArgumentPlan& argument : run.arguments) {
    values.args.at(argument.argidx) =
        zeinfo::BufferValue{.address = addresses.at(session.plan()->buffers[argument.buffer].name)};
  }
  for (const ScalarArgument& scalar : run.scalars) values.args.at(scalar.argidx) = zeinfo::ByValue{scalar.bytes};
  const auto packed = zeinfo::pack_cross_thread(document.kernels[0], read->target, values);
  ASSERT_TRUE(packed) << packed.error().front().message;
  EXPECT_TRUE(packed->open.empty());
  EXPECT_EQ(load<std::uint64_t>(packed->bytes.data()), 0x1000u);
  EXPECT_EQ(load<std::uint64_t>(packed->bytes.data() + 8), 0x2000u);
  EXPECT_EQ(load<std::uint32_t>(packed->bytes.data() + 16), 3u);
}

}  // namespace
}  // namespace slipway::recipe
