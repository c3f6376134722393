// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/layout/cancel_unsigned.hpp"

#include <gmock/gmock.h>

#include "tosa/testing.hpp"

namespace slipway::importer {
namespace {

using ::testing::HasSubstr;

constexpr char kToSigned[] =
    "scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=true output_unsigned=false input_zp=128 "
    "output_zp=0";
constexpr char kToUnsigned[] =
    "scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=true input_zp=0 "
    "output_zp=128";

tosa::Graph graph_with(std::string text) {
  for (const auto& [name, attributes] : {std::pair("$signed", kToSigned), std::pair("$unsigned", kToUnsigned)}) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name))
      text.replace(at, std::string(name).size(), attributes);
  }
  return tosa::graph_of(text);
}

std::size_t rescales(const tosa::Graph& graph) {
  std::size_t count = 0;
  for (const tosa::Node& node : graph.nodes) count += node.op == tosa::Op::RESCALE ? 1 : 0;
  return count;
}

// Between two operators on int8, past movement of data; the filling of a PAD changes as the elements do.
TEST(CancelUnsigned, MovesPastMovement) {
  tosa::Graph graph = graph_with(R"(graph main {
    %0 = input i8[1, 4] "x"
    %1 = const i32[1] [1073741824]
    %2 = const i8[1] [30]
    %3 = CLAMP(%0) i8[1, 4] min_val=-100 max_val=100 nan_mode=PROPAGATE
    %4 = RESCALE(%3, %1, %2) i8[1, 4] $unsigned
    %5 = RESHAPE(%4) i8[4] shape=[4]
    %6 = PAD(%5) i8[6] padding=[1, 1] pad_const=5
    %7 = RESCALE(%6, %1, %2) i8[6] $signed
    %8 = CLAMP(%7) i8[6] min_val=-50 max_val=50 nan_mode=PROPAGATE
    output %8
  })");
  cancel_unsigned(graph);
  EXPECT_EQ(rescales(graph), 0U) << tosa::print(graph);
  EXPECT_THAT(tosa::print(graph), HasSubstr("pad_const=-123"));
}

// A result that is read without a sign keeps one conversion.
TEST(CancelUnsigned, KeepsWhatIsRead) {
  tosa::Graph graph = graph_with(R"(graph main {
    %0 = input i8[4] "x"
    %1 = const i32[1] [1073741824]
    %2 = const i8[1] [30]
    %3 = RESCALE(%0, %1, %2) i8[4] $signed
    %4 = CLAMP(%3) i8[4] min_val=-100 max_val=100 nan_mode=PROPAGATE
    %5 = RESCALE(%4, %1, %2) i8[4] $unsigned
    %6 = RESCALE(%5, %1, %2) i8[4] $signed
    %7 = CONCAT(%5, %5) i8[8] axis=0
    output %6
    output %7
  })");
  cancel_unsigned(graph);
  EXPECT_EQ(rescales(graph), 2U) << tosa::print(graph);
}

// Other factors and zero points are not conversions of the top bit.
TEST(CancelUnsigned, KeepsOtherScales) {
  tosa::Graph graph = graph_with(R"(graph main {
    %0 = input i8[4] "x"
    %1 = const i32[1] [1073741824]
    %2 = const i8[1] [30]
    %3 = const i32[1] [1073741825]
    %4 = RESCALE(%0, %1, %2) i8[4] $unsigned
    %5 = RESCALE(%4, %3, %2) i8[4] $signed
    %6 = RESCALE(%5, %1, %2) i8[4] $unsigned
    output %6
  })");
  cancel_unsigned(graph);
  EXPECT_EQ(rescales(graph), 3U) << tosa::print(graph);
}

}  // namespace
}  // namespace slipway::importer
