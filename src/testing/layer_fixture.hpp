// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: an application that uses the layer through Vulkan alone.
#pragma once

#include <gtest/gtest.h>

#include "layer/clients/app.hpp"
#include "testing/layer.hpp"

namespace slipway::testing {

using layer::AppConstant;
using layer::AppDrawing;
using layer::AppGraph;
using layer::AppTensor;
using layer::contents;
using layer::fill;
using layer::for_each_element;
using layer::graph_module;
using layer::graph_of;
using layer::LayerApp;
using layer::matrix_products;
using layer::must;

// A test with an application. Messages of the validation layer, and of the layer, fail it.
class LayerTest : public ::testing::Test, protected LayerApp {
 protected:
  explicit LayerTest(Validation validation = Validation::AboveLayer) : layer_(validation) {}
  void SetUp() override;
  void TearDown() override;

 private:
  UseLayer layer_;
};

}  // namespace slipway::testing
