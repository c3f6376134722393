// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/run.hpp"
#include "base/format.hpp"

#include <cstdint>
#include <utility>

#include "base/print_diagnostic.hpp"
#include "executors/vulkan/pipelines/pipelines.hpp"
#include "executors/vulkan/test_shaders/add_comp.hpp"
#include "executors/vulkan/test_shaders/increment_comp.hpp"
#include "executors/vulkan/test_shaders/sum_by_address_comp.hpp"
#include "executors/vulkan/test_shaders/uniform_comp.hpp"
#include "gpu/device/device_core.hpp"
#include "testing/launch_fixture.hpp"

namespace slipway::launch {
namespace {

TEST(TimeOut, IsInSecondsAndHasALongest) {
  EXPECT_EQ(time_out_of(0.2), std::chrono::milliseconds(200));
  EXPECT_EQ(time_out_of(1e300), std::chrono::seconds(9'000'000'000));
}

using RunPlan = LaunchTest;

// c = a * scale + b + offset for 8 floats, a and b given.
struct Add {
  Plan plan{.name = "add.json"};
  ResourceIndex a = add_buffer(plan, "a", 32), b = add_buffer(plan, "b", 32), c = add_buffer(plan, "c", 32);
  ShaderIndex shader = add_shader(plan, "add", add_comp);

  Add() {
    plan.resources[a].initial = {contents_of<float>({1, 2, 3, 4, 5, 6, 7, 8})};
    plan.resources[b].initial = {contents_of<float>({10, 20, 30, 40, 50, 60, 70, 80})};
    add_dispatch(plan, shader, {a, b, c}, {2, 1, 1});
  }
  Dispatch& dispatch() { return std::get<Dispatch>(plan.steps[0].action); }
};

Plan count_up(std::uint32_t dispatches, const Path& output) {
  Plan plan{.name = "count.json"};
  const ResourceIndex x = add_buffer(plan, "x", 8);
  plan.resources[x].initial = {contents_of<std::uint32_t>({5, 100})};
  plan.resources[x].outputs = {raw_output(output)};
  const ShaderIndex shader = add_shader(plan, "increment", increment_comp);
  for (std::uint32_t i = 0; i < dispatches; ++i) add_dispatch(plan, shader, {x}, {2, 1, 1});
  return plan;
}

// --- dispatches ------------------------------------------------------------------------------------------------------

TEST_F(RunPlan, BuffersInAndOut) {
  Add add;
  add.plan.resources[add.c].outputs = {raw_output(directory_ / "deep/c.bin"), raw_output(directory_ / "again.bin")};
  const Report report = run_it(add.plan);
  const std::vector<float> expected = {11, 22, 33, 44, 55, 66, 77, 88};
  EXPECT_EQ(read_raw<float>(directory_ / "deep/c.bin"), expected);
  EXPECT_EQ(read_raw<float>(directory_ / "again.bin"), expected);
  EXPECT_EQ(report.outputs, (std::vector<Path>{directory_ / "deep/c.bin", directory_ / "again.bin"}));
  EXPECT_EQ(report.device, snapshot().name);
  EXPECT_EQ(report.iterations, 1u);
  EXPECT_TRUE(report.diagnostics.empty());
}

TEST_F(RunPlan, SpecializationAndPushConstants) {
  Add add;
  add.plan.shaders[add.shader].specializations = {{.id = 7, .bytes = bytes_of<float>({100})}};
  add.dispatch().push_constants = bytes_of<float>({0.5});
  add.plan.resources[add.c].outputs = {raw_output(directory_ / "c.bin")};
  run_it(add.plan);
  EXPECT_EQ(read_raw<float>(directory_ / "c.bin"),
            (std::vector<float>{110.5, 220.5, 330.5, 440.5, 550.5, 660.5, 770.5, 880.5}));
}

// Twice, so that the second dispatch needs what the first has written: the barrier between them covers addresses too.
TEST_F(RunPlan, BuffersByAddress) {
  Plan plan{.name = "addresses.json"};
  const ResourceIndex from = add_buffer(plan, "from", 16), to = add_buffer(plan, "to", 16);
  plan.resources[from].initial = {contents_of<std::uint32_t>({1, 2, 3, 4})};
  plan.resources[to].initial = {contents_of<std::uint32_t>({100, 200, 300, 400})};
  plan.resources[to].outputs = {raw_output(directory_ / "to.bin")};
  const ShaderIndex shader = add_shader(plan, "sum", sum_by_address_comp);
  for (int i = 0; i < 2; ++i) {
    Dispatch& dispatch = std::get<Dispatch>(add_dispatch(plan, shader, {}).action);
    ASSERT_EQ(dispatch.push_constants.size(), 24u);
    dispatch.push_constants[8] = std::byte{10};
    dispatch.bindings = {{.resource = from, .address_at = 0, .reads = true},
                         {.resource = to, .address_at = 16, .reads = true, .writes = true}};
  }
  run_it(plan);
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "to.bin"), (std::vector<std::uint32_t>{120, 240, 360, 480}));
}

TEST_F(RunPlan, UniformBuffers) {
  Plan plan;
  const ResourceIndex u = add_buffer(plan, "u", 16), x = add_buffer(plan, "x", 16);
  std::get<Buffer>(plan.resources[u].kind).uniform = true;
  plan.resources[u].initial = {contents_of<std::uint32_t>({1, 2, 3, 4})};
  plan.resources[x].outputs = {raw_output(directory_ / "x.bin")};
  add_dispatch(plan, add_shader(plan, "uniform", uniform_comp), {u, x});
  run_it(plan);
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "x.bin"), (std::vector<std::uint32_t>{2, 4, 6, 8}));
}

