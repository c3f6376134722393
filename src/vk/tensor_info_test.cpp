// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/tensor_info.hpp"

#include <gtest/gtest.h>

#include "vk/snapshot.hpp"

namespace slipway::vk {
namespace {

TEST(TensorInfo, ReportsWhatTheDeviceLacks) {
  Snapshot s;
  TensorInfo info{.format = Format::R32_SINT, .shape = {4, 5}, .shaders = true, .graphs = true};
  EXPECT_EQ(missing_for_tensor(s, info), "tensors of VK_FORMAT_R32_SINT in shaders");
  s.formats[Format::R32_SINT].linear_tensor = format_feature::kTensorShader;
  EXPECT_EQ(missing_for_tensor(s, info), "tensors of VK_FORMAT_R32_SINT in graphs");
  info.graphs = false;
  EXPECT_EQ(missing_for_tensor(s, info), "");
  s.limits_by_name = {{"maxTensorDimensionCount", 2}, {"maxTensorSize", 79}};
  EXPECT_EQ(missing_for_tensor(s, info), "tensors of 80 bytes (`maxTensorSize` is 79)");
  s.limits_by_name = {{"maxPerDimensionTensorElements", 4}};
  EXPECT_EQ(missing_for_tensor(s, info), "tensors of 5 elements in a dimension (`maxPerDimensionTensorElements` is 4)");
  s.limits_by_name = {{"maxTensorStride", 19}};
  EXPECT_EQ(missing_for_tensor(s, info), "tensors of 20 bytes a stride (`maxTensorStride` is 19)");
}

}  // namespace
}  // namespace slipway::vk
