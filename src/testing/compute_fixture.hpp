// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs compute shaders over buffers, for tests of modules that generate SPIR-V without using Vulkan.
//
//   using MyTest = slipway::testing::ComputeTest;
//   TEST_F(MyTest, Doubles) {
//     std::vector<ComputeBuffer> buffers = {{.set = 2, .binding = 0, .words = {1, 2, 3}}};
//     dispatch(spirv, "main", buffers);
//     EXPECT_EQ(buffers[0].words, ...);
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "testing/gpu_fixture.hpp"

namespace slipway::testing {

// Contents are copied to the device before the dispatch and back after it.
struct ComputeBuffer {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  std::vector<std::uint32_t> words;
  bool uniform = false;
};

class ComputeTest : public GpuTest {
 protected:
  // Only creates the pipeline.
  void make_pipeline(std::span<const std::uint32_t> spirv, const std::string& entry,
                     std::span<const ComputeBuffer> buffers, std::uint32_t push_constants_size = 0);
  void dispatch(std::span<const std::uint32_t> spirv, const std::string& entry, std::span<ComputeBuffer> buffers,
                std::array<std::uint32_t, 3> groups = {1, 1, 1}, std::span<const std::uint32_t> push_constants = {});
};

}  // namespace slipway::testing