TEST_F(RunPlan, WithoutStepsResourcesAreFilledAndStored) {
  Plan plan{.name = "nothing.json"};
  const ResourceIndex given = add_buffer(plan, "given", 8), zero = add_buffer(plan, "zero", 8),
                      part = add_buffer(plan, "part", 8);
  plan.resources[given].initial = {contents_of<std::uint32_t>({7, 8})};
  plan.resources[part].initial = {contents_of<std::uint32_t>({9})};
  for (const ResourceIndex i : {given, zero, part})
    plan.resources[i].outputs = {raw_output(directory_ / plan.resources[i].name)};
  run_it(plan);
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "given"), (std::vector<std::uint32_t>{7, 8}));
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "zero"), (std::vector<std::uint32_t>{0, 0}));
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "part"), (std::vector<std::uint32_t>{9, 0}));
}

TEST_F(RunPlan, Captures) {
  Add add;
  std::vector<float> sums, given;
  const auto into = [](std::vector<float>& values) {
    return [&values](Bytes bytes) {
      values.resize(bytes.size() / sizeof(float));
      std::memcpy(values.data(), bytes.data(), bytes.size());
    };
  };
  add.plan.captures = {{.resource = add.c, .take = into(sums)}, {.resource = add.a, .take = into(given)}};
  run_it(add.plan);
  EXPECT_EQ(sums, (std::vector<float>{11, 22, 33, 44, 55, 66, 77, 88}));
  EXPECT_EQ(given, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
}

// What is out of the host's reach goes through staging memory.
TEST_F(RunPlan, DeviceMemoryThatIsNotMapped) {
  Add add;
  add.plan.resources[add.c].outputs = {raw_output(directory_ / "c.bin")};
  add.plan.resources[add.b].initial = {contents_of<float>({1})};
  must(make_device(must(vk::plan_device(snapshot(), needs_of(add.plan))), {.map_device_memory = false}));
  run_it(add.plan);
  EXPECT_EQ(read_raw<float>(directory_ / "c.bin"), (std::vector<float>{2, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(RunPlan, ContentsThatAreTooLong) {
  Plan plan;
  plan.resources[add_buffer(plan, "x", 4)].initial = {contents_of<std::uint32_t>({1, 2})};
  const Result<Report> report = try_run(plan);
  ASSERT_FALSE(report);
  EXPECT_EQ(format_diagnostics(report.error()),
            "/x: error: the contents have 8 bytes, but the resource has 4 [file-mismatch]\n  = at /x\n");
}

TEST_F(RunPlan, ContentsThatCannotBeRead) {
  Plan plan;
  plan.resources[add_buffer(plan, "x", 4)].initial = {{.size = 4, .write = [](MutableBytes) -> Result<> {
                                                         return fail(DiagnosticKind::FileFormat,
                                                                     SourceLocation::in_file("x.npy"), "broken");
                                                       }}};
  const Result<Report> report = try_run(plan);
  ASSERT_FALSE(report);
  EXPECT_EQ(format_diagnostics(report.error()),
            "x.npy: error: broken [file-format]\n  = at /x\n/x: note: asked for here\n");
}

// --- iterations ------------------------------------------------------------------------------------------------------

TEST_F(RunPlan, EachIterationStartsFromTheLast) {
  const Report report = run_it(count_up(2, directory_ / "x.bin"), {.repeat = 3});
  EXPECT_EQ(report.iterations, 3u);
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "x.bin"), (std::vector<std::uint32_t>{11, 106}));
}

TEST_F(RunPlan, BarriersOfTheUserAreEnough) {
  Plan plan = count_up(2, directory_ / "x.bin");
  for (Step& step : plan.steps) step.barrier_after = false;
  const Barrier barrier{.kind = Barrier::Kind::Buffer,
                        .name = "b",
                        .src_stage = vk::stage::kDataGraph,  // means compute here
                        .dst_stage = vk::stage::kComputeShader,
                        .src_access = vk::access::kDataGraphWrite,
                        .dst_access = vk::access::kShaderRead | vk::access::kShaderWrite,
                        .resource = 0,
                        .offset = 0,
                        .size = 100};  // more than the buffer has
  Barrier outside = barrier;
  outside.offset = 50;
  const Barrier memory{.name = "m", .src_access = vk::access::kMemoryWrite, .dst_access = vk::access::kMemoryRead};
  plan.steps.insert(plan.steps.begin() + 1, {.name = "barriers", .action = Barriers{{barrier, outside, memory}}});
  run_it(plan);
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "x.bin"), (std::vector<std::uint32_t>{7, 102}));
}

// Counts the barriers that are recorded.
class CountedBarriers {
 public:
  explicit CountedBarriers(const gpu::Device& device)
      : call_(const_cast<PFN_vkCmdPipelineBarrier2&>(device.core().functions.vkCmdPipelineBarrier2)) {
    recorded = 0;
    driver = std::exchange(call_, [](VkCommandBuffer commands, const VkDependencyInfo* info) {
      ++recorded;
      driver(commands, info);
    });
  }
  CountedBarriers(const CountedBarriers&) = delete;
  ~CountedBarriers() { call_ = driver; }
  int count() const { return recorded; }

 private:
  PFN_vkCmdPipelineBarrier2& call_;
  static inline PFN_vkCmdPipelineBarrier2 driver = nullptr;
  static inline int recorded = 0;
};

// Timed commands have barriers all the same, so that their times do not overlap.
TEST_F(RunPlan, ShadersThatWaitInTheirCodeHaveNoBarrierBeforeThem) {
  Plan plan = count_up(3, directory_ / "x.bin");
  const auto barriers = [&](bool waits, bool timed) {
    plan.steps[1].next_waits = waits;
    const CountedBarriers counted(device_for(plan));
    run_it(plan, {.timestamps = timed});
    return counted.count();
  };
  EXPECT_EQ(barriers(false, false) - barriers(true, false), 1);
  EXPECT_EQ(barriers(false, true), barriers(true, true));
}

TEST_F(RunPlan, BoundariesSplitSubmissions) {
  Plan plan = count_up(2, directory_ / "x.bin");
  plan.steps.insert(plan.steps.begin() + 1, {.name = "frame", .action = Boundary{.resources = {0}, .frame_id = 7}});
  plan.steps.push_back({.name = "frame", .action = Boundary{}});
  run_it(plan, {.repeat = 2});
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "x.bin"), (std::vector<std::uint32_t>{9, 104}));
  std::vector<std::string> expected = {
      "INFO: Setup resources, count: 1",
      "INFO: Setup commands",
      "WARNING: Frame boundary extension not present",
      "INFO: Dispatch compute",
      "WARNING: Manual setting of frameID is deprecated",
      "INFO: Wait for fence",
      "INFO: Dispatch compute",
      "INFO: Wait for fence",
      "INFO: Dispatch compute",
      "INFO: Wait for fence",
      "INFO: Dispatch compute",
      "INFO: Wait for fence",
      "INFO: Results stored",
  };
  if (device_for(plan).plan().has_feature("frameBoundary")) expected.erase(expected.begin() + 2);
  EXPECT_EQ(lines(), expected);
}

