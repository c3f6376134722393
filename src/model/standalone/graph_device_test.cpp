// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/graph_device.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "executors/open.hpp"
#include "model/graph_target.hpp"
#include "platform/process.hpp"
#include "testing/gpu_fixture.hpp"
#include "testing/layer.hpp"
#include "testing/scratch_directory.hpp"
#include "testing/tosa/graph_text.hpp"

namespace slipway::model {
namespace {

using testing::must;

// The layer writes what it runs, which shows whether the driver computed the graph.
TEST(GraphDevice, UsesTheGraphsOfTheDriver) {
  if (!testing::UseLayer::is_here()) GTEST_SKIP() << "no driver with tensors and graphs here";
  const testing::UseLayer layer(testing::Validation::Off);
  const auto graph =
      std::make_shared<const tosa::Graph>(testing::graph_of("%0 = input i32[3]\n%1 = ABS(%0) i32[3]\noutput %1\n"));
  const reference::Tensor input{.type = {tosa::DataType::I32, {3}}, .integers = {-1, 2, -3}, .reals = {}};
  for (const bool native : {true, false}) {
    const testing::ScratchDirectory captured;
    platform::set_environment("SLIPWAY_LAYER_CAPTURE", captured.path().string());
    const auto executor = executors::open_executor({});
    Diagnostics diagnostics;
    GraphDevice device = must(GraphDevice::open({.executor = executor, .choices = {.native = native}}, diagnostics));
    const std::vector<reference::Tensor> outputs = must(device.run(graph, {&input, 1}));
    platform::remove_environment("SLIPWAY_LAYER_CAPTURE");
    EXPECT_EQ(outputs.at(0).integers, (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_EQ(std::filesystem::is_empty(captured.path().string()), !native);
    EXPECT_EQ(device.name(), must(executor->info()).name);
  }
}

}  // namespace
}  // namespace slipway::model
