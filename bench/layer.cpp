// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the Vulkan layer costs (docs/spec/layer.md#performance): bench_layer [host]
//
// The time of networks on the device through the layer and without it, the time of the host for pipelines and for
// recording, and the cost of calls that the layer intercepts. `host` leaves out the networks and the memory.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <print>

#include "executors/vulkan/device_opening.hpp"
#include "executors/vulkan/executor.hpp"
#include "graphs.hpp"
#include "launch/run.hpp"
#include "lower/lower.hpp"
#include "model/device_facts.hpp"
#include "model/plan/graph_engine.hpp"
#include "must.hpp"
#include "networks.hpp"
#include "spirv/tools.hpp"
#include "testing/layer_fixture.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/write/write_spirv.hpp"

namespace {

using namespace slipway;
using namespace slipway::bench;
using slipway::testing::LayerApp;

// Microseconds of one call of `work`: the median of `repeat`.
double median_of(int repeat, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::nth_element(times, times.begin() + repeat / 2);
  return times[static_cast<std::size_t>(repeat) / 2];
}

gpu::Device* open(launch::DeviceOpening& opening, bool graphs) {
  const auto device =
      opening.get({.timestamps = true,
                   .tensors = graphs,
                   .data_graph = graphs,
                   .graph_instruction_sets = graphs ? std::set<std::string, std::less<>>{"TOSA.001000.1"}
                                                    : std::set<std::string, std::less<>>{}});
  if (device) return *device;
  std::println(stderr, "{}", device.error().front().message);
  return nullptr;
}

// A plan that leaves the graph to the device; its inputs have the contents that those of another plan have.
launch::Plan native_plan(tosa::Graph graph, const vk::Snapshot& device, const launch::Plan& other) {
  graph.name = "main";
  graph.input_bindings.clear();
  graph.output_bindings.clear();
  std::uint32_t binding = 0, id = 0;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) graph.input_bindings.push_back({0, binding++});
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) graph.output_bindings.push_back({0, binding++});
  for (tosa::Constant& constant : graph.constants) {
    if (!constant.splat) constant.graph_constant = id++;
  }
  const auto words = tosa::write_graph_module(graph);
  launch::Plan plan;
  if (!words) return plan;
  const auto shared = std::make_shared<const tosa::Graph>(std::move(graph));
  auto planned = model::PlannedGraph::make(plan, shared, std::make_shared<const spirv::Words>(*words),
                                           {.native = &device}, "network", {}, {shared});
  if (!planned) return plan;
  const auto resources = [&](const std::vector<tosa::ValueId>& values) {
    std::vector<launch::ResourceIndex> made;
    for (const tosa::ValueId value : values) {
      const tosa::TensorType& type = (*shared)[value].type;
      plan.resources.push_back(
          {.name = "tensor",
           .kind = launch::Buffer{.size = tensor::byte_count(type.shape, tosa::storage_of(type.data)).value_or(1)}});
      made.push_back(static_cast<launch::ResourceIndex>(plan.resources.size() - 1));
    }
    return made;
  };
  const auto inputs = resources(shared->inputs), outputs = resources(shared->outputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) plan.resources[inputs[i]].initial = other.resources[i].initial;
  planned->dispatch(plan, {inputs, outputs}, "network", {});
  return plan;
}

// Whether two programs are the same kernels in the same order.
bool same_kernels(const lower::KernelProgram& a, const lower::KernelProgram& b) {
  return std::ranges::equal(
      a.dispatches, b.dispatches, [&](const lower::ProgramDispatch& x, const lower::ProgramDispatch& y) {
        return *a.kernels[x.kernel].spirv == *b.kernels[y.kernel].spirv && x.groups == y.groups && x.stage == y.stage;
      });
}

// Milliseconds of the CPU for one run, of all threads: on a software driver this is the work itself, which other work
// on the machine changes less than the time.
double cpu_time_of_run(const launch::Plan& plan, const gpu::Device& device) {
  const auto of_runs = [&](std::uint32_t repeat) {
    const auto now = [] {
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      const auto of = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) * 1e-3;
      };
      return of(usage.ru_utime) + of(usage.ru_stime);
    };
    const double before = now();
    must(launch::run(plan, launch::VulkanExecutor(device), {.repeat = repeat, .cache = Cache::of_user()}, {}));
    return now() - before;
  };
  constexpr std::uint32_t few = 10, many = 60;
  return (of_runs(many) - of_runs(few)) / (many - few);
}

