// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading models in MLIR.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/read/mlir/mlir_reply.hpp"
#include "tosa/read/mlir/parse_mlir.hpp"
#include "tosa/read/mlir/read_mlir.hpp"
#include "tosa/testing.hpp"
#include "tosa/text.hpp"

namespace slipway::tosa {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The graph as text, or the diagnostics.
std::string read(std::string_view text, const MlirOptions& options = {}) {
  Diagnostics problems;
  auto model = read_mlir(bytes_of(text), "m.mlir", options, problems);
  EXPECT_EQ(model.has_value(), !problems.has_errors());
  if (!model) return messages(problems);
  verify(model->graph, problems);
  return messages(problems) + print(model->graph, {.max_elements = 100});
}

// The second example of docs/spec/converter.md#worked-example.
constexpr std::string_view kExample = R"mlir(
func.func @main(%x: tensor<1x8x8x4xi8>, %y: tensor<4x64xf32>) -> (tensor<1x8x8x4xi8>, tensor<4x64xf32>)
    attributes {tf.entry_function = {inputs = "x,y", outputs = "o0,o1"}} {
  %w = "tosa.const"() <{values = dense<1> : tensor<4x1x1x4xi8>}> : () -> tensor<4x1x1x4xi8>
  %b = "tosa.const"() <{values = dense<[1, 2, 3, 4]> : tensor<4xi32>}> : () -> tensor<4xi32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %n = tosa.const_shape {values = dense<[1, 8, 8, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x8x8x4xi8>, tensor<4x1x1x4xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x4xi32>
  %1 = tosa.rescale %0, %m, %s, %zi, %z {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x8x8x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x8x8x4xi8>
  %2 = tosa.reshape %1, %n : (tensor<1x8x8x4xi8>, !tosa.shape<4>) -> tensor<1x8x8x4xi8>
  %3 = tosa.maximum %y, %y {nan_mode = IGNORE} : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %4 = tosa.custom %3 {operator_name = "twice", domain_name = "com.arm.VulkanCustomShader", implementation_attrs = "{\22a\22:1}"} : (tensor<4x64xf32>) -> tensor<4x64xf32>
  return %2, %4 : tensor<1x8x8x4xi8>, tensor<4x64xf32>
}
)mlir";

TEST(Mlir, TheExampleOfTheSpecification) {
  EXPECT_EQ(read(kExample), R"(graph main {
  %0 = input i8[1, 8, 8, 4] "x"
  %1 = input f32[4, 64] "y"
  %2 = const i8[4, 1, 1, 4] splat 1
  %3 = const i32[4] [1, 2, 3, 4]
  %4 = const i32[1] splat 1073741824
  %5 = const i8[1] splat 30
  %6 = CONV2D(%0, %2, %3) i32[1, 8, 8, 4] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=0 weight_zp=0
  %7 = RESCALE(%6, %4, %5) i8[1, 8, 8, 4] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=0
  %8 = RESHAPE(%7) i8[1, 8, 8, 4] shape=[1, 8, 8, 4]
  %9 = MAXIMUM(%1, %1) f32[4, 64] nan_mode=IGNORE
  %10 = CUSTOM(%9) f32[4, 64] domain="com.arm.VulkanCustomShader" name="twice" attributes="{\"a\":1}"
  output %8
  output %10
}
)");
}

constexpr std::string_view kSmall =
    "graph main {\n  %0 = input f32[2, 3]\n  %1 = const f32[2, 3] [1, 2, 3, 4, 5, 6]\n"
    "  %2 = const f32[2, 3] [1, 2, 3, 4, 5, 6]\n  %3 = ADD(%0, %1) f32[2, 3]\n  %4 = ADD(%3, %2) f32[2, 3]\n  output "
    "%4\n}\n";

TEST(Mlir, ResourcesInText) {
  EXPECT_EQ(read(R"mlir(
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %w = "tosa.const"() <{values = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
  %r = "tosa.const"() <{values = dense_resource<blob> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
  %0 = tosa.add %x, %w : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tosa.add %0, %r : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
{-# dialect_resources: { builtin: { blob: "0x080000000000803F0000004000004040000080400000A0400000C040" } } #-}
)mlir"),
            kSmall);
}

// kSmall as bytecode, with one constant in an attribute and one as a resource.
std::string small_bytecode() {
  static constexpr std::string_view kDigits =
#include "tosa/test_bytecode.inc"
      ;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i < kDigits.size(); i += 2)
    bytes += static_cast<char>(digit(kDigits[i]) * 16 + digit(kDigits[i + 1]));
  return bytes;
}

TEST(Mlir, Bytecode) {
  const std::string bytes = small_bytecode();
  EXPECT_EQ(read(bytes), kSmall);
  // Truncated or damaged, it is refused or read, without a crash.
  for (std::size_t size = 4; size < bytes.size(); size += 7) {
    Diagnostics problems;
    EXPECT_FALSE(read_mlir(bytes_of(std::string_view(bytes).substr(0, size)), "m.mlirbc", {}, problems)) << size;
  }
}

// MLIR parses bytecode without its long constants, which are views of the file.
TEST(Mlir, LongConstantsOfBytecodeAreNotParsed) {
  const std::string bytes = small_bytecode();
  EXPECT_FALSE(shorten_bytecode(bytes_of(bytes)));
  const auto shortened = shorten_bytecode(bytes_of(bytes), 16);
  ASSERT_TRUE(shortened);
  ASSERT_EQ(shortened->literals.size(), 2);
  constexpr float kValues[] = {1, 2, 3, 4, 5, 6};
  MlirRequest request{.contents = bytes_of(shortened->text), .name = "m.mlirbc", .entry = {}, .literals = {}};
  for (const LongLiteral& each : shortened->literals) {
    EXPECT_EQ(bytes.substr(each.begin, each.end - each.begin), slipway::text_of(std::as_bytes(std::span(kValues))));
    request.literals.push_back(2 * sizeof kValues);
  }
  EXPECT_FALSE(shortened->text.contains(slipway::text_of(std::as_bytes(std::span(kValues)))));
  const std::vector<std::byte> tail = tail_of(request);
  std::vector<std::byte> whole(request.contents.begin(), request.contents.end());
  whole.insert(whole.end(), tail.begin(), tail.end());
  const std::vector<std::byte> answer = kMlirService.run(whole, {});
  const auto reply = read_mlir_reply(answer, request.contents, request.literals);
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->problems.empty()) << reply->problems[0].text;
  ASSERT_EQ(reply->literals.size(), 2);
  EXPECT_NE(reply->literals[0].literal, reply->literals[1].literal);
  EXPECT_EQ(reply->literals[0].elements.width, 32);
  EXPECT_EQ(reply->graph.nodes.size(), 2);
  // Without its last section, the properties of operators, it can still be shortened; MLIR refuses it.
  int count = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size)
    count += shorten_bytecode(bytes_of(bytes).first(size), 16).has_value();
  EXPECT_EQ(count, 1);
}

TEST(Mlir, OperatorsOfOtherDialects) {
  EXPECT_EQ(read(R"mlir(
module attributes {torch.debug_module_name = "Net"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func private @unused(tensor<2xf32>) -> tensor<2xf32>
  func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %0 = tosa.add %a, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @main(%a: tensor<4xf32>) -> tensor<2xf32> {
    %c0 = arith.constant 0 : index
    %0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = func.call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = tensor.cast %1 : tensor<4xf32> to tensor<?xf32>
    %3 = tensor.cast %2 : tensor<?xf32> to tensor<4xf32>
    %4 = tensor.expand_shape %3 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
    %5 = tensor.concat dim(0) %4, %4 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
    %6 = tensor.extract_slice %5[1, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<2xf32>
    return %6 : tensor<2xf32>
  }
}
)mlir"),
            R"(graph main {
  %0 = input f32[4]
  %1 = const f32[4] [1, 2, 3, 4]
  %2 = ADD(%0, %1) f32[4]
  %3 = ADD(%2, %1) f32[4]
  %4 = RESHAPE(%3) f32[2, 2] shape=[2, 2]
  %5 = CONCAT(%4, %4) f32[4, 2] axis=0
  %6 = SLICE(%5) f32[1, 2] start=[1, 0] size=[1, 2]
  %7 = RESHAPE(%6) f32[2] shape=[2]
  output %7
}
)");
}

TEST(Mlir, NamesTheOlderDialect) {
  EXPECT_THAT(read("func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
                   " %p = \"tosa.const\"() {value = dense<[1, 0]> : tensor<2xi32>} : () -> tensor<2xi32>\n"
                   " return %a : tensor<2x3xf32>\n}\n"),
              AllOf(HasSubstr("requires attribute 'values'"), HasSubstr("TOSA before 1.0 (MLIR 19 and older)")));
  EXPECT_THAT(read("func.func @main(%a: tensor<4xf32>) -> tensor<2x2xf32> {\n"
                   " %0 = \"tosa.reshape\"(%a) {new_shape = array<i64: 2, 2>} : (tensor<4xf32>) -> tensor<2x2xf32>\n"
                   " return %0 : tensor<2x2xf32>\n}\n"),
              AllOf(HasSubstr("operands, but found"), HasSubstr("TOSA before 1.0 (MLIR 19 and older)")));
  EXPECT_THAT(read("func.func @main(%a: tensor<4xi32>) -> tensor<3xi32> {\n"
                   " %0 = \"tosa.abs\"(%a) : (tensor<4xi32>) -> tensor<3xi32>\n return %0 : tensor<3xi32>\n}\n"),
              Not(HasSubstr("TOSA before 1.0")));
}

// Other converters accept it: a warning of conversions and runs, an error of `check`.
TEST(Mlir, ZeroPointsThatAreNotConstant) {
  Diagnostics problems;
  const std::string_view text =
      "func.func @main(%x: tensor<1x2x2xf32>, %z: tensor<1xf32>, %a: tensor<2xi8>, %b: tensor<1xi8>) -> "
      "(tensor<1x2x2xf32>, tensor<2xi8>) {\n"
      " %0 = tosa.matmul %x, %x, %z, %z : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1xf32>, tensor<1xf32>) -> "
      "tensor<1x2x2xf32>\n"
      " %1 = tosa.negate %a, %b, %b : (tensor<2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2xi8>\n"
      " return %0, %1 : tensor<1x2x2xf32>, tensor<2xi8>\n}\n";
  const auto model = read_mlir(bytes_of(text), "m.mlir", {}, problems);
  ASSERT_TRUE(model);
  EXPECT_EQ(problems.errors(), 0);
  EXPECT_EQ(problems.warnings(), 4);
  EXPECT_THAT(messages(problems), HasSubstr("m.mlir:2:7: warning: `tosa.matmul`: `A_zp` is not constant, as TOSA "
                                            "requires; it is taken as 0, the only value for f32 [type-mismatch]"));
  EXPECT_THAT(messages(problems), HasSubstr("m.mlir:3:7: warning: `tosa.negate`: `output_zp` is not constant, as TOSA "
                                            "requires; it is computed by operators of its own [type-mismatch]"));
  problems.enforce_rules();
  EXPECT_EQ(problems.errors(), 4);
}

TEST(Mlir, TypesAreNarrowedAndDecoded) {
  EXPECT_EQ(read(R"mlir(
func.func @main(%a: tensor<2xi64>, %b: tensor<?xui8>) -> (tensor<2xi64>, tensor<3xi1>, tensor<3xi4>, tensor<2xi48>, tensor<2xf64>, tensor<?xui8>) {
  %c = "tosa.const"() <{values = dense<[-1, 7]> : tensor<2xi64>}> : () -> tensor<2xi64>
  %d = "tosa.const"() <{values = dense<[true, false, true]> : tensor<3xi1>}> : () -> tensor<3xi1>
  %e = "tosa.const"() <{values = dense<[-8, 7, 1]> : tensor<3xi4>}> : () -> tensor<3xi4>
  %f = "tosa.const"() <{values = dense<[-5, 140737488355327]> : tensor<2xi48>}> : () -> tensor<2xi48>
  %g = "tosa.const"() <{values = dense<[0.5, -2.0]> : tensor<2xf64>}> : () -> tensor<2xf64>
  return %c, %d, %e, %f, %g, %b : tensor<2xi64>, tensor<3xi1>, tensor<3xi4>, tensor<2xi48>, tensor<2xf64>, tensor<?xui8>
}
)mlir"),
            "graph main {\n  %0 = input i32[2]\n  %1 = input i8[-1]\n  %2 = const i32[2] [-1, 7]\n"
            "  %3 = const bool[3] [true, false, true]\n  %4 = const i4[3] [-8, 7, 1]\n"
            "  %5 = const i48[2] [-5, 140737488355327]\n  %6 = const f32[2] [0.5, -2]\n  output %2\n  output %3\n  "
            "output %4\n"
            "  output %5\n  output %6\n  output %1\n}\n");
}

std::string body(std::string_view statements, std::string_view result = "%x") {
  return formatted("func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {{\n{}\nreturn {} : tensor<2xi32>\n}}\n",
                   statements, result);
}

TEST(Mlir, ErrorsHaveTheirLine) {
  EXPECT_THAT(read("func.func @main("), HasSubstr("m.mlir:1:"));
  EXPECT_THAT(read("func.func @main("), HasSubstr("[text-syntax]"));
  EXPECT_THAT(read(""), HasSubstr("error: the module has no function [file-format]"));
  EXPECT_THAT(read(body("%0 = \"arith.constant\"() : () -> i32")), HasSubstr("m.mlir:2:"));
  EXPECT_THAT(read("func.func private @f(tensor<2xi32>)"), HasSubstr("the module has no function [file-format]"));
  EXPECT_THAT(read("func.func private @f(tensor<2xi32>) -> tensor<2xi32>\n" +
                   body("%0 = func.call @f(%x) : (tensor<2xi32>) -> tensor<2xi32>")),
              HasSubstr("error: `func.func`: the function has no body [unsupported]"));
  EXPECT_THAT(read(body("%0 = func.call @main(%x) : (tensor<2xi32>) -> tensor<2xi32>")),
              HasSubstr("error: `func.call`: branches and loops expand to more than"));
  EXPECT_THAT(
      read(body("%0 = arith.addi %x, %x : tensor<2xi32>")),
      HasSubstr("m.mlir:2:6: error: `arith.addi`: only operators of TOSA can be in a model, and of other dialects "
                "arith.constant, func.call, tensor.cast"));
  EXPECT_THAT(read("func.func @f(%x: tensor<*xf32>) -> tensor<*xf32> {\n return %x : tensor<*xf32>\n}"),
              HasSubstr("the type tensor<*xf32> is not a tensor with a rank [unsupported]"));
  EXPECT_THAT(read("func.func @f(%x: i32) -> i32 {\n return %x : i32\n}"),
              HasSubstr("the type i32 is not a tensor with a rank [type-mismatch]"));
  EXPECT_THAT(read("func.func @f(%x: tensor<2xi7>) -> tensor<2xi7> {\n return %x : tensor<2xi7>\n}"),
              HasSubstr("tensors cannot have elements as in tensor<2xi7> [type-mismatch]"));
  EXPECT_THAT(
      read(
          body("%0 = \"tosa.const\"() <{values = dense<4294967296> : tensor<2xi64>}> : () -> tensor<2xi64>\n"
               "%1 = \"tosa.custom\"(%0) <{operator_name = \"a\", domain_name = \"b\", implementation_attrs = \"\"}> : "
               "(tensor<2xi64>) -> tensor<2xi32>",
               "%1")),
      HasSubstr("element 0 is 4294967296, which 32 bits do not hold [out-of-range]"));
  EXPECT_THAT(
      read(body("%0 = \"tosa.const\"() <{values = dense_resource<nowhere> : tensor<2xi32>}> : () -> tensor<2xi32>",
                "%0")),
      HasSubstr("error: `tosa.const`: the resource `nowhere` has no data [file-format]"));
  EXPECT_THAT(
      read(body("%0 = \"tosa.const\"() <{values = dense_resource<r> : tensor<2xi32>}> : () -> tensor<2xi32>", "%0") +
           "{-# dialect_resources: { builtin: { r: \"0x0400000001020304\" } } #-}"),
      HasSubstr("the data has 4 bytes; 2 elements need 8 [file-mismatch]"));
}

// Operators of TOSA 1.1 that MLIR's dialect may lack, in both forms.
TEST(Mlir, OperatorsOfTosa11) {
  EXPECT_EQ(read(R"mlir(
func.func @main(%a: tensor<2x4x8xf16>, %b: tensor<1x3x8xf16>, %i: tensor<2x2xi32>, %x: tensor<1x8x8x2xf32>, %u: tensor<4xi8>) -> (tensor<2x4x3xf32>, tensor<2x6x8xf16>, tensor<1x4x4x2xf32>, tensor<1x7x7x2xf32>, tensor<4xf32>) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %zf = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %n = "tosa.const"() <{values = dense<3> : tensor<1xi32>}> : () -> tensor<1xi32>
  %k = tosa.const_shape {values = dense<[2, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %s = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %p = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.matmul_t %a, %b, %z, %z : (tensor<2x4x8xf16>, tensor<1x3x8xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<2x4x3xf32>
  %1 = "tosa.row_gather"(%a, %i, %n) : (tensor<2x4x8xf16>, tensor<2x2xi32>, tensor<1xi32>) -> tensor<2x6x8xf16>
  %2 = "tosa.avg_pool2d_adaptive"(%x, %zf, %zf, %k, %k, %p) <{acc_type = f32}> : (tensor<1x8x8x2xf32>, tensor<1xf32>, tensor<1xf32>, !tosa.shape<2>, !tosa.shape<2>, !tosa.shape<4>) -> tensor<1x4x4x2xf32>
  %3 = tosa.max_pool2d_adaptive %x, %k, %s, %p {nan_mode = IGNORE} : (tensor<1x8x8x2xf32>, !tosa.shape<2>, !tosa.shape<2>, !tosa.shape<4>) -> tensor<1x7x7x2xf32>
  %4 = tosa.cast %u {input_unsigned = true} : (tensor<4xi8>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<2x4x3xf32>, tensor<2x6x8xf16>, tensor<1x4x4x2xf32>, tensor<1x7x7x2xf32>, tensor<4xf32>
}
)mlir"),
            R"(graph main {
  %0 = input f16[2, 4, 8]
  %1 = input f16[1, 3, 8]
  %2 = input i32[2, 2]
  %3 = input f32[1, 8, 8, 2]
  %4 = input i8[4]
  %5 = MATMUL_T(%0, %1) f32[2, 4, 3] A_zp=0 B_zp=0
  %6 = ROW_GATHER(%0, %2) f16[2, 6, 8] row_count=3
  %7 = AVG_POOL2D(%3) f32[1, 4, 4, 2] kernel=[2, 2] stride=[2, 2] pad=[0, 0, 0, 0] acc_type=FP32 input_zp=0 output_zp=0
  %8 = MAX_POOL2D(%3) f32[1, 7, 7, 2] kernel=[2, 2] stride=[1, 1] pad=[0, 0, 0, 0] nan_mode=IGNORE
  %9 = CAST(%4) f32[4] input_unsigned=true
  output %5
  output %6
  output %7
  output %8
  output %9
}
)");
}

TEST(Mlir, BlockScaledTensors) {
  EXPECT_EQ(read(R"mlir(
func.func @main(%a: tensor<1x4x32xf32>) -> tensor<1x8x4xf32> {
  %w = "tosa.const"() <{values = dense<1.5> : tensor<1x8x32xf4E2M1FN>}> : () -> tensor<1x8x32xf4E2M1FN>
  %s = "tosa.const"() <{values = dense<[[[0.5], [1.0], [2.0], [4.0], [0.5], [1.0], [2.0], [4.0]]]> : tensor<1x8x1xf8E8M0FNU>}> : () -> tensor<1x8x1xf8E8M0FNU>
  %q:2 = tosa.cast_to_block_scaled %a {block_size = BLOCK_SIZE_32} : (tensor<1x4x32xf32>) -> (tensor<1x4x32xf4E2M1FN>, tensor<1x4x1xf8E8M0FNU>)
  %0 = tosa.matmul_t_block_scaled %w, %s, %q#0, %q#1 {block_size = BLOCK_SIZE_32} : (tensor<1x8x32xf4E2M1FN>, tensor<1x8x1xf8E8M0FNU>, tensor<1x4x32xf4E2M1FN>, tensor<1x4x1xf8E8M0FNU>) -> tensor<1x8x4xf32>
  return %0 : tensor<1x8x4xf32>
}
)mlir"),
            R"(graph main {
  %0 = input f32[1, 4, 32]
  %1 = const e2m1[1, 8, 32] splat 1.5
  %2 = const e8m0[1, 8, 1] [0.5, 1, 2, 4, 0.5, 1, 2, 4]
  %3, %4 = CAST_TO_BLOCK_SCALED(%0) e2m1[1, 4, 32], e8m0[1, 4, 1] block_size=BLOCK_SIZE_32
  %5 = MATMUL_T_BLOCK_SCALED(%1, %2, %3, %4) f32[1, 8, 4] block_size=BLOCK_SIZE_32
  output %5
}
)");
}

TEST(Mlir, ResultsWithoutARankAreInferred) {
  EXPECT_EQ(read(R"mlir(
func.func @main(%x: tensor<2x3xf32>) -> tensor<*xf32> {
  %n = tosa.const_shape {values = dense<[3, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.abs %x : (tensor<2x3xf32>) -> tensor<*xf32>
  %1 = tosa.reshape %0, %n : (tensor<*xf32>, !tosa.shape<2>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}
)mlir"),
            "graph main {\n  %0 = input f32[2, 3]\n  %1 = ABS(%0) f32[2, 3]\n"
            "  %2 = RESHAPE(%1) f32[3, 2] shape=[3, 2]\n  output %2\n}\n");
  EXPECT_THAT(read(R"mlir(
func.func @main(%x: tensor<2xf32>) -> tensor<*xf32> {
  %0 = tosa.custom %x {operator_name = "n", domain_name = "d", implementation_attrs = ""} : (tensor<2xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
)mlir"),
              HasSubstr("m.mlir:3:8: error: the type tensor<*xf32> is not a tensor with a rank [unsupported]"));
}

TEST(Mlir, TheFunctionIsChosen) {
  const auto function = [](std::string_view name, std::string_view operation, std::string_view attributes = "") {
    return formatted(
        "func.func @{}(%x: tensor<2xf32>) -> tensor<2xf32> {} {{\n%0 = tosa.{} %x : (tensor<2xf32>) -> tensor<2xf32>\n"
        "return %0 : tensor<2xf32>\n}}\n",
        name, attributes, operation);
  };
  const std::string two = function("a", "abs") + function("b", "exp");
  EXPECT_THAT(read(two), ::testing::AllOf(HasSubstr("ABS"), HasSubstr("EXP")));
  EXPECT_THAT(read("module {}"), HasSubstr("error: the module has no function [file-format]"));
  EXPECT_THAT(read(two, {.entry = "b"}), HasSubstr("EXP"));
  EXPECT_THAT(read(two, {.entry = "c"}), HasSubstr("error: the module has no function `c`"));
  // Also where one is `main`, or has `tf.entry_function`.
  EXPECT_THAT(read(two + function("main", "log")),
              ::testing::AllOf(HasSubstr("ABS"), HasSubstr("EXP"), HasSubstr("LOG"), Not(HasSubstr("warning"))));
  EXPECT_THAT(read(two + function("c", "floor", "attributes {tf.entry_function = {}}")),
              ::testing::AllOf(HasSubstr("ABS"), HasSubstr("EXP"), HasSubstr("FLOOR")));
}

TEST(Mlir, NamesOfSeveralFunctions) {
  const auto function = [](std::string_view name, std::string_view names) {
    return formatted(
        "func.func @{}(%x: tensor<2xf32>) -> tensor<2xf32> attributes {{tf.entry_function = {{{}}}}} {{\n"
        "return %x : tensor<2xf32>\n}}\n",
        name, names);
  };
  const auto inputs = [](const std::string& text) {
    Diagnostics diagnostics;
    const auto model = read_mlir(bytes_of(text), "m.mlir", {}, diagnostics);
    return model ? model->input_names : std::vector<std::string>{"not read"};
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(inputs(function("main", "inputs = \"x\"") + function("b", "inputs = \"y\"")), ElementsAre("x", "y"));
  EXPECT_THAT(inputs(function("main", "inputs = \"x\"") + function("b", "")), ElementsAre("x", "input_1"));
  EXPECT_THAT(inputs(function("a", "") + function("main", "inputs = \"y\"")), ElementsAre("input_0", "y"));
  EXPECT_THAT(inputs(function("main", "inputs = \"x\"") + function("b", "inputs = \"x\"")), ElementsAre());
  EXPECT_THAT(inputs(function("main", "inputs = \"input_1\"") + function("b", "")), ElementsAre());
}

}  // namespace
}  // namespace slipway::tosa
