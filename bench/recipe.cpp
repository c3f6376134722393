// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of running a recipe, compared with hand-written code that does the same:
// bench_recipe [--queues N] DIRECTORY_OF_CPU_LIBRARIES
//
// The two are measured in turn; medians are printed:
//   CPU functions   eight runs of an empty function, compared with eight calls
//   steady          eight dependent dispatches on Vulkan, compared with a command buffer recorded by hand
//   start           loading a recipe of a hundred buffers, without opening the device
//   depth           throughput with 1, 2, 4 and 8 copies in flight, compared with one copy; on one queue and on N
//                   queues (8, at most those of the device)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <print>
#include <vector>

#include "base/format.hpp"
#include "executors/vulkan/device_opening.hpp"
#include "executors/vulkan/executor.hpp"
#include "gpu/commands/commands.hpp"
#include "gpu/commands/submit.hpp"
#include "gpu/pipeline/descriptors.hpp"
#include "gpu/pipeline/pipeline.hpp"
#include "recipe/backends/plan/backend.hpp"
#include "recipe/cpu/library.hpp"
#include "recipe/session.hpp"

namespace {

using namespace slipway;
using namespace slipway::recipe;
using Clock = std::chrono::steady_clock;

constexpr const char* kShader = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer Y { uint y[]; };
void main() { y[gl_GlobalInvocationID.x] = x[gl_GlobalInvocationID.x] + 1u; }
)";

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::println(stderr, "{}", result.error().front().message);
    std::exit(5);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// A device with its back end, which all sessions share.
struct Opened {
  explicit Opened(std::uint32_t queues)
      : opening({.robustness = true, .queues = queues}),
        backend(must(make_plan_backend(BackendKind::Vulkan, {std::shared_ptr<void>(), &executor}, Cache::of_user()))) {}

  const gpu::Device& device() const { return *opening.current(); }

  launch::DeviceOpening opening;
  launch::VulkanExecutor executor{opening};
  BackendPtr backend;
};

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

