// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every strategy against the interpreter, on graphs that are large enough for its tiles, tails and chunks. All values
// are small whole numbers, so that sums of floats are exact in any order and all results are equal.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "model/device_facts.hpp"
#include "reference/run.hpp"
#include "spirv/tools.hpp"
#include "testing/device_facts.hpp"
#include "testing/tosa/kernel_fixture.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"
#include "tosa_cases/matrix/matrix.hpp"

namespace slipway::model {
namespace {

struct Case {
  std::string_view name, text;
};

// Fills constants in their order in the graph; those with data keep it.
constexpr Case kCases[] = {
    {"padded convolution, clamped, with what goes around it", R"(
  %0 = input f32[1, 7, 20, 8]
  %1 = const f32[8, 3, 3, 8] graph_constant 0
  %2 = const f32[8] graph_constant 1
  %3 = CONV2D(%0, %1, %2) f32[1, 7, 20, 8] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %4 = CLAMP(%3) f32[1, 7, 20, 8] min_val=-9 max_val=30 nan_mode=PROPAGATE
  %5 = ADD(%4, %0) f32[1, 7, 20, 8]
  output %5)"},
    {"strides, dilation, and channels that fill no vector", R"(
  %0 = input f32[2, 11, 21, 3]
  %1 = const f32[11, 3, 2, 3] graph_constant 0
  %2 = const f32[1] graph_constant 1
  %3 = CONV2D(%0, %1, %2) f32[2, 4, 11, 11] pad=[0, 0, 2, 1] stride=[2, 2] dilation=[2, 3] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  output %3)"},
    {"more products of bytes than a float can sum, rescaled by channel", R"(
  %0 = input i8[1, 5, 9, 80]
  %1 = const i8[16, 3, 3, 80] graph_constant 0
  %2 = const i32[16] graph_constant 1
  %3 = CONV2D(%0, %1, %2) i32[1, 5, 9, 16] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-100 weight_zp=0
  %4 = const i32[16] [1073741824, 1273741824, 1473741824, 1573741824, 1073741824, 1273741824, 1473741824, 1573741824, 1073741824, 1273741824, 1473741824, 1573741824, 1073741824, 1273741824, 1473741824, 1573741824]
  %5 = const i8[16] [36, 37, 38, 39, 40, 36, 37, 38, 39, 40, 36, 37, 38, 39, 40, 36]
  %6 = RESCALE(%3, %4, %5) i8[1, 5, 9, 16] scale32=true rounding_mode=SINGLE_ROUND per_channel=true input_unsigned=false output_unsigned=false input_zp=0 output_zp=7
  output %6)"},
    {"products of bytes that are scaled by floats, limited and stored as bytes", R"(
  %0 = input i8[1, 5, 9, 16]
  %1 = const i8[16, 1, 1, 16] graph_constant 0
  %2 = const i32[16] graph_constant 1
  %3 = CONV2D(%0, %1, %2) i32[1, 5, 9, 16] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-100 weight_zp=0
  %4 = CAST(%3) f32[1, 5, 9, 16]
  %5 = const f32[1, 1, 1, 16] [0.5, 0.25, 0.125, 0.0625, 0.5, 0.25, 0.125, 0.0625, 0.5, 0.25, 0.125, 0.0625, 0.5, 0.25, 0.125, 0.0625]
  %6 = MUL(%4, %5) f32[1, 5, 9, 16] shift=0
  %7 = CLAMP(%6) f32[1, 5, 9, 16] min_val=-100 max_val=155 nan_mode=PROPAGATE
  %8 = CAST(%7) i32[1, 5, 9, 16]
  %9 = const i32[1, 1, 1, 1] [-28]
  %10 = ADD(%8, %9) i32[1, 5, 9, 16]
  %11 = CAST(%10) i8[1, 5, 9, 16]
  %12 = CAST(%6) i8[1, 5, 9, 16]
  %13 = ADD(%10, %10) i32[1, 5, 9, 16]
  %14 = CAST(%13) i8[1, 5, 9, 16]
  output %11
  output %12
  output %14)"},
    {"points, with an operand that is broadcast over channels", R"(
  %0 = input f32[2, 5, 7, 24]
  %1 = const f32[16, 1, 1, 24] graph_constant 0
  %2 = const f32[16] graph_constant 1
  %3 = input f32[1, 1, 7, 1]
  %4 = CONV2D(%0, %1, %2) f32[2, 5, 7, 16] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %5 = MUL(%4, %3) f32[2, 5, 7, 16] shift=0
  output %5)"},
    {"matrix product whose rows are laid side by side", R"(
  %0 = input f32[2, 40, 264]
  %1 = input f32[2, 264, 264]
  %2 = MATMUL(%0, %1) f32[2, 40, 264] A_zp=0 B_zp=0
  output %2)"},
    {"matrix product with tails everywhere", R"(
  %0 = input f32[3, 19, 37]
  %1 = input f32[3, 37, 13]
  %2 = MATMUL(%0, %1) f32[3, 19, 13] A_zp=0 B_zp=0
  %3 = ABS(%2) f32[3, 19, 13]
  output %3)"},
    {"matrix product of bytes, one row", R"(
  %0 = input i8[1, 1, 100]
  %1 = const i8[1, 100, 24] graph_constant 0
  %2 = MATMUL(%0, %1) i32[1, 1, 24] A_zp=3 B_zp=-5
  output %2)"},
    {"matrix products of more rows of tiles than a band has", R"(
  %0 = input f32[2, 700, 8]
  %1 = input f32[2, 8, 200]
  %2 = MATMUL(%0, %1) f32[2, 700, 200] A_zp=0 B_zp=0
  output %2)"},
    {"three dimensions", R"(
  %0 = input f32[1, 4, 5, 9, 4]
  %1 = const f32[8, 2, 3, 3, 4] graph_constant 0
  %2 = const f32[8] graph_constant 1
  %3 = CONV3D(%0, %1, %2) f32[1, 4, 5, 9, 8] pad=[1, 0, 1, 1, 1, 1] stride=[1, 1, 1] dilation=[1, 1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  output %3)"},
    {"weights that are no constants", R"(
  %0 = input f32[1, 6, 10, 5]
  %1 = input f32[12, 3, 3, 5]
  %2 = input f32[12]
  %3 = CONV2D(%0, %1, %2) f32[1, 4, 8, 12] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  output %3)"},
    {"views in front", R"(
  %0 = input f32[1, 8, 6, 10]
  %1 = TRANSPOSE(%0) f32[1, 6, 10, 8] perms=[0, 2, 3, 1]
  %2 = const f32[8, 3, 3, 8] graph_constant 0
  %3 = const f32[8] graph_constant 1
  %4 = CONV2D(%1, %2, %3) f32[1, 6, 10, 8] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %5 = RESHAPE(%4) f32[1, 48, 10] shape=[1, 48, 10]
  %6 = const f32[1, 10, 16] graph_constant 2
  %7 = MATMUL(%5, %6) f32[1, 48, 16] A_zp=0 B_zp=0
  output %7)"},
    {"two convolutions added", R"(
  %0 = input f32[1, 5, 9, 8]
  %1 = const f32[8, 1, 1, 8] graph_constant 0
  %2 = const f32[8, 3, 3, 8] graph_constant 1
  %3 = const f32[8] graph_constant 2
  %4 = CONV2D(%0, %1, %3) f32[1, 5, 9, 8] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %5 = CONV2D(%0, %2, %3) f32[1, 5, 9, 8] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %6 = ADD(%4, %5) f32[1, 5, 9, 8]
  output %6)"},
    {"the same convolution three times", R"(
  %0 = input f32[1, 6, 8, 8]
  %1 = const f32[8, 3, 3, 8] graph_constant 0
  %2 = const f32[8, 3, 3, 8] graph_constant 1
  %3 = const f32[8] graph_constant 2
  %4 = CONV2D(%0, %1, %3) f32[1, 6, 8, 8] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %5 = CLAMP(%4) f32[1, 6, 8, 8] min_val=0 max_val=2 nan_mode=PROPAGATE
  %6 = CONV2D(%5, %2, %3) f32[1, 6, 8, 8] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %7 = CLAMP(%6) f32[1, 6, 8, 8] min_val=0 max_val=2 nan_mode=PROPAGATE
  %8 = CONV2D(%7, %1, %3) f32[1, 6, 8, 8] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  output %8)"},
    {"16-bit matrix product, whole tiles", R"(
  %0 = input f16[1, 128, 64]
  %1 = input f16[1, 64, 128]
  %2 = MATMUL(%0, %1) f32[1, 128, 128] A_zp=0 B_zp=0
  output %2)"},
    {"16-bit matrix product with 16-bit results, whole tiles", R"(
  %0 = input f16[2, 128, 64]
  %1 = input f16[2, 64, 128]
  %2 = MATMUL(%0, %1) f16[2, 128, 128] A_zp=0 B_zp=0
  output %2)"},
    {"16-bit matrix product with tails", R"(
  %0 = input f16[2, 37, 40]
  %1 = input f16[2, 40, 24]
  %2 = MATMUL(%0, %1) f16[2, 37, 24] A_zp=0 B_zp=0
  %3 = CLAMP(%2) f16[2, 37, 24] min_val=-40 max_val=40 nan_mode=PROPAGATE
  output %3)"},
    {"few results of many 16-bit products", R"(
  %0 = input f16[2, 40, 512]
  %1 = input f16[2, 512, 24]
  %2 = MATMUL(%0, %1) f32[2, 40, 24] A_zp=0 B_zp=0
  %3 = CLAMP(%2) f32[2, 40, 24] min_val=-80 max_val=80 nan_mode=PROPAGATE
  output %3)"},
    {"few results of many products of floats", R"(
  %0 = input f32[2, 40, 512]
  %1 = input f32[2, 512, 24]
  %2 = MATMUL(%0, %1) f32[2, 40, 24] A_zp=0 B_zp=0
  %3 = CLAMP(%2) f32[2, 40, 24] min_val=-80 max_val=80 nan_mode=PROPAGATE
  output %3)"},
    {"few results of many products of bytes", R"(
  %0 = input i8[2, 40, 512]
  %1 = const i8[2, 512, 24] graph_constant 0
  %2 = MATMUL(%0, %1) i32[2, 40, 24] A_zp=9 B_zp=0
  output %2)"},
    {"16-bit convolution", R"(
  %0 = input f16[1, 9, 10, 8]
  %1 = const f16[24, 3, 3, 8] graph_constant 0
  %2 = const f16[24] graph_constant 1
  %3 = CONV2D(%0, %1, %2) f16[1, 9, 10, 24] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  output %3)"},
    {"windows of 16-bit floats in pairs, from the middle of one and to the middle of one", R"(
  %0 = input f16[2, 9, 10, 3]
  %1 = const f16[24, 3, 3, 3] graph_constant 0
  %2 = const f16[24] graph_constant 1
  %3 = CONV2D(%0, %1, %2) f16[2, 5, 5, 24] pad=[1, 1, 1, 0] stride=[2, 2] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %4 = CONV2D(%0, %1, %2) f16[2, 5, 5, 24] pad=[1, 1, 0, 1] stride=[2, 2] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %5 = input f16[2, 9, 10, 1]
  %6 = const f16[8, 5, 5, 1] graph_constant 2
  %7 = const f16[8] graph_constant 3
  %8 = CONV2D(%5, %6, %7) f16[2, 3, 5, 8] pad=[2, 2, 2, 1] stride=[2, 2] dilation=[2, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  output %3
  output %4
  output %8)"},
    {"windows of 16-bit floats in volumes, in pairs with gaps on both sides", R"(
  %0 = input bf16[1, 4, 5, 8, 2]
  %1 = const bf16[9, 2, 3, 3, 2] graph_constant 0
  %2 = const bf16[9] graph_constant 1
  %3 = CONV3D(%0, %1, %2) bf16[1, 3, 5, 8, 9] pad=[0, 0, 1, 1, 1, 1] stride=[1, 1, 1] dilation=[1, 1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %4 = input bf16[1, 4, 5, 10, 1]
  %5 = const bf16[9, 2, 3, 4, 1] graph_constant 2
  %6 = CONV3D(%4, %5, %2) bf16[1, 3, 5, 5, 9] pad=[0, 0, 1, 1, 1, 1] stride=[1, 1, 2] dilation=[1, 1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  output %3
  output %6)"},
    {"windows of 16-bit floats in single elements", R"(
  %0 = input f16[2, 9, 10, 3]
  %1 = const f16[24, 3, 3, 3] graph_constant 0
  %2 = const f16[24] graph_constant 1
  %3 = CONV2D(%0, %1, %2) f16[2, 9, 10, 24] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  output %3)"},
    {"matrix product of bytes, whole tiles", R"(
  %0 = input i8[1, 128, 128]
  %1 = input i8[1, 128, 128]
  %2 = MATMUL(%0, %1) i32[1, 128, 128] A_zp=0 B_zp=0
  output %2)"},
    {"matrix products of bytes with tails and a zero point", R"(
  %0 = input i8[2, 37, 80]
  %1 = input i8[2, 80, 24]
  %2 = const i8[2, 80, 24] graph_constant 0
  %3 = MATMUL(%0, %1) i32[2, 37, 24] A_zp=0 B_zp=0
  %4 = MATMUL(%0, %2) i32[2, 37, 24] A_zp=-11 B_zp=0
  output %3)"},
    {"convolution of bytes with a border", R"(
  %0 = input i8[1, 9, 10, 16]
  %1 = const i8[40, 3, 3, 16] graph_constant 0
  %2 = const i32[40] graph_constant 1
  %3 = CONV2D(%0, %1, %2) i32[1, 9, 10, 40] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=7 weight_zp=0
  output %3)"},
    {"matrix product of bfloats", R"(
  %0 = input bf16[1, 33, 48]
  %1 = input bf16[1, 48, 40]
  %2 = MATMUL(%0, %1) f32[1, 33, 40] A_zp=0 B_zp=0
  output %2)"},
    {"one filter for each channel, and pools", R"(
  %0 = input i8[1, 9, 10, 20]
  %1 = const i8[3, 3, 20, 1] graph_constant 0
  %2 = const i32[20] graph_constant 1
  %3 = DEPTHWISE_CONV2D(%0, %1, %2) i32[1, 9, 10, 20] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=2 weight_zp=0
  %4 = const i32[1] [1073741824]
  %5 = const i8[1] [33]
  %6 = RESCALE(%3, %4, %5) i8[1, 9, 10, 20] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=0
  %7 = MAX_POOL2D(%6) i8[1, 8, 9, 20] kernel=[2, 2] stride=[1, 1] pad=[0, 0, 0, 0] nan_mode=PROPAGATE
  %8 = AVG_POOL2D(%7) i8[1, 8, 9, 20] kernel=[3, 3] stride=[1, 1] pad=[1, 1, 1, 1] acc_type=INT32 input_zp=0 output_zp=0
  output %8)"},
    {"windows over vectors of channels that end in a part of one", R"(
  %0 = input f32[2, 12, 30, 20]
  %1 = const f32[3, 3, 20, 1] graph_constant 0
  %2 = const f32[20] graph_constant 1
  %3 = DEPTHWISE_CONV2D(%0, %1, %2) f32[2, 12, 30, 20] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %4 = CLAMP(%3) f32[2, 12, 30, 20] min_val=-9 max_val=30 nan_mode=PROPAGATE
  %5 = const f32[5, 3, 20, 1] graph_constant 2
  %6 = DEPTHWISE_CONV2D(%4, %5, %2) f32[2, 6, 15, 20] pad=[2, 1, 1, 0] stride=[2, 2] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %7 = MAX_POOL2D(%6) f32[2, 3, 8, 20] kernel=[3, 3] stride=[2, 2] pad=[1, 0, 1, 1] nan_mode=PROPAGATE
  %8 = AVG_POOL2D(%6) f32[2, 6, 15, 20] kernel=[2, 2] stride=[1, 1] pad=[1, 0, 0, 1] acc_type=FP32 input_zp=0 output_zp=0
  %9 = AVG_POOL2D(%4) f32[2, 1, 1, 20] kernel=[12, 30] stride=[1, 1] pad=[0, 0, 0, 0] acc_type=FP32 input_zp=0 output_zp=0
  output %7
  output %8
  output %9)"},
    {"a window with gaps, and one larger than straight code", R"(
  %0 = input f32[1, 9, 21, 8]
  %1 = const f32[3, 3, 8, 1] graph_constant 0
  %2 = const f32[1] graph_constant 1
  %3 = DEPTHWISE_CONV2D(%0, %1, %2) f32[1, 9, 21, 8] pad=[2, 2, 3, 3] stride=[1, 1] dilation=[2, 3] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %4 = const f32[7, 7, 8, 1] graph_constant 2
  %5 = DEPTHWISE_CONV2D(%0, %4, %2) f32[1, 9, 21, 8] pad=[3, 3, 3, 3] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  output %3
  output %5)"},
    {"pointwise convolution and a window over it as one kernel, one strip", R"(
  %0 = input f32[1, 14, 14, 11]
  %1 = const f32[16, 1, 1, 11] graph_constant 0
  %2 = const f32[16] graph_constant 1
  %3 = CONV2D(%0, %1, %2) f32[1, 14, 14, 16] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %4 = CLAMP(%3) f32[1, 14, 14, 16] min_val=-3 max_val=9 nan_mode=PROPAGATE
  %5 = const f32[3, 3, 16, 1] graph_constant 2
  %6 = const f32[16] graph_constant 3
  %7 = DEPTHWISE_CONV2D(%4, %5, %6) f32[1, 14, 14, 16] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %8 = CLAMP(%7) f32[1, 14, 14, 16] min_val=-20 max_val=20 nan_mode=PROPAGATE
  output %8)"},
    {"the same of bytes, one strip", R"(
  %0 = input i8[1, 14, 14, 11]
  %1 = const i8[16, 1, 1, 11] graph_constant 0
  %2 = const i32[16] graph_constant 1
  %3 = CONV2D(%0, %1, %2) i32[1, 14, 14, 16] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-128 weight_zp=0
  %4 = const i32[1] [1373741824]
  %5 = const i8[1] [42]
  %6 = RESCALE(%3, %4, %5) i8[1, 14, 14, 16] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=-128
  %7 = const i8[3, 3, 16, 1] graph_constant 2
  %8 = const i32[16] graph_constant 3
  %9 = DEPTHWISE_CONV2D(%6, %7, %8) i32[1, 14, 14, 16] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-128 weight_zp=0
  %10 = const i32[16] [1073741824, 1083741825, 1093741826, 1103741827, 1113741828, 1123741829, 1133741830, 1143741831, 1153741832, 1163741833, 1173741834, 1183741835, 1193741836, 1203741837, 1213741838, 1223741839]
  %11 = const i8[16] [38, 39, 40, 41, 38, 39, 40, 41, 38, 39, 40, 41, 38, 39, 40, 41]
  %12 = RESCALE(%9, %10, %11) i8[1, 14, 14, 16] scale32=true rounding_mode=SINGLE_ROUND per_channel=true input_unsigned=false output_unsigned=false input_zp=0 output_zp=5
  output %12)"},
    {"pointwise convolution and a window over it as one kernel, several strips", R"(
  %0 = input f32[1, 9, 40, 11]
  %1 = const f32[16, 1, 1, 11] graph_constant 0
  %2 = const f32[16] graph_constant 1
  %3 = CONV2D(%0, %1, %2) f32[1, 9, 40, 16] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %4 = CLAMP(%3) f32[1, 9, 40, 16] min_val=-3 max_val=9 nan_mode=PROPAGATE
  %5 = const f32[3, 3, 16, 1] graph_constant 2
  %6 = const f32[16] graph_constant 3
  %7 = DEPTHWISE_CONV2D(%4, %5, %6) f32[1, 9, 40, 16] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %8 = CLAMP(%7) f32[1, 9, 40, 16] min_val=-20 max_val=20 nan_mode=PROPAGATE
  output %8)"},
    {"the same of bytes, several strips", R"(
  %0 = input i8[1, 9, 40, 11]
  %1 = const i8[16, 1, 1, 11] graph_constant 0
  %2 = const i32[16] graph_constant 1
  %3 = CONV2D(%0, %1, %2) i32[1, 9, 40, 16] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-128 weight_zp=0
  %4 = const i32[1] [1373741824]
  %5 = const i8[1] [42]
  %6 = RESCALE(%3, %4, %5) i8[1, 9, 40, 16] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=-128
  %7 = const i8[3, 3, 16, 1] graph_constant 2
  %8 = const i32[16] graph_constant 3
  %9 = DEPTHWISE_CONV2D(%6, %7, %8) i32[1, 9, 40, 16] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-128 weight_zp=0
  %10 = const i32[16] [1073741824, 1083741825, 1093741826, 1103741827, 1113741828, 1123741829, 1133741830, 1143741831, 1153741832, 1163741833, 1173741834, 1183741835, 1193741836, 1203741837, 1213741838, 1223741839]
  %11 = const i8[16] [38, 39, 40, 41, 38, 39, 40, 41, 38, 39, 40, 41, 38, 39, 40, 41]
  %12 = RESCALE(%9, %10, %11) i8[1, 9, 40, 16] scale32=true rounding_mode=SINGLE_ROUND per_channel=true input_unsigned=false output_unsigned=false input_zp=0 output_zp=5
  output %12)"},
    {"pointwise convolution and a window over it as one kernel, every second position", R"(
  %0 = input f32[1, 14, 32, 11]
  %1 = const f32[16, 1, 1, 11] graph_constant 0
  %2 = const f32[16] graph_constant 1
  %3 = CONV2D(%0, %1, %2) f32[1, 14, 32, 16] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %4 = CLAMP(%3) f32[1, 14, 32, 16] min_val=-3 max_val=9 nan_mode=PROPAGATE
  %5 = const f32[3, 3, 16, 1] graph_constant 2
  %6 = const f32[16] graph_constant 3
  %7 = DEPTHWISE_CONV2D(%4, %5, %6) f32[1, 7, 16, 16] pad=[1, 0, 1, 0] stride=[2, 2] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %8 = CLAMP(%7) f32[1, 7, 16, 16] min_val=-20 max_val=20 nan_mode=PROPAGATE
  output %8)"},
    {"the same of bytes, every second position", R"(
  %0 = input i8[1, 14, 32, 11]
  %1 = const i8[16, 1, 1, 11] graph_constant 0
  %2 = const i32[16] graph_constant 1
  %3 = CONV2D(%0, %1, %2) i32[1, 14, 32, 16] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-128 weight_zp=0
  %4 = const i32[1] [1373741824]
  %5 = const i8[1] [42]
  %6 = RESCALE(%3, %4, %5) i8[1, 14, 32, 16] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=-128
  %7 = const i8[3, 3, 16, 1] graph_constant 2
  %8 = const i32[16] graph_constant 3
  %9 = DEPTHWISE_CONV2D(%6, %7, %8) i32[1, 7, 16, 16] pad=[1, 0, 1, 0] stride=[2, 2] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-128 weight_zp=0
  %10 = const i32[16] [1073741824, 1083741825, 1093741826, 1103741827, 1113741828, 1123741829, 1133741830, 1143741831, 1153741832, 1163741833, 1173741834, 1183741835, 1193741836, 1203741837, 1213741838, 1223741839]
  %11 = const i8[16] [38, 39, 40, 41, 38, 39, 40, 41, 38, 39, 40, 41, 38, 39, 40, 41]
  %12 = RESCALE(%9, %10, %11) i8[1, 7, 16, 16] scale32=true rounding_mode=SINGLE_ROUND per_channel=true input_unsigned=false output_unsigned=false input_zp=0 output_zp=5
  output %12)"},
    {"bytes that are read by convolutions, by one with another zero point, and by others", R"(
  %0 = input i8[1, 6, 10, 16]
  %1 = const i8[16, 1, 1, 16] graph_constant 0
  %2 = const i32[16] graph_constant 1
  %3 = CONV2D(%0, %1, %2) i32[1, 6, 10, 16] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=3 weight_zp=0
  %4 = const i32[1] [1373741824]
  %5 = const i8[1] [42]
  %6 = RESCALE(%3, %4, %5) i8[1, 6, 10, 16] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=-7
  %7 = CONV2D(%6, %1, %2) i32[1, 6, 10, 16] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-7 weight_zp=0
  %8 = RESCALE(%7, %4, %5) i8[1, 6, 10, 16] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=0
  %9 = const i8[3, 3, 16, 1] graph_constant 2
  %10 = DEPTHWISE_CONV2D(%6, %9, %2) i32[1, 6, 10, 16] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=9 weight_zp=0
  %11 = RESCALE(%10, %4, %5) i8[1, 6, 10, 16] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=0
  %12 = const i8[1] [20]
  %13 = RESCALE(%6, %4, %12) i32[1, 6, 10, 16] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=-7 output_zp=0
  %14 = RESCALE(%8, %4, %12) i32[1, 6, 10, 16] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=0
  %15 = ADD(%13, %14) i32[1, 6, 10, 16]
  %16 = MAX_POOL2D(%6) i8[1, 3, 5, 16] kernel=[2, 2] stride=[2, 2] pad=[0, 0, 0, 0] nan_mode=PROPAGATE
  %17 = AVG_POOL2D(%6) i8[1, 6, 10, 16] kernel=[3, 3] stride=[1, 1] pad=[1, 1, 1, 1] acc_type=INT32 input_zp=-7 output_zp=4
  output %11
  output %15
  output %16
  output %17)"},
    {"lines so short that a tile has several", R"(
  %0 = input f32[2, 7, 7, 24]
  %1 = const f32[16, 3, 3, 24] graph_constant 0
  %2 = const f32[16] graph_constant 1
  %3 = CONV2D(%0, %1, %2) f32[2, 7, 7, 16] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %4 = CONV2D(%0, %1, %2) f32[2, 4, 4, 16] pad=[1, 1, 1, 1] stride=[2, 2] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %5 = MUL(%3, %3) f32[2, 7, 7, 16] shift=0
  output %5
  output %4)"},
    {"rows a page apart, and more channels than rows", R"(
  %0 = input f32[1, 3, 7, 1024]
  %1 = const f32[32, 1, 1, 1024] graph_constant 0
  %2 = const f32[32] graph_constant 1
  %3 = CONV2D(%0, %1, %2) f32[1, 3, 7, 32] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  output %3)"},
    {"pointwise, broadcast along one dimension after the other", R"(
  %0 = input f32[4, 6, 16]
  %1 = input f32[1, 6, 1]
  %2 = input f32[4, 1, 16]
  %3 = ADD(%0, %1) f32[4, 6, 16]
  %4 = MUL(%3, %2) f32[4, 6, 16] shift=0
  %5 = MAXIMUM(%4, %0) f32[4, 6, 16] nan_mode=PROPAGATE
  output %5)"},
    {"sums of bytes as large as floats hold, and as they hold them no more", R"(
  %0 = input i8[1, 9, 512]
  %1 = input i8[1, 512, 16]
  %2 = CLAMP(%0) i8[1, 9, 512] min_val=118 max_val=127 nan_mode=PROPAGATE
  %3 = CLAMP(%1) i8[1, 512, 16] min_val=-128 max_val=-119 nan_mode=PROPAGATE
  %4 = MATMUL(%2, %3) i32[1, 9, 16] A_zp=-128 B_zp=0
  %5 = MATMUL(%2, %3) i32[1, 9, 16] A_zp=-127 B_zp=127
  output %4
  output %5)"},
    {"points of bytes and a window over them, few columns and many products", R"(
  %0 = input i8[1, 6, 7, 150]
  %1 = const i8[16, 1, 1, 150] graph_constant 0
  %2 = const i32[16] graph_constant 1
  %3 = CONV2D(%0, %1, %2) i32[1, 6, 7, 16] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-100 weight_zp=0
  %4 = const i32[1] [1473741824]
  %5 = const i8[1] [44]
  %6 = RESCALE(%3, %4, %5) i8[1, 6, 7, 16] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=-128
  %7 = const i8[3, 3, 16, 1] graph_constant 2
  %8 = DEPTHWISE_CONV2D(%6, %7, %2) i32[1, 6, 7, 16] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-128 weight_zp=0
  output %8)"},
    {"pointwise bytes in one row that fills no vector", R"(
  %0 = input i8[3, 7, 11]
  %1 = input i32[3, 7, 11]
  %2 = CLAMP(%0) i8[3, 7, 11] min_val=-50 max_val=60 nan_mode=PROPAGATE
  %3 = CAST(%2) i32[3, 7, 11]
  %4 = MAXIMUM(%3, %1) i32[3, 7, 11] nan_mode=PROPAGATE
  output %4)"},
    {"points of bytes with tails of rows, channels and products", R"(
  %0 = input i8[1, 5, 7, 70]
  %1 = const i8[37, 1, 1, 70] graph_constant 0
  %2 = const i32[37] graph_constant 1
  %3 = CONV2D(%0, %1, %2) i32[1, 5, 7, 37] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-7 weight_zp=0
  output %3)"},
    {"points of bytes in whole steps, and three panels", R"(
  %0 = input i8[2, 4, 5, 128]
  %1 = const i8[48, 1, 1, 128] graph_constant 0
  %2 = const i32[1] graph_constant 1
  %3 = CONV2D(%0, %1, %2) i32[2, 4, 5, 48] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=0 weight_zp=0
  output %3)"},
    {"windows of bytes with strides, gaps and a border, few rows in a line", R"(
  %0 = input i8[3, 9, 13, 24]
  %1 = const i8[20, 3, 3, 24] graph_constant 0
  %2 = const i32[20] graph_constant 1
  %3 = CONV2D(%0, %1, %2) i32[3, 5, 6, 20] pad=[2, 2, 1, 1] stride=[2, 2] dilation=[2, 2] acc_type=INT32 local_bound=false input_zp=11 weight_zp=0
  output %3)"},
    {"windows of bytes over lines of more rows than two matrices", R"(
  %0 = input i8[1, 3, 39, 17]
  %1 = const i8[9, 2, 3, 17] graph_constant 0
  %2 = const i32[9] graph_constant 1
  %3 = CONV2D(%0, %1, %2) i32[1, 2, 37, 9] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-128 weight_zp=0
  output %3)"},
    {"matrix products of bytes by a constant, with tails and a zero point", R"(
  %0 = input i8[3, 19, 101]
  %1 = const i8[3, 101, 45] graph_constant 0
  %2 = MATMUL(%0, %1) i32[3, 19, 45] A_zp=5 B_zp=0
  output %2)"},
    {"points of bfloats by constants, with tails of rows and channels", R"(
  %0 = input bf16[1, 5, 7, 96]
  %1 = const bf16[40, 1, 1, 96] graph_constant 0
  %2 = const bf16[40] graph_constant 1
  %3 = CONV2D(%0, %1, %2) bf16[1, 5, 7, 40] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  %4 = ABS(%3) bf16[1, 5, 7, 40]
  output %4)"},
    {"windows of bfloats with a border", R"(
  %0 = input bf16[2, 6, 11, 6]
  %1 = const bf16[17, 3, 3, 6] graph_constant 0
  %2 = const bf16[1] graph_constant 1
  %3 = CONV2D(%0, %1, %2) bf16[2, 6, 11, 17] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  output %3)"},
    {"matrix products of bfloats by constants, and with products that fill no step", R"(
  %0 = input bf16[2, 18, 64]
  %1 = const bf16[2, 64, 33] graph_constant 0
  %2 = MATMUL(%0, %1) f32[2, 18, 33] A_zp=0 B_zp=0
  %3 = input bf16[1, 9, 35]
  %4 = const bf16[1, 35, 16] graph_constant 1
  %5 = MATMUL(%3, %4) f32[1, 9, 16] A_zp=0 B_zp=0
  output %2
  output %5)"},
    {"more inputs of CONCAT than a kernel has buffers", R"(
  %0 = input i8[3, 1, 2]
  %1 = input i8[3, 2, 2]
  %2 = input i8[3, 3, 2]
  %3 = input i8[3, 1, 2]
  %4 = input i8[3, 2, 2]
  %5 = input i8[3, 3, 2]
  %6 = input i8[3, 1, 2]
  %7 = input i8[3, 2, 2]
  %8 = input i8[3, 3, 2]
  %9 = input i8[3, 1, 2]
  %10 = input i8[3, 2, 2]
  %11 = input i8[3, 3, 2]
  %12 = input i8[3, 1, 2]
  %13 = input i8[3, 2, 2]
  %14 = input i8[3, 3, 2]
  %15 = CONCAT(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14) i8[3, 30, 2] axis=1
  %16 = CLAMP(%15) i8[3, 30, 2] min_val=-100 max_val=90 nan_mode=PROPAGATE
  output %15
  output %16)"},
    {"a tree of CONCAT of operands of all kinds, some of them twice", R"(
  %0 = input i8[3, 1, 2]
  %1 = input i8[3, 2, 2]
  %in = input i8[3, 3, 2]
  %2 = REVERSE(%in) i8[3, 3, 2] axis=1
  %3 = const i8[3, 2, 2] splat 7
  %4 = CLAMP(%0) i8[3, 1, 2] min_val=-5 max_val=5 nan_mode=PROPAGATE
  %5 = const i8[3, 4, 2] graph_constant 0
  %6 = CONCAT(%0, %1, %0, %2, %3, %2, %4, %0, %1, %0, %2, %3, %2, %4, %0, %1, %0, %2, %3, %2, %4, %0, %1, %0, %2, %3, %2, %4, %0, %1, %0, %2, %3, %2, %4, %1, %5, %4, %0) i8[3, 73, 2] axis=1
  %7 = CLAMP(%6) i8[3, 73, 2] min_val=-100 max_val=90 nan_mode=PROPAGATE
  output %6
  output %7)"},
};

Tensor small_numbers(const tosa::TensorType& type, std::minstd_rand& random) {
  Tensor tensor = Tensor::zeros(type);
  const bool bytes = type.data == tosa::DataType::I8;
  std::uniform_int_distribution<int> any(bytes ? -128 : -2, bytes ? 127 : 2);
  for (double& real : tensor.reals) real = any(random);
  for (std::int64_t& integer : tensor.integers) integer = any(random);
  return tensor;
}

// The graph of a case with filled constants.
tosa::Graph graph_of(const Case& one, std::minstd_rand& random) {
  Diagnostics diagnostics;
  auto graph = tosa::parse(make_source(std::string(one.name), formatted("graph g {{{}\n}}\n", one.text)), diagnostics);
  if (!graph) throw std::runtime_error(diagnostics.all().front().message);
  for (tosa::Constant& constant : graph->constants) {
    if (!constant.graph_constant) continue;
    graph->storage.push_back(std::make_shared<const std::vector<std::byte>>(
        small_numbers((*graph)[constant.value].type, random).to_bytes()));
    constant.data = *graph->storage.back();
  }
  tosa::verify(*graph, diagnostics);
  if (diagnostics.has_errors()) throw std::runtime_error(diagnostics.all().front().message);
  return *graph;
}

class KernelStrategiesTest : public KernelTest {
 protected:
  void compare(bool fuse) {
    for (const Case& one : kCases) {
      SCOPED_TRACE(one.name);
      std::minstd_rand random(5);
      const tosa::Graph graph = graph_of(one, random);
      compare(graph, random, fuse);
    }
  }

  void compare(const tosa::Graph& graph, std::minstd_rand& random, bool fuse) {
    std::vector<Tensor> inputs;
    for (const tosa::ValueId input : graph.inputs) inputs.push_back(small_numbers(graph[input].type, random));
    const auto wanted = reference::run(graph, inputs);
    ASSERT_TRUE(wanted);
    const std::vector<Tensor> given = run_kernels(graph, inputs, fuse);
    ASSERT_EQ(given.size(), wanted->size());
    for (std::size_t i = 0; i < given.size(); ++i) {
      EXPECT_EQ(differences(given[i].integers, (*wanted)[i].integers), "") << "output " << i;
      EXPECT_EQ(differences(given[i].reals, (*wanted)[i].reals), "") << "output " << i;
    }
  }

 private:
  template <class T>
  static std::string differences(const std::vector<T>& given, const std::vector<T>& wanted) {
    if (given.size() != wanted.size()) return formatted("{} elements, not {}", given.size(), wanted.size());
    std::size_t count = 0, first = 0;
    for (std::size_t i = given.size(); i-- > 0;) {
      if (given[i] == wanted[i]) continue;
      first = i;
      ++count;
    }
    if (count == 0) return "";
    return formatted("{} of {} elements differ; element {} is {}, not {}", count, given.size(), first, given[first],
                     wanted[first]);
  }
};

TEST_P(KernelStrategiesTest, AgreeWithTheInterpreter) { compare(true); }
TEST_P(KernelStrategiesTest, AgreeWithoutFusing) { compare(false); }

// Kernels compute the same results with all tuning parameters.
TEST_P(KernelStrategiesTest, EveryCandidateAgrees) {
  const bool all = slipway::testing::whole_suite();
  // Otherwise one further candidate of some cases.
  const std::size_t every = all ? 1 : GetParam() == Kernels::Device ? 3 : 8;
  std::size_t tried = 0;
  for (std::size_t case_index = 0; case_index < std::size(kCases); case_index += every) {
    const Case& one = kCases[case_index];
    SCOPED_TRACE(one.name);
    std::minstd_rand random(5);
    const tosa::Graph graph = graph_of(one, random);
    const std::vector<lower::TuningSite> sites = sites_of(graph);
    // All sites at once.
    std::size_t most = 0;
    for (const lower::TuningSite& site : sites) most = std::max(most, site.candidates.size());
    for (std::size_t i = all ? 1 : 1 + case_index % std::max<std::size_t>(most, 2) / 2; i < most; ++i) {
      tuning_.clear();
      for (const lower::TuningSite& site : sites)
        tuning_[site.what] = site.candidates[std::min(i, site.candidates.size() - 1)];
      compare(graph, random, true);
      if (HasFailure()) return;
      ++tried;
      if (!all) break;
    }
  }
  if (GetParam() == Kernels::Device && device_facts(snapshot()).addresses) {
    EXPECT_GT(tried, 3u);
  }
}

// Cooperative matrices read two long steps ahead: even and odd numbers of steps, and a last one that is not whole. Only
// the smallest tiles are tried, because the driver compiles the others slowly.
TEST_P(KernelStrategiesTest, StepsAreReadAhead) {
  if (options(true).device.lanes || options(true).device.matrices.empty()) GTEST_SKIP() << "without matrices";
  for (const std::int64_t depth : {320, 360}) {
    SCOPED_TRACE(depth);
    std::minstd_rand random(5);
    const std::string text = formatted(
        "\n  %0 = input f16[1, 30, {0}]\n  %1 = input f16[1, {0}, 40]\n"
        "  %2 = MATMUL(%0, %1) f16[1, 30, 40] A_zp=0 B_zp=0\n  output %2",
        depth);
    const tosa::Graph graph = graph_of({"steps", text}, random);
    const std::vector<lower::TuningSite> sites = sites_of(graph);
    std::size_t tried = 0;
    for (const lower::TuningSite& site : sites) {
      for (const lower::Parameters& candidate : site.candidates) {
        if (!candidate.contains("across") || candidate.at("rows") * candidate.at("columns") > 1) continue;
        if (candidate.at("step") < 64 || candidate.at("parts") > 1) continue;
        tuning_ = {{site.what, candidate}};
        compare(graph, random, true);
        ++tried;
      }
    }
    EXPECT_GT(tried, 0u);
  }
}

// A convolution that asks for sums of 16 bits, with and without parts.
constexpr std::string_view kSumsOfHalves = R"(
  %0 = input f16[1, 9, 10, 32]
  %1 = const f16[24, 3, 3, 32] graph_constant 0
  %2 = const f16[24] graph_constant 1
  %3 = CONV2D(%0, %1, %2) f16[1, 9, 10, 24] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP16 local_bound=false input_zp=0 weight_zp=0
  output %3)";

bool has_matrices_of_halves(const lower::DeviceFacts& device) {
  return std::ranges::contains(device.matrices, tensor::ElementType::F16, &lower::MatrixShape::sum);
}

TEST_P(KernelStrategiesTest, SumsOfHalves) {
  if (options(true).device.lanes || !has_matrices_of_halves(options(true).device))
    GTEST_SKIP() << "without matrices of 16-bit sums";
  std::minstd_rand random(5);
  const tosa::Graph graph = graph_of({"halves", kSumsOfHalves}, random);
  std::size_t tried = 0;
  for (const lower::TuningSite& site : sites_of(graph)) {
    for (const lower::Parameters& candidate : site.candidates) {
      if (!candidate.contains("halves") || candidate.at("rows") * candidate.at("columns") > 1) continue;
      if (candidate.at("parts") > 3) continue;
      tuning_ = {{site.what, candidate}};
      compare(graph, random, true);
      ++tried;
    }
  }
  EXPECT_GT(tried, 0u);
}

// Stages wait for each other in their code. Two of them have two dispatches each, and results are read much later.
TEST_P(KernelStrategiesTest, StagesWaitInTheirCode) {
  if (!options(true).device.starts_in_order || !options(true).device.addresses)
    GTEST_SKIP() << "dispatches need not start in order, or kernels have no addresses to count at";
  std::minstd_rand random(5);
  const tosa::Graph graph = graph_of({"stages", R"(
  %0 = input f32[1, 40, 64]
  %1 = input f32[1, 64, 64]
  %2 = MATMUL(%0, %1) f32[1, 40, 64] A_zp=0 B_zp=0
  %3 = CLAMP(%2) f32[1, 40, 64] min_val=-4.0 max_val=4.0 nan_mode=PROPAGATE
  %4 = MATMUL(%3, %1) f32[1, 40, 64] A_zp=0 B_zp=0
  %5 = CLAMP(%4) f32[1, 40, 64] min_val=-4.0 max_val=4.0 nan_mode=PROPAGATE
  %6 = REDUCE_SUM(%3) f32[1, 40, 1] axis=2
  %7 = REDUCE_MAX(%5) f32[1, 1, 64] axis=1 nan_mode=PROPAGATE
  %8 = MATMUL(%5, %1) f32[1, 40, 64] A_zp=0 B_zp=0
  %9 = ADD(%8, %7) f32[1, 40, 64]
  %10 = ADD(%9, %6) f32[1, 40, 64]
  %11 = CLAMP(%10) f32[1, 40, 64] min_val=-4.0 max_val=4.0 nan_mode=PROPAGATE
  %12 = MATMUL(%11, %1) f32[1, 40, 64] A_zp=0 B_zp=0
  %13 = ADD(%12, %3) f32[1, 40, 64]
  %14 = CLAMP(%13) f32[1, 40, 64] min_val=-4.0 max_val=4.0 nan_mode=PROPAGATE
  %15 = REDUCE_SUM(%14) f32[1, 40, 1] axis=2
  %16 = MATMUL(%14, %1) f32[1, 40, 64] A_zp=0 B_zp=0
  %17 = ADD(%16, %15) f32[1, 40, 64]
  %18 = CLAMP(%17) f32[1, 40, 64] min_val=-4.0 max_val=4.0 nan_mode=PROPAGATE
  %19 = MATMUL(%18, %1) f32[1, 40, 64] A_zp=0 B_zp=0
  %20 = CLAMP(%19) f32[1, 40, 64] min_val=-4.0 max_val=4.0 nan_mode=PROPAGATE
  %21 = MATMUL(%20, %1) f32[1, 40, 64] A_zp=0 B_zp=0
  %22 = CLAMP(%21) f32[1, 40, 64] min_val=-4.0 max_val=4.0 nan_mode=PROPAGATE
  output %22)"},
                                     random);
  const auto program = lower::lower_graph(graph, options(true));
  ASSERT_TRUE(program);
  const auto waiting = std::ranges::count_if(
      program->dispatches, [](const lower::ProgramDispatch& dispatch) { return dispatch.link.workgroups > 0; });
  EXPECT_GE(waiting, 4) << print_program(graph, *program);
  for (int i = 0; i < 3; ++i) compare(graph, random, true);
}

// The last workgroup of a tile adds the parts of its sums: of two products in one stage, which need counters of their
// own, and of one after them, which needs its counters to be zero again. Its results have 32 bits, which hold all sums:
// NVIDIA's driver leaves out the rounding to 16 bits between operators of one kernel.
TEST_P(KernelStrategiesTest, TheLastWorkgroupAddsTheParts) {
  if (options(true).device.lanes || options(true).device.matrices.empty()) GTEST_SKIP() << "without matrices";
  std::minstd_rand random(5);
  const tosa::Graph graph = graph_of({"parts", R"(
  %0 = input f16[1, 40, 256]
  %1 = input f16[1, 256, 256]
  %2 = input f16[1, 256, 256]
  %3 = MATMUL(%0, %1) f16[1, 40, 256] A_zp=0 B_zp=0
  %4 = MATMUL(%0, %2) f16[1, 40, 256] A_zp=0 B_zp=0
  %5 = MATMUL(%3, %2) f32[1, 40, 256] A_zp=0 B_zp=0
  %6 = CAST(%4) f32[1, 40, 256]
  %7 = ADD(%5, %6) f32[1, 40, 256]
  output %7
  output %3
  output %4)"},
                                     random);
  const std::vector<lower::TuningSite> sites = sites_of(graph);
  std::size_t tried = 0;
  for (const lower::TuningSite& site : sites) {
    for (const lower::Parameters& candidate : site.candidates) {
      if (!candidate.contains("joined") || candidate.at("rows") * candidate.at("columns") > 1) continue;
      if (candidate.at("parts") > 4) continue;
      SCOPED_TRACE(candidate.at("parts"));
      tuning_.clear();
      for (const lower::TuningSite& one : sites) {
        if (std::ranges::contains(one.candidates, candidate)) tuning_[one.what] = candidate;
      }
      const auto program = lower::lower_graph(graph, options(true));
      ASSERT_TRUE(program);
      EXPECT_EQ(std::ranges::count(program->kernels, "CLEAR", &lower::ProgramKernel::name), 1);
      std::set<std::uint32_t> counters;
      for (const lower::ProgramDispatch& dispatch : program->dispatches) {
        const lower::ProgramKernel& kernel = program->kernels[dispatch.kernel];
        if (!kernel.exchanged.empty()) counters.insert(dispatch.buffers[kernel.exchanged.back()]);
      }
      EXPECT_EQ(counters.size(), 2u);
      compare(graph, random, true);
      if (HasFailure()) return;
      ++tried;
    }
  }
  EXPECT_GT(tried, 0u);
}

// Padding is not a product with zero: an infinite or NaN weight has no effect on it.
TEST_P(KernelStrategiesTest, PaddingContributesNothing) {
  using enum tosa::DataType;
  slipway::tosa_cases::TensorBuilder make(1, slipway::tosa_cases::Pattern::Random);
  for (const tosa::DataType type : {F32, F16, BF16, F8E4M3, F8E5M2}) {
    const bool small = type == F8E4M3 || type == F8E5M2;
    for (const double last : {2.0, HUGE_VAL, std::nan("")}) {
      if (type == F8E4M3 && last == HUGE_VAL) continue;  // the type has no infinity
      for (const bool constants : {true, false}) {
        const auto numbers = [](std::size_t i) { return static_cast<double>(i % 5) - 2; };
        slipway::tosa_cases::CaseParts parts{
            {make.filled(type, {1, 5, 9, 8}, numbers),
             make.filled(type, {8, 3, 3, 8}, [&](std::size_t i) { return i == 575 ? last : numbers(i); }),
             make.filled(small ? F16 : type, {8}, numbers)},
            {{"pad", {1, 1, 1, 1}},
             {"stride", {1, 1}},
             {"dilation", {1, 1}},
             {"acc_type", {static_cast<std::int64_t>(small ? tosa::AccType::Fp16 : tosa::AccType::Fp32)}},
             {"local_bound", {0}},
             {"input_zp", {0}},
             {"weight_zp", {0}}},
            {small ? F16 : type},
            constants};
        Diagnostics problems;
        auto made = slipway::tosa_cases::make_case(formatted("padding/{}/{}", tosa::name_of(type), last),
                                                   tosa::Op::CONV2D, std::move(parts), problems);
        ASSERT_TRUE(made) << slipway::tosa_cases::text_of(problems);
        check(std::move(*made));
      }
    }
  }
  finish();
}

// What is beside a window in memory is not a product with zero either: infinities stay in the windows that have them.
TEST_P(KernelStrategiesTest, NeighboursOfAWindowContributeNothing) {
  for (const std::string_view pad : {"1, 1, 1, 0", "1, 1, 0, 1"}) {
    SCOPED_TRACE(pad);
    std::minstd_rand random(5);
    const std::string text = formatted(R"(
  %0 = input f16[1, 9, 10, 3]
  %1 = const f16[8, 3, 3, 3] graph_constant 0
  %2 = const f16[8] graph_constant 1
  %3 = CONV2D(%0, %1, %2) f16[1, 5, 5, 8] pad=[{}] stride=[2, 2] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0
  output %3)",
                                       pad);
    const tosa::Graph graph = graph_of({"windows", text}, random);
    Tensor image = small_numbers(graph[graph.inputs[0]].type, random);
    for (const std::size_t element : {14, 15, 150, 260}) image.reals[element] = HUGE_VAL;
    const auto wanted = reference::run(graph, {{image}});
    ASSERT_TRUE(wanted);
    const std::vector<double> given = run_kernels(graph, {{image}})[0].reals;
    std::size_t finite = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const double one = (*wanted)[0].reals[i];
      EXPECT_TRUE(std::isnan(one) ? std::isnan(given[i]) : given[i] == one) << i << ": " << given[i] << ", not " << one;
      finite += std::isfinite(one);
    }
    EXPECT_GT(finite, 100u);
    EXPECT_LT(finite, 200u);
  }
}

SLIPWAY_WITH_ALL_KERNELS(KernelStrategiesTest);

// Which strategy a group gets: kernels use cooperative matrices or not.
bool uses_matrices(const lower::KernelProgram& program) {
  constexpr std::uint32_t kTypeCooperativeMatrix = 4456;
  return std::ranges::any_of(program.kernels, [](const lower::ProgramKernel& kernel) {
    return std::ranges::any_of(
        *kernel.spirv, [](std::uint32_t word) { return (word & 0xffff) == kTypeCooperativeMatrix && word >> 16 == 7; });
  });
}

TEST(KernelStrategies, MatricesAreUsedWhereTheDeviceHasThem) {
  using enum tensor::ElementType;
  const lower::DeviceFacts plain = slipway::testing::gpu_facts();
  lower::DeviceFacts gpu = plain;
  gpu.matrices = {{16, 16, 16, F16, F32}, {16, 16, 16, BF16, F32}, {16, 16, 32, I8, I32}};
  const std::set<std::string_view> with_matrices = {
      "16-bit matrix product, whole tiles",
      "16-bit matrix product with 16-bit results, whole tiles",
      "16-bit matrix product with tails",
      "few results of many 16-bit products",
      "few results of many products of bytes",
      "16-bit convolution",
      "windows of 16-bit floats in pairs, from the middle of one and to the middle of one",
      "windows of 16-bit floats in volumes, in pairs with gaps on both sides",
      "windows of 16-bit floats in single elements",
      "matrix product of bytes, whole tiles",
      "matrix products of bytes with tails and a zero point",
      "points of bytes in whole steps, and three panels",
      "convolution of bytes with a border",
      "more products of bytes than a float can sum, rescaled by channel",
      "products of bytes that are scaled by floats, limited and stored as bytes",
      "matrix product of bfloats",
      "points of bfloats by constants, with tails of rows and channels",
      "windows of bfloats with a border",
      "matrix products of bfloats by constants, and with products that fill no step",
      "bytes that are read by convolutions, by one with another zero point, and by others",
  };
  std::minstd_rand random(5);
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    const tosa::Graph graph = graph_of(one, random);
    EXPECT_FALSE(uses_matrices(*lower::lower_graph(graph, {.device = plain})));
    const auto program = lower::lower_graph(graph, {.device = gpu});
    EXPECT_EQ(uses_matrices(*program), with_matrices.contains(one.name));
    for (const lower::ProgramKernel& kernel : program->kernels) {
      const Result<> valid = spirv::validate(*kernel.spirv, kernel.name);
      EXPECT_TRUE(valid) << format_diagnostics(valid.error());
    }
  }
}

// Only tuning chooses sums of 16 bits, and only where the model asks for them.
TEST(KernelStrategies, SumsOfHalvesAreForModelsThatAskForThem) {
  using enum tensor::ElementType;
  lower::DeviceFacts gpu = slipway::testing::gpu_facts();
  gpu.matrices = {{16, 16, 16, F16, F32}, {16, 16, 16, F16, F16}};
  const auto lowered_with = [&](const tosa::Graph& graph, const std::string& what,
                                const lower::Parameters& parameters) {
    gpu.tuning = {{what, parameters}};
    const auto program = lower::lower_graph(graph, {.device = gpu});
    gpu.tuning = {};
    return program.value();
  };
  const auto candidates_of = [&](std::string_view text) {
    std::minstd_rand random(5);
    const tosa::Graph graph = graph_of({"halves", text}, random);
    const auto listed = lower::lower_graph(graph, {.list_sites = true, .device = gpu});
    std::vector<lower::Parameters> all;
    for (const lower::TuningSite& site : listed.value().sites) {
      for (const lower::Parameters& candidate : site.candidates) {
        all.push_back(candidate);
        if (!candidate.contains("halves")) continue;
        const lower::KernelProgram program = lowered_with(graph, site.what, candidate);
        for (const lower::ProgramKernel& kernel : program.kernels)
          EXPECT_TRUE(spirv::validate(*kernel.spirv, kernel.name));
      }
    }
    return all;
  };
  const auto of_halves = [](const lower::Parameters& candidate) { return candidate.contains("halves"); };
  const std::vector<lower::Parameters> asked = candidates_of(kSumsOfHalves);
  ASSERT_FALSE(asked.empty());
  EXPECT_FALSE(of_halves(asked.front()));
  EXPECT_TRUE(std::ranges::any_of(asked, of_halves));
  // Without a measurement of their own, they have the parameters of the same product with sums of 32 bits.
  std::minstd_rand random(5);
  const tosa::Graph graph = graph_of({"halves", kSumsOfHalves}, random);
  const auto spirv_with = [&](const std::string& what, const lower::Parameters& parameters) {
    return *lowered_with(graph, what, parameters).kernels.back().spirv;
  };
  const std::string own = lower::lower_graph(graph, {.list_sites = true, .device = gpu}).value().sites.at(0).what;
  ASSERT_TRUE(own.ends_with(", in 16 bits"));
  const std::string wide_sums = own.substr(0, own.rfind(','));
  EXPECT_NE(spirv_with(own, asked[1]), spirv_with(own, asked[0]));
  EXPECT_EQ(spirv_with(wide_sums, asked[1]), spirv_with(own, asked[1]));
  std::string wide(kSumsOfHalves);
  wide.replace(wide.find("acc_type=FP16"), 13, "acc_type=FP32");
  EXPECT_TRUE(std::ranges::none_of(candidates_of(wide), of_halves));
  gpu.matrices.pop_back();
  EXPECT_TRUE(std::ranges::none_of(candidates_of(kSumsOfHalves), of_halves));
}

// Matrices of bytes are multiplied channel by channel: a transposed one has this order in memory, others are copied to
// it.
TEST(KernelStrategies, TransposedBytesAreReadInPlace) {
  lower::DeviceFacts gpu = slipway::testing::gpu_facts();
  gpu.matrices = {{16, 16, 32, tensor::ElementType::I8, tensor::ElementType::I32}};
  const auto kernels = [&](std::string_view b) {
    std::minstd_rand random(5);
    const std::string text = formatted(
        "\n  %0 = input i8[3, 64, 96]\n{}\n  %3 = MATMUL(%0, %2) i32[3, 64, 48] A_zp=0 B_zp=0\n  output %3", b);
    const auto program = lower::lower_graph(graph_of({"product", text}, random), {.device = gpu});
    std::vector<std::string> names;
    for (const lower::ProgramKernel& kernel : program.value().kernels) {
      names.push_back(kernel.name);
      EXPECT_TRUE(spirv::validate(*kernel.spirv, kernel.name));
    }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(kernels("  %1 = input i8[3, 48, 96]\n  %2 = TRANSPOSE(%1) i8[3, 96, 48] perms=[0, 2, 1]"), Names{"MATMUL"});
  EXPECT_EQ(kernels("  %1 = input i8[96, 3, 48]\n  %2 = TRANSPOSE(%1) i8[3, 96, 48] perms=[1, 0, 2]"),
            (Names{"CHANNELS+TRANSPOSE+MATMUL", "MATMUL"}));
  EXPECT_EQ(kernels("  %2 = input i8[3, 96, 48]"), (Names{"CHANNELS+MATMUL", "MATMUL"}));
}

// Of the CPU engine with AMX or I8MM: products of bytes and bfloats whose weights are constants, and that have several
// rows.
TEST(KernelStrategies, MatricesAreUsedWhereTheCpuHasThem) {
  const std::set<std::string_view> with_matrices = {
      "more products of bytes than a float can sum, rescaled by channel",
      "products of bytes that are scaled by floats, limited and stored as bytes",
      "few results of many products of bytes",
      "matrix products of bytes with tails and a zero point",
      "convolution of bytes with a border",
      "bytes that are read by convolutions, by one with another zero point, and by others",
      "points of bytes with tails of rows, channels and products",
      "points of bytes in whole steps, and three panels",
      "windows of bytes with strides, gaps and a border, few rows in a line",
      "windows of bytes over lines of more rows than two matrices",
      "matrix products of bytes by a constant, with tails and a zero point",
      "points of bfloats by constants, with tails of rows and channels",
      "windows of bfloats with a border",
      "windows of 16-bit floats in volumes, in pairs with gaps on both sides",
      "matrix products of bfloats by constants, and with products that fill no step",
  };
  std::minstd_rand random(5);
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    const tosa::Graph graph = graph_of(one, random);
    for (const cpu::Level level : {cpu::Level::Avx512Vnni, cpu::Level::Amx, cpu::Level::DotProd, cpu::Level::I8mm}) {
      const auto program = lower::lower_graph(
          graph, {.device = cpu::facts_of(cpu::any_target_of(level)), .max_groups = cpu::kMaxGroups});
      ASSERT_TRUE(program);
      // Those of I8MM have four bfloats of K; six channels do not fill two of them.
      const bool has_them =
          level == cpu::Level::Amx || (level == cpu::Level::I8mm && one.name != "windows of bfloats with a border");
      EXPECT_EQ(uses_matrices(*program), has_them && with_matrices.contains(one.name))
          << cpu::kLevelNames[static_cast<std::size_t>(level)];
      for (const lower::ProgramKernel& kernel : program->kernels) {
        const Result<> valid = spirv::validate(*kernel.spirv, kernel.name);
        EXPECT_TRUE(valid) << format_diagnostics(valid.error());
      }
    }
  }
}

// On CPUs a pointwise convolution and the window over its result are one dispatch.
TEST(KernelStrategies, PointwiseAndDepthwiseConvolutionsAreOneKernel) {
  const lower::DeviceFacts cpu = slipway::testing::cpu_facts();
  for (const Case& one : kCases) {
    if (!one.name.starts_with("pointwise convolution and a window over it as one kernel")) continue;
    std::minstd_rand random(5);
    const auto program = lower::lower_graph(graph_of(one, random), {.device = cpu});
    ASSERT_TRUE(program);
    EXPECT_EQ(program->dispatches.size(), 1u) << one.name;
  }
}

// Equal groups share a kernel, independent of their weights.
TEST(KernelStrategies, EqualConvolutionsShareTheirKernels) {
  std::minstd_rand random(5);
  const auto same = std::ranges::find(kCases, "the same convolution three times", &Case::name);
  const tosa::Graph graph = graph_of(*same, random);
  const auto program = lower::lower_graph(graph, {.device = slipway::testing::cpu_facts()});
  ASSERT_TRUE(program);
  EXPECT_EQ(program->dispatches.size(), 6u);  // each with its border
  EXPECT_EQ(program->kernels.size(), 3u);     // the border, a convolution with and one without its clamp
}

}  // namespace
}  // namespace slipway::model
