// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public class with devices and buffers of XRT that the application made.
#define SLIPWAY_WITH_XRT
#include "slipway/xrt_runner.hpp"

#include <gtest/gtest.h>
#include <xrt/experimental/xrt_ext.h>
#include <xrt/experimental/xrt_system.h>

#include "testing/source_directory.hpp"
#include "xrt_module/software_npu/software_npu.hpp"

namespace slipway {
namespace {

constexpr const char* kRecipe = R"({"header": {"xclbin": "dpu.xclbin"}, "resources": {
  "buffers": [{"name": "x", "type": "input", "size": 16}, {"name": "y", "type": "output", "size": 16}],
  "kernels": [{"name": "k", "instance": "DPU", "ctrlcode": "patch.elf"}]},
  "execution": {"runs": [{"name": "k", "arguments": [{"name": "x", "argidx": 3}, {"name": "y", "argidx": 5}]}]}})";

TEST(FromXrt, DevicesAndBuffers) {
  ::xrt::system::enumerate_devices();
  recipe::software_npu::State* npu = recipe::software_npu::software_npu();
  ASSERT_TRUE(npu);
  npu->reset();
  npu->devices = 2;
  ::xrt::device second(1);
  ::xrt::bo x = ::xrt::ext::bo(second, 16), y = ::xrt::ext::bo(second, 16);
  for (std::uint32_t i = 0; i < 4; ++i) x.map<std::uint32_t*>()[i] = i;
  runner runner(from_xrt(second), kRecipe, testing::source_directory() / "tests/data/xrt");
  runner.bind("x", from_xrt(x));
  runner.bind("y", from_xrt(y));
  for (int i = 0; i < 3; ++i) {
    runner.execute();
    runner.wait();
  }
  EXPECT_EQ(npu->device_of_run, (std::vector<std::uint32_t>{1, 1, 1}));
  EXPECT_EQ(npu->syncs_from_device, 0u);  // kernels use the application's memory
  y.sync(::XCL_BO_SYNC_BO_FROM_DEVICE);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(y.map<std::uint32_t*>()[i], i + 1);
}

// `xrt:` selects an NPU, and the memory of buffers.
TEST(FromXrt, SelectedNpu) {
  ::xrt::system::enumerate_devices();
  recipe::software_npu::State* npu = recipe::software_npu::software_npu();
  ASSERT_TRUE(npu);
  npu->reset();
  npu->devices = 2;
  const device device("xrt:1");
  bo x(device, 16), y(device, 16);
  EXPECT_TRUE(x.shared_storage()->native("xrt::bo"));
  x.map<std::uint32_t*>()[0] = 41;
  runner runner(device, kRecipe, testing::source_directory() / "tests/data/xrt");
  runner.bind("x", x);
  runner.bind("y", y);
  runner.execute();
  runner.wait();
  y.sync(::xrt::slipway_v1::XCL_BO_SYNC_BO_FROM_DEVICE);
  EXPECT_EQ(y.map<std::uint32_t*>()[0], 42u);
  EXPECT_EQ(npu->device_of_run, (std::vector<std::uint32_t>{1}));
}

}  // namespace
}  // namespace slipway