void networks() {
  // Both devices at the same time, so that their runs alternate: other work on the machine slows both.
  launch::DeviceOpening plain({.timestamps = true});
  gpu::Device* direct = open(plain, false);
  if (direct == nullptr) return;
  const slipway::testing::UseLayer layer(slipway::testing::Validation::Off);
  launch::DeviceOpening layered({.timestamps = true});
  gpu::Device* native = open(layered, true);
  if (native == nullptr) return;
  const std::pair<const char*, Network> all[] = {{"f32", mobilenet_v2(Precision::F32)},
                                                 {"i8", mobilenet_v2(Precision::I8)}};
  for (const auto& [precision, network] : all) {
    const auto lowered = [&](bool addresses_only) {
      return must(lower::lower_graph(
          network.graph, {.addresses_only = addresses_only, .device = model::device_facts(direct->snapshot())}));
    };
    const lower::KernelProgram without = lowered(false), within = lowered(true);
    std::println("network {} {}: {} dispatches without the layer, {} through it, {}", network.graph.name, precision,
                 without.dispatches.size(), within.dispatches.size(),
                 same_kernels(without, within) ? "of the same kernels" : "of other kernels");
    const launch::Plan ours = plan_of(network.graph, options_of(direct->snapshot()));
    const launch::Plan theirs = native_plan(network.graph, native->snapshot(), ours);
    if (theirs.graphs.empty() || !theirs.graphs[0].native) {
      std::println(stderr, "the device does not run the network itself");
      continue;
    }
    constexpr int rounds = 5;
    constexpr double milliseconds = 500;
    double best = 1e9, best_native = 1e9, cpu = 1e9, cpu_native = 1e9;
    for (int i = 0; i < rounds; ++i) {
      best = std::min(best, times_of(profile_for(ours, *direct, milliseconds)).device.best);
      best_native = std::min(best_native, times_of(profile_for(theirs, *native, milliseconds)).device.best);
      cpu = std::min(cpu, cpu_time_of_run(ours, *direct));
      cpu_native = std::min(cpu_native, cpu_time_of_run(theirs, *native));
    }
    std::println("network {} {}: {:.3f} ms through the layer, {:.3f} ms without it, ratio {:.3f}", network.graph.name,
                 precision, best_native, best, best_native / best);
    std::println("network {} {}: {:.3f} ms of the CPU through the layer, {:.3f} ms without it, ratio {:.3f}",
                 network.graph.name, precision, cpu_native, cpu, cpu_native / cpu);
  }
}

// The most memory that a process has had, in MB.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

// The most memory of a process of its own that does `work`; negative if it fails.
double peak_memory_of(const std::function<bool()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    const double found = work() ? peak_memory() : -1;
    const auto written = write(ends[1], &found, sizeof found);
    _exit(written == sizeof found ? 0 : 1);
  }
  double found = -1;
  if (child < 0 || read(ends[0], &found, sizeof found) != sizeof found) found = -1;
  close(ends[0]);
  close(ends[1]);
  if (child > 0) waitpid(child, nullptr, 0);
  return found;
}

// What the layer takes besides what the same network takes without it: the program's own memory, kernels, weights.
void memory() {
  constexpr int milliseconds = 100;
  const double direct = peak_memory_of([] {
    launch::DeviceOpening opening({.timestamps = true});
    gpu::Device* device = open(opening, false);
    if (device == nullptr) return false;
    static_cast<void>(time_for(mobilenet_v2(Precision::F32).graph, *device, milliseconds));
    return true;
  });
  const double layered = peak_memory_of([] {
    const slipway::testing::UseLayer layer(slipway::testing::Validation::Off);
    launch::DeviceOpening opening({.timestamps = true});
    gpu::Device* device = open(opening, true);
    if (device == nullptr) return false;
    const tosa::Graph network = mobilenet_v2(Precision::F32).graph;
    const launch::Plan plan =
        native_plan(network, device->snapshot(), plan_of(network, options_of(device->snapshot())));
    if (plan.graphs.empty() || !plan.graphs[0].native) return false;
    static_cast<void>(profile_for(plan, *device, milliseconds));
    return true;
  });
  if (direct < 0 || layered < 0) return std::println(stderr, "the memory was not measured");
  std::println(
      "memory with the network f32: {:.1f} MB through the layer, {:.1f} MB without it; the layer takes {:.1f} MB",
      layered, direct, layered - direct);
}

