// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conformance/vulkan/clients/sequences.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace slipway::conformance {
namespace {

constexpr std::int64_t kCount = 16;
using Integers = std::vector<std::int32_t>;

Integers ramp(std::int32_t first, std::int32_t step) {
  Integers values(kCount);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + step * static_cast<std::int32_t>(i);
  return values;
}

// --- a runner --------------------------------------------------------------------------------------------------------

void tensor_barrier(Client& client, VkCommandBuffer commands, const AppTensor& tensor, VkPipelineStageFlags2 from,
                    VkAccessFlags2 wrote, VkPipelineStageFlags2 to, VkAccessFlags2 reads) {
  const VkTensorMemoryBarrierARM barrier{.sType = VK_STRUCTURE_TYPE_TENSOR_MEMORY_BARRIER_ARM,
                                         .srcStageMask = from,
                                         .srcAccessMask = wrote,
                                         .dstStageMask = to,
                                         .dstAccessMask = reads,
                                         .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                         .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                         .tensor = tensor.tensor};
  const VkTensorDependencyInfoARM tensors{.sType = VK_STRUCTURE_TYPE_TENSOR_DEPENDENCY_INFO_ARM,
                                          .tensorMemoryBarrierCount = 1,
                                          .pTensorMemoryBarriers = &barrier};
  const VkDependencyInfo info{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .pNext = &tensors};
  client.vk().vkCmdPipelineBarrier2(commands, &info);
}

// Submits with a fence, as programs do that do not wait for the queue.
void submit_with_fence(Client& client, VkCommandBuffer commands) {
  const VkFenceCreateInfo create{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence = VK_NULL_HANDLE;
  MUST(client.vk().vkCreateFence(client.device(), &create, nullptr, &fence));
  const VkSubmitInfo submit{
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  MUST(client.vk().vkQueueSubmit(client.queue(), 1, &submit, fence));
  MUST(client.vk().vkWaitForFences(client.device(), 1, &fence, VK_TRUE, UINT64_MAX));
  client.vk().vkDestroyFence(client.device(), fence, nullptr);
}

}  // namespace

void run_like_a_runner(Client& client) {
  struct Case {
    std::string name, lines;
    std::int32_t (*wanted)(std::int32_t value);
  };
  const Case cases[] = {
      {"ABS", "%1 = ABS(%0) i32[16]\noutput %1 at 0.1\n", [](std::int32_t v) { return std::abs(v); }},
      {"NEGATE, ADD", "%1 = NEGATE(%0) i32[16] input1_zp=0 output_zp=0\n%2 = ADD(%1, %1) i32[16]\noutput %2 at 0.1\n",
       [](std::int32_t v) { return -2 * v; }},
      {"ABS, SUB", "%1 = ABS(%0) i32[16]\n%2 = SUB(%1, %0) i32[16]\noutput %2 at 0.1\n",
       [](std::int32_t v) { return std::abs(v) - v; }},
  };
  for (const Case& one : cases) {
    const AppTensor x = client.tensor(VK_FORMAT_R32_SINT, {kCount}), y = client.tensor(VK_FORMAT_R32_SINT, {kCount});
    const Integers input = ramp(-7, 1);
    fill(x, input);
    fill(y, Integers(kCount, 99));
    const AppGraph graph = client.graph(graph_module("%0 = input i32[16] at 0.0\n" + one.lines), "main", {&x, &y});
    const VkDescriptorSet set = client.descriptor_set(graph.set_layout, {&x, &y});
    const VkCommandBuffer commands = client.command_buffer();
    client.begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
    tensor_barrier(client, commands, x, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_WRITE_BIT,
                   VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM, VK_ACCESS_2_DATA_GRAPH_READ_BIT_ARM);
    client.dispatch(commands, graph, set);
    tensor_barrier(client, commands, y, VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM, VK_ACCESS_2_DATA_GRAPH_WRITE_BIT_ARM,
                   VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
    MUST(client.vk().vkEndCommandBuffer(commands));
    submit_with_fence(client, commands);
    Integers wanted;
    for (const std::int32_t value : input) wanted.push_back(one.wanted(value));
    client.check_contents(y, wanted, one.name);
    client.check_contents(x, input, one.name + ": the input");
    client.check_messages(one.name);
  }
}

// --- samples ---------------------------------------------------------------------------------------------------------

void run_like_samples(Client& client) {
  const AppTensor x = client.tensor(VK_FORMAT_R32_SFLOAT, {4, 4}), y = client.tensor(VK_FORMAT_R32_SFLOAT, {4, 4}),
                  z = client.tensor(VK_FORMAT_R32_SFLOAT, {4, 4});
  std::vector<float> input(16);
  std::iota(input.begin(), input.end(), -4.0F);
  fill(x, input);
  // A shader that doubles, then a graph that adds a constant by its id.
  const VkDescriptorSetLayout sets = client.tensor_layout(2);
  const VkPipelineLayout layout = client.pipeline_layout(sets, 4);
  const VkPipeline pipeline = client.compute_pipeline(
      compute_module(
          "layout(set = 0, binding = 0) uniform tensorARM<float, 2> x;\n"
          "layout(set = 0, binding = 1) uniform tensorARM<float, 2> y;\n"
          "layout(push_constant) uniform Push { float factor; };\nlayout(local_size_x = 4, local_size_y = 4) in;\n"
          "void main() {\n  uint at[] = uint[](gl_GlobalInvocationID.y, gl_GlobalInvocationID.x);\n"
          "  if (at[0] >= tensorSizeARM(x, 0) || at[1] >= tensorSizeARM(x, 1)) return;\n"
          "  float value;\n  tensorReadARM(x, at, value);\n  tensorWriteARM(y, at, factor * value);\n}\n"),
      layout);
  const std::vector<float> row = {10, 20, 30, 40};
  const AppGraph graph =
      client.graph(graph_module("%0 = input f32[4, 4] at 0.0\n%1 = const f32[1, 4] graph_constant 3\n"
                                "%2 = ADD(%0, %1) f32[4, 4]\noutput %2 at 0.1\n"),
                   "main", {&y, &z}, {{3, VK_FORMAT_R32_SFLOAT, {1, 4}, row.data()}});
  const VkDescriptorSet shader_set = client.descriptor_set(sets, {&x, &y}),
                        graph_set = client.descriptor_set(graph.set_layout, {&y, &z});
  const float factor = 2;
  const auto record = [&](VkCommandBuffer commands) {
    const auto& vk = client.vk();
    vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &shader_set, 0, nullptr);
    vk.vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof factor, &factor);
    vk.vkCmdDispatch(commands, 1, 1, 1);
    client.full_barrier(commands);
    client.dispatch(commands, graph, graph_set);
    // The state of compute shaders is what it was.
    client.full_barrier(commands);
    vk.vkCmdDispatch(commands, 1, 1, 1);
  };
  client.run(record);
  std::vector<float> doubled, wanted;
  for (std::size_t i = 0; i < input.size(); ++i) {
    doubled.push_back(2 * input[i]);
    wanted.push_back(doubled.back() + row[i % 4]);
  }
  client.check_contents(y, doubled, "a shader");
  client.check_contents(z, wanted, "a graph with a constant");
  client.check_messages("a shader and a graph");
}

// --- a runtime of models ---------------------------------------------------------------------------------------------

void run_like_a_runtime(Client& client) {
  const VkPipelineCacheCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache cache = VK_NULL_HANDLE;
  MUST(client.vk().vkCreatePipelineCache(client.device(), &create, nullptr, &cache));
  client.at_end([&client, cache] { client.vk().vkDestroyPipelineCache(client.device(), cache, nullptr); });
  const AppTensor x = client.tensor(VK_FORMAT_R32_SFLOAT, {1, 4, 4}),
                  y = client.tensor(VK_FORMAT_R32_SFLOAT, {1, 4, 4});
  // The weights exchange rows, and the second ones scale.
  std::vector<float> exchange(16, 0), scale(16, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    exchange[4 * i + (3 - i)] = 1;
    scale[5 * i] = static_cast<float>(i + 1);
  }
  const AppGraph graph = client.graph(
      graph_module("%0 = input f32[1, 4, 4] at 0.0\n%1 = const f32[1, 4, 4] graph_constant 0\n%2 = const f32[1, 4, 4] "
                   "graph_constant 1\n"
                   "%3 = MATMUL(%1, %0) f32[1, 4, 4] A_zp=0 B_zp=0\n%4 = MATMUL(%2, %3) f32[1, 4, 4] A_zp=0 B_zp=0\n"
                   "output %4 at 0.1\n"),
      "main", {&x, &y},
      {{0, VK_FORMAT_R32_SFLOAT, {1, 4, 4}, exchange.data()}, {1, VK_FORMAT_R32_SFLOAT, {1, 4, 4}, scale.data()}},
      cache);
  const VkDescriptorSet set = client.descriptor_set(graph.set_layout, {&x, &y});
  const VkCommandBuffer commands = client.command_buffer();
  client.begin(commands);
  client.full_barrier(commands);
  client.dispatch(commands, graph, set);
  MUST(client.vk().vkEndCommandBuffer(commands));
  constexpr int kInferences = 20;
  for (int i = 0; i < kInferences; ++i) {
    std::vector<float> input(16), wanted(16);
    for (std::size_t k = 0; k < input.size(); ++k) input[k] = static_cast<float>(i) + static_cast<float>(k);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const std::size_t row = k / 4;
      wanted[k] = static_cast<float>(row + 1) * input[4 * (3 - row) + k % 4];
    }
    fill(x, input);
    client.submit({commands});
    client.check_contents(y, wanted, formatted("inference {}", i));
  }
  std::size_t size = 0;
  client.check_result(client.vk().vkGetPipelineCacheData(client.device(), cache, &size, nullptr), VK_SUCCESS,
                      "vkGetPipelineCacheData");
  client.check_messages("a runtime");
}

