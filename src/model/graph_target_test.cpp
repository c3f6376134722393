// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/graph_target.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "executors/cpu/executor.hpp"
#include "launch/executor.hpp"
#include "testing/gpu_fixture.hpp"
#include "vgf/vgf.hpp"
#include "vk/device_plan.hpp"

namespace slipway::model {
namespace {

using testing::must;

// A device of some kind; it runs nothing.
class Named final : public launch::Executor {
 public:
  explicit Named(Result<launch::ExecutorInfo> info) : info_(std::move(info)) {}
  Result<launch::ExecutorInfo> info() override { return info_; }
  Diagnostics check(const launch::Plan&) override { return {}; }
  Result<std::unique_ptr<launch::PreparedPlan>> prepare(const launch::Plan&, launch::PrepareOptions, const Log&,
                                                        launch::PerfCounters) override {
    return fail(DiagnosticKind::DeviceFailed, {}, "nothing runs here");
  }
  Result<std::shared_ptr<launch::ExternalBuffer>> create_buffer(const launch::BufferRequest&) override {
    return fail(DiagnosticKind::DeviceFailed, {}, "nothing runs here");
  }

 private:
  Result<launch::ExecutorInfo> info_;
};

vk::Snapshot vulkan_device(vk::DeviceType type) {
  vk::Snapshot device{.name = "some device", .type = type};
  device.features = {"bufferDeviceAddress", "shaderInt64"};
  return device;
}

vk::Snapshot with_graphs(vk::Snapshot device) {
  device.extensions = {"VK_ARM_tensors", "VK_ARM_data_graph", "VK_KHR_maintenance5", "VK_KHR_deferred_host_operations"};
  device.features.insert({"tensors", "shaderTensorAccess", "tensorNonPacked", "dataGraph", "dataGraphShaderModule"});
  device.queue_families = {{.flags = vk::queue_flag::kCompute | vk::queue_flag::kDataGraph, .queues = 1}};
  return device;
}

std::shared_ptr<launch::Executor> on(const vk::Snapshot& device) {
  const auto shared = std::make_shared<const vk::Snapshot>(device);
  return std::make_shared<Named>(launch::ExecutorInfo{
      .kind = "vulkan", .name = device.name, .driver = {}, .key = launch::key_of(device), .vulkan = shared});
}

std::shared_ptr<launch::Executor> the_cpu() { return std::make_shared<Named>(launch::cpu_info()); }

std::shared_ptr<launch::Executor> no_device() {
  return std::make_shared<Named>(fail(DiagnosticKind::NoDevice, {}, "there is no device"));
}

std::string text_of(Engine engine) {
  return engine == Engine::Kernels ? "kernels" : engine == Engine::Cpu ? "cpu" : "reference";
}

// "kernels", with "native" and "facts" if the options have them.
std::string target_of(const std::shared_ptr<launch::Executor>& executor, const GraphChoices& choices) {
  Diagnostics diagnostics;
  const GraphOptions graphs = must(graph_options(executor.get(), choices, Cache(), diagnostics));
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(graphs.lower.fuse, choices.fuse);
  EXPECT_EQ(graphs.threads, choices.threads);
  EXPECT_EQ(graphs.pin_threads, choices.pin_threads);
  return text_of(graphs.engine) + (graphs.native ? " native" : "") +
         (graphs.lower.device != lower::DeviceFacts() ? " facts" : "");
}

TEST(GraphTarget, FollowsFromTheExecutorAndTheChoices) {
  const auto gpu = on(vulkan_device(vk::DeviceType::Discrete)), driver_on_cpu = on(vulkan_device(vk::DeviceType::Cpu));
  constexpr Engine kCpu = Engine::Cpu, kReference = Engine::Reference;
  const struct {
    std::shared_ptr<launch::Executor> executor;
    GraphChoices choices;
    std::string expected;
  } rows[] = {
      {nullptr, {}, "kernels"},
      {nullptr, {.engine = kCpu}, "cpu"},
      {nullptr, {.engine = kReference}, "reference"},
      {nullptr, {.fuse = false, .native = false}, "kernels"},
      {gpu, {}, "kernels native facts"},
      {gpu, {.native = false}, "kernels facts"},
      {gpu, {.threads = 3, .pin_threads = true, .fuse = false}, "kernels native facts"},
      {gpu, {.engine = kCpu}, "cpu native"},
      {gpu, {.engine = kCpu, .native = false}, "cpu"},
      {gpu, {.engine = kReference}, "reference native"},
      {gpu, {.engine = kReference, .native = false}, "reference"},
      {gpu, {.engine = Engine::Kernels}, "kernels native facts"},
      {driver_on_cpu, {}, "kernels native facts"},
      {driver_on_cpu, {.engine = kCpu}, "cpu native"},
      {driver_on_cpu, {.native = false}, "kernels facts"},
      {the_cpu(), {}, "cpu"},
      {the_cpu(), {.native = false}, "cpu"},
      {the_cpu(), {.threads = 2}, "cpu"},
      {the_cpu(), {.engine = kCpu}, "cpu"},
      {the_cpu(), {.engine = kReference}, "reference"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(target_of(row.executor, row.choices), row.expected)
        << "row " << &row - rows << (row.choices.engine ? ", " + text_of(*row.choices.engine) : "");
  }
}

TEST(GraphTarget, WithoutADeviceThereIsAnError) {
  Diagnostics diagnostics;
  const auto graphs = graph_options(no_device().get(), {}, Cache(), diagnostics);
  ASSERT_FALSE(graphs);
  EXPECT_EQ(graphs.error().at(0).kind, DiagnosticKind::NoDevice);
}

vgf::File model_of(std::vector<vgf::ModuleKind> kinds, bool image = false) {
  vgf::File file;
  for (const vgf::ModuleKind kind : kinds) file.segments.push_back({.kind = kind});
  file.resources.push_back({.descriptor_type = vk::DescriptorType::TENSOR_ARM});
  if (image) file.resources.push_back({.descriptor_type = vk::DescriptorType::STORAGE_IMAGE});
  return file;
}

// Whether the CPU runs a model instead of the device that was opened.
bool runs_on_cpu(const vgf::File& file, const std::shared_ptr<launch::Executor>& opened, bool is_free,
                 GraphChoices choices = {}) {
  const std::shared_ptr<launch::Executor> chosen = executor_for(file, choices, opened, is_free);
  if (chosen == opened) return false;
  EXPECT_TRUE(must(chosen->info()).runs_graphs_on_host);
  return true;
}

TEST(ExecutorFor, ModelsOfGraphsRunOnTheCpuWhereThereIsNoGpu) {
  const bool has_engine = launch::has_cpu_engine();
  const auto gpu = on(vulkan_device(vk::DeviceType::Discrete)), driver_on_cpu = on(vulkan_device(vk::DeviceType::Cpu));
  const vgf::File graphs = model_of({vgf::ModuleKind::Graph, vgf::ModuleKind::Graph});
  EXPECT_FALSE(runs_on_cpu(graphs, gpu, true));
  EXPECT_EQ(runs_on_cpu(graphs, driver_on_cpu, true), has_engine);
  EXPECT_EQ(runs_on_cpu(graphs, no_device(), true), has_engine);
  EXPECT_FALSE(runs_on_cpu(graphs, driver_on_cpu, false)) << "that device is wanted";
  EXPECT_FALSE(runs_on_cpu(graphs, no_device(), false));
  EXPECT_FALSE(runs_on_cpu(graphs, the_cpu(), true));
  EXPECT_EQ(executor_for(graphs, {}, nullptr, true), nullptr);

  // Another engine needs no device, whichever was opened.
  for (const Engine engine : {Engine::Cpu, Engine::Reference}) {
    EXPECT_TRUE(runs_on_cpu(graphs, gpu, false, {.engine = engine}));
    EXPECT_TRUE(runs_on_cpu(graphs, no_device(), true, {.engine = engine}));
  }
}

TEST(ExecutorFor, ShadersAndImagesNeedTheDevice) {
  const auto driver_on_cpu = on(vulkan_device(vk::DeviceType::Cpu));
  const vgf::File files[] = {model_of({vgf::ModuleKind::Graph, vgf::ModuleKind::Compute}),
                             model_of({vgf::ModuleKind::Graph}, true)};
  for (const vgf::File& file : files) {
    EXPECT_FALSE(runs_on_cpu(file, driver_on_cpu, true));
    EXPECT_FALSE(runs_on_cpu(file, driver_on_cpu, true, {.engine = Engine::Reference}));
  }
}

// Graphs of the driver are better than the CPU engine.
TEST(ExecutorFor, ADriverWithGraphsKeepsThem) {
  const vk::Snapshot device = with_graphs(vulkan_device(vk::DeviceType::Cpu));
  if (const std::string missing = vk::missing_for_graphs(device); !missing.empty()) FAIL() << missing;
  EXPECT_FALSE(runs_on_cpu(model_of({vgf::ModuleKind::Graph}), on(device), true));
}

}  // namespace
}  // namespace slipway::model
