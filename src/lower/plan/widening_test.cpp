// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/plan/widening.hpp"

#include "lower/plan/fusion.hpp"
#include "lower/testing.hpp"
#include "testing/device_facts.hpp"

namespace slipway::lower {
namespace {

// A convolution of bytes, rescaled to bytes and read by another one with this padding.
std::string widened(std::string_view pad, const DeviceFacts& device, std::string_view rest = "") {
  const auto conv = [](std::string_view input, std::string_view padding) {
    return formatted("CONV2D({}, %1, %2) i32[1, 8, 8, 16] {}", input,
                     conv2d_attributes(padding, "1, 1", "1, 1", "INT32", -3));
  };
  const std::string_view second = pad == "0, 0, 0, 0" ? "%1" : "%9";
  std::string last = conv("%6", pad);
  last.replace(last.find("%1"), 2, second);
  const tosa::Graph graph =
      graph_of(formatted("%0 = input i8[1, 8, 8, 16]\n"
                         "%1 = const i8[16, 1, 1, 16] splat 2\n"
                         "%9 = const i8[16, 3, 3, 16] splat 2\n"
                         "%2 = const i32[16] splat 0\n"
                         "%3 = const i32[1] [1073741824]\n"
                         "%4 = const i8[1] [30]\n"
                         "%5 = {}\n"
                         "%6 = RESCALE(%5, %3, %4) i8[1, 8, 8, 16] {} input_zp=0 output_zp=-3\n"
                         "%7 = {}\n"
                         "output %7\n{}",
                         conv("%0", "0, 0, 0, 0"), kRescaleAttributes, last, rest));
  return print_widening(graph, plan_widening(graph, plan_fusion(graph, true, device), device));
}

TEST(PlanWidening, CpusStoreBytesThatConvolutionsReadAsFloats) {
  EXPECT_EQ(widened("0, 0, 0, 0", testing::cpu_facts()), "%7 as f32, minus zero point -3\n");
}

TEST(PlanWidening, AConvolutionWithPaddingReadsACopyInstead) {
  EXPECT_EQ(widened("1, 1, 1, 1", testing::cpu_facts()), "");
}

TEST(PlanWidening, CpusWithProductsOfPairsStoreThemAs16BitIntegers) {
  DeviceFacts device = testing::cpu_facts();
  device.native_vectors = true;
  EXPECT_EQ(widened("0, 0, 0, 0", device), "%7 as i16, minus zero point -3\n");
}

TEST(PlanWidening, CpusWithProductsOfBytesStoreThemAsTheyAre) {
  DeviceFacts device = testing::cpu_facts();
  device.native_vectors = true;
  device.dot_products = true;
  EXPECT_EQ(widened("0, 0, 0, 0", device), "");
}

TEST(PlanWidening, OutputsKeepTheirType) { EXPECT_EQ(widened("0, 0, 0, 0", testing::cpu_facts(), "output %6\n"), ""); }

TEST(PlanWidening, GpusMultiplyBytes) { EXPECT_EQ(widened("0, 0, 0, 0", testing::gpu_facts()), ""); }

}  // namespace
}  // namespace slipway::lower
