// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the host among the commands of the device.
#include <cstdint>
#include <functional>

#include "base/print_diagnostic.hpp"
#include "executors/vulkan/prepared.hpp"
#include "executors/vulkan/test_shaders/increment_comp.hpp"
#include "launch/check/hazards.hpp"
#include "testing/launch_fixture.hpp"

namespace slipway::launch {
namespace {

using CallPlan = LaunchTest;

std::span<std::uint32_t> numbers(MutableBytes bytes) {
  return {reinterpret_cast<std::uint32_t*>(bytes.data()), bytes.size() / sizeof(std::uint32_t)};
}

CallArgument read_by(ResourceIndex buffer) { return {.buffer = buffer, .reads = true, .origin = origin("/argument")}; }

CallArgument written_by(ResourceIndex buffer) {
  return {.buffer = buffer, .writes = true, .origin = origin("/argument")};
}

Step& add_call(Plan& plan, std::string name, std::vector<CallArgument> arguments,
               std::function<Result<>(std::span<const MutableBytes>, CallControl&)> function) {
  plan.steps.push_back(
      {.name = name, .action = Call{std::move(arguments), std::move(function)}, .origin = origin("/" + name)});
  return plan.steps.back();
}

// to = from * 10
Step& add_times_ten(Plan& plan, ResourceIndex from, ResourceIndex to) {
  return add_call(plan, "times ten", {read_by(from), written_by(to)},
                  [](std::span<const MutableBytes> arguments, CallControl&) -> Result<> {
                    std::ranges::transform(numbers(arguments[0]), numbers(arguments[1]).begin(),
                                           [](std::uint32_t value) { return value * 10; });
                    return {};
                  });
}

struct Buffers {
  Plan plan{.name = "calls.json"};
  ResourceIndex x = add_buffer(plan, "x", 8), y = add_buffer(plan, "y", 8);
  ShaderIndex increment = add_shader(plan, "increment", increment_comp);

  explicit Buffers(const testing::ScratchDirectory& directory) {
    plan.resources[x].initial = {contents_of<std::uint32_t>({5, 100})};
    plan.resources[x].outputs = {raw_output(directory / "x.bin")};
    plan.resources[y].outputs = {raw_output(directory / "y.bin")};
  }
};

TEST_F(CallPlan, SeesWhatWasBeforeAndIsSeenByWhatFollows) {
  Buffers of(directory_);
  add_dispatch(of.plan, of.increment, {of.x}, {2, 1, 1});
  add_times_ten(of.plan, of.x, of.y);
  add_dispatch(of.plan, of.increment, {of.y}, {2, 1, 1});
  add_dispatch(of.plan, of.increment, {of.x}, {2, 1, 1});
  for (Step& step : of.plan.steps) step.barrier_after = false;
  const Report report = run_it(of.plan, {.repeat = 2, .timestamps = true, .iteration_times = true});
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "x.bin"), (std::vector<std::uint32_t>{9, 104}));
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "y.bin"), (std::vector<std::uint32_t>{81, 1031}));
  // Commands and calls are measured each with the step that they are.
  ASSERT_EQ(report.profile.times.size(), 6u);
  EXPECT_EQ(report.profile.times[1].step, 2u);
  ASSERT_EQ(report.profile.calls.size(), 2u);
  EXPECT_EQ(report.profile.calls[1].name, "times ten");
  EXPECT_EQ(report.profile.calls[1].step, 1u);
  EXPECT_EQ(report.profile.calls[1].iteration, 2u);
  EXPECT_GE(report.profile.calls[1].milliseconds, 0);
  // An iteration is several submissions then.
  ASSERT_EQ(report.profile.iterations.size(), 2u);
  EXPECT_LE(report.profile.iterations[1].before, report.profile.times[3].before);
  EXPECT_GE(report.profile.iterations[1].after, report.profile.times[5].after);
  EXPECT_TRUE(std::ranges::contains(report.counters, "Call times ten. Iteration: 2", &PerfCounter::name));
}

TEST_F(CallPlan, AloneOneAfterTheOtherAndAtTheEnds) {
  Buffers of(directory_);
  add_times_ten(of.plan, of.x, of.y);
  add_times_ten(of.plan, of.y, of.x);
  add_times_ten(of.plan, of.x, of.y);
  run_it(of.plan);
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "y.bin"), (std::vector<std::uint32_t>{5000, 100000}));
  // Between the calls nothing is submitted.
  EXPECT_EQ(lines(), (std::vector<std::string>{
                         "INFO: Setup resources, count: 2",
                         "INFO: Setup commands",
                         "INFO: Wait for fence",
                         "INFO: Call function",
                         "INFO: Call function",
                         "INFO: Wait for fence",
                         "INFO: Call function",
                         "INFO: Results stored",
                     }));
}

