// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "base/checked.hpp"
#include "base/vk_names.hpp"

namespace slipway {
namespace {

TEST(VkNames, NameAndNumber) {
  EXPECT_EQ(vk::from_name<vk::Format>("VK_FORMAT_R8G8B8A8_UNORM"), vk::Format::R8G8B8A8_UNORM);
  EXPECT_EQ(vk::name_of(vk::Format::R8_BOOL_ARM), "VK_FORMAT_R8_BOOL_ARM");
  EXPECT_EQ(vk::from_name<vk::Format>("VK_FORMAT_NOT_THERE"), std::nullopt);
  EXPECT_EQ(vk::name_of(static_cast<vk::Filter>(77)), "77");
  EXPECT_EQ(vk::from_name<vk::DescriptorType>("VK_DESCRIPTOR_TYPE_TENSOR_ARM"), vk::DescriptorType::TENSOR_ARM);
}

TEST(Checked, RoundingUp) {
  EXPECT_EQ(checked_round_up(Size(0), 16), Size(0));
  EXPECT_EQ(checked_round_up(Size(17), 16), Size(32));
  EXPECT_EQ(checked_round_up(Size(UINT64_MAX), 16), std::nullopt);
  EXPECT_EQ(checked_round_up(std::nullopt, 16), std::nullopt);
}

TEST(Checked, OverflowIsEmpty) {
  EXPECT_EQ(checked_multiply(Size(1ull << 40), Size(1ull << 40)), std::nullopt);
  EXPECT_EQ(checked_add(checked_multiply(Size(3), Size(5)), Size(1)), Size(16));
  const std::int64_t dims[] = {2, -1};
  EXPECT_EQ(checked_product(std::span<const std::int64_t>(dims)), std::nullopt);
}

}  // namespace
}  // namespace slipway