TEST_F(RunPlan, PipelinesThatAreTheSameAreMadeOnce) {
  const Plan plan = count_up(3, directory_ / "x.bin");
  EXPECT_EQ(plan_pipelines(plan).requests.size(), 1u);
  Plan other = plan;
  other.shaders.push_back(other.shaders[0]);
  std::get<Dispatch>(other.steps[1].action).shader = 1;
  EXPECT_EQ(plan_pipelines(other).requests.size(), 1u);
  other.shaders[1].specializations = {{.id = 1, .bytes = bytes_of<int>({1})}};
  EXPECT_EQ(plan_pipelines(other).requests.size(), 2u);
  std::get<Dispatch>(other.steps[2].action).bindings[0].type = vk::DescriptorType::UNIFORM_BUFFER;
  EXPECT_EQ(plan_pipelines(other).requests.size(), 3u);
}

// --- log, counters, profiles -----------------------------------------------------------------------------------------

TEST_F(RunPlan, LogLinesInTheirOrder) {
  Add add;
  run_it(add.plan, {.timestamps = true,
                    .pipeline_cache = PipelineCacheFile{.path = directory_ / "add.cache"},
                    .profile_path = directory_ / "profile.json",
                    .perf_counters_path = directory_ / "counters.json"});
  EXPECT_EQ(lines(), (std::vector<std::string>{
                         "INFO: Setup resources, count: 3",
                         "INFO: Load Pipeline Cache",
                         "INFO: Setup commands",
                         "INFO: Pipeline Cache stored",
                         "INFO: Setup profiling",
                         "INFO: Dispatch compute",
                         "INFO: Wait for fence",
                         "INFO: Profiling data stored",
                         "INFO: Pipeline Cache stored",
                         "INFO: Results stored",
                         "INFO: Performance stats stored",
                     }));
  EXPECT_EQ(lines_[0], formatted("INFO: Device: {}, Type: {}, Vendor: 0x{:04x}", snapshot().name,
                                 name_of(snapshot().type), snapshot().vendor_id));
  EXPECT_TRUE(lines_[1].starts_with("INFO: Vulkan device shader capabilities: apiVersion=1.")) << lines_[1];
  EXPECT_NE(lines_[1].find(formatted(", shaderInt64={}, shaderInt8=", snapshot().has_feature("shaderInt64"))),
            std::string::npos);
}

