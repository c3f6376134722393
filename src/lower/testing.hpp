// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers for the tests of this module.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::lower {

// A verified graph from the lines of its text.
inline tosa::Graph graph_of(const std::string& lines) {
  Diagnostics diagnostics;
  auto graph = tosa::parse(make_source("t.graph", "graph t {\n" + lines + "}\n"), diagnostics);
  if (graph) tosa::verify(*graph, diagnostics);
  // Kernels are tested beyond level 8K too, whose limits are warnings.
  std::vector<Diagnostic> found = diagnostics.all();
  std::erase_if(found, [](const Diagnostic& each) {
    return each.severity == Severity::Warning && each.message.contains("level 8K");
  });
  EXPECT_EQ(format_diagnostics(found, {.sources = false}), "");
  return graph && !diagnostics.has_errors() ? std::move(*graph) : tosa::Graph();
}

// Attributes of operators, for the text of graphs.
inline std::string conv2d_attributes(std::string_view pad = "0, 0, 0, 0", std::string_view stride = "1, 1",
                                     std::string_view dilation = "1, 1", std::string_view acc_type = "FP32",
                                     int input_zp = 0) {
  return formatted("pad=[{}] stride=[{}] dilation=[{}] acc_type={} local_bound=false input_zp={} weight_zp=0", pad,
                   stride, dilation, acc_type, input_zp);
}
inline constexpr std::string_view kRescaleAttributes =
    "scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false";
inline constexpr std::string_view kClampAttributes = "min_val=0.0 max_val=6.0 nan_mode=PROPAGATE";

}  // namespace slipway::lower
