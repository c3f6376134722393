// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graphs.hpp"
#include "base/format.hpp"
#include "executors/vulkan/executor.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>

#include "launch/run.hpp"
#include "model/device_facts.hpp"
#include "model/plan/plan_graph.hpp"
#include "must.hpp"
#include "tensor/element.hpp"

namespace slipway::bench {
namespace {

using tosa::Attributes;
using tosa::DataType;
using tosa::Graph;
using tosa::Op;
using tosa::TensorType;
using tosa::ValueId;

// Small numbers that every type can represent: whole numbers, and eighths for floats.
std::vector<std::byte> numbers(const TensorType& type, std::uint32_t seed) {
  const tensor::ElementType storage = tosa::storage_of(type.data);
  const std::size_t count = tensor::element_count(type.shape).value(), size = tensor::size_of(storage);
  std::vector<std::byte> bytes(count * size);
  std::vector<std::byte> element(size);
  std::vector<std::vector<std::byte>> all;
  for (int value = -8; value < 8; ++value) {
    if (tosa::is_float(type.data))
      tensor::store_rounded(storage, value / 8.0, element.data());
    else
      (void)tensor::store_number(storage, std::int64_t{value}, element.data());
    all.push_back(element);
  }
  // Repeats the first elements, because drawing all of them takes long. The period is a prime, so that rows differ.
  constexpr std::size_t kPeriod = 65521;
  std::minstd_rand random(seed);
  for (std::size_t i = 0; i < std::min(count, kPeriod); ++i)
    std::memcpy(&bytes[i * size], all[random() >> 7 & 15].data(), size);
  for (std::size_t i = kPeriod; i < count; i += kPeriod)
    std::memcpy(&bytes[i * size], bytes.data(), std::min(kPeriod, count - i) * size);
  return bytes;
}

ValueId constant(Graph& graph, const TensorType& type, std::uint32_t seed) {
  return graph.add_constant(type, numbers(type, seed));
}

ValueId integers(Graph& graph, DataType type, std::int64_t value) {
  std::vector<std::byte> bytes(tensor::size_of(tosa::storage_of(type)));
  std::memcpy(bytes.data(), &value, bytes.size());
  return graph.add_constant({type, {1}}, bytes);
}

ValueId add_convolution(Graph& graph, ValueId from, const Image& image, std::uint32_t seed) {
  const DataType type = graph[from].type.data, sum = type == DataType::I8 ? DataType::I32 : type;
  const std::int64_t k = image.kernel, pad = k / 2;
  const ValueId weight = constant(graph, {type, {image.out_channels, k, k, image.channels}}, seed);
  const ValueId bias = constant(graph, {sum, {image.out_channels}}, seed + 1);
  const auto accumulator = type == DataType::I8 ? tosa::AccType::Int32 : tosa::AccType::Fp32;
  return graph.add(Op::CONV2D, {from, weight, bias},
                   {{"pad", {pad, pad, pad, pad}},
                    {"stride", {1, 1}},
                    {"dilation", {1, 1}},
                    {"acc_type", {static_cast<std::int64_t>(accumulator)}},
                    {"local_bound", {0}},
                    {"input_zp", {0}},
                    {"weight_zp", {0}}},
                   {sum, {1, image.size, image.size, image.out_channels}});
}

ValueId clamp(Graph& graph, ValueId from) {
  Attributes attributes = {{"nan_mode", {static_cast<std::int64_t>(tosa::NanMode::Propagate)}}};
  attributes.set_real("min_val", 0);
  attributes.set_real("max_val", 6);
  return graph.add(Op::CLAMP, {from}, attributes, graph[from].type);
}

}  // namespace

lower::LowerOptions options_of(const vk::Snapshot& snapshot) { return {.device = model::device_facts(snapshot)}; }

launch::Plan plan_of(const Graph& graph, const lower::LowerOptions& options) {
  const auto program = must(lower::lower_graph(graph, options));
  launch::Plan plan;
  plan.name = "graph";
  std::vector<launch::ResourceIndex> in, out;
  const auto add = [&](ValueId value, bool filled) {
    const TensorType type = graph[value].type;
    const std::uint64_t size = tensor::byte_count(type.shape, tosa::storage_of(type.data)).value();
    launch::Resource resource{.name = formatted("r{}", plan.resources.size()), .kind = launch::Buffer{.size = size}};
    if (filled) {
      resource.initial.push_back({size, [type](MutableBytes to) -> Result<> {
                                    std::ranges::copy(numbers(type, 1), to.begin());
                                    return {};
                                  }});
    }
    plan.resources.push_back(std::move(resource));
    return static_cast<launch::ResourceIndex>(plan.resources.size() - 1);
  };
  for (const ValueId value : graph.inputs) in.push_back(add(value, true));
  for (const ValueId value : graph.outputs) out.push_back(add(value, false));
  model::add_graph(plan, graph, program, in, out, "graph", {});
  return plan;
}

namespace {

Times times(std::vector<double> all) {
  std::ranges::sort(all);
  return {all.front(), all[all.size() / 2]};
}

}  // namespace

Graph matmul(std::int64_t m, std::int64_t n, std::int64_t k, DataType factors, DataType sum) {
  Graph graph;
  const ValueId a = graph.add_input({factors, {1, m, k}});
  ValueId b;
  if (factors == DataType::I8) {
    b = graph.add(Op::TRANSPOSE, {graph.add_input({factors, {1, n, k}})}, {{"perms", {0, 2, 1}}}, {factors, {1, k, n}});
  } else {
    b = graph.add_input({factors, {1, k, n}});
  }
  graph.outputs = {graph.add(Op::MATMUL, {a, b}, {{"A_zp", {0}}, {"B_zp", {0}}}, {sum, {1, m, n}})};
  return graph;
}

Graph attention(const AttentionSize& size, DataType type) {
  Graph graph;
  const TensorType logits{type, {size.batches, size.rows, size.keys}}, one{type, {size.batches, size.rows, 1}};
  const ValueId q = graph.add_input({type, {size.batches, size.rows, size.depth}}),
                k = graph.add_input({type, {size.batches, size.keys, size.depth}}),
                v = graph.add_input({type, {size.batches, size.keys, size.depth}});
  const auto product = [&](ValueId a, ValueId b, const TensorType& result) {
    return graph.add(Op::MATMUL, {a, b}, {{"A_zp", {0}}, {"B_zp", {0}}}, result);
  };
  const auto reduced = [&](Op op, ValueId x) {
    return graph.add(op, {x}, {{"axis", {2}}, {"nan_mode", {static_cast<std::int64_t>(tosa::NanMode::Propagate)}}},
                     one);
  };
  const ValueId turned =
      graph.add(Op::TRANSPOSE, {k}, {{"perms", {0, 2, 1}}}, {type, {size.batches, size.depth, size.keys}});
  const ValueId scale = constant(graph, {type, {1, 1, 1}}, 3);
  const ValueId x = graph.add(Op::MUL, {product(q, turned, logits), scale}, {{"shift", {0}}}, logits);
  const ValueId powers =
      graph.add(Op::EXP, {graph.add(Op::SUB, {x, reduced(Op::REDUCE_MAX, x)}, {}, logits)}, {}, logits);
  const ValueId inverse = graph.add(Op::RECIPROCAL, {reduced(Op::REDUCE_SUM, powers)}, {}, one);
  const ValueId shares = graph.add(Op::MUL, {powers, inverse}, {{"shift", {0}}}, logits);
  graph.outputs = {product(shares, v, graph[q].type)};
  return graph;
}

Graph convolution(const Image& image, DataType type) {
  Graph graph;
  ValueId value =
      add_convolution(graph, graph.add_input({type, {1, image.size, image.size, image.channels}}), image, 2);
  if (type == DataType::I8) {
    const ValueId multiplier = integers(graph, DataType::I32, 1 << 30), shift = integers(graph, DataType::I8, 36);
    value = graph.add(Op::RESCALE, {value, multiplier, shift},
                      {{"scale32", {1}},
                       {"rounding_mode", {static_cast<std::int64_t>(tosa::RoundingMode::SingleRound)}},
                       {"per_channel", {0}},
                       {"input_unsigned", {0}},
                       {"output_unsigned", {0}},
                       {"input_zp", {0}},
                       {"output_zp", {0}}},
                      {DataType::I8, graph[value].type.shape});
  }
  graph.outputs = {value};
  return graph;
}

Graph pointwise(std::int64_t elements, int count) {
  Graph graph;
  const TensorType type{DataType::F32, {1, elements}};
  const ValueId x = graph.add_input(type);
  ValueId value = x;
  for (int i = 0; i < count; ++i) {
    switch (i % 4) {
      case 0:
        value = graph.add(Op::ADD, {value, x}, {}, type);
        break;
      case 1:
        value = clamp(graph, value);
        break;
      case 2:
        value = graph.add(Op::MUL, {value, x}, {{"shift", {0}}}, type);
        break;
      default:
        value = graph.add(Op::ABS, {value}, {}, type);
    }
  }
  graph.outputs = {value};
  return graph;
}

Graph chain(const Image& image, int count) {
  Graph graph;
  ValueId value = graph.add_input({DataType::F32, {1, image.size, image.size, image.channels}});
  for (int i = 0; i < count; ++i) {
    if (i) value = clamp(graph, value);
    value = add_convolution(graph, value, image, static_cast<std::uint32_t>(2 * i + 2));
  }
  graph.outputs = {value};
  return graph;
}

Graph residual(int blocks) {
  Graph graph;
  Image image{.size = 64, .channels = 16, .out_channels = 16};
  ValueId value = graph.add_input({DataType::F32, {1, image.size, image.size, image.channels}});
  for (int i = 0; i < blocks; ++i) {
    const auto seed = static_cast<std::uint32_t>(4 * i + 2);
    const ValueId inner = clamp(graph, add_convolution(graph, value, image, seed));
    const ValueId outer = add_convolution(graph, inner, image, seed + 2);
    value = clamp(graph, graph.add(Op::ADD, {outer, value}, {}, graph[value].type));
    if (i % 2 == 0) continue;
    image.size /= 2;
    value = graph.add(Op::MAX_POOL2D, {value},
                      {{"kernel", {2, 2}},
                       {"stride", {2, 2}},
                       {"pad", {0, 0, 0, 0}},
                       {"nan_mode", {static_cast<std::int64_t>(tosa::NanMode::Propagate)}}},
                      {DataType::F32, {1, image.size, image.size, image.channels}});
  }
  graph.outputs = {value};
  return graph;
}

RunTimes times_of(const launch::Profile& profile) {
  std::vector<double> device, host;
  for (const launch::IterationTime& time : profile.iterations) {
    device.push_back(static_cast<double>(time.after - time.before) * static_cast<double>(profile.period) * 1e-6);
    host.push_back(std::chrono::duration<double, std::milli>(time.host).count() - device.back());
  }
  return {times(std::move(device)), times(std::move(host))};
}

launch::Profile profile_for(const launch::Plan& plan, const gpu::Device& device, double duration, bool of_commands) {
  launch::SharedPipelines pipelines;
  launch::RunOptions options{.repeat = 5, .iteration_times = true, .cache = Cache::of_user(), .pipelines = &pipelines};
  // The clock rate of a GPU falls while the host plans, and rises again only after up to a second under load.
  const double load = device.snapshot().type == vk::DeviceType::Cpu ? 1 : 4;
  for (const double share : {1.0, load}) {
    const double once =
        times_of(must(launch::run(plan, launch::VulkanExecutor(device), options, {})).profile).device.best;
    options.repeat = static_cast<std::uint32_t>(std::clamp(share * duration / once, 5.0, 20'000.0));
  }
  options.timestamps = of_commands;
  return must(launch::run(plan, launch::VulkanExecutor(device), options, {})).profile;
}

RunTimes time_of(const Graph& graph, const gpu::Device& device, std::uint32_t repeat) {
  const launch::RunOptions options{.repeat = repeat, .iteration_times = true, .cache = Cache::of_user()};
  return times_of(
      must(launch::run(plan_of(graph, options_of(device.snapshot())), launch::VulkanExecutor(device), options, {}))
          .profile);
}

RunTimes time_for(const Graph& graph, const gpu::Device& device, double duration) {
  return times_of(profile_for(plan_of(graph, options_of(device.snapshot())), device, duration));
}

RunTimes time_for(const Graph& graph, const lower::LowerOptions& options, const gpu::Device& device, double duration) {
  return times_of(profile_for(plan_of(graph, options), device, duration));
}

double kernel_time_for(const Graph& graph, const gpu::Device& device, double duration) {
  const launch::Profile profile = profile_for(plan_of(graph, options_of(device.snapshot())), device, duration, true);
  const launch::CommandTime& best =
      std::ranges::min(profile.times, {}, [](const launch::CommandTime& time) { return time.after - time.before; });
  return launch::milliseconds(best, profile.period);
}

}  // namespace slipway::bench