double microseconds(const auto& act) {
  const auto start = Clock::now();
  act();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The medians of the times of `a` and `b`, which run in turn, in microseconds.
std::pair<double, double> measured(int rounds, const auto& a, const auto& b) {
  std::vector<double> of_a, of_b;
  for (int i = 0; i < rounds; ++i) {
    of_a.push_back(microseconds(a));
    of_b.push_back(microseconds(b));
  }
  return {median(of_a), median(of_b)};
}

Session load(std::string text, ArtifactMap files = {}, std::string profile = "") {
  const std::string_view shader = kShader;
  files.emplace("add.comp", std::vector<char>(shader.begin(), shader.end()));
  Diagnostics diagnostics;
  Session session = Session::load({.recipe = make_source("<recipe>", std::move(text)),
                                   .profile = profile.empty() ? nullptr : make_source("<profile>", std::move(profile)),
                                   .artifacts = Artifacts::in_memory(std::make_shared<const ArtifactMap>(files)),
                                   .plan = {.cache = Cache::of_user()}},
                                  diagnostics);
  if (!session.plan()) {
    std::println(stderr, "{}", diagnostics.all().front().message);
    std::exit(3);
  }
  return session;
}

void open(Session& session, const Path& libraries, const BackendPtr& backend) {
  Diagnostics diagnostics;
  if (session.open(
          {.runner = {.open_backend = [backend](BackendKind) { return backend; }, .libraries = {.roots = {libraries}}}},
          diagnostics))
    return;
  std::println(stderr, "{}", diagnostics.all().front().message);
  std::exit(5);
}

void run(Runner& runner) {
  must(runner.execute());
  if (!runner.wait()) std::exit(5);
}

void cpu_functions(const Path& libraries) {
  std::string runs;
  for (int i = 0; i < 8; ++i) runs += formatted(R"({}{{"name": "nothing", "where": "cpu"}})", i ? ", " : "");
  Session session = load(formatted(
      R"({{"resources": {{"cpus": [{{"name": "nothing", "library_path": "arithmetic"}}]}}, "execution": {{"runs": [{}]}}}})",
      runs));
  open(session, libraries, nullptr);
  const cpu::LibraryFunction& function =
      *must(cpu::find_function(*must(cpu::load_library(libraries / "libarithmetic.so")), "nothing"));
  std::vector<std::any> arguments(function.num_args);
  const auto direct = [&] {
    for (int i = 0; i < 8; ++i) function.callable(arguments);
  };
  const auto [ours, theirs] = measured(20000, [&] { run(session.runner()); }, direct);
  std::println("CPU functions: {:.3f} us a run over calling them (8 runs: {:.2f} us, direct {:.2f} us)",
               (ours - theirs) / 8, ours, theirs);
}

// The same work without recipes: pipeline, descriptor sets and commands made by hand, on the same device.
struct ByHand {
  gpu::PipelineLayout layout;
  std::optional<gpu::Pipeline> pipeline;
  std::vector<gpu::Buffer> buffers;
  gpu::DescriptorSets sets;
  std::optional<gpu::CommandList> commands;
};

void record(ByHand& hand, const gpu::Device& device, const ModuleCode& module, std::uint64_t size) {
  hand.layout = must(gpu::create_pipeline_layout(device, {.sets = {{{.binding = 0}, {.binding = 1}}}}));
  hand.pipeline.emplace(
      must(gpu::create_compute_pipeline(device, {.shader = {.words = *module.words}, .layout = &hand.layout})));
  for (int i = 0; i < 2; ++i)
    hand.buffers.push_back(must(gpu::create_buffer(device, {.size = size, .location = gpu::BufferLocation::Readback})));
  std::vector<gpu::DescriptorSetInfo> infos;
  for (std::size_t i = 0; i < 2; ++i) {
    infos.push_back(
        {.layout = &hand.layout,
         .set = 0,
         .writes = {{.binding = 0, .buffer = &hand.buffers[i]}, {.binding = 1, .buffer = &hand.buffers[1 - i]}}});
  }
  hand.sets = must(gpu::create_descriptor_sets(device, infos));
  hand.commands.emplace(must(gpu::create_command_list(device)));
  must(hand.commands->begin());
  for (std::size_t i = 0; i < 8; ++i) {
    if (i > 0) hand.commands->full_barrier();
    hand.commands->bind(*hand.pipeline);
    VkDescriptorSet_T* const set[] = {hand.sets[i % 2]};
    hand.commands->bind_sets(*hand.pipeline, 0, set);
    hand.commands->dispatch(16, 1, 1);
  }
  must(hand.commands->end());
}

std::string eight_runs(int buffers) {
  std::string list, runs;
  for (int i = 0; i < buffers; ++i)
    list += formatted(R"({}{{"name": "b{}", "type": "inout", "size": 4096}})", i ? ", " : "", i);
  for (int i = 0; i < 8; ++i)
    runs += formatted(
        R"({}{{"name": "add", "arguments": [{{"name": "b{}", "argidx": 0}}, {{"name": "b{}", "argidx": 1}}]}})",
        i ? ", " : "", i % 2, 1 - i % 2);
  return formatted(
      R"({{"header": {{"module": "add.comp"}}, "resources": {{"buffers": [{}], "kernels": [{{"name": "add", "grid": [16, 1, 1]}}]}}, "execution": {{"runs": [{}]}}}})",
      list, runs);
}

void steady(const Opened& on) {
  Session session = load(eight_runs(2));
  open(session, {}, on.backend);
  ByHand hand;
  record(hand, on.device(), *session.plan()->kernels.front().module, 4096);
  const auto by_hand = [&] {
    const gpu::CommandList* const lists[] = {&*hand.commands};
    gpu::Submission submission = must(gpu::submit(on.device(), lists));
    must(submission.wait());
  };
  const auto [ours, theirs] = measured(3000, [&] { run(session.runner()); }, by_hand);
  std::println("steady: {:.2f} times the same by hand ({:.1f} us, by hand {:.1f} us)", ours / theirs, ours, theirs);
}

void start(const BackendPtr& backend) {
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) {
    times.push_back(microseconds([&] {
      Session session = load(eight_runs(100));
      open(session, {}, backend);
      run(session.runner());
    }));
  }
  std::println("start: {:.2f} ms for 100 buffers and 8 runs, load to first result", median(times) / 1000);
}

// Three dependent runs per copy, each with `groups` work groups and `rounds` rounds of arithmetic. The last run writes
// y: a buffer of the copy, or, with `shares_output`, a buffer that the profile binds and all copies share.
struct Load {
  const char* what;  // for the output
  int groups, rounds;
  bool shares_output;
};