TEST_F(RunPlan, CountersOfTheStages) {
  Add add;
  add.plan.resources[add.a].load_counter = "Load Buffer: a";
  PerfCounters before = {{CounterCategory::ScenarioSetup, "Parse VGF: net", {}, {}}};
  const Report report = run_it(add.plan, {.repeat = 2, .timestamps = true, .counters = before});
  std::vector<std::string> names;
  for (const PerfCounter& counter : report.counters)
    names.push_back(std::string(name_of(counter.category)) + "/" + counter.name);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "Scenario Setup/Parse VGF: net",
                       "Scenario Setup/Load Buffer: a",
                       "Pipeline Setup/Create Pipeline: add",
                       "Run Scenario/Reset Query Pool. Iteration: 1",
                       "Run Scenario/Creating Command Buffer. Iteration: 1",
                       "Run Scenario/Submit Commands. Iteration: 1",
                       "Run Scenario/Wait for Fence. Iteration: 1",
                       "Run Scenario/Reset Query Pool. Iteration: 2",
                       "Run Scenario/Creating Command Buffer. Iteration: 2",
                       "Run Scenario/Submit Commands. Iteration: 2",
                       "Run Scenario/Wait for Fence. Iteration: 2",
                       "Save Results/Save Resources",
                   }));
}

