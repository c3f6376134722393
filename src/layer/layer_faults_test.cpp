// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each call below the layer fails in turn: the application gets an error, and everything is freed.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <numeric>

#include "testing/layer_fixture.hpp"

namespace slipway::layer {
namespace {

using testing::AppGraph;
using testing::AppTensor;
using testing::must;

class LayerFaults : public testing::LayerTest {
 protected:
  LayerFaults() : LayerTest(testing::Validation::WithFaults) {}

  void SetUp() override {
    LayerTest::SetUp();
    library_ = dlopen(SLIPWAY_FAULT_LAYER "/libslipway_fault_layer.so", RTLD_NOW);
    if (library_ == nullptr) GTEST_SKIP() << "no layer with failures here";
    fail_at_ = reinterpret_cast<void (*)(std::uint64_t)>(dlsym(library_, "fault_layer_fail_at"));
    state_ = reinterpret_cast<void (*)(char*, char*, std::size_t)>(dlsym(library_, "fault_layer_state"));
  }

  void everything() {
    const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4, 6}, {64, 4}), y = tensor(VK_FORMAT_R32_SINT, {4, 6});
    std::vector<std::int32_t> c(24, 5), values(24);
    std::iota(values.begin(), values.end(), 0);
    const AppGraph made = graph(testing::graph_module("%0 = input i32[4, 6] at 0.0\n"
                                                      "%1 = const i32[4, 6] graph_constant 0\n"
                                                      "%2 = ADD(%0, %1) i32[4, 6]\n"
                                                      "%3 = REDUCE_SUM(%2) i32[1, 6] axis=0\n"
                                                      "%4 = ADD(%2, %3) i32[4, 6]\n"
                                                      "output %4 at 0.1\n"),
                                "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}});
    const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y});
    testing::fill(x, values);
    run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
    EXPECT_EQ(testing::contents<std::int32_t>(y)[23], 23 + 5 + (5 + 11 + 17 + 23 + 20));
  }

  void* library_ = nullptr;
  void (*fail_at_)(std::uint64_t) = nullptr;
  void (*state_)(char*, char*, std::size_t) = nullptr;
};

TEST_F(LayerFaults, EachCallFailsInTurn) {
  ::setenv("SLIPWAY_LAYER_CACHE", "off", 1);
  std::size_t failures = 0;
  for (std::uint64_t n = 1;; ++n) {
    fail_at_(n);
    std::string error;
    try {
      everything();
    } catch (const std::runtime_error& thrown) {
      error = thrown.what();
    }
    stop();
    char failed[256], leaks[1024];
    state_(failed, leaks, sizeof failed);
    EXPECT_STREQ(leaks, "") << "after call " << n << ", " << failed;
    if (*failed == 0) {
      EXPECT_EQ(error, "");
      break;
    }
    // Memory of the layer may also be of another type.
    if (std::string_view(failed) != "vkAllocateMemory") {
      EXPECT_NE(error, "") << failed;
    }
    ++failures;
    ASSERT_LT(n, 500u);
  }
  ::unsetenv("SLIPWAY_LAYER_CACHE");
  EXPECT_GT(failures, 30u);
  // Messages about what the application leaves undone after an error are not of interest.
  static_cast<void>(take_messages());
}

}  // namespace
}  // namespace slipway::layer
