// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of Vulkan's calls on the layer, with the validation layer above it, and below it: they pass, and no message
// comes.
#include "conformance/vulkan/api_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "testing/layer_fixture.hpp"

namespace slipway::conformance {
namespace {

using testing::Validation;

std::string test_name(const std::string& row, Validation validation) {
  std::string name = row + (validation == Validation::AboveLayer ? "_above" : "_below");
  std::ranges::replace_if(name, [](char c) { return c == '/' || c == ' '; }, '_');
  return name;
}

// What the validation layer above cannot do: it does not know templates with tensors, and ends the process; and it
// reports 64-bit integers, which applications need not enable for the layer.
bool is_known_to(Validation validation, const std::string& row) {
  return validation == Validation::BelowLayer ||
         !std::ranges::contains(std::vector<std::string>{"descriptors/pushed", "shaders/R64_SINT", "shaders/R64_UINT"},
                                row);
}

class ApiRow : public testing::LayerTest {
 public:
  ApiRow(ApiCase made, Validation validation) : LayerTest(validation), case_(std::move(made)) {}

  void TestBody() override {
    Checks checks;
    case_.run(*this, checks);
    EXPECT_EQ(checks.why(), "");
  }

 private:
  ApiCase case_;
};

const bool kRegistered = [] {
  const std::vector<ApiCase> suites[] = {tensor_api_cases(), graph_api_cases(), flow_api_cases()};
  const char* const names[] = {"ApiTensors", "ApiGraphs", "ApiOpticalFlow"};
  for (std::size_t i = 0; i < std::size(suites); ++i) {
    for (const ApiCase& one : suites[i]) {
      for (const Validation validation : {Validation::AboveLayer, Validation::BelowLayer}) {
        if (!is_known_to(validation, one.row)) continue;
        ::testing::RegisterTest(names[i], test_name(one.row, validation).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                                [one, validation]() -> ApiRow* { return new ApiRow(one, validation); });
      }
    }
  }
  return true;
}();

TEST(ApiCases, EachHasARowOfItsOwn) {
  ASSERT_TRUE(kRegistered);
  for (const std::vector<ApiCase>& cases : {tensor_api_cases(), graph_api_cases(), flow_api_cases()}) {
    std::set<std::string> rows;
    for (const ApiCase& one : cases) rows.insert(one.row);
    EXPECT_GE(rows.size(), 13u);
    EXPECT_EQ(rows.size(), cases.size());
  }
}

TEST(ApiCases, WhatIsNotSoIsNamed) {
  Checks checks;
  checks.equal(std::vector<int>{1, 2, 3}, {1, 2, 3}, "x");
  EXPECT_EQ(checks.why(), "");
  checks.equal(std::vector<int>{1, 2, 3}, {1, 5, 3}, "x");
  checks.expect(false, "only the first one is kept");
  EXPECT_EQ(checks.why(), "element 1 of x is 2 instead of 5");
}

// A device without the layer has none of the extensions.
TEST(ApiCases, WhatTheDeviceLacksIsNamed) {
  Application app;
  app.validation_ = false;
  app.graphs_ = false;
  try {
    app.start();
    if (!app.has_extension(VK_ARM_TENSORS_EXTENSION_NAME)) FAIL() << "the application started";
  } catch (const Lacking& lacking) {
    EXPECT_STREQ(lacking.what(), "the device lacks VK_ARM_tensors");
  }
}

}  // namespace
}  // namespace slipway::conformance