// The times of iterations and of commands come from one clock, and commands are inside their iteration.
TEST_F(RunPlan, TimesOfIterations) {
  const Plan plan = count_up(2, directory_ / "x.bin");
  const Profile both = run_it(plan, {.repeat = 3, .timestamps = true, .iteration_times = true}).profile;
  ASSERT_EQ(both.iterations.size(), 3u);
  ASSERT_EQ(both.times.size(), 6u);
  for (const CommandTime& time : both.times) {
    const IterationTime& iteration = both.iterations[time.iteration - 1];
    EXPECT_LE(iteration.before, time.before);
    EXPECT_GE(iteration.after, time.after);
  }
  EXPECT_LE(both.iterations[0].after, both.iterations[1].before);
  for (const IterationTime& iteration : both.iterations) EXPECT_GT(iteration.host.count(), 0);

  const Profile alone = run_it(plan, {.repeat = 2, .iteration_times = true}).profile;
  EXPECT_EQ(alone.iterations.size(), 2u);
  EXPECT_TRUE(alone.times.empty());
  EXPECT_EQ(alone.period, both.period);
  EXPECT_TRUE(run_it(plan, {.repeat = 2, .timestamps = true}).profile.iterations.empty());
  EXPECT_TRUE(run_it(Plan{.name = "nothing.json"}, {.iteration_times = true}).profile.iterations.empty());
}

TEST_F(RunPlan, TimesOfCommands) {
  const Report report = run_it(count_up(2, directory_ / "x.bin"), {.repeat = 2, .timestamps = true});
  ASSERT_EQ(report.profile.times.size(), 4u);
  EXPECT_EQ(report.profile.period, static_cast<float>(snapshot().timestamp_period));
  EXPECT_NE(report.profile.started, HostClock::time_point{});
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const CommandTime& time = report.profile.times[i];
    EXPECT_EQ(time.name, "increment");
    EXPECT_EQ(time.type, CommandType::ComputeDispatch);
    EXPECT_EQ(time.iteration, i / 2 + 1);
    EXPECT_LE(last, time.before);
    EXPECT_LE(time.before, time.after);
    last = time.after;
  }
}

TEST_F(RunPlan, WithoutTimestampsThereAreNoTimes) {
  EXPECT_TRUE(run_it(count_up(1, directory_ / "x.bin")).profile.times.empty());
}

TEST_F(RunPlan, FilesOfMeasuring) {
  run_it(count_up(1, directory_ / "x.bin"), {.timestamps = true,
                                             .profile_path = directory_ / "p/profile.json",
                                             .perf_counters_path = directory_ / "p/counters.json"});
  EXPECT_NE(must(read_text(directory_ / "p/profile.json")).find("\"Command name\": \"increment\""), std::string::npos);
  EXPECT_NE(must(read_text(directory_ / "p/counters.json")).find("\"name\": \"Save Resources\""), std::string::npos);
}

TEST_F(RunPlan, FilesOfMeasuringThatCannotBeWritten) {
  must(write_file(directory_ / "file", "x"));
  const Plan plan = count_up(1, directory_ / "x.bin");
  Result<Report> report = try_run(plan, {.profile_path = directory_ / "file/p.json"});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error()[0].message,
            "Unable to open profiling data file for writing " + (directory_ / "file/p.json").string());
  EXPECT_EQ(report.error()[0].kind, DiagnosticKind::FileUnwritable);
  report = try_run(plan, {.perf_counters_path = directory_ / "file/c.json"});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error()[0].message,
            "Unable to open perf counters file for writing " + (directory_ / "file/c.json").string());
  EXPECT_TRUE(lines_.empty());
  EXPECT_FALSE(file_exists(directory_ / "x.bin"));
}