// Where the host cannot reach the device's memory the function gets copies.
TEST_F(CallPlan, ArgumentsAreCopiedWhereMemoryIsNotMapped) {
  Buffers of(directory_);
  add_dispatch(of.plan, of.increment, {of.x}, {2, 1, 1});
  add_times_ten(of.plan, of.x, of.y);
  add_call(of.plan, "and back",
           {{.buffer = of.y, .reads = true, .writes = true, .origin = origin("/argument")}, read_by(of.x)},
           [](std::span<const MutableBytes> arguments, CallControl&) -> Result<> {
             for (std::size_t i = 0; i < 2; ++i) numbers(arguments[0])[i] += numbers(arguments[1])[i];
             numbers(arguments[1])[0] = 77;  // of a copy that is not written back
             return {};
           });
  add_dispatch(of.plan, of.increment, {of.y}, {2, 1, 1});
  vk::Needs needs = needs_of(of.plan);
  needs.timestamps = true;
  const gpu::Device& unmapped = device(needs, {.map_device_memory = false});
  EXPECT_TRUE(must(gpu::create_buffer(unmapped, {.size = 8, .name = "b"})).mapped().empty());
  run_it(of.plan, {.repeat = 2});
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "x.bin"), (std::vector<std::uint32_t>{7, 102}));
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "y.bin"), (std::vector<std::uint32_t>{78, 1123}));
}

TEST_F(CallPlan, BuffersInSharedMemory) {
  Buffers of(directory_);
  of.plan.resources[of.x].sharing = {"g", 0};
  of.plan.resources[of.y].sharing = {"g", 0};
  add_times_ten(of.plan, of.x, of.y);
  add_dispatch(of.plan, of.increment, {of.x}, {2, 1, 1});
  run_it(of.plan);
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "x.bin"), (std::vector<std::uint32_t>{51, 1001}));
}

TEST_F(CallPlan, FailureEndsTheRun) {
  Buffers of(directory_);
  add_call(of.plan, "broken", {}, [](std::span<const MutableBytes>, CallControl&) -> Result<> {
    return fail(DiagnosticKind::Unsupported, {}, "this cannot be computed");
  });
  const Result<Report> report = try_run(of.plan);
  ASSERT_FALSE(report);
  EXPECT_EQ(format_diagnostics(report.error()),
            "/broken: error: this cannot be computed [unsupported]\n  = at /broken\n");
  EXPECT_FALSE(file_exists(directory_ / "x.bin"));
}

TEST_F(CallPlan, SubmissionsMayHaveTimeOutsOfTheirOwn) {
  Buffers of(directory_);
  std::optional<HostClock::time_point> deadline;
  add_call(of.plan, "note", {read_by(of.x)}, [&](std::span<const MutableBytes>, CallControl& control) -> Result<> {
    deadline = control.deadline;
    return {};
  });
  const auto prepared = must(prepare(of.plan, device_for(of.plan), {}));
  const std::optional<std::chrono::nanoseconds> limits[] = {std::nullopt, std::chrono::hours(1), std::nullopt};
  for (const auto& limit : limits) {
    must(prepared->submit({.time_out = limit}));
    must(prepared->wait());
    ASSERT_EQ(deadline.has_value(), limit.has_value());
    EXPECT_TRUE(!deadline || *deadline > HostClock::now());
  }
}

TEST_F(CallPlan, DryRunCallsNothing) {
  Buffers of(directory_);
  add_call(of.plan, "never", {}, [](std::span<const MutableBytes>, CallControl&) -> Result<> {
    ADD_FAILURE() << "called";
    return {};
  });
  EXPECT_TRUE(run_it(of.plan, {.dry_run = true}).profile.calls.empty());
}

// --- without a device ------------------------------------------------------------------------------------------------

TEST(CallHazards, CallsAreInOrderWithAllCommands) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 64), y = add_buffer(plan, "y", 64);
  add_dispatch(plan, "A", {writes(x)});
  add_call(plan, "f", {read_by(x), written_by(y)}, {}).barrier_after = false;
  add_dispatch(plan, "B", {reads(y)});
  add_call(plan, "g", {written_by(y), read_by(y)}, {}).barrier_after = false;
  EXPECT_TRUE(check_hazards(plan).all().empty());
}

}  // namespace
}  // namespace slipway::launch
