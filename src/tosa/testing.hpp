// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers for the tests of this module.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/print_diagnostic.hpp"
#include "tosa/text.hpp"

namespace slipway::tosa {

inline std::string messages(const Diagnostics& diagnostics) {
  return format_diagnostics(diagnostics.all(), {.sources = false});
}

// A valid graph from its text.
inline Graph graph_of(std::string text) {
  Diagnostics problems;
  auto graph = parse(make_source("t.graph", std::move(text)), problems);
  EXPECT_EQ(messages(problems), "");
  return graph ? std::move(*graph) : Graph();
}

}  // namespace slipway::tosa