TEST_F(RunPlan, DebugMarkers) {
  use_debug_names();
  run_it(count_up(2, directory_ / "x.bin"));
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "x.bin"), (std::vector<std::uint32_t>{7, 102}));
}

// --- dry runs --------------------------------------------------------------------------------------------------------

TEST_F(RunPlan, DryRun) {
  Plan plan = count_up(2, directory_ / "x.bin");
  plan.expectations.push_back(
      {.resource = 0, .type = tensor::ElementType::U32, .shape = {2}, .expected = contents_of<std::uint32_t>({0, 0})});
  const Report report = run_it(plan, {.repeat = 5,
                                      .dry_run = true,
                                      .timestamps = true,
                                      .pipeline_cache = PipelineCacheFile{.path = directory_ / "x.cache"},
                                      .profile_path = directory_ / "profile.json",
                                      .perf_counters_path = directory_ / "counters.json"});
  EXPECT_EQ(report.iterations, 1u);
  EXPECT_TRUE(report.expectations.empty());
  EXPECT_TRUE(report.outputs.empty());
  EXPECT_FALSE(file_exists(directory_ / "x.bin"));
  EXPECT_TRUE(file_exists(directory_ / "x.cache"));
  EXPECT_TRUE(file_exists(directory_ / "counters.json"));
  EXPECT_EQ(must(read_text(directory_ / "profile.json")), "{}\n");
  EXPECT_EQ(lines(), (std::vector<std::string>{
                         "INFO: Setup resources, count: 1",
                         "INFO: Load Pipeline Cache",
                         "INFO: Setup commands",
                         "INFO: Pipeline Cache stored",
                         "INFO: Setup profiling",
                         "INFO: Profiling data stored",
                         "INFO: Pipeline Cache stored",
                         "INFO: Performance stats stored",
                     }));
}

// --- expectations ----------------------------------------------------------------------------------------------------

TEST_F(RunPlan, ExpectationsThatHold) {
  Add add;
  const ResourceIndex same = add_buffer(add.plan, "same", 32);
  add.plan.resources[same].initial = {contents_of<float>({11, 22, 33, 44, 55, 66, 77, 88})};
  add.plan.expectations = {
      {.resource = add.c,
       .type = tensor::ElementType::F32,
       .shape = {2, 4},
       .expected = add.plan.resources[same].initial[0]},
      {.resource = add.c, .type = tensor::ElementType::U8, .shape = {32}, .expected = same},
      {.resource = add.a,
       .type = tensor::ElementType::F32,
       .shape = {8},
       .expected = contents_of<float>({1, 2, 3, 4, 5, 6, 7, 9}),
       .tolerance = {.abs = 1}},
  };
  const Report report = run_it(add.plan);
  EXPECT_TRUE(report.diagnostics.empty());
  EXPECT_EQ(print_expectations(report.expectations),
            "expect 'c': ok (8 elements, max abs 0)\n"
            "expect 'c': ok (32 elements, max abs 0)\n"
            "expect 'a': ok (8 elements, max abs 1)\n");
}