// --- generated sequences ---------------------------------------------------------------------------------------------

namespace {

struct Operator {
  std::string_view name;
  std::int32_t (*compute)(std::int32_t a, std::int32_t b);
};
// Their results do not grow.
constexpr Operator kOperators[] = {
    {"BITWISE_XOR", [](std::int32_t a, std::int32_t b) { return a ^ b; }},
    {"BITWISE_AND", [](std::int32_t a, std::int32_t b) { return a & b; }},
    {"BITWISE_OR", [](std::int32_t a, std::int32_t b) { return a | b; }},
};

// Random graphs and copies on a few tensors, and a model of their contents.
class GeneratedSequence {
 public:
  GeneratedSequence(Client& client, std::uint64_t seed) : client_(client), seed_(seed), random_(seed) {
    constexpr std::size_t kTensors = 5;
    for (std::size_t i = 0; i < kTensors; ++i) {
      // Some have gaps between their rows.
      tensors_.push_back(client.tensor(VK_FORMAT_R32_SINT, {4, 4},
                                       pick(3) == 0 ? std::vector<std::int64_t>{48, 4} : std::vector<std::int64_t>{}));
      Integers values(kCount);
      for (std::int32_t& value : values) value = static_cast<std::int32_t>(random_());
      fill(tensors_.back(), values);
      model_.push_back(std::move(values));
    }
  }

