// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/reflect/invocation_indices.hpp"

#include "base/format.hpp"
#include "spirv/testing.hpp"

namespace slipway::spirv {
namespace {

// A shader with the block `%b` of a runtime array, and the value `%x` of GlobalInvocationID.x.
std::string indices_of(const std::string& body, const std::string& globals = "") {
  const Module module = module_of(compute_shader(
      "OpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 0\n"
      "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\nOpMemberDecorate %block 1 Offset 4\n"
      "OpDecorate %array ArrayStride 4\n",
      "%in = OpTypePointer Input %v3u\n%gid = OpVariable %in Input\n%array = OpTypeRuntimeArray %u32\n"
      "%block = OpTypeStruct %u32 %array\n%p = OpTypePointer StorageBuffer %block\n%b = OpVariable %p StorageBuffer\n"
      "%pu = OpTypePointer StorageBuffer %u32\n%fu = OpTypePointer Function %u32\n%n1 = OpConstant %i32 -1\n" +
          globals,
      "%v = OpVariable %fu Function\n%w = OpVariable %fu Function\n%id = OpLoad %v3u %gid\n"
      "%x = OpCompositeExtract %u32 %id 0\n%y = OpCompositeExtract %u32 %id 1\n" +
          body,
      "%gid %b"));
  const Reflection reflection = reflect(module).value();
  std::string text;
  for (const InvocationIndex& one : written_indices(module, reflection.entry_points.at(0)))
    text += formatted("{} * {};", one.dimension, one.factor);
  return text;
}

std::string store(const std::string& index) {
  return formatted("%e{0} = OpAccessChain %pu %b %u1 %{0}\nOpStore %e{0} %u0\n", index);
}

TEST(InvocationIndices, AreAtLeastAMultipleOfTheInvocation) {
  EXPECT_EQ(indices_of(store("x")), "0 * 1;");
  EXPECT_EQ(indices_of(store("y") + store("x")), "1 * 1;0 * 1;");
  EXPECT_EQ(indices_of("%i = OpIMul %u32 %u4 %x\n%j = OpIAdd %u32 %y %u3\n%k = OpShiftLeftLogical %u32 %j %u2\n" +
                       store("i") + store("k")),
            "0 * 4;1 * 4;");
  // Through a variable with one store.
  EXPECT_EQ(indices_of("OpStore %v %x\n%i = OpLoad %u32 %v\n" + store("i")), "0 * 1;");
}

TEST(InvocationIndices, OtherWritesAreNotKnown) {
  EXPECT_EQ(indices_of(store("x") + store("u2")), "");
  EXPECT_EQ(indices_of("%i = OpUDiv %u32 %x %u2\n" + store("i")), "");
  EXPECT_EQ(indices_of("%i = OpISub %u32 %x %u2\n" + store("i")), "");
  EXPECT_EQ(indices_of("%i = OpIAdd %u32 %x %n1\n" + store("i")), "");
  EXPECT_EQ(indices_of("OpStore %v %x\nOpStore %v %u0\n%i = OpLoad %u32 %v\n" + store("i")), "");
  EXPECT_EQ(indices_of("%i = OpLoad %u32 %v\n" + store("i")), "");
  EXPECT_EQ(indices_of(store("x") + "%a = OpAccessChain %pu %b %u0\nOpStore %a %u0\n"), "");
  EXPECT_EQ(indices_of(store("x") + "%a = OpAccessChain %pu %b %u1 %x\n%o = OpAtomicIAdd %u32 %a %u1 %u0 %u1\n"), "");
  EXPECT_EQ(indices_of(""), "");
}

}  // namespace
}  // namespace slipway::spirv
