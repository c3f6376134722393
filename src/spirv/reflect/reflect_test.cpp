// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/reflect/reflect.hpp"
#include "base/format.hpp"

#include "spirv/testing.hpp"

namespace slipway::spirv {
namespace {

constexpr std::string_view kBound =
    "OpName %b \"b\"\n"
    "OpDecorate %b DescriptorSet 0\n"
    "OpDecorate %b Binding 0\n";
constexpr std::string_view kTensors = "OpCapability TensorsARM\nOpExtension \"SPV_ARM_tensors\"\n";

std::string printed(const std::string& assembly, const Specialization& specialization = {}) {
  const Result<Reflection> reflection = reflect(module_of(assembly), specialization);
  return reflection ? print_reflection(*reflection) : shown(reflection.error());
}

// The text after the lines of the module and of the entry point's local size.
std::string printed_rest(const std::string& assembly, const Specialization& specialization = {}) {
  const std::string text = printed(assembly, specialization);
  const std::size_t local_size = text.find("  local size");
  return local_size == std::string::npos ? text : text.substr(text.find('\n', local_size) + 1);
}

// A shader with the variable %b of type %t in a storage class.
std::string shader_with(std::string_view storage, std::string_view annotations, std::string_view types,
                        std::string_view body, std::string_view functions = "") {
  std::string text =
      compute_shader(std::string(kBound) + std::string(annotations),
                     formatted("{}%p = OpTypePointer {} %t\n%b = OpVariable %p {}\n{}", types, storage, storage,
                               functions.empty() ? "" : "%pu = OpTypePointer StorageBuffer %u32\n"),
                     std::string(body), "%b", std::string(kTensors));
  return text + std::string(functions);
}

TEST(Reflect, AnEmptyShader) {
  EXPECT_EQ(printed(compute_shader("", "", "", "",
                                   "OpCapability Int8\nOpExtension \"SPV_KHR_8bit_storage\"\n"
                                   "%glsl = OpExtInstImport \"GLSL.std.450\"\n")),
            "SPIR-V 1.6\n"
            "capability Shader\n"
            "capability Int8\n"
            "extension SPV_KHR_8bit_storage\n"
            "instruction set GLSL.std.450\n"
            "compute `main`\n"
            "  local size 8 x 4 x 1\n");
}

TEST(Reflect, FindsEntryPoints) {
  const Result<Reflection> reflection = reflect(module_of(compute_shader("", "", "")));
  ASSERT_TRUE(reflection);
  EXPECT_NE(reflection->find("main", Stage::Compute), nullptr);
  EXPECT_EQ(reflection->find("main", Stage::Vertex), nullptr);
  EXPECT_EQ(reflection->find("other", Stage::Compute), nullptr);
}

// --- bindings ------------------------------------------------------------------------------------------------------

struct KindCase {
  std::string_view storage;
  std::string_view annotations;
  std::string_view types;  // declares %t
  vk::DescriptorType descriptor;
  std::string_view printed;
};

TEST(Reflect, KindsOfBindings) {
  using vk::DescriptorType;
  const KindCase cases[] = {
      {"StorageBuffer", "OpDecorate %t Block\nOpMemberDecorate %t 0 Offset 4\n", "%t = OpTypeStruct %f32\n",
       DescriptorType::STORAGE_BUFFER, "storage buffer, 8 bytes"},
      {"Uniform", "OpDecorate %t Block\nOpMemberDecorate %t 0 Offset 0\n", "%t = OpTypeStruct %v4f\n",
       DescriptorType::UNIFORM_BUFFER, "uniform buffer, 16 bytes"},
      {"Uniform", "OpDecorate %t BufferBlock\nOpMemberDecorate %t 0 Offset 0\n", "%t = OpTypeStruct %v4f\n",
       DescriptorType::STORAGE_BUFFER, "storage buffer, 16 bytes"},
      {"UniformConstant", "", "%i = OpTypeImage %f32 2D 0 0 0 1 Unknown\n%t = OpTypeSampledImage %i\n",
       DescriptorType::COMBINED_IMAGE_SAMPLER, "combined image sampler 2d of f32"},
      {"UniformConstant", "", "%t = OpTypeImage %i32 3D 0 0 0 1 Unknown\n", DescriptorType::SAMPLED_IMAGE,
       "sampled image 3d of i32"},
      {"UniformConstant", "", "%t = OpTypeImage %f32 2D 0 1 1 1 Unknown\n", DescriptorType::SAMPLED_IMAGE,
       "sampled image 2d array multisampled of f32"},
      {"UniformConstant", "", "%t = OpTypeSampler\n", DescriptorType::SAMPLER, "sampler"},
      {"UniformConstant", "", "%t = OpTypeImage %f32 2D 0 0 0 2 Rgba8\n", DescriptorType::STORAGE_IMAGE,
       "storage image 2d VK_FORMAT_R8G8B8A8_UNORM of f32"},
      {"UniformConstant", "", "%t = OpTypeImage %u32 Cube 0 0 0 2 R64i\n", DescriptorType::STORAGE_IMAGE,
       "storage image cube VK_FORMAT_R64_SINT of u32"},
      {"UniformConstant", "", "%t = OpTypeImage %void 1D 0 0 0 2 R32ui\n", DescriptorType::STORAGE_IMAGE,
       "storage image 1d VK_FORMAT_R32_UINT"},
      {"UniformConstant", "", "%t = OpTypeImage %f32 Buffer 0 0 0 1 Unknown\n", DescriptorType::UNIFORM_TEXEL_BUFFER,
       "uniform texel buffer buffer of f32"},
      {"UniformConstant", "", "%t = OpTypeImage %u32 Buffer 0 0 0 2 R32ui\n", DescriptorType::STORAGE_TEXEL_BUFFER,
       "storage texel buffer buffer VK_FORMAT_R32_UINT of u32"},
      {"UniformConstant", "", "%t = OpTypeImage %f32 SubpassData 0 0 0 2 Unknown\n", DescriptorType::INPUT_ATTACHMENT,
       "input attachment subpass of f32"},
      {"UniformConstant", "", "%t = OpTypeImage %f32 Rect 0 0 0 1 Unknown\n", DescriptorType::SAMPLED_IMAGE,
       "sampled image rect of f32"},
      {"UniformConstant", "", "%t = OpTypeAccelerationStructureKHR\n", DescriptorType::ACCELERATION_STRUCTURE_KHR,
       "acceleration structure"},
      {"UniformConstant", "", "%t = OpTypeTensorARM %f32\n", DescriptorType::TENSOR_ARM, "tensor f32"},
      {"UniformConstant", "", "%t = OpTypeTensorARM %i32 %u4\n", DescriptorType::TENSOR_ARM, "tensor i32 rank 4"},
      {"UniformConstant", "",
       "%a = OpTypeArray %u32 %u2\n%s = OpConstantComposite %a %u3 %u4\n%t = OpTypeTensorARM %bool %u2 %s\n",
       DescriptorType::TENSOR_ARM, "tensor bool [3, 4]"},
      {"UniformConstant", "",
       "%a = OpTypeArray %u32 %u4\n%s = OpConstantCompositeReplicateEXT %a %u2\n%t = OpTypeTensorARM %f32 %u4 %s\n",
       DescriptorType::TENSOR_ARM, "tensor f32 [2, 2, 2, 2]"},
      {"UniformConstant", "", "%h = OpTypeFloat 16 BFloat16KHR\n%t = OpTypeTensorARM %h %u1\n",
       DescriptorType::TENSOR_ARM, "tensor bf16 rank 1"},
      {"UniformConstant", "", "%h = OpTypeFloat 8 Float8E4M3EXT\n%t = OpTypeTensorARM %h %u1\n",
       DescriptorType::TENSOR_ARM, "tensor e4m3 rank 1"},
      {"UniformConstant", "", "%h = OpTypeFloat 8 Float8E5M2EXT\n%t = OpTypeTensorARM %h %u1\n",
       DescriptorType::TENSOR_ARM, "tensor e5m2 rank 1"},
      {"UniformConstant", "", "%s = OpTypeSampler\n%t = OpTypeArray %s %u3\n", DescriptorType::SAMPLER, "sampler[3]"},
      {"UniformConstant", "", "%s = OpTypeSampler\n%a = OpTypeArray %s %u3\n%t = OpTypeArray %a %u2\n",
       DescriptorType::SAMPLER, "sampler[6]"},
      {"UniformConstant", "", "%s = OpTypeSampler\n%t = OpTypeRuntimeArray %s\n", DescriptorType::SAMPLER, "sampler[]"},
  };
  for (const KindCase& one : cases) {
    const std::string assembly = shader_with(one.storage, one.annotations, one.types, "");
    EXPECT_EQ(printed_rest(assembly), formatted("  binding 0.0 `b`: {}, unused\n", one.printed));
    const Result<Reflection> reflection = reflect(module_of(assembly));
    ASSERT_TRUE(reflection);
    EXPECT_EQ(descriptor_type(reflection->entry_points.at(0).bindings.at(0).kind), one.descriptor) << one.printed;
  }
}

struct BlockCase {
  std::string_view annotations;
  std::string_view types;  // declares %t
  std::string_view printed;
};

TEST(Reflect, SizesOfBlocks) {
  const BlockCase cases[] = {
      {"OpMemberDecorate %t 0 Offset 0\nOpMemberDecorate %t 1 Offset 8\n", "%t = OpTypeStruct %f32 %v2f\n", "16 bytes"},
      {"OpMemberDecorate %t 0 Offset 16\nOpMemberDecorate %t 1 Offset 0\n", "%t = OpTypeStruct %f32 %v2f\n",
       "20 bytes"},
      {"OpMemberDecorate %t 0 Offset 0\nOpDecorate %a ArrayStride 16\n",
       "%a = OpTypeArray %f32 %u3\n%t = OpTypeStruct %a\n", "36 bytes"},
      {"OpMemberDecorate %t 0 Offset 0\nOpMemberDecorate %t 1 Offset 16\nOpDecorate %a ArrayStride 12\n",
       "%a = OpTypeRuntimeArray %f32\n%t = OpTypeStruct %f32 %a\n", "16 bytes + n * 12"},
      {"OpMemberDecorate %t 0 Offset 0\nOpMemberDecorate %t 0 ColMajor\nOpMemberDecorate %t 0 MatrixStride 16\n",
       "%m = OpTypeMatrix %v2f 3\n%t = OpTypeStruct %m\n", "40 bytes"},
      {"OpMemberDecorate %t 0 Offset 0\nOpMemberDecorate %t 0 RowMajor\nOpMemberDecorate %t 0 MatrixStride 16\n",
       "%m = OpTypeMatrix %v2f 3\n%t = OpTypeStruct %m\n", "28 bytes"},
      {"OpMemberDecorate %t 0 Offset 4\nOpMemberDecorate %t 0 ColMajor\nOpMemberDecorate %t 0 MatrixStride 8\n"
       "OpDecorate %a ArrayStride 32\n",
       "%m = OpTypeMatrix %v2f 3\n%a = OpTypeArray %m %u2\n%t = OpTypeStruct %a\n", "60 bytes"},
      {"OpMemberDecorate %t 0 Offset 0\nOpMemberDecorate %t 1 Offset 64\nOpMemberDecorate %s 0 Offset 0\n"
       "OpMemberDecorate %s 1 Offset 4\n",
       "%s = OpTypeStruct %f32 %f32\n%t = OpTypeStruct %u32 %s\n", "72 bytes"},
      {"OpMemberDecorate %t 0 Offset 8\n",
       "%s = OpTypeStruct %f32\n%q = OpTypePointer PhysicalStorageBuffer %s\n%t = OpTypeStruct %q\n", "16 bytes"},
  };
  for (const BlockCase& one : cases) {
    EXPECT_EQ(printed_rest(
                  shader_with("StorageBuffer", "OpDecorate %t Block\n" + std::string(one.annotations), one.types, "")),
              formatted("  binding 0.0 `b`: storage buffer, {}, unused\n", one.printed));
  }
}

TEST(Reflect, BlocksBeyondAllSizesAreErrors) {
  const std::string large =
      "%big = OpConstant %u64 0xffffffffffffffff\n%a = OpTypeArray %v4f %big\n%t = OpTypeStruct %a\n";
  EXPECT_THAT(printed(shader_with("StorageBuffer",
                                  "OpDecorate %t Block\nOpMemberDecorate %t 0 Offset 0\nOpDecorate %a ArrayStride 16\n",
                                  "%u64 = OpTypeInt 64 0\n" + large, "")),
              testing::HasSubstr("error: the block of `b` has a size beyond 64 bits [file-format]"));
  EXPECT_THAT(
      printed(shader_with("UniformConstant", "",
                          "%u64 = OpTypeInt 64 0\n%big = OpConstant %u64 0xffffffffffffffff\n%s = OpTypeSampler\n"
                          "%a = OpTypeArray %s %big\n%t = OpTypeArray %a %big\n",
                          "")),
      testing::HasSubstr("error: the type of `b` cannot be followed [file-format]"));
}

TEST(Reflect, BindingsAreSortedAndNamed) {
  const std::string text = printed_rest(compute_shader(
      "OpName %block \"Block\"\nOpName %c \"\"\nOpName %d \"d\"\n"
      "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n"
      "OpDecorate %a DescriptorSet 1\nOpDecorate %a Binding 0\nOpDecorate %c DescriptorSet 0\nOpDecorate %c Binding 7\n"
      "OpDecorate %d DescriptorSet 0\nOpDecorate %d Binding 2\nOpDecorate %e DescriptorSet 0\nOpDecorate %e Binding "
      "2\n",
      "%block = OpTypeStruct %u32\n%s = OpTypeSampler\n%pb = OpTypePointer Uniform %block\n"
      "%ps = OpTypePointer UniformConstant %s\n%a = OpVariable %ps UniformConstant\n%c = OpVariable %pb Uniform\n"
      "%d = OpVariable %pb Uniform\n%e = OpVariable %ps UniformConstant\n",
      ""));
  EXPECT_EQ(text,
            "  binding 0.2 `d`: uniform buffer, 4 bytes, unused\n"
            "  binding 0.2: sampler, unused\n"
            "  binding 0.7 `Block`: uniform buffer, 4 bytes, unused\n"
            "  binding 1.0: sampler, unused\n");
}

TEST(Reflect, BindingsThatAreNoneAreErrors) {
  EXPECT_THAT(printed(shader_with("Private", "", "%t = OpTypeStruct %u32\n", "")),
              testing::HasSubstr("error: `b` has a binding, but is not a resource [file-format]"));
  EXPECT_THAT(printed(shader_with("UniformConstant", "", "%t = OpTypeStruct %u32\n", "")),
              testing::HasSubstr("error: `b` has a binding, but is not a resource [file-format]"));
  EXPECT_THAT(printed(shader_with("UniformConstant", "", "%i4 = OpTypeInt 4 0\n%t = OpTypeTensorARM %i4 %u1\n", "")),
              testing::HasSubstr("error: the tensor `b` has elements of a type that is not supported [file-format]"));
  EXPECT_THAT(printed(shader_with("UniformConstant", "", "%t = OpTypeSampledImage %f32\n", "")),
              testing::HasSubstr("error: `b` is a sampled image of something that is not an image [file-format]"));
  EXPECT_THAT(printed(shader_with("UniformConstant", "", "%t = OpTypeArray %undefined %u2\n", "")),
              testing::HasSubstr("error: the type of `b` cannot be followed [file-format]"));
}

TEST(Reflect, VariablesWithoutBindingAreNoDescriptors) {
  EXPECT_EQ(printed_rest(compute_shader("",
                                        "%s = OpTypeSampler\n%p = OpTypePointer UniformConstant %s\n"
                                        "%b = OpVariable %p UniformConstant\n",
                                        "")),
            "");
}

TEST(Reflect, DecorationGroupsAreRefused) {
  EXPECT_THAT(
      printed("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpDecorate %g Restrict\n"
              "%g = OpDecorationGroup\nOpGroupDecorate %g\n"),
      testing::HasSubstr("error: decoration groups, which SPIR-V has deprecated; `spirv-opt --flatten-decorations` "
                         "removes them [unsupported]"));
}

// --- workgroups and specialization ---------------------------------------------------------------------------------

std::string local_size_of(const std::string& text) {
  const std::size_t begin = text.find("  local size");
  return begin == std::string::npos ? text : text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Reflect, WorkgroupSizeOverridesLocalSize) {
  const std::string shader =
      compute_shader("OpDecorate %x SpecId 7\nOpDecorate %size BuiltIn WorkgroupSize\n",
                     "%x = OpSpecConstant %u32 64\n%size = OpSpecConstantComposite %v3u %x %u2 %u1\n", "");
  EXPECT_EQ(local_size_of(printed(shader)), "  local size 64 (constant 7) x 2 x 1");
  EXPECT_EQ(local_size_of(printed(shader, {{7, 128}})), "  local size 128 (constant 7) x 2 x 1");
}

TEST(Reflect, ReplicatedWorkgroupSizes) {
  const std::string shader =
      compute_shader("OpDecorate %x SpecId 7\nOpDecorate %size BuiltIn WorkgroupSize\n",
                     "%x = OpSpecConstant %u32 4\n%size = OpSpecConstantCompositeReplicateEXT %v3u %x\n", "");
  EXPECT_EQ(local_size_of(printed(shader)), "  local size 4 (constant 7) x 4 (constant 7) x 4 (constant 7)");
}

TEST(Reflect, LocalSizeIds) {
  const std::string shader =
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
      "OpExecutionModeId %main LocalSizeId %x %y %z\nOpDecorate %x SpecId 3\nOpDecorate %y SpecId 4\n"
      "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n%two = OpConstant %u32 2\n"
      "%x = OpSpecConstant %u32 16\n%y = OpSpecConstant %u32 1\n%z = OpSpecConstantOp %u32 IMul %x %two\n"
      "%main = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n";
  EXPECT_EQ(local_size_of(printed(shader)), "  local size 16 (constant 3) x 1 (constant 4) x 32");
  EXPECT_EQ(local_size_of(printed(shader, {{3, 4}, {4, 8}})), "  local size 4 (constant 3) x 8 (constant 4) x 8");
}

TEST(Reflect, NoLocalSizeIsNone) {
  EXPECT_EQ(printed("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
                    "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
                    "%main = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n"),
            "SPIR-V 1.6\ncapability Shader\ncompute `main`\n");
}

TEST(Reflect, SpecializationConstants) {
  const std::string text = printed(compute_shader(
      "OpDecorate %a SpecId 9\nOpDecorate %b SpecId 1\nOpDecorate %c SpecId 2\nOpDecorate %d SpecId 3\nOpDecorate %e "
      "SpecId 4\n"
      "OpDecorate %g SpecId 5\nOpName %a \"a\"\n",
      "%i8 = OpTypeInt 8 1\n%i64 = OpTypeInt 64 1\n%a = OpSpecConstant %f32 1.5\n%b = OpSpecConstantTrue %bool\n"
      "%c = OpSpecConstantFalse %bool\n%d = OpSpecConstant %i8 -2\n%e = OpSpecConstant %i64 -1\n"
      "%g = OpSpecConstant %u32 7\n%h = OpSpecConstant %u32 8\n",
      ""));
  EXPECT_THAT(text, testing::HasSubstr("specialization constant 1: bool = 0x1\n"
                                       "specialization constant 2: bool = 0x0\n"
                                       "specialization constant 3: i8 = 0xfe\n"
                                       "specialization constant 4: i64 = 0xffffffffffffffff\n"
                                       "specialization constant 5: u32 = 0x7\n"
                                       "specialization constant 9 `a`: f32 = 0x3fc00000\n"
                                       "compute"));
}

TEST(Reflect, SpecializationConstantsKeepTheirDefaults) {
  const std::string shader = compute_shader("OpDecorate %a SpecId 9\n", "%a = OpSpecConstant %u32 5\n", "");
  EXPECT_THAT(printed(shader, {{9, 77}}), testing::HasSubstr("specialization constant 9: u32 = 0x5\n"));
}

TEST(Reflect, SpecializationConstantsOfOddTypesAreErrors) {
  EXPECT_THAT(
      printed(compute_shader("OpDecorate %a SpecId 9\n", "%i24 = OpTypeInt 24 0\n%a = OpSpecConstant %i24 5\n", "")),
      testing::HasSubstr("error: the specialization constant 9 has a type that is not supported [file-format]"));
}

// The value of an expression over %s (constant 0, default 6) and %n (-2), seen as a workgroup's width.
std::string width_of(const std::string& expression, const Specialization& specialization = {}) {
  const std::string text = local_size_of(printed(
      compute_shader(
          "OpDecorate %s SpecId 0\nOpDecorate %size BuiltIn WorkgroupSize\nOpDecorate %flag SpecId 1\n",
          "%s = OpSpecConstant %u32 6\n%n = OpConstant %i32 -2\n%i5 = OpConstant %i32 5\n"
          "%flag = OpSpecConstantTrue %bool\n%i8 = OpTypeInt 8 1\n%u8 = OpTypeInt 8 0\n%narrow = OpConstant %i8 -1\n"
          "%vec = OpSpecConstantComposite %v2u %u3 %s\n" +
              expression + "%size = OpSpecConstantComposite %v3u %x %u1 %u1\n",
          ""),
      specialization));
  return text.substr(13, text.find(' ', 13) - 13);
}

TEST(Reflect, ConstantExpressions) {
  const std::pair<const char*, const char*> cases[] = {
      {"%x = OpSpecConstantOp %u32 IAdd %s %u2\n", "8"},
      {"%x = OpSpecConstantOp %u32 ISub %s %u2\n", "4"},
      {"%x = OpSpecConstantOp %u32 IMul %s %u2\n", "12"},
      {"%x = OpSpecConstantOp %u32 UDiv %s %u4\n", "1"},
      {"%x = OpSpecConstantOp %u32 UMod %s %u4\n", "2"},
      {"%x = OpSpecConstantOp %u32 UDiv %s %u0\n", "0"},
      {"%x = OpSpecConstantOp %u32 UMod %s %u0\n", "0"},
      {"%x = OpSpecConstantOp %i32 SDiv %i5 %n\n", "4294967294"},
      {"%x = OpSpecConstantOp %i32 SRem %i5 %n\n", "1"},
      {"%x = OpSpecConstantOp %i32 SMod %i5 %n\n", "4294967295"},
      {"%x = OpSpecConstantOp %u32 ShiftLeftLogical %s %u2\n", "24"},
      {"%x = OpSpecConstantOp %u32 ShiftRightLogical %n %u1\n", "2147483647"},
      {"%x = OpSpecConstantOp %i32 ShiftRightArithmetic %n %u1\n", "4294967295"},
      {"%x = OpSpecConstantOp %u32 BitwiseOr %s %u1\n", "7"},
      {"%x = OpSpecConstantOp %u32 BitwiseAnd %s %u3\n", "2"},
      {"%x = OpSpecConstantOp %u32 BitwiseXor %s %u3\n", "5"},
      {"%x = OpSpecConstantOp %u32 Not %s\n", "4294967289"},
      {"%x = OpSpecConstantOp %i32 SNegate %n\n", "2"},
      {"%x = OpSpecConstantOp %u32 UConvert %narrow\n", "255"},
      {"%x = OpSpecConstantOp %i32 SConvert %narrow\n", "4294967295"},
      {"%x = OpSpecConstantOp %u32 Select %flag %u3 %u4\n", "3"},
      {"%x = OpSpecConstantOp %u32 CompositeExtract %vec 1\n", "6"},
      {"%c = OpSpecConstantOp %bool SLessThan %n %i5\n%x = OpSpecConstantOp %u32 Select %c %u3 %u4\n", "3"},
      {"%c = OpSpecConstantOp %bool ULessThan %n %i5\n%x = OpSpecConstantOp %u32 Select %c %u3 %u4\n", "4"},
      {"%c = OpSpecConstantOp %bool UGreaterThanEqual %s %s\n%x = OpSpecConstantOp %u32 Select %c %u3 %u4\n", "3"},
      {"%c = OpSpecConstantOp %bool LogicalNot %flag\n%x = OpSpecConstantOp %u32 Select %c %u3 %u4\n", "4"},
      {"%c = OpSpecConstantOp %bool LogicalAnd %flag %flag\n%x = OpSpecConstantOp %u32 Select %c %u3 %u4\n", "3"},
      {"%c = OpSpecConstantOp %bool INotEqual %s %s\n%x = OpSpecConstantOp %u32 Select %c %u3 %u4\n", "4"},
  };
  for (const auto& [expression, value] : cases) EXPECT_EQ(width_of(expression), value) << expression;
  EXPECT_EQ(width_of("%x = OpSpecConstantOp %u32 Select %flag %u3 %u4\n", {{1, 0}}), "4");
}

TEST(Reflect, SharedMemoryIsCountedInStorageBufferLayout) {
  const std::string globals =
      "%n = OpSpecConstant %u32 10\n%a = OpTypeArray %f32 %n\n%pa = OpTypePointer Workgroup %a\n%x = OpVariable %pa "
      "Workgroup\n"
      "%v3f = OpTypeVector %f32 3\n%pv = OpTypePointer Workgroup %v3f\n%y = OpVariable %pv Workgroup\n"
      "%pb = OpTypePointer Workgroup %bool\n%z = OpVariable %pb Workgroup\n%s = OpTypeStruct %f32 %v2f\n"
      "%ps = OpTypePointer Workgroup %s\n%w = OpVariable %ps Workgroup\n%m = OpTypeMatrix %v3f 2\n"
      "%pm = OpTypePointer Workgroup %m\n%q = OpVariable %pm Workgroup\n%true = OpConstantTrue %bool\n";
  const auto shared = [&](const std::string& body, const Specialization& specialization = {}) {
    return printed_rest(compute_shader("OpDecorate %n SpecId 0\n", globals, body), specialization);
  };
  EXPECT_EQ(shared(""), "");
  EXPECT_EQ(shared("%l = OpLoad %a %x\n"), "  shared memory 40 bytes\n");
  EXPECT_EQ(shared("%l = OpLoad %a %x\n", {{0, 100}}), "  shared memory 400 bytes\n");
  // The vector of three starts at a multiple of 16, the bool directly after it.
  EXPECT_EQ(shared("%l = OpLoad %a %x\n%k = OpLoad %v3f %y\nOpStore %z %true\n"), "  shared memory 64 bytes\n");
  EXPECT_EQ(shared("%l = OpLoad %s %w\n"), "  shared memory 16 bytes\n");
  EXPECT_EQ(shared("%l = OpLoad %m %q\n"), "  shared memory 32 bytes\n");
}

TEST(Reflect, SharedBlocksLieOverEachOther) {
  EXPECT_EQ(
      printed_rest(compute_shader(
          "OpDecorate %s Block\nOpDecorate %t Block\nOpMemberDecorate %s 0 Offset 0\nOpMemberDecorate %t 0 Offset 32\n",
          "%s = OpTypeStruct %v4f\n%t = OpTypeStruct %f32\n%ps = OpTypePointer Workgroup %s\n"
          "%pt = OpTypePointer Workgroup %t\n%x = OpVariable %ps Workgroup\n%y = OpVariable %pt Workgroup\n",
          "%l = OpLoad %s %x\n%k = OpLoad %t %y\n")),
      "  shared memory 36 bytes\n");
}

TEST(Reflect, SharedMemoryBeyondAllSizesIsAnError) {
  EXPECT_THAT(printed(compute_shader("",
                                     "%u64 = OpTypeInt 64 0\n%big = OpConstant %u64 0xffffffffffffffff\n"
                                     "%a = OpTypeArray %f32 %big\n%pa = OpTypePointer Workgroup %a\n"
                                     "%x = OpVariable %pa Workgroup\n",
                                     "%l = OpLoad %a %x\n")),
              testing::HasSubstr("error: entry point `main` has shared memory of a size beyond 64 bits [file-format]"));
}

// --- push constants ------------------------------------------------------------------------------------------------

const char kPushAnnotations[] =
    "OpName %block \"Push\"\nOpMemberName %block 0 \"scale\"\nOpMemberName %block 1 \"size\"\nOpDecorate %block Block\n"
    "OpMemberDecorate %block 0 Offset 0\nOpMemberDecorate %block 1 Offset 8\n";
const char kPushGlobals[] =
    "%block = OpTypeStruct %f32 %v2u\n%p = OpTypePointer PushConstant %block\n%push = OpVariable %p PushConstant\n";

TEST(Reflect, PushConstants) {
  EXPECT_EQ(printed_rest(compute_shader(kPushAnnotations, kPushGlobals, "%x = OpLoad %block %push\n")),
            "  push constants `Push`: 16 bytes\n"
            "    +0 `scale`: 4 bytes\n"
            "    +8 `size`: 8 bytes\n");
  EXPECT_EQ(printed_rest(compute_shader(kPushAnnotations, kPushGlobals, "")),
            "  push constants `Push`: 16 bytes, unused\n"
            "    +0 `scale`: 4 bytes\n"
            "    +8 `size`: 8 bytes\n");
}

TEST(Reflect, TheUsedPushConstantsCount) {
  EXPECT_EQ(
      printed_rest(compute_shader(
          std::string(kPushAnnotations) + "OpName %other \"other\"\nOpMemberDecorate %ob 0 Offset 4\n",
          std::string(kPushGlobals) +
              "%ob = OpTypeStruct %u32\n%op = OpTypePointer PushConstant %ob\n%other = OpVariable %op PushConstant\n",
          "%x = OpLoad %ob %other\n")),
      "  push constants `other`: 8 bytes\n    +4: 4 bytes\n");
}

TEST(Reflect, PushConstantsThatAreNoBlockAreErrors) {
  EXPECT_THAT(printed(compute_shader("OpName %push \"p\"\n",
                                     "%p = OpTypePointer PushConstant %u32\n%push = OpVariable %p PushConstant\n", "")),
              testing::HasSubstr("error: the push constants `p` are not a structure [file-format]"));
  EXPECT_THAT(printed(compute_shader(
                  "OpName %push \"p\"\nOpMemberDecorate %t 0 Offset 0\nOpDecorate %a ArrayStride 16\n",
                  "%u64 = OpTypeInt 64 0\n%big = OpConstant %u64 0xffffffffffffffff\n%a = OpTypeArray %f32 %big\n"
                  "%t = OpTypeStruct %a\n%p = OpTypePointer PushConstant %t\n%push = OpVariable %p PushConstant\n",
                  "")),
              testing::HasSubstr("error: the block of `p` has a size beyond 64 bits [file-format]"));
}

// --- inputs and outputs --------------------------------------------------------------------------------------------

std::string graphics_shader(const std::string& model, const std::string& interface, const std::string& annotations,
                            const std::string& globals) {
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint " + model + " %main \"main\" " + interface +
         "\n" + annotations +
         "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n%f32 = OpTypeFloat 32\n"
         "%f64 = OpTypeFloat 64\n%v2f = OpTypeVector %f32 2\n%v4f = OpTypeVector %f32 4\n%d3 = OpTypeVector %f64 3\n"
         "%m3 = OpTypeMatrix %v4f 3\n%u2 = OpConstant %u32 2\n" +
         globals + "%main = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n";
}

TEST(Reflect, InputsAndOutputs) {
  EXPECT_EQ(
      printed(graphics_shader(
          "Vertex", "%uv %m %block %pos %unused",
          "OpName %uv \"uv\"\nOpName %m \"m\"\nOpName %out \"Out\"\nOpMemberName %out 0 \"a\"\nOpMemberName %out 1 "
          "\"b\"\n"
          "OpMemberName %out 2 \"c\"\nOpDecorate %uv Location 4\nOpDecorate %uv Component 2\nOpDecorate %m Location 0\n"
          "OpDecorate %block Location 1\nOpMemberDecorate %out 3 BuiltIn PointSize\nOpDecorate %pos BuiltIn Position\n"
          "OpMemberDecorate %out 2 Location 9\nOpDecorate %out Block\n",
          "%pi2 = OpTypePointer Input %v2f\n%uv = OpVariable %pi2 Input\n%a2 = OpTypeArray %m3 %u2\n"
          "%pim = OpTypePointer Input %a2\n%m = OpVariable %pim Input\n%out = OpTypeStruct %d3 %u32 %f32 %f32\n"
          "%pob = OpTypePointer Output %out\n%block = OpVariable %pob Output\n%po4 = OpTypePointer Output %v4f\n"
          "%pos = OpVariable %po4 Output\n%pu = OpTypePointer Uniform %v4f\n%unused = OpVariable %pu Uniform\n")),
      "SPIR-V 1.6\ncapability Shader\nvertex `main`\n"
      "  input 0 `m`: f32x4x3[2]\n"
      "  input 4.2 `uv`: f32x2\n"
      "  output 1 `a`: f64x3\n"
      "  output 3 `b`: u32\n"
      "  output 9 `c`: f32\n");
}

TEST(Reflect, MembersOfNamedBlocksHaveBothNames) {
  EXPECT_THAT(
      printed(graphics_shader(
          "Fragment", "%in",
          "OpName %in \"in\"\nOpMemberName %t 0 \"x\"\nOpMemberName %s 0 \"y\"\nOpDecorate %in Location 2\n",
          "%s = OpTypeStruct %f32 %f32\n%t = OpTypeStruct %s %v4f\n%p = OpTypePointer Input %t\n"
          "%in = OpVariable %p Input\n")),
      testing::HasSubstr("fragment `main`\n  input 2 `in.x.y`: f32\n  input 3 `in.x.`: f32\n  input 4 `in.`: f32x4\n"));
}

TEST(Reflect, OtherTypesDoNotPassBetweenStages) {
  EXPECT_THAT(printed(graphics_shader("Fragment", "%in", "OpName %in \"in\"\n",
                                      "%s = OpTypeSampler\n%p = OpTypePointer Input %s\n%in = OpVariable %p Input\n")),
              testing::HasSubstr("error: the type of `in` cannot be passed between stages [file-format]"));
}

// --- graphs --------------------------------------------------------------------------------------------------------

const char kGraph[] =
    "OpCapability GraphARM\nOpCapability TensorsARM\nOpCapability Shader\nOpCapability VulkanMemoryModel\nOpCapability "
    "Int8\nOpExtension \"SPV_ARM_graph\"\n"
    "OpExtension \"SPV_ARM_tensors\"\n%tosa = OpExtInstImport \"TOSA.001000.1\"\nOpMemoryModel Logical Vulkan\n"

