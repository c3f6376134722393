// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/reflect/access.hpp"

#include "spirv/reflect/reflect.hpp"
#include "spirv/testing.hpp"

namespace slipway::spirv {
namespace {

// Resources of every kind, each by its own binding, and what function bodies need.
const char kAnnotations[] =
    "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\nOpMemberDecorate %block 1 Offset 16\n"
    "OpDecorate %ra ArrayStride 4\n"
    "OpDecorate %buf DescriptorSet 0\nOpDecorate %buf Binding 0\nOpName %buf \"buf\"\n"
    "OpDecorate %other DescriptorSet 0\nOpDecorate %other Binding 1\nOpName %other \"other\"\n"
    "OpDecorate %img DescriptorSet 0\nOpDecorate %img Binding 2\nOpName %img \"img\"\n"
    "OpDecorate %tex DescriptorSet 0\nOpDecorate %tex Binding 3\nOpName %tex \"tex\"\n"
    "OpDecorate %smp DescriptorSet 0\nOpDecorate %smp Binding 4\nOpName %smp \"smp\"\n"
    "OpDecorate %com DescriptorSet 0\nOpDecorate %com Binding 5\nOpName %com \"com\"\n"
    "OpDecorate %ten DescriptorSet 0\nOpDecorate %ten Binding 6\nOpName %ten \"ten\"\n"
    "OpDecorate %acc DescriptorSet 0\nOpDecorate %acc Binding 7\nOpName %acc \"acc\"\n";

const char kGlobals[] =
    "%ra = OpTypeRuntimeArray %u32\n%block = OpTypeStruct %u32 %ra\n%pblock = OpTypePointer StorageBuffer %block\n"
    "%pu = OpTypePointer StorageBuffer %u32\n%pf = OpTypePointer StorageBuffer %f32\n"
    "%buf = OpVariable %pblock StorageBuffer\n%other = OpVariable %pblock StorageBuffer\n"
    "%simage = OpTypeImage %u32 2D 0 0 0 2 R32ui\n%psimage = OpTypePointer UniformConstant %simage\n"
    "%img = OpVariable %psimage UniformConstant\n%pimg = OpTypePointer Image %u32\n"
    "%timage = OpTypeImage %f32 2D 0 0 0 1 Unknown\n%ptimage = OpTypePointer UniformConstant %timage\n"
    "%tex = OpVariable %ptimage UniformConstant\n%sampler = OpTypeSampler\n%psampler = OpTypePointer UniformConstant "
    "%sampler\n"
    "%smp = OpVariable %psampler UniformConstant\n%combined = OpTypeSampledImage %timage\n"
    "%pcombined = OpTypePointer UniformConstant %combined\n%com = OpVariable %pcombined UniformConstant\n"
    "%tensor = OpTypeTensorARM %u32 %u1\n%ptensor = OpTypePointer UniformConstant %tensor\n"
    "%ten = OpVariable %ptensor UniformConstant\n%acceleration = OpTypeAccelerationStructureKHR\n"
    "%pacceleration = OpTypePointer UniformConstant %acceleration\n%acc = OpVariable %pacceleration UniformConstant\n"
    "%c1 = OpTypeArray %u32 %u1\n%coordinates = OpConstantComposite %c1 %u0\n%u00 = OpConstantComposite %v2u %u0 %u0\n"
    "%f00 = OpConstantComposite %v2f %f1 %f1\n%v4u = OpTypeVector %u32 4\n%texel = OpConstantComposite %v4u %u0 %u0 "
    "%u0 %u0\n"
    "%true = OpConstantTrue %bool\n%fnp = OpTypeFunction %void %pu\n%fnr = OpTypeFunction %pu\n"
    "%fni = OpTypeFunction %void %psimage\n%pfimage = OpTypePointer Function %simage\n"
    "%ray_query = OpTypeRayQueryKHR\n%pray_query = OpTypePointer Private %ray_query\n%query = OpVariable %pray_query "
    "Private\n"
    "%v3f = OpTypeVector %f32 3\n%f111 = OpConstantComposite %v3f %f1 %f1 %f1\n%fstruct = OpTypeStruct %f32 %f32\n";

std::string shader(const std::string& body, const std::string& functions = "", const std::string& annotations = "") {
  return compute_shader(kAnnotations + annotations, kGlobals, body, "",
                        "OpCapability TensorsARM\nOpCapability ImageQuery\nOpExtension \"SPV_ARM_tensors\"\n"
                        "%glsl = OpExtInstImport \"GLSL.std.450\"\n%debug = OpExtInstImport "
                        "\"NonSemantic.Shader.DebugInfo.100\"\n") +
         functions;
}

// `buf read, img read written` for all bindings that are used.
std::string accesses(const std::string& assembly) {
  const Result<Reflection> reflection = reflect(module_of(assembly));
  if (!reflection) return shown(reflection.error());
  std::string text;
  for (const Binding& binding : reflection->entry_points.at(0).bindings) {
    if (!binding.used) {
      EXPECT_FALSE(binding.reads || binding.writes);
      continue;
    }
    if (!text.empty()) text += ", ";
    text += binding.name;
    if (binding.reads) text += " read";
    if (binding.writes) text += " written";
  }
  return text;
}

TEST(Access, Rules) {
  const std::string chain = "%c = OpAccessChain %pu %buf %u0\n";
  const std::string image = "%i = OpLoad %simage %img\n";
  const std::string texture = "%t = OpLoad %timage %tex\n";
  const std::string combined = "%t = OpLoad %combined %com\n";
  const std::string tensor = "%t = OpLoad %tensor %ten\n";
  const std::pair<std::string, const char*> cases[] = {
      {"", ""},
      {chain, "buf"},
      {chain + "%x = OpLoad %u32 %c\n", "buf read"},
      {chain + "OpStore %c %u1\n", "buf written"},
      {chain + "%x = OpLoad %u32 %c\nOpStore %c %x\n", "buf read written"},
      {"%c = OpInBoundsAccessChain %pu %buf %u0\nOpStore %c %u1\n", "buf written"},
      {chain + "%d = OpPtrAccessChain %pu %c %u1\nOpStore %d %u1\n", "buf written"},
      {chain + "%d = OpInBoundsPtrAccessChain %pu %c %u1\nOpStore %d %u1\n", "buf written"},
      {chain + "%d = OpCopyObject %pu %c\nOpStore %d %u1\n", "buf written"},
      {chain + "%d = OpBitcast %pf %c\n%x = OpLoad %f32 %d\n", "buf read"},
      {chain + "%d = OpAccessChain %pu %other %u0\n%s = OpSelect %pu %true %c %d\nOpStore %s %u1\n",
       "buf written, other written"},
      {chain + "%d = OpAccessChain %pu %other %u0\nOpBranch %l\n%l = OpLabel\n%s = OpPhi %pu %c %entry %d %l\n"
               "%x = OpLoad %u32 %s\n",
       "buf read, other read"},
      {"%x = OpArrayLength %u32 %buf 1\n", "buf"},
      {chain + "%d = OpAccessChain %pu %other %u0\nOpCopyMemory %c %d\n", "buf written, other read"},
      {chain + "%d = OpAccessChain %pu %other %u0\nOpCopyMemorySized %c %d %u4\n", "buf written, other read"},
      {chain + "%d = OpAccessChain %pu %other %u0\n%x = OpPtrEqual %bool %c %d\n", "buf, other"},
      {chain + "%x = OpAtomicLoad %u32 %c %u1 %u0\n", "buf read"},
      {chain + "OpAtomicStore %c %u1 %u0 %u1\n", "buf written"},
      {chain + "%x = OpAtomicIAdd %u32 %c %u1 %u0 %u1\n", "buf read written"},
      {chain + "%x = OpAtomicCompareExchange %u32 %c %u1 %u0 %u0 %u1 %u2\n", "buf read written"},
      {"%c = OpAccessChain %pf %buf %u0\n%x = OpExtInst %f32 %glsl Modf %f1 %c\n", "buf written"},
      {"%x = OpExtInst %void %debug DebugDeclare %buf %buf %buf\n", ""},
      {image, "img"},
      {image + "%x = OpImageRead %v4u %i %u00\n", "img read"},
      {image + "OpImageWrite %i %u00 %texel\n", "img written"},
      {image + "%x = OpImageQuerySize %v2u %i\n", "img"},
      {"%c = OpImageTexelPointer %pimg %img %u00 %u0\n%x = OpAtomicIAdd %u32 %c %u1 %u0 %u1\n", "img read written"},
      {"%c = OpImageTexelPointer %pimg %img %u00 %u0\n%x = OpAtomicLoad %u32 %c %u1 %u0\n", "img read"},
      {texture + "%x = OpImageFetch %v4f %t %u00\n", "tex read"},
      {texture + "%s = OpLoad %sampler %smp\n%b = OpSampledImage %combined %t %s\n"
                 "%x = OpImageSampleExplicitLod %v4f %b %f00 Lod %f1\n",
       "tex read, smp read"},
      {combined + "%x = OpImageSampleExplicitLod %v4f %t %f00 Lod %f1\n", "com read"},
      {combined + "%x = OpImageGather %v4f %t %f00 %u0\n", "com read"},
      {combined + "%i = OpImage %timage %t\n%x = OpImageQuerySizeLod %v2u %i %u0\n", "com"},
      {combined + "%i = OpImage %timage %t\n%x = OpImageFetch %v4f %i %u00\n", "com read"},
      {tensor + "%x = OpTensorReadARM %u32 %t %coordinates\n", "ten read"},
      {tensor + "OpTensorWriteARM %t %coordinates %u1\n", "ten written"},
      {tensor + "%x = OpTensorQuerySizeARM %u32 %t %u0\n", "ten"},
      {"%a = OpLoad %acceleration %acc\nOpRayQueryInitializeKHR %query %a %u0 %u0 %f111 %f1 %f111 %f1\n", "acc read"},
  };
  for (const auto& [body, expected] : cases) {
    EXPECT_EQ(accesses(shader(body)), expected) << body;
  }
}

TEST(Access, UnknownInstructionsMayDoAnything) {
  EXPECT_EQ(accesses(shader("%c = OpAccessChain %pu %buf %u0\nOpLifetimeStart %c 4\n")), "buf read written");
}

TEST(Access, HandlesInLocalVariables) {
  EXPECT_EQ(accesses(shader("%local = OpVariable %pfimage Function\n%i = OpLoad %simage %img\nOpStore %local %i\n"
                            "%j = OpLoad %simage %local\n%x = OpImageRead %v4u %j %u00\n")),
            "img read");
}

TEST(Access, FunctionsAreFollowed) {
  const std::string store =
      "%f = OpFunction %void None %fnp\n%q = OpFunctionParameter %pu\n%fl = OpLabel\n"
      "OpStore %q %u1\nOpReturn\nOpFunctionEnd\n";
  const std::string outer =
      "%g = OpFunction %void None %fnp\n%r = OpFunctionParameter %pu\n%gl = OpLabel\n%k = OpFunctionCall %void %f %r\n"
      "%y = OpAccessChain %pu %other %u0\n%z = OpLoad %u32 %y\nOpReturn\nOpFunctionEnd\n";
  const std::string unused =
      "%h = OpFunction %void None %fn\n%hl = OpLabel\n%hi = OpLoad %simage %img\nOpImageWrite %hi %u00 "
      "%texel\nOpReturn\n"
      "OpFunctionEnd\n";
  EXPECT_EQ(
      accesses(shader("%c = OpAccessChain %pu %buf %u0\n%x = OpFunctionCall %void %g %c\n", outer + store + unused)),
      "buf written, other read");
}

TEST(Access, HandlesArePassedByPointer) {
  EXPECT_EQ(accesses(shader("%x = OpFunctionCall %void %f %img\n",
                            "%f = OpFunction %void None %fni\n%q = OpFunctionParameter %psimage\n%fl = OpLabel\n"
                            "%i = OpLoad %simage %q\nOpImageWrite %i %u00 %texel\nOpReturn\nOpFunctionEnd\n")),
            "img written");
}

TEST(Access, FunctionsReturnPointers) {
  EXPECT_EQ(accesses(shader("%c = OpFunctionCall %pu %f\n%x = OpLoad %u32 %c\n",
                            "%f = OpFunction %pu None %fnr\n%fl = OpLabel\n%q = OpAccessChain %pu %buf %u0\n"
                            "OpReturnValue %q\nOpFunctionEnd\n")),
            "buf read");
}

TEST(Access, RecursionEnds) {
  EXPECT_EQ(accesses(shader("%x = OpFunctionCall %void %main\n%c = OpAccessChain %pu %buf %u0\nOpStore %c %u1\n")),
            "buf written");
}

TEST(Access, DecorationsDenyAccesses) {
  const std::string both = "%c = OpAccessChain %pu %buf %u0\n%x = OpLoad %u32 %c\nOpStore %c %x\n";
  EXPECT_EQ(accesses(shader(both, "", "OpDecorate %buf NonWritable\n")), "buf read");
  EXPECT_EQ(accesses(shader(both, "", "OpDecorate %buf NonReadable\n")), "buf written");
  EXPECT_EQ(accesses(shader(both, "", "OpMemberDecorate %block 0 NonWritable\n")), "buf read written");
  EXPECT_EQ(
      accesses(shader(both, "", "OpMemberDecorate %block 0 NonWritable\nOpMemberDecorate %block 1 NonWritable\n")),
      "buf read");
}

TEST(Access, EachEntryPointHasItsOwn) {
  std::string text = shader("%c = OpAccessChain %pu %buf %u0\nOpStore %c %u1\n",
                            "%second = OpFunction %void None %fn\n%sl = OpLabel\n%d = OpAccessChain %pu %other %u0\n"
                            "%x = OpLoad %u32 %d\nOpReturn\nOpFunctionEnd\n");
  text.replace(text.find("OpExecutionMode"), 0, "OpEntryPoint GLCompute %second \"second\"\n");
  const Result<Reflection> reflection = reflect(module_of(text));
  ASSERT_TRUE(reflection);
  const EntryPoint* first = reflection->find("main", Stage::Compute);
  const EntryPoint* second = reflection->find("second", Stage::Compute);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->bindings[0].writes);
  EXPECT_FALSE(first->bindings[1].used);
  EXPECT_FALSE(second->bindings[0].used);
  EXPECT_TRUE(second->bindings[1].reads);
  EXPECT_FALSE(second->local_size);
}

TEST(Access, FunctionsOfAModule) {
  const Module module = module_of(shader("%x = OpFunctionCall %void %f\n",
                                         "%f = OpFunction %void None %fn\n%fl = OpLabel\nOpReturn\nOpFunctionEnd\n"
                                         "%g = OpFunction %void None %fn\n%gl = OpLabel\nOpReturn\nOpFunctionEnd\n"));
  const Functions functions(module);
  const Id main = reflect(module)->entry_points[0].id;
  EXPECT_EQ(functions.reachable(main).size(), 2u);
  EXPECT_EQ(functions.body(main).size(), 4u);
  EXPECT_TRUE(functions.body(9999).empty());
  EXPECT_TRUE(functions.reachable(9999).empty());
}

}  // namespace
}  // namespace slipway::spirv