  void run() {
    std::vector<VkCommandBuffer> buffers;
    for (std::size_t count = 1 + pick(3); buffers.size() < count;) {
      const VkCommandBuffer commands = buffers.emplace_back(client_.command_buffer());
      client_.begin(commands);
      for (std::size_t steps = 1 + pick(6); steps > 0; --steps) {
        client_.full_barrier(commands);
        record_step(commands);
      }
      client_.full_barrier(commands);
      MUST(client_.vk().vkEndCommandBuffer(commands));
    }
    client_.submit(buffers);
    for (std::size_t i = 0; i < tensors_.size(); ++i)
      client_.check_contents(tensors_[i], model_[i], formatted("sequence with seed {}, tensor {}", seed_, i));
    client_.check_messages(formatted("sequence with seed {}", seed_));
  }

 private:
  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  // Writes another tensor than it reads.
  void record_step(VkCommandBuffer commands) {
    const std::size_t first = pick(tensors_.size()), to = (first + 1 + pick(tensors_.size() - 1)) % tensors_.size();
    if (pick(3) == 0) {
      copy_tensor(client_, commands, tensors_[first], tensors_[to]);
      model_[to] = model_[first];
      return;
    }
    const Operator& with = kOperators[pick(std::size(kOperators))];
    std::size_t second = pick(tensors_.size());
    if (second == to) second = first;
    const std::vector<const AppTensor*> bound = {&tensors_[first], &tensors_[second], &tensors_[to]};
    const AppGraph graph = client_.graph(graph_module(formatted("%0 = input i32[4, 4] at 0.0\n"
                                                                "%1 = input i32[4, 4] at 0.1\n"
                                                                "%2 = {}(%0, %1) i32[4, 4]\noutput %2 at 0.2\n",
                                                                with.name)),
                                         "main", bound);
    client_.dispatch(commands, graph, client_.descriptor_set(graph.set_layout, bound));
    for (std::size_t i = 0; i < model_[to].size(); ++i)
      model_[to][i] = with.compute(model_[first][i], model_[second][i]);
  }

