// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operator notices that its time is over, however few results it has.
#include <gtest/gtest.h>

#include <chrono>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "reference/run.hpp"
#include "tosa/text.hpp"

namespace slipway::reference {
namespace {

// The first error of a graph whose inputs are zeros, with less time than any of its operators takes.
std::string error_of(std::string_view lines) {
  Diagnostics problems;
  const auto graph = tosa::parse(make_source("g.txt", "graph net {\n" + std::string(lines) + "}\n"), problems);
  if (!graph) return problems.all().front().message;
  std::vector<Tensor> inputs;
  for (const tosa::ValueId input : graph->inputs) inputs.push_back(Tensor::zeros((*graph)[input].type));
  const TimeLimit limit{std::optional<std::chrono::nanoseconds>(std::chrono::milliseconds(2))};
  const auto outputs = run(*graph, std::move(inputs));
  return outputs ? "no error"
                 : formatted("{} [{}]", outputs.error().front().message, name_of(outputs.error().front().kind));
}

TEST(TimeLimitOfOperators, IsNoticedInOneResult) {
  EXPECT_EQ(error_of("%0 = input f32[1, 1, 8000000]\n%1 = input f32[1, 8000000, 1]\n%2 = MATMUL(%0, %1) f32[1, 1, 1] "
                     "A_zp=0 B_zp=0\noutput %2\n"),
            "the operator MATMUL did not end in the given time [timed-out]");
  EXPECT_EQ(error_of("%0 = input f32[8000000]\n%1 = REDUCE_SUM(%0) f32[1] axis=0\noutput %1\n"),
            "the operator REDUCE_SUM did not end in the given time [timed-out]");
}

TEST(TimeLimitOfOperators, IsNoticedInOneRow) {
  EXPECT_EQ(error_of("%0 = input f32[8000000]\n%1 = POW(%0, %0) f32[8000000]\noutput %1\n"),
            "the operator POW did not end in the given time [timed-out]");
  EXPECT_EQ(error_of("%0 = input f32[8000000]\n%1 = ERF(%0) f32[8000000]\noutput %1\n"),
            "the operator ERF did not end in the given time [timed-out]");
  EXPECT_EQ(error_of("%0 = input i32[8000000]\n%1 = CAST(%0) i8[8000000]\noutput %1\n"),
            "the operator CAST did not end in the given time [timed-out]");
  EXPECT_EQ(error_of("%0 = input i8[1]\n%1 = TILE(%0) i8[8000000] multiples=[8000000]\noutput %1\n"),
            "the operator TILE did not end in the given time [timed-out]");
}

}  // namespace
}  // namespace slipway::reference
