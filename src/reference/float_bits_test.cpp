// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float results bit for bit, as recorded: they are the same on every machine and with every compiler. A compiler that
// contracts products and sums changes the sums before they are rounded.
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "reference/run.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::reference {
namespace {

struct Case {
  std::string_view graph;  // without its braces
  std::string_view bits;   // of the elements of all outputs, as hexadecimal floats
};

struct Prepared {
  tosa::Graph graph;
  std::vector<Tensor> inputs;
};

Prepared prepare(std::string_view lines) {
  Diagnostics problems;
  auto graph = tosa::parse(make_source("g.graph", formatted("graph g {{\n{}}}\n", lines)), problems);
  if (graph) tosa::verify(*graph, problems);
  EXPECT_FALSE(problems.has_errors()) << problems.all()[0].message << "\n" << lines;
  if (!graph || problems.has_errors()) return {};
  Prepared made{std::move(*graph), {}};
  // Numbers from 1/64 to 5 with many digits, and both signs; positive ones for the last input.
  std::uint64_t drawn = 0;
  for (const tosa::ValueId input : made.graph.inputs) {
    Tensor& tensor = made.inputs.emplace_back(Tensor::zeros(made.graph[input].type));
    for (double& real : tensor.reals) {
      drawn = drawn * 6364136223846793005u + 1442695040888963407u;
      const double size = static_cast<double>(drawn >> 40) / 0x1p24 * 5 + 0x1p-6;
      real = round_to(tensor.type.data, (drawn >> 32) & 1 && input != made.graph.inputs.back() ? -size : size);
    }
  }
  return made;
}

void add_text(std::string& text, std::span<const double> reals) {
  for (const double real : reals) append_formatted(text, "{}{:a}", text.empty() ? "" : " ", real);
}

TEST(FloatBits, Results) {
  constexpr Case kCases[] = {
      {"%0 = input f32[1, 2, 2, 3]\n"
       "%1 = input f32[1, 2, 2, 3]\n"
       "%2 = input f32[1]\n"
       "%3 = CONV2D(%0, %1, %2) f32[1, 1, 1, 1] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=FP32 "
       "local_bound=false input_zp=0 weight_zp=0\n"
       "output %3\n",
       "1.6a5ef6p+1"},
      {"%0 = input f32[1, 2, 2, 2]\n"
       "%1 = input f32[2, 2, 2, 1]\n"
       "%2 = input f32[2]\n"
       "%3 = DEPTHWISE_CONV2D(%0, %1, %2) f32[1, 1, 1, 2] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=FP32 "
       "local_bound=false input_zp=0 weight_zp=0\n"
       "output %3\n",
       "1.950ac2p+3 1.64100ep+2"},
      {"%0 = input f32[1, 1, 7]\n"
       "%1 = input f32[1, 7, 2]\n"
       "%2 = MATMUL(%0, %1) f32[1, 1, 2] A_zp=0 B_zp=0\n"
       "output %2\n",
       "1.4b7d34p+4 1.2fa534p-2"},
      {"%0 = input f16[1, 1, 7]\n"
       "%1 = input f16[1, 7, 2]\n"
       "%2 = MATMUL(%0, %1) f16[1, 1, 2] A_zp=0 B_zp=0\n"
       "output %2\n",
       "1.4bcp+4 1.2fcp-2"},
      {"%0 = input f32[1, 3, 3, 1]\n"
       "%1 = AVG_POOL2D(%0) f32[1, 1, 1, 1] kernel=[3, 3] stride=[1, 1] pad=[0, 0, 0, 0] acc_type=FP32 input_zp=0 "
       "output_zp=0\n"
       "output %1\n",
       "1.b59bfcp+0"},
      {"%0 = input f32[9]\n"
       "%1 = REDUCE_SUM(%0) f32[1] axis=0\n"
       "%2 = REDUCE_PRODUCT(%0) f32[1] axis=0\n"
       "output %1\n"
       "output %2\n",
       "1.ec4f7cp+3 1.9a51ep+3"},
      // A product and a sum are rounded one after the other.
      {"%0 = input f32[3]\n"
       "%1 = input f32[3]\n"
       "%2 = MUL(%0, %1) f32[3] shift=0\n"
       "%3 = ADD(%2, %0) f32[3]\n"
       "%4 = MUL(%3, %3) f32[3] shift=0\n"
       "%5 = SUB(%4, %1) f32[3]\n"
       "output %5\n",
       "-1.05fad4p-1 1.b8e71p-2 1.087624p+7"},
      {"%0 = input bf16[3]\n"
       "%1 = input bf16[3]\n"
       "%2 = MUL(%0, %1) bf16[3] shift=0\n"
       "%3 = ADD(%2, %0) bf16[3]\n"
       "output %3\n",
       "1.3ap+0 -1.8ap+0 1.74p+3"},
      {"%0 = input f32[3]\n"
       "%1 = EXP(%0) f32[3]\n"
       "%2 = TANH(%0) f32[3]\n"
       "%3 = SIGMOID(%0) f32[3]\n"
       "%4 = ERF(%0) f32[3]\n"
       "%5 = SIN(%0) f32[3]\n"
       "%6 = COS(%0) f32[3]\n"
       "%7 = LOG(%0) f32[3]\n"
       "%8 = RSQRT(%0) f32[3]\n"
       "%9 = RECIPROCAL(%0) f32[3]\n"
       "%10 = POW(%0, %9) f32[3]\n"
       "output %1\noutput %2\noutput %3\noutput %4\noutput %5\noutput %6\noutput %7\noutput %8\noutput %9\n"
       "output %10\n",
       "1.807656p+0 1.b06054p+0 1.4f3c08p+4 1.8ae534p-2 1.ec69ep-2 1.fdac36p-1 1.33590ap-1 1.4197aep-1 1.e8ad32p-1 "
       "1.bd38c4p-2 1.15374ap-1 1.fffdcap-1 1.950b6cp-2 1.003b04p-1 1.9645dcp-4 1.d63e46p-1 1.bb4596p-1 -1.fd79a6p-1 "
       "-1.ccad1p-1 -1.4ac55ap-1 1.1cd3p+0 1.917076p+0 1.619c48p+0 1.258b4p-1 1.3ac0c2p+1 1.e8705cp+0 1.50980ap-2 "
       "1.c034f6p-4 1.2a869ap-2 1.710916p+0"},
      {"%0 = input f32[3]\n"
       "%1 = CAST(%0) f16[3]\n"
       "%2 = CAST(%0) bf16[3]\n"
       "%3 = CAST(%1) e4m3[3]\n"
       "output %1\noutput %2\noutput %3\n",
       "1.a08p-2 1.0c4p-1 1.858p+1 1.ap-2 1.0cp-1 1.86p+1 1.ap-2 1p-1 1.8p+1"},
  };
  for (const auto& [lines, bits] : kCases) {
    Prepared made = prepare(lines);
    const auto outputs = run(made.graph, std::move(made.inputs));
    ASSERT_TRUE(outputs);
    std::string given;
    for (const Tensor& output : *outputs) add_text(given, output.reals);
    EXPECT_EQ(given, bits) << lines;
  }
}

// The products of RESIZE are not exact: one that is not rounded before it is added changes these bits.
TEST(FloatBits, SumsBeforeTheyAreRounded) {
  constexpr Case kCases[] = {
      {"%0 = input f32[1, 4, 4]\n"
       "%1 = input f32[1, 4, 4]\n"
       "%2, %3 = FFT2D(%0, %1) f32[1, 4, 4], f32[1, 4, 4] inverse=false local_bound=false\n"
       "output %2\noutput %3\n",
       "1.c13225p+3 -1.8de055fffffffp+1 1.ecc2960000002p+2 -1.40533bp+4 1.f9f6e38p+2 1.14cf220000002p+2 1.2b2d81cp+3 "
       "1.ebbd840000003p+0 -1.714749bffffffp+3 -1.e3b6678p+2 1.a6fa528000002p+2 -1.26b7c5p+1 -1.b29c01p+2 "
       "1.c564077ffffffp+2 1.48ef900000021p-2 -1.6cf42e0000004p+0 1.21003bd8p+5 1.8cc0347fffffcp+1 -1.653c588p+1 "
       "-1.0a63ff0000019p+0 1.adcd64ffffffep+0 -1.8176d9ep+3 1.7666048000003p+1 -1.842dedffffff6p-1 1.74dbc9ffffff1p-1 "
       "1.057c565ffffffp+3 -1.844bb7bffffffp+2 1.f10a530000002p+0 1.f8b74d8p+1 1.94ee960000012p-1 -1.cfd5b64p+2 "
       "1.7b54616p+3"},
      {"%0 = input f32[1, 2, 4]\n"
       "%1, %2 = RFFT2D(%0) f32[1, 2, 3], f32[1, 2, 3] local_bound=false\n"
       "output %1\noutput %2\n",
       "1.9e9042p+3 -1.1ced540000002p+0 -1.5e0fdcp+0 -1.ee688cp-1 -1.0a1f238p+2 1.963887p+1 0p+0 1.e48ac8p-2 0p+0 0p+0 "
       "1.42d081p+1 0p+0"},
      {"%0 = input f32[1, 2, 2, 1]\n"
       "%1 = RESIZE(%0) f32[1, 4, 4, 1] mode=BILINEAR scale=[3, 1, 3, 1] offset=[0, 0] border=[0, 0]\n"
       "output %1\n",
       "1.a06d9cp-2 1.c8849aaaaaaacp-2 1.f09b995555556p-2 1.0c594cp-1 1.490262p+0 1.32a990e38e38fp+0 "
       "1.1c50bfc71c71cp+0 1.05f7eeaaaaaaap+0 1.14f4ae8p+1 1.f331fb1c71c72p+0 1.bc7a9938e38e4p+0 1.85c3375555555p+0 "
       "1.85682cp+1 1.59dd32aaaaaacp+1 1.2e52395555556p+1 1.02c74p+1"},
      {"%0 = input f32[1, 2, 3]\n"
       "%1 = input f32[1, 3, 2]\n"
       "%2 = MATMUL(%0, %1) f32[1, 2, 2] A_zp=0 B_zp=0\n"
       "output %2\n",
       "1.12638de619d92p+3 1.49df5d012b01p+2 1.9ae416d7ed98p+3 1.7a51128a1df4p+2"},
  };
  for (const auto& [lines, bits] : kCases) {
    const Prepared made = prepare(lines);
    std::vector<const Tensor*> operands;
    for (const Tensor& input : made.inputs) operands.push_back(&input);
    const auto results = run_node(made.graph, made.graph.nodes[0], operands);
    ASSERT_TRUE(results);
    std::string given;
    for (const std::vector<double>& reals : results->unrounded) add_text(given, reals);
    EXPECT_EQ(given, bits) << lines;
  }
}

}  // namespace
}  // namespace slipway::reference