  Client& client_;
  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::vector<AppTensor> tensors_;
  std::vector<Integers> model_;  // by tensor
};

}  // namespace

void run_generated(Client& client) {
  for (std::uint32_t i = 0; i < client.options().sequences; ++i) {
    GeneratedSequence(client, client.options().seed + i).run();
    // The objects of a sequence are freed with the device.
    client.stop();
    client.start();
  }
}

// --- odd but legal ---------------------------------------------------------------------------------------------------

namespace {

void query_in_parts(Client& client, VkPipeline pipeline) {
  const VkDataGraphPipelineInfoARM info{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_INFO_ARM,
                                        .dataGraphPipeline = pipeline};
  std::uint32_t count = 0;
  client.check_result(client.vk().vkGetDataGraphPipelineAvailablePropertiesARM(client.device(), &info, &count, nullptr),
                      VK_SUCCESS, "vkGetDataGraphPipelineAvailablePropertiesARM for the count");
  if (count == 0) return;
  std::vector<VkDataGraphPipelinePropertyARM> all(count);
  std::uint32_t none = 0;
  client.check_result(
      client.vk().vkGetDataGraphPipelineAvailablePropertiesARM(client.device(), &info, &none, all.data()),
      VK_INCOMPLETE, "vkGetDataGraphPipelineAvailablePropertiesARM without space");
  client.check(none == 0, "vkGetDataGraphPipelineAvailablePropertiesARM writes 0 properties where there is no space");
  client.check_result(
      client.vk().vkGetDataGraphPipelineAvailablePropertiesARM(client.device(), &info, &count, all.data()), VK_SUCCESS,
      "vkGetDataGraphPipelineAvailablePropertiesARM");
  for (const VkDataGraphPipelinePropertyARM property : all) {
    VkDataGraphPipelinePropertyQueryResultARM result{
        .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_PROPERTY_QUERY_RESULT_ARM, .property = property};
    client.check_result(client.vk().vkGetDataGraphPipelinePropertiesARM(client.device(), &info, 1, &result), VK_SUCCESS,
                        "vkGetDataGraphPipelinePropertiesARM for the size");
    std::vector<std::byte> data(result.dataSize + 1);
    result.pData = data.data();
    client.check_result(client.vk().vkGetDataGraphPipelinePropertiesARM(client.device(), &info, 1, &result), VK_SUCCESS,
                        "vkGetDataGraphPipelinePropertiesARM");
    if (result.dataSize < 2) continue;
    result.dataSize = 1;
    client.check_result(client.vk().vkGetDataGraphPipelinePropertiesARM(client.device(), &info, 1, &result),
                        VK_INCOMPLETE, "vkGetDataGraphPipelinePropertiesARM with space for one byte");
  }
}

// Tensors of each rank, with one element in most dimensions.
void check_ranks(Client& client, const Integers& input) {
  for (std::size_t rank = 1; rank <= 4; ++rank) {
    std::vector<std::int64_t> shape(rank, 1);
    shape.back() = kCount;
    std::string text;
    for (const std::int64_t extent : shape) text += formatted("{}{}", text.empty() ? "" : ", ", extent);
    const AppTensor from = client.tensor(VK_FORMAT_R32_SINT, shape), to = client.tensor(VK_FORMAT_R32_SINT, shape);
    fill(from, input);
    const AppGraph graph = client.graph(
        graph_module(formatted("%0 = input i32[{0}] at 0.0\n%1 = ABS(%0) i32[{0}]\noutput %1 at 0.1\n", text)), "main",
        {&from, &to});
    const VkDescriptorSet set = client.descriptor_set(graph.set_layout, {&from, &to});
    client.run([&](VkCommandBuffer commands) { client.dispatch(commands, graph, set); });
    Integers wanted;
    for (const std::int32_t value : input) wanted.push_back(std::abs(value));
    client.check_contents(to, wanted, formatted("tensors of rank {}", rank));
  }
}

}  // namespace

