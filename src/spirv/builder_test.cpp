// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/builder.hpp"

#include <algorithm>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/reflect/reflect.hpp"
#include "spirv/testing.hpp"

namespace slipway::spirv {
namespace {

// out[i] = sqrt(f32(in[i])) * scale for all invocations, with a function and a loop of nothing to show labels.
Words build_shader() {
  Builder builder;
  builder.capability(spv::Capability::Shader);
  builder.capability(spv::Capability::Shader);
  builder.extension("SPV_KHR_storage_buffer_storage_class");
  const Id glsl = builder.import("GLSL.std.450");
  EXPECT_EQ(builder.import("GLSL.std.450"), glsl);
  builder.memory_model(spv::AddressingModel::Logical, spv::MemoryModel::GLSL450);

  const Id u32 = builder.type_int(32, false);
  const Id f32 = builder.type_float(32);
  const Id v3u = builder.type_vector(u32, 3);
  const Id nothing = builder.type_void();
  const Id floats = builder.type_runtime_array(f32, 4);
  const Id block = builder.type_struct(Words{floats});
  builder.decorate(block, spv::Decoration::Block);
  builder.decorate_member(block, 0, spv::Decoration::Offset, {0});
  builder.name(block, "Floats");
  builder.member_name(block, 0, "values");
  const Id block_pointer = builder.type_pointer(spv::StorageClass::StorageBuffer, block);
  const Id float_pointer = builder.type_pointer(spv::StorageClass::StorageBuffer, f32);
  const Id input = builder.variable(block_pointer, spv::StorageClass::StorageBuffer);
  const Id output = builder.variable(block_pointer, spv::StorageClass::StorageBuffer);
  for (const auto& [variable, binding] : {std::pair(input, 0u), std::pair(output, 1u)}) {
    builder.decorate(variable, spv::Decoration::DescriptorSet, {0});
    builder.decorate(variable, spv::Decoration::Binding, {binding});
  }
  const Id invocation = builder.variable(builder.type_pointer(spv::StorageClass::Input, v3u), spv::StorageClass::Input);
  builder.decorate(invocation, spv::Decoration::BuiltIn, Operands().add(spv::BuiltIn::GlobalInvocationId));
  const Id scale = builder.specialization_constant(f32, 0x40000000, 3);
  builder.name(scale, "scale");

  const Id helper = builder.begin_function(f32, builder.type_function(f32, Words{f32}));
  const Id x = builder.parameter(f32);
  builder.label();
  const Id root = builder.extended(glsl, 31 /* Sqrt */, f32, Words{x});
  builder.op_void(spv::Op::OpReturnValue, {builder.op(spv::Op::OpFMul, f32, {root, scale})});
  builder.end_function();

  const Id main = builder.begin_function(nothing, builder.type_function(nothing, {}));
  builder.label();
  const Id end = builder.new_id();
  const Id id = builder.op(spv::Op::OpLoad, v3u, {invocation});
  const Id index = builder.op(spv::Op::OpCompositeExtract, u32, {id, 0});
  const Id from = builder.op(spv::Op::OpAccessChain, float_pointer, {input, builder.constant_u32(0), index});
  const Id to = builder.op(spv::Op::OpAccessChain, float_pointer, {output, builder.constant_u32(0), index});
  const Id value = builder.op(spv::Op::OpLoad, f32, {from});
  builder.op_void(spv::Op::OpStore, {to, builder.op(spv::Op::OpFunctionCall, f32, {helper, value})});
  builder.op_void(spv::Op::OpBranch, {end});
  builder.label(end);
  builder.op_void(spv::Op::OpReturn);
  builder.end_function();

  builder.entry_point(spv::ExecutionModel::GLCompute, main, "main", Words{invocation, input, output});
  builder.execution_mode(main, spv::ExecutionMode::LocalSize, {64, 1, 1});
  return builder.words();
}

TEST(Builder, MakesAValidShader) {
  const Words words = build_shader();
  const Result<> valid = validate(words, "built.spv");
  EXPECT_TRUE(valid) << shown(valid.error());
  const Result<Module> module = read_module(words, "built.spv");
  ASSERT_TRUE(module) << shown(module.error());
  EXPECT_EQ(print_reflection(reflect(*module).value()),
            "SPIR-V 1.6\n"
            "capability Shader\n"
            "extension SPV_KHR_storage_buffer_storage_class\n"
            "instruction set GLSL.std.450\n"
            "specialization constant 3 `scale`: f32 = 0x40000000\n"
            "compute `main`\n"
            "  local size 64 x 1 x 1\n"
            "  binding 0.0 `Floats`: storage buffer, 0 bytes + n * 4, read\n"
            "  binding 0.1 `Floats`: storage buffer, 0 bytes + n * 4, written\n");
}

TEST(Builder, MakesAValidGraph) {
  Builder builder;
  for (const auto capability : {spv::Capability::GraphARM, spv::Capability::TensorsARM, spv::Capability::Shader,
                                spv::Capability::VulkanMemoryModel}) {
    builder.capability(capability);
  }
  builder.extension("SPV_ARM_graph");
  builder.extension("SPV_ARM_tensors");
  builder.memory_model(spv::AddressingModel::Logical, spv::MemoryModel::Vulkan);
  const Id u32 = builder.type_int(32, false);
  const Id rank = builder.constant_u32(1);
  const Id shape = builder.constant_composite(builder.type_array(u32, 1), Words{builder.constant_u32(5)});
  const Id tensor = builder.type(spv::Op::OpTypeTensorARM, {u32, rank, shape});
  const Id pointer = builder.type_pointer(spv::StorageClass::UniformConstant, tensor);
  const Words interface{builder.variable(pointer, spv::StorageClass::UniformConstant),
                        builder.variable(pointer, spv::StorageClass::UniformConstant)};
  for (std::uint32_t i = 0; i < 2; ++i) {
    builder.decorate(interface[i], spv::Decoration::DescriptorSet, {0});
    builder.decorate(interface[i], spv::Decoration::Binding, {i});
  }
  const Id type = builder.type(spv::Op::OpTypeGraphARM, {1, tensor, tensor});
  const Id zero = builder.constant_u32(0);
  const Id graph = builder.new_id();
  builder.op_void(spv::Op::OpGraphEntryPointARM, Operands({graph}).add("net").add(interface));
  builder.op_void(spv::Op::OpGraphARM, {type, graph});
  const Id input = builder.op(spv::Op::OpGraphInputARM, tensor, {zero});
  builder.op_void(spv::Op::OpGraphSetOutputARM, {input, zero});
  builder.op_void(spv::Op::OpGraphEndARM);
  const Words words = builder.words();
  const Result<> valid = validate(words, "built.spv");
  EXPECT_TRUE(valid) << shown(valid.error());
  EXPECT_THAT(
      print_reflection(reflect(read_module(words, "built.spv").value()).value()),
      testing::HasSubstr("graph `net`\n  binding 0.0: tensor u32 [5], read\n  binding 0.1: tensor u32 [5], written\n"));
}

TEST(Builder, IsDeterministic) { EXPECT_EQ(build_shader(), build_shader()); }

TEST(Builder, TypesAndConstantsAreMadeOnce) {
  Builder builder;
  const Id u32 = builder.type_int(32, false);
  EXPECT_EQ(builder.type_int(32, false), u32);
  EXPECT_NE(builder.type_int(32, true), u32);
  EXPECT_NE(builder.type_int(16, false), u32);
  EXPECT_EQ(builder.type_bool(), builder.type_bool());
  const Id f32 = builder.type_float(32);
  EXPECT_EQ(builder.type_matrix(builder.type_vector(f32, 4), 4), builder.type_matrix(builder.type_vector(f32, 4), 4));
  EXPECT_EQ(builder.type_array(u32, 4), builder.type_array(u32, 4));
  EXPECT_NE(builder.type_array(u32, 4), builder.type_array(u32, 4, 16));
  EXPECT_EQ(builder.type_array(u32, 4, 16), builder.type_array(u32, 4, 16));
  EXPECT_NE(builder.type_array(u32, 4), builder.type_array(u32, 5));
  EXPECT_NE(builder.type_runtime_array(u32, 4), builder.type_runtime_array(u32, 8));
  EXPECT_NE(builder.type_struct(Words{u32}), builder.type_struct(Words{u32}));
  EXPECT_EQ(builder.type(spv::Op::OpTypeSampler, {}), builder.type(spv::Op::OpTypeSampler, {}));
  EXPECT_EQ(builder.constant_u32(7), builder.constant(u32, 7));
  EXPECT_NE(builder.constant_u32(7), builder.constant_i32(7));
  EXPECT_EQ(builder.constant_f32(1), builder.constant(f32, 0x3f800000));
  EXPECT_EQ(builder.constant_bool(true), builder.constant_bool(true));
  EXPECT_NE(builder.constant_bool(true), builder.constant_bool(false));
  EXPECT_EQ(builder.constant_null(f32), builder.constant_null(f32));
  const Id v2 = builder.type_vector(u32, 2);
  const Words parts{builder.constant_u32(1), builder.constant_u32(2)};
  EXPECT_EQ(builder.constant_composite(v2, parts), builder.constant_composite(v2, parts));
  EXPECT_NE(builder.specialization_constant(u32, 1, 0), builder.specialization_constant(u32, 1, 1));
}

TEST(Builder, LiteralsOfEveryWidth) {
  Builder builder;
  builder.constant(builder.type_int(8, true), 0xff);
  builder.constant(builder.type_int(8, false), 0xff);
  builder.constant(builder.type_int(16, true), 0xfffe);
  builder.constant(builder.type_int(64, true), 0xfffffffffffffffe);
  builder.constant(builder.type_float(16), 0x3c00);
  builder.constant(builder.type_float(64), 0x3ff0000000000000);
  builder.specialization_constant(builder.type_bool(), 1, 0);
  builder.specialization_constant(builder.type_bool(), 0, 1);
  const std::string text =
      disassemble(builder.words(), "built.spv", {.friendly_names = false, .indent = false}).value();
  EXPECT_EQ(text,
            "OpDecorate %14 SpecId 0\n"
            "OpDecorate %15 SpecId 1\n"
            "%1 = OpTypeInt 8 1\n"
            "%2 = OpConstant %1 -1\n"
            "%3 = OpTypeInt 8 0\n"
            "%4 = OpConstant %3 255\n"
            "%5 = OpTypeInt 16 1\n"
            "%6 = OpConstant %5 -2\n"
            "%7 = OpTypeInt 64 1\n"
            "%8 = OpConstant %7 -2\n"
            "%9 = OpTypeFloat 16\n"
            "%10 = OpConstant %9 0x1p+0\n"
            "%11 = OpTypeFloat 64\n"
            "%12 = OpConstant %11 1\n"
            "%13 = OpTypeBool\n"
            "%14 = OpSpecConstantTrue %13\n"
            "%15 = OpSpecConstantFalse %13\n");
}

TEST(Builder, VersionAndBound) {
  Builder builder(kVersion13);
  EXPECT_EQ(builder.new_id(), 1u);
  EXPECT_EQ(builder.bound(), 2u);
  EXPECT_EQ(builder.words(), (Words{spv::MagicNumber, kVersion13, 0, 2, 0}));
}

TEST(Builder, SectionsComeInTheirOrder) {
  Builder builder;
  builder.emit(Section::DebugStrings, spv::Op::OpString, Operands({builder.new_id()}).add("file.glsl"));
  const Id u32 = builder.type_int(32, false);
  const Id initial = builder.constant_u32(3);
  builder.variable(builder.type_pointer(spv::StorageClass::Private, u32), spv::StorageClass::Private, initial);
  builder.capability(spv::Capability::Shader);
  EXPECT_EQ(disassemble(builder.words(), "built.spv", {.friendly_names = false, .indent = false}).value(),
            "OpCapability Shader\n"
            "%1 = OpString \"file.glsl\"\n"
            "%2 = OpTypeInt 32 0\n"
            "%3 = OpConstant %2 3\n"
            "%4 = OpTypePointer Private %2\n"
            "%5 = OpVariable %4 Private %3\n");
}

TEST(Operands, StringsEndInZeros) {
  EXPECT_TRUE(std::ranges::equal(Operands({7}).add("abc").words(), Words{7, 0x00636261}));
  EXPECT_TRUE(std::ranges::equal(Operands().add("abcd").words(), Words{0x64636261, 0}));
  EXPECT_TRUE(std::ranges::equal(Operands().add("").add(5u).words(), Words{0, 5}));
}

TEST(Builder, GoesOnFromAModule) {
  const Module module = module_of(compute_shader("", "%u7 = OpConstant %u32 7\n", ""));
  Builder builder(module);
  const Id bound = builder.bound();
  EXPECT_EQ(bound, module.id_bound());
  for (const Instruction& instruction : module.instructions()) {
    const bool in_function = instruction.offset >= module.definition(1)->offset;  // of %main, which is named first
    builder.copy(in_function ? Section::Functions : section_of(instruction.op), instruction);
  }
  const WordSpan instructions = module.words().subspan(kHeaderWords);
  const Words copied = builder.words();
  EXPECT_EQ(Words(copied.begin() + kHeaderWords, copied.end()), Words(instructions.begin(), instructions.end()));
  // What the module has is not made again.
  const Id u32 = builder.type_int(32, false);
  EXPECT_LT(u32, bound);
  EXPECT_LT(builder.constant(u32, 7), bound);
  EXPECT_LT(builder.type_vector(builder.type_float(32), 4), bound);
  EXPECT_EQ(builder.constant(u32, 8), bound);
  builder.capability(spv::Capability::Shader);
  EXPECT_EQ(builder.words().size(), module.words().size() + 4);  // the one new constant
}

}  // namespace
}  // namespace slipway::spirv