    "OpName %in \"in\"\nOpName %out \"out\"\nOpName %c \"weights\"\n"
    "OpDecorate %in DescriptorSet 0\nOpDecorate %in Binding 4\nOpDecorate %out DescriptorSet 0\nOpDecorate %out "
    "Binding 1\n"
    "%u32 = OpTypeInt 32 0\n%i8 = OpTypeInt 8 0\n%u1 = OpConstant %u32 1\n%u5 = OpConstant %u32 5\n"
    "%a1 = OpTypeArray %u32 %u1\n%shape = OpConstantComposite %a1 %u5\n%t = OpTypeTensorARM %i8 %u1 %shape\n"
    "%p = OpTypePointer UniformConstant %t\n%in = OpVariable %p UniformConstant\n%out = OpVariable %p UniformConstant\n"
    "%c = OpGraphConstantARM %t 3\n%g = OpTypeGraphARM 1 %t %t\n%u0 = OpConstant %u32 0\n"
    "OpGraphEntryPointARM %graph \"net\" %in %out\n%graph = OpGraphARM %g\n%x = OpGraphInputARM %t "
    "%u0\nOpGraphSetOutputARM %x %u0\nOpGraphEndARM\n";

TEST(Reflect, Graphs) {
  EXPECT_EQ(
      printed(kGraph),
      "SPIR-V 1.6\n"
      "capability GraphARM\ncapability TensorsARM\ncapability Shader\ncapability VulkanMemoryModel\ncapability Int8\n"
      "extension SPV_ARM_graph\nextension SPV_ARM_tensors\ninstruction set TOSA.001000.1\n"
      "graph constant 3 `weights`: u8 [5]\n"
      "graph `net`\n"
      "  binding 0.4 `in`: tensor u8 [5], read\n"
      "  binding 0.1 `out`: tensor u8 [5], written\n");
  const Result<Reflection> reflection = reflect(module_of(kGraph));
  EXPECT_NE(reflection->find("net", Stage::Graph), nullptr);
  const Result<> valid = validate(words_of(kGraph), "t.spv");
  EXPECT_TRUE(valid) << shown(valid.error());
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Reflect, BadGraphs) {
  EXPECT_THAT(printed(replaced(kGraph, "OpDecorate %in DescriptorSet 0\n", "")),
              testing::HasSubstr("error: `in` in the interface of graph `net` has no binding [file-format]"));
  EXPECT_THAT(printed(replaced(kGraph, "OpGraphEntryPointARM %graph", "OpGraphEntryPointARM %x")),
              testing::HasSubstr("error: entry point `net` names %"));
  EXPECT_THAT(printed(replaced(kGraph, "%c = OpGraphConstantARM %t 3", "%c = OpGraphConstantARM %i8 3")),
              testing::HasSubstr("error: graph constant 3 is not a tensor of a supported type [file-format]"));
}

TEST(Reflect, EntryPointsWithoutFunctionAreErrors) {
  EXPECT_EQ(printed("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %1 \"main\"\n"),
            "t.spv:0x28: error: entry point `main` names %1, which is not a function [file-format]\n");
}

TEST(Reflect, NamesOfEnumerants) {
  EXPECT_EQ(name_of(Stage::Compute), "compute");
  EXPECT_EQ(name_of(Stage::Mesh), "mesh");
  EXPECT_EQ(name_of(static_cast<Stage>(77)), "unknown stage");
  EXPECT_EQ(name_of(BindingKind::Tensor), "tensor");
  EXPECT_EQ(name_of(ImageDimension::TileImage), "tile image");
}

}  // namespace
}  // namespace slipway::spirv