// The line of a pipeline's log about the calls of Vulkan with which the graph is recorded.
std::string recording_of(LayerApp& app, VkPipeline pipeline) {
  const VkDataGraphPipelineInfoARM of{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_INFO_ARM,
                                      .dataGraphPipeline = pipeline};
  VkDataGraphPipelinePropertyQueryResultARM log{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_PROPERTY_QUERY_RESULT_ARM,
      .property = VK_DATA_GRAPH_PIPELINE_PROPERTY_CREATION_LOG_ARM};
  app.vk().vkGetDataGraphPipelinePropertiesARM(app.device(), &of, 1, &log);
  std::string text(log.dataSize, ' ');
  log.pData = text.data();
  app.vk().vkGetDataGraphPipelinePropertiesARM(app.device(), &of, 1, &log);
  const std::size_t at = text.rfind("recording: ");
  return at == std::string::npos ? "unknown" : text.substr(at + 11, text.find('\n', at) - at - 11);
}

// State of the kind that a renderer sets before it draws.
void set_graphics_state(LayerApp& app, VkCommandBuffer commands) {
  const VkViewport viewport{0, 0, 16, 16, 0, 1};
  const VkRect2D scissor{{0, 0}, {16, 16}};
  const float constants[] = {0, 0, 0, 1};
  app.vk().vkCmdSetViewport(commands, 0, 1, &viewport);
  app.vk().vkCmdSetScissor(commands, 0, 1, &scissor);
  app.vk().vkCmdSetLineWidth(commands, 1);
  app.vk().vkCmdSetBlendConstants(commands, constants);
  app.vk().vkCmdSetStencilReference(commands, VK_STENCIL_FACE_FRONT_AND_BACK, 1);
  app.vk().vkCmdSetCullMode(commands, VK_CULL_MODE_BACK_BIT);
  app.vk().vkCmdSetFrontFace(commands, VK_FRONT_FACE_CLOCKWISE);
  app.vk().vkCmdSetPrimitiveTopology(commands, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
  app.vk().vkCmdSetDepthTestEnable(commands, VK_TRUE);
  app.vk().vkCmdSetDepthWriteEnable(commands, VK_TRUE);
  app.vk().vkCmdSetDepthCompareOp(commands, VK_COMPARE_OP_LESS);
}

constexpr std::string_view kEmptyShader = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%label = OpLabel
OpReturn
OpFunctionEnd
)";

// Microseconds for the calls that kernels in sequence need, without the layer: recording them cannot cost less.
double time_of_driver(int kernels) {
  LayerApp app;
  app.validation_ = false;
  app.tensors_ = false;
  const spirv::Words words = must(spirv::assemble(make_source("empty.spvasm", std::string(kEmptyShader))));
  const VkPipelineLayout layout = app.pipeline_layout(app.tensor_layout(0), 128);
  const VkPipeline pipelines[] = {app.compute_pipeline(words, layout), app.compute_pipeline(words, layout)};
  const VkCommandBuffer commands = app.command_buffer();
  const VkMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                .dstAccessMask = VK_ACCESS_SHADER_READ_BIT};
  const auto time = [&](int count) {
    return median_of(401, [&] {
      app.begin(commands);
      for (int i = 0; i < count; ++i) {
        const std::uint64_t addresses[] = {1, 2, static_cast<std::uint64_t>(i)};
        app.vk().vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
        app.vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[i % 2]);
        app.vk().vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof addresses, addresses);
        app.vk().vkCmdDispatch(commands, 1, 1, 1);
      }
      app.vk().vkEndCommandBuffer(commands);
    });
  };
  return time(kernels) - time(0);
}