// Copies per second, in the fastest of several rounds, because devices need time to reach their full clock rate.
double throughput(const BackendPtr& backend, const Load& load, int copies) {
  constexpr std::string_view kMix = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform P { uint rounds; } p;
void main() {
  uint i = gl_GlobalInvocationID.x, value = x[i];
  for (uint r = 0; r < p.rounds; ++r) value = value * 747796405u + 2891336453u;
  y[i] = value;
}
)";
  const int size = load.groups * 64 * 4;
  const auto buffer = [&](const char* name, const char* type) {
    return formatted(R"({{"name": "{}", "type": "{}", "size": {}}})", name, type, size);
  };
  const auto run = [&](const char* from, const char* to) {
    return formatted(
        R"({{"kernel": "mix", "arguments": [{{"name": "{}", "argidx": 0}}, {{"name": "{}", "argidx": 1}}], "constants": [{{"value": {}, "argidx": 2}}]}})",
        from, to, load.rounds);
  };
  const std::string recipe = formatted(
      R"({{"header": {{"module": "mix.comp"}}, "resources": {{"buffers": [{}, {}, {}, {}], "kernels": [{{"name": "mix", "grid": [{}, 1, 1]}}]}}, "execution": {{"runs": [{}, {}, {}]}}}})",
      buffer("x", "input"), buffer("a", "internal"), buffer("b", "internal"), buffer("y", "output"), load.groups,
      run("x", "a"), run("a", "b"), run("b", "y"));
  const auto measure = [&](int iterations, int rounds) {
    std::string executions;
    for (int i = 0; i < rounds; ++i) {
      executions += formatted(R"({}{{"mode": "throughput", "depth": {}, "iterations": {}, "verbose": false}})",
                              i ? ", " : "", copies, iterations);
    }
    const std::string profile = formatted(
        R"({{"bindings": [{{"name": "x", "size": {}, "init": {{"stride": 4, "value": 5}}}}{}], "executions": [{}]}})",
        size, load.shares_output ? formatted(R"(, {{"name": "y", "size": {}}})", size) : "", executions);
    Session session = ::load(recipe, {{"mix.comp", {kMix.begin(), kMix.end()}}}, profile);
    open(session, {}, backend);
    if (const auto failure = session.run()) {
      std::println(stderr, "{}", failure->diagnostics.front().message);
      std::exit(5);
    }
    double best = 0;
    for (const ExecutionOutcome& outcome : session.engine().executions())
      best = std::max(best, 1e9 * static_cast<double>(outcome.iterations) * copies / outcome.elapsed_ns);
    return best;
  };
  constexpr double kSeconds = 0.1;  // of a round
  const double about = measure(2, 2);
  return measure(std::clamp(static_cast<int>(about * kSeconds / copies), 2, 100'000), about > 50 ? 5 : 2);
}

void depth(std::uint32_t queues) {
  constexpr Load kLoads[] = {{"almost empty", 1, 1, false},
                             {"small, long", 4, 20'000, false},
                             {"small, long, one output", 4, 20'000, true},
                             {"the whole device", 4096, 100, false}};
  std::vector<std::uint32_t> widths = {1};
  if (queues > 1) widths.push_back(queues);
  for (const std::uint32_t width : widths) {
    const Opened on(width);
    const std::uint32_t there = on.device().plan().queues;
    if (width > 1 && there == 1) {
      std::println("depth: the device has one queue");
      break;
    }
    for (const Load& load : kLoads) {
      std::string line = formatted("depth, {} queue{}, {:24}", there, there == 1 ? "" : "s", load.what);
      double one = 0;
      for (const int copies : {1, 2, 4, 8}) {
        const double rate = throughput(on.backend, load, copies);
        if (copies == 1) one = rate;
        line += formatted("  {}: {:.0f}/s {:.2f}x", copies, rate, rate / one);
      }
      std::println("{}", line);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::uint32_t queues = 8;
  if (count == 4 && std::string_view(arguments[1]) == "--queues") {
    queues = static_cast<std::uint32_t>(std::strtoul(arguments[2], nullptr, 10));
    arguments += 2;
    count -= 2;
  }
  if (count != 2 || queues == 0) return 2;
  cpu_functions(arguments[1]);
  const Opened on(4);
  steady(on);
  start(on.backend);
  depth(queues);
}
