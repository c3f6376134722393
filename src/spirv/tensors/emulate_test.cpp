// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/tensors/emulate.hpp"
#include "base/format.hpp"

#include "spirv/testing.hpp"

namespace slipway::spirv {
namespace {

using tensor::ElementType;

// A compute shader with tensors: `globals` and `body` may use what `compute_shader` declares, %ii = u32[2], %c01 =
// {0, 1} and a tensor %t (set 0, binding 0) of `element`, rank 2.
std::string tensor_shader(const std::string& element, const std::string& globals, const std::string& body,
                          const std::string& more_annotations = "", const std::string& preamble = "") {
  return compute_shader(
      "OpName %t \"t\"\n" + more_annotations + "OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 0\n",
      "%ii = OpTypeArray %u32 %u2\n%c01 = OpConstantComposite %ii %u0 %u1\n" +
          (element.starts_with("%") ? "" : "%element = " + element + "\n") +
          formatted("%tensor = OpTypeTensorARM {} %u2\n", element.starts_with("%") ? element : "%element") +
          "%ptensor = OpTypePointer UniformConstant %tensor\n%t = OpVariable %ptensor UniformConstant\n" + globals,
      body, "%t", "OpCapability TensorsARM\n" + preamble + "OpExtension \"SPV_ARM_tensors\"\n");
}

TensorBinding given(ElementType element, tensor::Shape shape, std::uint32_t binding = 0) {
  return {.set = 0, .binding = binding, .elements = {packed_layout(element, shape)}};
}

// The text of the rewritten module, which has to be valid.
std::string rewritten(const std::string& assembly, const std::vector<TensorBinding>& bindings,
                      const Specialization& specialization = {}) {
  const Module module = module_of(assembly);
  const Result<> before = validate(module.words(), "given.spv");
  if (!before) ADD_FAILURE() << shown(before.error());
  const Result<Words> words = emulate_tensors(module, bindings, specialization);
  if (!words) return shown(words.error());
  const Result<> valid = validate(*words, "rewritten.spv");
  EXPECT_TRUE(valid) << shown(valid.error());
  Result<std::string> text = disassemble(*words, "rewritten.spv", {.indent = false});
  return text.value_or("not SPIR-V");
}

// From the entry point on.
std::string functions_of(const std::string& text) {
  const std::size_t main = text.find(" = OpFunction ");
  return main == std::string::npos ? text : text.substr(text.rfind('\n', main) + 1);
}

using testing::HasSubstr;
using testing::Not;

const char kLoad[] = "%h = OpLoad %tensor %t\n";

// --- what an access becomes ------------------------------------------------------------------------------------------

TEST(EmulateTensors, AReadBecomesAFunctionWithTheShapeInIt) {
  const std::string text =
      rewritten(tensor_shader("%f32", "", std::string(kLoad) + "%x = OpTensorReadARM %f32 %h %c01\n"),
                {given(ElementType::F32, {3, 5})});
  EXPECT_THAT(text, Not(HasSubstr("TensorARM")));
  EXPECT_THAT(text, Not(HasSubstr("SPV_ARM_tensors")));
  EXPECT_THAT(text, HasSubstr("OpDecorate %t Binding 0"));
  EXPECT_THAT(text, HasSubstr("%t = OpVariable %_ptr_StorageBuffer__struct_"));
  EXPECT_EQ(functions_of(text), R"(%1 = OpFunction %void None %4
%23 = OpLabel
%25 = OpFunctionCall %float %read_t %20
OpReturn
OpFunctionEnd
%read_t = OpFunction %float None %30
%31 = OpFunctionParameter %_arr_uint_uint_2
%32 = OpLabel
%34 = OpCompositeExtract %uint %31 0
%35 = OpULessThan %bool %34 %uint_3
%37 = OpIMul %uint %34 %uint_5
%38 = OpCompositeExtract %uint %31 1
%39 = OpULessThan %bool %38 %uint_5
%40 = OpLogicalAnd %bool %35 %39
%41 = OpIAdd %uint %37 %38
%42 = OpSelect %uint %40 %41 %uint_0
%44 = OpAccessChain %_ptr_StorageBuffer_float %t %uint_0 %42
%45 = OpLoad %float %44
%46 = OpSelect %float %40 %45 %33
OpReturnValue %46
OpFunctionEnd
)");
}

TEST(EmulateTensors, AWriteIsGuarded) {
  const std::string text =
      rewritten(tensor_shader("%f32", "", std::string(kLoad) + "OpTensorWriteARM %h %c01 %f1 NontemporalARM\n"),
                {given(ElementType::F32, {3, 5})});
  EXPECT_EQ(functions_of(text), R"(%1 = OpFunction %void None %4
%23 = OpLabel
%29 = OpFunctionCall %void %write_t %20 %float_1
OpReturn
OpFunctionEnd
%write_t = OpFunction %void None %30
%31 = OpFunctionParameter %_arr_uint_uint_2
%32 = OpFunctionParameter %float
%33 = OpLabel
%34 = OpCompositeExtract %uint %31 0
%35 = OpULessThan %bool %34 %uint_3
%37 = OpIMul %uint %34 %uint_5
%38 = OpCompositeExtract %uint %31 1
%39 = OpULessThan %bool %38 %uint_5
%40 = OpLogicalAnd %bool %35 %39
%41 = OpIAdd %uint %37 %38
OpSelectionMerge %43 None
OpBranchConditional %40 %42 %43
%42 = OpLabel
%45 = OpAccessChain %_ptr_StorageBuffer_float %t %uint_0 %41
OpStore %45 %32 Nontemporal
OpBranch %43
%43 = OpLabel
OpReturn
OpFunctionEnd
)");
}

TEST(EmulateTensors, ASizeIsAConstant) {
  const std::string text =
      rewritten(tensor_shader("%f32", "%u64 = OpTypeInt 64 0\n",
                              std::string(kLoad) +
                                  "%a = OpTensorQuerySizeARM %u32 %h %u0\n%b = OpTensorQuerySizeARM %u64 %h %u1\n",
                              "", "OpCapability Int64\n"),
                {given(ElementType::F32, {3, 5000000})});
  EXPECT_THAT(text, HasSubstr("OpCopyObject %uint %uint_3\n"));
  EXPECT_THAT(text, HasSubstr("OpCopyObject %ulong %ulong_5000000\n"));
}

TEST(EmulateTensors, AccessesOfOneKindShareAFunction) {
  const std::string text = rewritten(
      tensor_shader("%f32", "%c10 = OpConstantComposite %ii %u1 %u0\n",
                    std::string(kLoad) + "%x = OpTensorReadARM %f32 %h %c01\n%y = OpTensorReadARM %f32 %h %c10\n"
                                         "%z = OpTensorReadARM %f32 %h %c10 OutOfBoundsValueARM %f1\n"),
      {given(ElementType::F32, {3, 5})});
  std::size_t functions = 0;
  for (std::size_t at = 0; (at = text.find("OpFunctionEnd", at)) != std::string::npos; ++at) ++functions;
  EXPECT_EQ(functions, 3u);  // main, one for two reads, one with a value for what is outside
}

// --- every type, rank and form is valid ------------------------------------------------------------------------------

struct TypeCase {
  const char* type;
  ElementType element;
  const char* preamble;
  const char* capability;  // that the result must ask for
};
class EveryType : public testing::TestWithParam<TypeCase> {};
TEST_P(EveryType, IsReadAndWritten) {
  const TypeCase& one = GetParam();
  const std::string element = std::string(one.type).starts_with("%") ? one.type : "%element";
  const std::string forms = formatted(
      "%a = OpTensorReadARM {0} %h %c01\n%b = OpTensorReadARM {0} %h %c01 OutOfBoundsValueARM %a\n"
      "OpTensorWriteARM %h %c01 %b\n"
      "%c = OpTensorReadARM %three %h %c01 OutOfBoundsValueARM %a\nOpTensorWriteARM %h %c01 %c\n"
      "%d = OpTensorReadARM %many %h %c01\nOpTensorWriteARM %h %c01 %d\n",
      element);
  const std::string text = rewritten(
      tensor_shader(
          one.type,
          formatted("%three = OpTypeArray {0} %u3\n%u40 = OpConstant %u32 40\n%many = OpTypeArray {0} %u40\n", element),
          kLoad + forms, "", one.preamble),
      {given(one.element, {3, 50})});
  EXPECT_THAT(text, HasSubstr(one.capability));
}
INSTANTIATE_TEST_SUITE_P(
    EmulateTensors, EveryType,
    testing::Values(TypeCase{"%bool", ElementType::Bool, "", "StorageBuffer8BitAccess"},
                    TypeCase{"OpTypeInt 8 0", ElementType::U8, "OpCapability Int8\n", "StorageBuffer8BitAccess"},
                    TypeCase{"OpTypeInt 8 1", ElementType::I8, "OpCapability Int8\n", "StorageBuffer8BitAccess"},
                    TypeCase{"OpTypeInt 16 0", ElementType::U16, "OpCapability Int16\n", "StorageBuffer16BitAccess"},
                    TypeCase{"OpTypeInt 16 1", ElementType::I16, "OpCapability Int16\n", "StorageBuffer16BitAccess"},
                    TypeCase{"%u32", ElementType::U32, "", ""}, TypeCase{"%i32", ElementType::I32, "", ""},
                    TypeCase{"OpTypeInt 64 0", ElementType::U64, "OpCapability Int64\n", ""},
                    TypeCase{"OpTypeInt 64 1", ElementType::I64, "OpCapability Int64\n", ""},
                    TypeCase{"OpTypeFloat 16", ElementType::F16, "OpCapability Float16\n", "StorageBuffer16BitAccess"},
                    TypeCase{"OpTypeFloat 16 BFloat16KHR", ElementType::BF16,
                             "OpCapability BFloat16TypeKHR\nOpExtension \"SPV_KHR_bfloat16\"\n",
                             "StorageBuffer16BitAccess"},
                    TypeCase{"%f32", ElementType::F32, "", ""},
                    TypeCase{"OpTypeFloat 64", ElementType::F64, "OpCapability Float64\n", ""},
                    TypeCase{"OpTypeFloat 8 Float8E4M3EXT", ElementType::F8E4M3,
                             "OpCapability Float8EXT\nOpExtension \"SPV_EXT_float8\"\n", "StorageBuffer8BitAccess"},
                    TypeCase{"OpTypeFloat 8 Float8E5M2EXT", ElementType::F8E5M2,
                             "OpCapability Float8EXT\nOpExtension \"SPV_EXT_float8\"\n", "StorageBuffer8BitAccess"}),
    [](const auto& given) { return std::string(tensor::name_of(given.param.element)); });

TEST(EmulateTensors, CoordinatesOfEveryWidth) {
  for (const char* type : {"32 1", "64 0", "64 1", "16 0", "16 1"}) {
    const std::string text = rewritten(
        tensor_shader("%f32",
                      formatted("{}%jj = OpTypeArray {} %u2\n%j = OpConstantNull %jj\n",
                                std::string_view(type) == "32 1" ? "" : formatted("%int = OpTypeInt {}\n", type),
                                std::string_view(type) == "32 1" ? "%i32" : "%int"),
                      std::string(kLoad) + "%x = OpTensorReadARM %f32 %h %j\nOpTensorWriteARM %h %j %x\n", "",
                      "OpCapability Int64\nOpCapability Int16\n"),
        {given(ElementType::F32, {3, 5})});
    EXPECT_THAT(text, Not(HasSubstr("[")));
  }
}

TEST(EmulateTensors, MemoryOperandsStay) {
  std::string assembly =
      tensor_shader("%f32", "%device = OpConstant %u32 1\n",
                    std::string(kLoad) +
                        "%x = OpTensorReadARM %f32 %h %c01 "
                        "OutOfBoundsValueARM|MakeElementVisibleARM|NonPrivateElementARM %f1 %device\n"
                        "OpTensorWriteARM %h %c01 %x MakeElementAvailableARM|NonPrivateElementARM %device\n",
                    "", "OpCapability VulkanMemoryModel\nOpCapability VulkanMemoryModelDeviceScope\n");
  assembly.replace(assembly.find("GLSL450"), 7, "Vulkan");
  const std::string text = rewritten(assembly, {given(ElementType::F32, {3, 5})});
  EXPECT_THAT(text, HasSubstr("MakePointerVisible|NonPrivatePointer %uint_1"));
  EXPECT_THAT(text, HasSubstr("MakePointerAvailable|NonPrivatePointer %uint_1"));
}

TEST(EmulateTensors, LengthsThatSpecializationDecides) {
  const std::string text =
      rewritten(tensor_shader("%f32", "%n = OpSpecConstant %u32 4\n%array = OpTypeArray %f32 %n\n",
                              std::string(kLoad) + "%x = OpTensorReadARM %array %h %c01\nOpTensorWriteARM %h %c01 %x\n",
                              "OpDecorate %n SpecId 3\n"),
                {given(ElementType::F32, {3, 5})});
  EXPECT_THAT(text, HasSubstr("OpLoopMerge"));
}

// --- small floats ----------------------------------------------------------------------------------------------------

TEST(EmulateTensors, SmallFloatsAreIntegersWithConversions) {
  const std::string text = rewritten(
      tensor_shader("OpTypeFloat 16 BFloat16KHR",
                    "%u16 = OpTypeInt 16 0\n%e = OpTypeFloat 8 Float8E4M3EXT\n%f = OpTypeFloat 8 Float8E5M2EXT\n"
                    "%e4 = OpTypeVector %e 4\n%f4 = OpTypeVector %f 4\n%pe4 = OpTypePointer Function %e4\n"
                    "%half = OpConstant %element 0x1p-1\n%n = OpConstantNull %v4f\n",
                    "%which = OpVariable %pe4 Function\n" + std::string(kLoad) +
                        "%x = OpTensorReadARM %element %h %c01 OutOfBoundsValueARM %half\n%y = OpFConvert %f32 %x\n"
                        "%z = OpFConvert %element %y\nOpTensorWriteARM %h %c01 %z\n%b = OpBitcast %u16 %z\n"
                        "%c = OpFConvert %e4 %n\n%d = OpFConvert %v4f %c\n%g = OpFConvert %f4 %d\n"
                        "OpStore %which %c\n%u = OpBitcast %u32 %c\n",
                    "OpDecorate %c SaturatedToLargestFloat8NormalConversionEXT\n",
                    "OpCapability BFloat16TypeKHR\nOpCapability Int16\nOpCapability Float8EXT\n"
                    "OpExtension \"SPV_KHR_bfloat16\"\nOpExtension \"SPV_EXT_float8\"\n"),
      {given(ElementType::BF16, {3, 5})});
  EXPECT_THAT(text, Not(HasSubstr("BFloat16")));
  EXPECT_THAT(text, Not(HasSubstr("Float8")));
  EXPECT_THAT(text, HasSubstr("OpCapability Int8\n"));
}

TEST(EmulateTensors, SmallFloatsThatAreMoreThanMovedStay) {
  const std::string text = rewritten(
      tensor_shader("OpTypeFloat 16 BFloat16KHR", "%v2b = OpTypeVector %element 2\n%n = OpConstantNull %v2b\n",
                    std::string(kLoad) + "%x = OpTensorReadARM %element %h %c01\n%d = OpDot %element %n %n\n", "",
                    "OpCapability BFloat16TypeKHR\nOpCapability BFloat16DotProductKHR\n"
                    "OpExtension \"SPV_KHR_bfloat16\"\n"),
      {given(ElementType::BF16, {3, 5})});
  EXPECT_THAT(text, HasSubstr("OpCapability BFloat16TypeKHR"));
}

// --- strides ---------------------------------------------------------------------------------------------------------

TEST(EmulateTensors, StridesThatAreKnownLaterAreSpecializationConstants) {
  TensorBinding binding = given(ElementType::F32, {3, 5});
  binding.elements[0].strides[0] = 64;
  binding.elements[0].stride_ids[0] = 7;
  const std::string text =
      rewritten(tensor_shader("%f32", "", std::string(kLoad) + "%x = OpTensorReadARM %f32 %h %c01\n"), {binding});
  EXPECT_THAT(text, HasSubstr("SpecId 7"));
  EXPECT_THAT(text, HasSubstr("= OpSpecConstant %uint 64\n"));
  EXPECT_THAT(text, HasSubstr("OpSpecConstantOp %uint UDiv"));
}

// --- arrays of tensors -----------------------------------------------------------------------------------------------

// %t is an array of four tensors.
std::string array_shader(const std::string& body, const std::string& annotations = "",
                         const std::string& preamble = "") {
  std::string assembly = tensor_shader("%f32", "", body, annotations, preamble);
  const auto replace = [&](std::string_view what, std::string_view by) {
    assembly.replace(assembly.find(what), what.size(), by);
  };
  replace("%ptensor = OpTypePointer UniformConstant %tensor\n%t = OpVariable %ptensor UniformConstant\n",
          "%ptensor = OpTypePointer UniformConstant %tensor\n%tensors = OpTypeArray %tensor %u4\n"
          "%ptensors = OpTypePointer UniformConstant %tensors\n%t = OpVariable %ptensors UniformConstant\n"
          "%pf = OpTypePointer Private %u32\n%which = OpVariable %pf Private\n");
  replace("\"main\" %t", "\"main\" %t %which");
  return assembly;
}

TEST(EmulateTensors, OneOfAnArrayByAConstant) {
  const std::string text = rewritten(array_shader("%p = OpAccessChain %ptensor %t %u2\n%h = OpLoad %tensor %p\n"
                                                  "%x = OpTensorReadARM %f32 %h %c01\n"),
                                     {given(ElementType::F32, {3, 5})});
  EXPECT_THAT(text, HasSubstr("OpAccessChain %_ptr_StorageBuffer_float %t %uint_2 %uint_0"));
  EXPECT_THAT(text, Not(HasSubstr("ArrayDynamicIndexing")));
}

TEST(EmulateTensors, OneOfAnArrayByAnIndexWithShapesOfTheirOwn) {
  TensorBinding binding = given(ElementType::F32, {3, 5});
  for (const std::int64_t n : {6, 7, 8})
    binding.elements.push_back(packed_layout(ElementType::F32, tensor::Shape{n, 5}));
  const std::string text =
      rewritten(array_shader("%i = OpLoad %u32 %which\n%p = OpAccessChain %ptensor %t %i\n%h = OpLoad %tensor %p\n"
                             "%x = OpTensorReadARM %f32 %h %c01\n%n = OpTensorQuerySizeARM %u32 %h %u0\n"
                             "%m = OpTensorQuerySizeARM %u32 %h %u1\nOpTensorWriteARM %h %c01 %x\n"),
                {binding});
  EXPECT_THAT(text, HasSubstr("OpCapability StorageBufferArrayDynamicIndexing"));
  EXPECT_THAT(text, HasSubstr("OpCopyObject %uint %uint_5\n"));  // they all have that
}

TEST(EmulateTensors, NonUniformIndices) {
  const std::string text =
      rewritten(array_shader("%i = OpLoad %u32 %which\n%p = OpAccessChain %ptensor %t %i\n%h = OpLoad %tensor %p\n"
                             "%x = OpTensorReadARM %f32 %h %c01\n",
                             "OpDecorate %h NonUniform\nOpDecorate %p NonUniform\n",
                             "OpCapability ShaderNonUniform\nOpCapability StorageTensorArrayNonUniformIndexingARM\n"),
                {given(ElementType::F32, {3, 5})});
  EXPECT_THAT(text, HasSubstr("OpCapability StorageBufferArrayNonUniformIndexing"));
  EXPECT_THAT(text, HasSubstr(" NonUniform\n"));
}

// --- by record ------------------------------------------------------------------------------------------------------

std::string by_record(const std::string& assembly) {
  const Module module = module_of(assembly);
  const Result<Words> words = emulate_tensors_by_record(module);
  if (!words) return shown(words.error());
  const Result<> valid = validate(*words, "rewritten.spv");
  EXPECT_TRUE(valid) << shown(valid.error());
  return disassemble(*words, "rewritten.spv", {.indent = false}).value_or("not SPIR-V");
}

TEST(EmulateTensorsByRecord, AccessesReadTheRecord) {
  const std::string text = by_record(tensor_shader("%f32", "",
                                                   std::string(kLoad) + "%x = OpTensorReadARM %f32 %h %c01\n"
                                                                        "OpTensorWriteARM %h %c01 %x NontemporalARM\n",
                                                   "OpDecorate %t Coherent\n"));
  EXPECT_THAT(text, Not(HasSubstr("TensorARM")));
  EXPECT_THAT(text, HasSubstr("OpMemoryModel PhysicalStorageBuffer64 GLSL450"));
  EXPECT_THAT(text, HasSubstr("%t = OpVariable %_ptr_Uniform_"));
  EXPECT_THAT(text, Not(HasSubstr("OpDecorate %t Coherent")));  // of memory that the record does not have
  EXPECT_THAT(text, HasSubstr("Volatile|Aligned 4"));
  EXPECT_THAT(text, HasSubstr("Volatile|Aligned|Nontemporal 4"));
  EXPECT_THAT(text, HasSubstr("%_ptr_PhysicalStorageBuffer_float"));
}

TEST(EmulateTensorsByRecord, SizesAndArrays) {
  const std::string text =
      by_record(array_shader("%i = OpLoad %u32 %which\n%p = OpAccessChain %ptensor %t %i\n%h = OpLoad %tensor %p\n"
                             "%x = OpTensorReadARM %f32 %h %c01\n%n = OpTensorQuerySizeARM %u32 %h %u0\n"
                             "OpTensorWriteARM %h %c01 %x\n"));
  EXPECT_THAT(text, HasSubstr("OpCapability UniformBufferArrayDynamicIndexing"));
  EXPECT_THAT(text, HasSubstr("OpConvertUToPtr %_ptr_PhysicalStorageBuffer_float"));
}

// --- functions -------------------------------------------------------------------------------------------------------

TEST(EmulateTensors, FunctionsThatTakeTensorsAreMadeForEach) {
  std::string assembly =
      tensor_shader("%f32",
                    "%ptensor2 = OpTypePointer UniformConstant %tensor\n%s = OpVariable %ptensor UniformConstant\n"
                    "%takes = OpTypeFunction %f32 %ptensor %f32\n",
                    "%x = OpFunctionCall %f32 %outer %t %f1\n%y = OpFunctionCall %f32 %outer %s %x\n"
                    "%z = OpFunctionCall %f32 %outer %s %y\n",
                    "OpName %outer \"outer\"\nOpName %s \"s\"\nOpDecorate %s DescriptorSet 0\nOpDecorate %s Binding 1\n"
                    "OpDecorate %sum NoContraction\n");
  assembly.replace(assembly.find("\"main\" %t"), 9, "\"main\" %t %s");
  assembly +=
      "%outer = OpFunction %f32 None %takes\n%op = OpFunctionParameter %ptensor\n%of = OpFunctionParameter %f32\n"
      "%ol = OpLabel\n%or = OpFunctionCall %f32 %inner %op %of\nOpReturnValue %or\nOpFunctionEnd\n"
      "%inner = OpFunction %f32 None %takes\n%ip = OpFunctionParameter %ptensor\n%if = OpFunctionParameter %f32\n"
      "%il = OpLabel\n%ih = OpLoad %tensor %ip\n%iv = OpTensorReadARM %f32 %ih %c01\n"
      "%sum = OpFAdd %f32 %iv %if\nOpReturnValue %sum\nOpFunctionEnd\n";
  const std::string text = rewritten(assembly, {given(ElementType::F32, {3, 5}), given(ElementType::F32, {4, 4}, 1)});
  std::size_t copies = 0;
  for (std::size_t at = 0; (at = text.find(" NoContraction", at)) != std::string::npos; ++at) ++copies;
  EXPECT_EQ(copies, 2u);
  EXPECT_THAT(text, HasSubstr("%read_t = OpFunction"));
  EXPECT_THAT(text, HasSubstr("%read_s = OpFunction"));
}

// --- what is not given, and what does not fit ------------------------------------------------------------------------

TEST(EmulateTensors, ATensorThatIsNotGivenHasNoElements) {
  const std::string text = rewritten(
      tensor_shader("%f32", "%array = OpTypeArray %f32 %u3\n",
                    std::string(kLoad) + "%x = OpTensorReadARM %f32 %h %c01\n%a = OpTensorReadARM %array %h %c01\n"
                                         "%b = OpTensorReadARM %array %h %c01 OutOfBoundsValueARM %f1\n"
                                         "%n = OpTensorQuerySizeARM %u32 %h %u1\nOpTensorWriteARM %h %c01 %x\n"),
      {});
  EXPECT_THAT(text, Not(HasSubstr("OpLoad")));
  EXPECT_THAT(text, Not(HasSubstr("OpStore")));
  EXPECT_THAT(text, HasSubstr("OpCopyObject %uint %uint_0"));
}

TEST(EmulateTensors, AModuleWithoutTensorsStays) {
  const Module module = module_of(compute_shader("", "", ""));
  EXPECT_FALSE(has_tensors(module));
  EXPECT_EQ(emulate_tensors(module, {}).value(), Words(module.words().begin(), module.words().end()));
}

std::string refusal(const std::string& body, const TensorBinding& binding, const std::string& globals = "") {
  const Result<Words> words = emulate_tensors(module_of(tensor_shader("%f32", globals, kLoad + body)), {{binding}});
  return words ? "rewritten" : words.error().front().message;
}

TEST(EmulateTensors, Refusals) {
  const std::string read = "%x = OpTensorReadARM %f32 %h %c01\n";
  EXPECT_EQ(refusal(read, given(ElementType::I32, {3, 5})),
            "tensor `t` is declared with elements of f32, but given with elements of i32");
  EXPECT_EQ(refusal(read, given(ElementType::F32, {3})), "tensor `t` is declared with rank 2, but given with rank 1");
  EXPECT_EQ(refusal(read, given(ElementType::F32, {60000, 60000})),
            "tensor `t` is given shape [60000, 60000], which reaches over more bytes than a storage buffer has");
  TensorBinding odd = given(ElementType::F32, {3, 5});
  odd.elements[0].strides[0] = 6;
  EXPECT_EQ(refusal(read, odd), "tensor `t` is given dimension 0 with 3 elements, 6 bytes from one to the next");
  EXPECT_EQ(
      refusal("%y = OpCopyObject %tensor %h\n%x = OpTensorReadARM %f32 %y %c01\n", given(ElementType::F32, {3, 5})),
      "rewritten");
  EXPECT_EQ(refusal("%c = OpSelect %tensor %yes %h %h\n%x = OpTensorReadARM %f32 %c %c01\n",
                    given(ElementType::F32, {3, 5}), "%yes = OpConstantTrue %bool\n"),
            "a tensor is used in a way that cannot be emulated (instruction 169)");
  EXPECT_EQ(refusal("%n = OpTensorQuerySizeARM %u32 %h %u2\n", given(ElementType::F32, {3, 5})),
            "a query for the size of a dimension that tensor `t` does not have");
  EXPECT_EQ(refusal("%x = OpTensorReadARM %u32 %h %c01\n", given(ElementType::F32, {3, 5})),
            "an access to tensor `t` is of another type than its elements");
  EXPECT_EQ(refusal("%x = OpTensorReadARM %f32 %h %c\n", given(ElementType::F32, {3, 5}),
                    "%iii = OpTypeArray %u32 %u3\n%c = OpConstantNull %iii\n"),
            "an access to tensor `t` has another number of coordinates than the tensor has dimensions");
}

// Each function of a chain passes on its two tensors in both orders and in pairs: more copies than any real shader.
TEST(EmulateTensors, EndlessCopiesAreRefused) {
  std::string globals, annotations, interface;
  constexpr int kTensors = 8;
  std::string parameters, all, swapped, turned;
  for (int i = 0; i < kTensors; ++i) {
    globals += formatted("%t{} = OpVariable %ptensor UniformConstant\n", i);
    annotations += formatted("OpDecorate %t{0} DescriptorSet 1\nOpDecorate %t{0} Binding {0}\n", i);
    interface += formatted(" %t{}", i);
    parameters += " %ptensor";
    all += formatted(" %t{}", i);
    swapped += formatted(" %p{}", i < 2 ? 1 - i : i);
    turned += formatted(" %p{}", (i + 1) % kTensors);
  }
  globals += "%takes = OpTypeFunction %void" + parameters + "\n";
  std::string assembly = tensor_shader("%f32", globals, "%x = OpFunctionCall %void %f" + all + "\n", annotations);
  assembly.replace(assembly.find("\"main\" %t"), 9, "\"main\" %t" + interface);
  assembly += "%f = OpFunction %void None %takes\n";
  for (int i = 0; i < kTensors; ++i) assembly += formatted("%p{} = OpFunctionParameter %ptensor\n", i);
  assembly += "%l = OpLabel\n";
  for (int i = 0; i < 200; ++i) assembly += "OpNop\n";
  assembly += "%a = OpFunctionCall %void %f" + swapped + "\n%b = OpFunctionCall %void %f" + turned +
              "\nOpReturn\nOpFunctionEnd\n";
  const Result<Words> words = emulate_tensors(module_of(assembly), {});
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().front().message, "too many functions take too many different tensors");
}

}  // namespace
}  // namespace slipway::spirv