void run_odd_calls(Client& client) {
  const auto& vk = client.vk();
  vk.vkDestroyTensorARM(client.device(), VK_NULL_HANDLE, nullptr);
  vk.vkDestroyTensorViewARM(client.device(), VK_NULL_HANDLE, nullptr);
  client.submit({});
  // One tensor for both inputs; gaps between rows; the set is bound before the pipeline.
  const AppTensor x = client.tensor(VK_FORMAT_R32_SINT, {4, 4}, {64, 4}), y = client.tensor(VK_FORMAT_R32_SINT, {4, 4}),
                  z = client.tensor(VK_FORMAT_R32_SINT, {4, 4}, {80, 4});
  const Integers input = ramp(3, -2);
  fill(x, input);
  const AppGraph add = client.graph(graph_module("%0 = input i32[4, 4] at 0.0\n%1 = input i32[4, 4] at 0.1\n"
                                                 "%2 = ADD(%0, %1) i32[4, 4]\noutput %2 at 0.2\n"),
                                    "main", {&x, &x, &y});
  const AppGraph negate = client.graph(
      graph_module(
          "%0 = input i32[4, 4] at 0.0\n%1 = NEGATE(%0) i32[4, 4] input1_zp=0 output_zp=0\noutput %1 at 0.1\n"),
      "main", {&y, &z});
  const VkDescriptorSet add_set = client.descriptor_set(add.set_layout, {&x, &x, &y}),
                        negate_set = client.descriptor_set(negate.set_layout, {&y, &z});
  query_in_parts(client, add.pipeline);
  const VkCommandBuffer inner = client.command_buffer(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  client.begin(inner);
  client.dispatch(inner, negate, negate_set);
  MUST(vk.vkEndCommandBuffer(inner));
  client.run([&](VkCommandBuffer commands) {
    constexpr VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM;
    vk.vkCmdBindDescriptorSets(commands, point, add.layout, 0, 1, &add_set, 0, nullptr);
    vk.vkCmdBindPipeline(commands, point, add.pipeline);
    vk.vkCmdDispatchDataGraphARM(commands, add.session, nullptr);
    client.full_barrier(commands);
    vk.vkCmdDispatchDataGraphARM(commands, add.session, nullptr);  // again, with what is bound
    client.full_barrier(commands);
    vk.vkCmdExecuteCommands(commands, 1, &inner);
  });
  Integers twice, negated;
  for (const std::int32_t value : input) {
    twice.push_back(2 * value);
    negated.push_back(-2 * value);
  }
  client.check_contents(y, twice, "one tensor for both inputs");
  client.check_contents(z, negated, "a graph in a secondary command buffer");
  check_ranks(client, input);
  client.check_messages("odd calls");
}

}  // namespace slipway::conformance
