// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/memory/tensor.hpp"

#include <gmock/gmock.h>

#include "testing/gpu_fixture.hpp"
#include "testing/layer.hpp"

namespace slipway::gpu {
namespace {

using ::testing::ElementsAre;
using testing::must;

TEST(Tensor, StridesHaveTheGapsOfRows) {
  const vk::TensorInfo texels{.format = vk::Format::R16_SINT, .shape = {2, 3, 5, 4}};
  EXPECT_THAT(tensor_strides(texels, 0), ElementsAre(120, 40, 8, 2));
  EXPECT_THAT(tensor_strides(texels, 64), ElementsAre(192, 64, 8, 2));
  EXPECT_THAT(tensor_strides({.format = vk::Format::R8_UINT, .shape = {6, 4}}, 64), ElementsAre(4, 1));
}

class NativeTensors : public testing::GpuTest {
 protected:
  void SetUp() override {
    if (!testing::UseLayer::is_here()) GTEST_SKIP() << "no driver with tensors here";
    const std::string missing = vk::missing_for_tensors(snapshot());
    if (missing.empty()) return;
    take_messages();  // the layer has warned
    GTEST_SKIP() << "the device cannot emulate tensors: it lacks " << missing;
  }
  testing::UseLayer layer_;
};

// A buffer has the same contents with and without tensors that see it.
TEST_F(NativeTensors, AreWaysToSeeABuffer) {
  device({.tensors = true});
  const Buffer buffer =
      must(create_buffer(device(), {.size = 96,
                                    .name = "b",
                                    .tensors = {{.format = vk::Format::R32_SINT, .shape = {4, 6}, .shaders = true},
                                                {.format = vk::Format::R8_UINT, .shape = {96}, .shaders = true}}}));
  ASSERT_EQ(buffer.tensors().size(), 2u);
  EXPECT_NE(buffer.tensors()[0].view(), nullptr);
  EXPECT_NE(buffer.tensors()[1].handle(), buffer.tensors()[0].handle());
  run([&](CommandList& list) {
    list.fill(buffer, 0, 0, 7);
    const TensorBarrier barrier{.tensor = &buffer.tensors()[0]};
    list.barrier({.tensors = {&barrier, 1}});
  });
  EXPECT_EQ(contents<std::uint32_t>(buffer), std::vector<std::uint32_t>(24, 7));
}

}  // namespace
}  // namespace slipway::gpu