// The host's time for recording a graph, and what of it are calls that no layer can leave out.
void recording(LayerApp& app, const slipway::testing::AppGraph& graph, int operators) {
  const slipway::testing::AppTensor x = app.tensor(VK_FORMAT_R32_SFLOAT, {1, 16, 16}),
                                    y = app.tensor(VK_FORMAT_R32_SFLOAT, {1, 16, 16});
  const VkDescriptorSet set = app.descriptor_set(graph.set_layout, {&x, &y});
  const VkCommandBuffer commands = app.command_buffer();
  const VkCommandBuffer secondary = app.command_buffer(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  const auto time = [&](VkCommandBuffer into, const std::function<void()>& record) {
    return median_of(401, [&] {
      app.begin(into);
      record();
      app.vk().vkEndCommandBuffer(into);
    });
  };
  std::println("recording {} operators: {}", operators, recording_of(app, graph.pipeline));
  const double nothing = time(commands, [] {});
  const double again = time(commands, [&] { app.dispatch(commands, graph, set); });
  const auto other_state = [&] { set_graphics_state(app, commands); };
  const double state = time(commands, other_state);
  const double inline_state = time(commands, [&] {
    other_state();
    app.dispatch(commands, graph, set);
  });
  const double in_secondary = time(secondary, [&] { app.dispatch(secondary, graph, set); });
  std::println("an empty command buffer: {:.1f} us", nothing);
  std::println("the calls of the driver for {} kernels alone: {:.1f} us", operators, time_of_driver(operators));
  std::println("recording {} operators again: {:.1f} us", operators, again - nothing);
  std::println("recording {} operators inline with graphics state: {:.1f} us; the state alone: {:.1f} us", operators,
               inline_state - state, state - nothing);
  std::println("recording {} operators in a secondary command buffer of the application: {:.1f} us", operators,
               in_secondary - nothing);
}

// What calls without tensors cost on a device with tensors, and on one without.
void costs_of_calls(LayerApp& app) {
  using Call = std::function<void(LayerApp&, VkCommandBuffer)>;
  const auto barrier = [](LayerApp& on, VkCommandBuffer into) {
    const VkMemoryBarrier2 memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                  .srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                  .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT};
    const VkDependencyInfo info{
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &memory};
    on.vk().vkCmdPipelineBarrier2(into, &info);
  };
  const auto line_width = [](LayerApp& on, VkCommandBuffer into) { on.vk().vkCmdSetLineWidth(into, 1); };
  const auto viewport = [](LayerApp& on, VkCommandBuffer into) {
    const VkViewport one{0, 0, 16, 16, 0, 1};
    on.vk().vkCmdSetViewport(into, 0, 1, &one);
  };
  const std::pair<const char*, Call> all[] = {
      {"vkCmdPipelineBarrier2", barrier}, {"vkCmdSetLineWidth", line_width}, {"vkCmdSetViewport", viewport}};
  LayerApp without;
  without.validation_ = false;
  without.tensors_ = false;
  for (const auto& [name, call] : all) {
    constexpr int calls = 1000;
    const auto cost_on = [&](LayerApp& on, VkCommandBuffer into) {
      return median_of(201,
                       [&] {
                         on.begin(into);
                         for (int i = 0; i < calls; ++i) call(on, into);
                         on.vk().vkEndCommandBuffer(into);
                       }) /
             calls * 1e3;
    };
    const VkCommandBuffer with_layer = app.command_buffer(), alone = without.command_buffer();
    cost_on(without, alone);  // allocates
    const double of_driver = cost_on(without, alone), of_both = cost_on(app, with_layer);
    std::println("{}: {:.0f} ns on a device with tensors, {:.0f} ns on one without; the layer costs {:.0f} ns", name,
                 of_both, of_driver, of_both - of_driver);
  }
}

void host() {
  constexpr int operators = 60;
  const slipway::testing::UseLayer layer(slipway::testing::Validation::Off);
  LayerApp app;
  app.validation_ = false;
  const slipway::testing::AppTensor x = app.tensor(VK_FORMAT_R32_SFLOAT, {1, 16, 16}),
                                    y = app.tensor(VK_FORMAT_R32_SFLOAT, {1, 16, 16});
  const spirv::Words words = slipway::testing::graph_module(slipway::testing::matrix_products(operators, 16));
  const VkPipelineCacheCreateInfo cache_info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache cache = VK_NULL_HANDLE;
  app.vk().vkCreatePipelineCache(app.device(), &cache_info, nullptr, &cache);
  app.at_end([&] { app.vk().vkDestroyPipelineCache(app.device(), cache, nullptr); });
  const slipway::testing::AppGraph graph = app.graph(words, "main", {&x, &y}, {}, cache);
  std::println("pipeline of {} operators, kernels in the cache: {:.1f} ms", operators,
               median_of(5, [&] {
                 VkPipeline made = VK_NULL_HANDLE;
                 app.create_graph(words, "main", {&x, &y}, {}, cache, graph.layout, made);
                 app.vk().vkDestroyPipeline(app.device(), made, nullptr);
               }) * 1e-3);
  recording(app, graph, operators);
  costs_of_calls(app);
}

}  // namespace

int main(int count, char** arguments) {
  if (!slipway::testing::UseLayer::is_here()) {
    std::println(stderr, "the layer is not built");
    return 5;
  }
  if (count == 2 && std::string_view(arguments[1]) == "host") {
    host();
    return 0;
  }
  memory();  // first: it starts processes
  networks();
  host();
}