TEST_F(RunPlan, ExpectationsThatFail) {
  Add add;
  add.plan.resources[add.c].outputs = {raw_output(directory_ / "c.bin")};
  add.plan.expectations = {{.resource = add.c,
                            .type = tensor::ElementType::F32,
                            .shape = {2, 4},
                            .expected = contents_of<float>({11, 22, 33, 44, 55, 66, 77, 90}),
                            .origin = origin("/expect")}};
  const Report report = run_it(add.plan);
  EXPECT_EQ(exit_status(report.diagnostics), 1);
  EXPECT_EQ(format_diagnostics(report.diagnostics),
            "/expect: error: expect 'c': FAILED 1 of 8 elements differ (max abs 2, max rel 0.0222, max ulp 262144) "
            "[expectation-failed]\n"
            "  = at /expect\n"
            "  note: [1, 3] got 88 expected 90 (abs 2, rel 0.0222, ulp 262144)\n");
  EXPECT_FALSE(report.expectations.at(0).comparison.passed);
  EXPECT_EQ(read_raw<float>(directory_ / "c.bin").at(7), 88);
}

TEST_F(RunPlan, ExpectationsOfPackedValues) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 2), y = add_buffer(plan, "y", 2);
  for (const ResourceIndex i : {x, y}) plan.resources[i].initial = {contents_of<std::uint8_t>({0x21, 0x43})};
  const auto nibbles = [](Bytes bytes) {
    std::vector<std::byte> out;
    for (const std::byte byte : bytes) out.insert(out.end(), {byte & std::byte{15}, byte >> 4});
    return out;
  };
  // Elements, packed contents, another resource.
  for (const std::variant<Contents, ResourceIndex>& expected :
       {std::variant<Contents, ResourceIndex>(contents_of<std::uint8_t>({1, 2, 3, 4})),
        std::variant<Contents, ResourceIndex>(contents_of<std::uint8_t>({0x21, 0x43})),
        std::variant<Contents, ResourceIndex>(y)}) {
    plan.expectations.push_back({.resource = x, .shape = {4}, .unpack = nibbles, .expected = expected});
  }
  const Report report = run_it(plan);
  EXPECT_TRUE(report.diagnostics.empty());
  EXPECT_EQ(report.expectations.size(), 3u);
}

TEST_F(RunPlan, ExpectationsOfAnotherSize) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 4);
  plan.expectations = {
      {.resource = x, .shape = {4}, .expected = contents_of<std::uint8_t>({1}), .origin = origin("/expect")}};
  const Result<Report> report = try_run(plan);
  ASSERT_FALSE(report);
  EXPECT_EQ(format_diagnostics(report.error()),
            "/expect: error: `x` has 4 bytes of elements and 1 are expected, but u8 [4] takes 4 [file-mismatch]\n  = "
            "at /expect\n");
}

TEST_F(RunPlan, DumpOfAllResourcesWhenAnExpectationFails) {
  Add add;
  const ResourceIndex i =
      add_image(add.plan, "an/image", {.format = vk::Format::R8G8B8A8_UNORM, .extent = {2, 1, 1}, .storage = true});
  add.plan.resources[i].initial = {contents_of<std::uint8_t>({1, 2, 3, 4, 5, 6, 7, 8})};
  add.plan.expectations = {{.resource = add.c, .shape = {32}, .expected = add.a}};
  run_it(add.plan, {.failure_dump = directory_ / "dump"});
  EXPECT_TRUE(file_exists(directory_ / "dump/0-a.npy"));
  EXPECT_TRUE(file_exists(directory_ / "dump/1-b.npy"));
  EXPECT_NE(must(read_text(directory_ / "dump/2-c.npy")).find("{'descr': '|u1','fortran_order': False,'shape': (32,)}"),
            std::string::npos);
  const std::string image = must(read_text(directory_ / "dump/3-an_image.npy"));
  EXPECT_NE(image.find("{'descr': '|u1','fortran_order': False,'shape': (1, 2, 4)}"), std::string::npos);
  EXPECT_TRUE(image.ends_with("\1\2\3\4\5\6\7\10"));
}

TEST_F(RunPlan, NoDumpWhenAllExpectationsHold) {
  Add add;
  add.plan.expectations = {{.resource = add.a, .shape = {32}, .expected = add.a}};
  run_it(add.plan, {.failure_dump = directory_ / "dump"});
  EXPECT_FALSE(file_exists(directory_ / "dump"));
}

}  // namespace
}  // namespace slipway::launch
