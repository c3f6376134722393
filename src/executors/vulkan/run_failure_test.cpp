// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <cstdint>

#include "base/print_diagnostic.hpp"
#include "executors/vulkan/device_opening.hpp"
#include "executors/vulkan/executor.hpp"
#include "executors/vulkan/test_shaders/full_vert.hpp"
#include "executors/vulkan/test_shaders/gradient_frag.hpp"
#include "executors/vulkan/test_shaders/increment_comp.hpp"
#include "executors/vulkan/test_shaders/spin_comp.hpp"
#include "platform/process.hpp"
#include "testing/launch_fixture.hpp"
#include "testing/vulkan_faults.hpp"
#include "vk/device_failure.hpp"

namespace slipway::launch {
namespace {

using RunFailure = LaunchTest;

// --- time-outs -------------------------------------------------------------------------------------------------------

Plan fine_then_endless(bool barrier_after) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 8), y = add_buffer(plan, "y", 8);
  add_dispatch(plan, add_shader(plan, "fine", increment_comp), {y}).barrier_after = barrier_after;
  add_dispatch(plan, add_shader(plan, "endless", spin_comp), {x}).barrier_after = barrier_after;
  add_dispatch(plan, 0, {y});
  return plan;
}

// A thread of the driver runs the shader until the end of the process, so that each of these has a process of its own.
TEST_F(RunFailure, TimeOutNamesTheCommand) {
  for (const bool barrier_after : {true, false}) {
    Plan plan = fine_then_endless(barrier_after);
    plan.resources[0].outputs = {raw_output(directory_ / "x.bin")};
    const auto time_out = [&] {
      const gpu::Device& device = device_for(plan);
      const Result<Report> report =
          launch::run(plan, VulkanExecutor(device), {.time_out = std::chrono::milliseconds(200)}, log());
      if (report || !vk::is_device_lost(report.error()) || !device.is_lost()) platform::end_now(1);
      std::fputs(format_diagnostics(report.error()).c_str(), stderr);
      platform::end_now(5);
    };
    EXPECT_EXIT(time_out(), ::testing::ExitedWithCode(5),
                "/endless: error: `endless` \\(/endless\\) did not end within 0.2 s \\[timed-out\\]");
    EXPECT_FALSE(file_exists(directory_ / "x.bin"));
  }
}

TEST_F(RunFailure, ProcessGoesOnAfterATimeOut) {
  const Plan endless = fine_then_endless(true);
  Plan fine;
  const ResourceIndex x = add_buffer(fine, "x", 4);
  fine.resources[x].outputs = {raw_output(directory_ / "x.bin")};
  add_dispatch(fine, add_shader(fine, "fine", increment_comp), {x});
  const auto go_on = [&] {
    DeviceOpening opening({.timestamps = true});
    const auto run_on = [&](const Plan& plan) {
      return opening.get(needs_of(plan)).and_then([&](gpu::Device* device) {
        return launch::run(plan, VulkanExecutor(*device), {.time_out = std::chrono::seconds(10)}, log());
      });
    };
    const Result<Report> lost = opening.get(needs_of(endless)).and_then([&](gpu::Device* device) {
      return launch::run(endless, VulkanExecutor(*device), {.time_out = std::chrono::milliseconds(200)}, log());
    });
    for (int i = 0; i < 2; ++i) must(run_on(fine));
    platform::end_now(lost ? 1 : 42);
  };
  EXPECT_EXIT(go_on(), ::testing::ExitedWithCode(42), "");
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "x.bin"), (std::vector<std::uint32_t>{1}));
}

TEST_F(RunFailure, TimeOutThatIsNotReached) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 4);
  plan.resources[x].outputs = {raw_output(directory_ / "x.bin")};
  const ShaderIndex shader = add_shader(plan, "increment", increment_comp);
  for (int i = 0; i < 3; ++i) add_dispatch(plan, shader, {x}).barrier_after = i != 1;
  add_barrier(plan, {.name = "b", .src_access = vk::access::kMemoryWrite, .dst_access = vk::access::kMemoryRead});
  std::swap(plan.steps[2], plan.steps[3]);
  run_it(plan, {.repeat = 2, .time_out = std::chrono::hours(1)});
  EXPECT_EQ(read_raw<std::uint32_t>(directory_ / "x.bin"), (std::vector<std::uint32_t>{6}));
}

// --- outputs ---------------------------------------------------------------------------------------------------------

TEST_F(RunFailure, OutputsAppearAllOrNotAtAll) {
  Plan plan;
  for (const std::string name : {"x", "y"}) {
    plan.resources[add_buffer(plan, name, 4)].outputs = {raw_output(directory_ / name)};
  }
  plan.resources[1].outputs.push_back({.path = directory_ / "z", .write = [](OutputFile& file, Bytes data) {
                                         return file.write(data).and_then([]() -> Result<> {
                                           return fail(DiagnosticKind::FileUnwritable, SourceLocation::in_file("z"),
                                                       "no more space");
                                         });
                                       }});
  must(write_file(directory_ / "x", "old"));
  const Result<Report> report = try_run(plan);
  ASSERT_FALSE(report);
  EXPECT_EQ(format_diagnostics(report.error()),
            "z: error: no more space [file-unwritable]\n  = at /y\n/y: note: asked for here\n");
  EXPECT_EQ(must(read_text(directory_ / "x")), "old");
  EXPECT_EQ(std::ranges::distance(std::filesystem::directory_iterator(directory_.path())), 1);
}

TEST_F(RunFailure, OutputThatCannotBeMade) {
  Plan plan;
  must(write_file(directory_ / "file", "x"));
  plan.resources[add_buffer(plan, "x", 4)].outputs = {raw_output(directory_ / "file/x")};
  const Result<Report> report = try_run(plan);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().at(0).kind, DiagnosticKind::FileUnwritable);
  EXPECT_EQ(report.error().at(0).path, "/x");
}

// --- a device that fails ---------------------------------------------------------------------------------------------

// One of everything.
Plan of_everything(const Path& output) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 4), y = add_buffer(plan, "y", 4);
  plan.resources[x].initial = {contents_of<float>({1})};
  plan.resources[x].outputs = {raw_output(output)};
  plan.resources[y].sharing = {"g", 0};
  const ResourceIndex i = add_image(
      plan, "i", {.format = vk::Format::R8G8B8A8_UNORM, .extent = {2, 2, 1}, .mips = 2, .color_attachment = true});
  plan.resources[i].initial = {contents_of(std::vector<std::byte>(16, std::byte{7}))};
  plan.resources[i].outputs = {raw_output(output.string() + "2")};
  const ShaderIndex shader = add_shader(plan, "increment", increment_comp);
  add_dispatch(plan, shader, {y});
  plan.steps.push_back({.name = "frame", .action = Boundary{}});
  const ShaderIndex vertex = add_shader(plan, "full", full_vert, spirv::Stage::Vertex);
  const ShaderIndex fragment = add_shader(plan, "gradient", gradient_frag, spirv::Stage::Fragment);
  const Image samples{
      .format = vk::Format::R8G8B8A8_UNORM, .extent = {2, 2, 1}, .samples = 4, .color_attachment = true};
  const ResourceIndex many = add_image(plan, "many", samples);
  const ResourceIndex depth = add_image(
      plan, "depth", {.format = vk::Format::D32_SFLOAT, .extent = {2, 2, 1}, .samples = 4, .depth_attachment = true});
  const ResourceIndex indices = add_buffer(plan, "indices", 6);
  std::get<Buffer>(plan.resources[indices].kind).indices = true;
  plan.steps.push_back(
      {.name = "draw",
       .action = Draw{.vertex_shader = vertex,
                      .fragment_shader = fragment,
                      .state = {.samples = 4, .depth_test = true},
                      .extent = {2, 2},
                      .color_attachments = {{.image = many, .load = vk::Load::Clear, .resolve = Resolve{i}}},
                      .depth_attachment = DepthAttachment{.image = depth, .depth_load = vk::Load::Clear},
                      .indices = IndexBuffer{.buffer = indices},
                      .bindings = {{.resource = x, .reads = true}},
                      .push_constants = std::vector<std::byte>(4)},
       .origin = origin("/draw")});
  return plan;
}

class FailingDevice : public LaunchTest, public ::testing::WithParamInterface<testing::Fault> {};

TEST_P(FailingDevice, EachCallThatFailsIsReportedAndLeavesNothing) {
  const Plan plan = of_everything(directory_ / "x");
  vk::Needs needs = needs_of(plan);
  needs.timestamps = true;
  const vk::DevicePlan device_plan = must(vk::plan_device(snapshot(), needs));
  for (const bool map_device_memory : {true, false}) {
    std::uint64_t n = 1;
    for (bool happened = true; happened; ++n) {
      testing::VulkanFaults faults(n, GetParam());
      const Result<> made = make_device(device_plan, {.hook = faults.hook(), .map_device_memory = map_device_memory});
      const Result<Report> report = made.and_then([&] {
        return launch::run(
            plan, VulkanExecutor(device()),
            {.repeat = 2, .timestamps = true, .pipeline_cache = PipelineCacheFile{.path = directory_ / "c"}}, log());
      });
      drop_device();
      happened = faults.happened();
      if (report) {  // nothing failed, or the driver's memory is taken from elsewhere
        EXPECT_TRUE(file_exists(directory_ / "x"));
        remove_file(directory_ / "x");
        remove_file(directory_ / "x2");
        continue;
      }
      EXPECT_TRUE(happened) << testing::text_of(report.error());
      EXPECT_EQ(report.error().at(0).kind, DiagnosticKind::DeviceFailed) << faults.function();
      EXPECT_NE(report.error().at(0).message.find(faults.function()), std::string::npos)
          << report.error().at(0).message;
      EXPECT_FALSE(file_exists(directory_ / "x")) << faults.function();
      EXPECT_FALSE(file_exists(directory_ / "x2")) << faults.function();
    }
    EXPECT_GT(n, 30u);
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, FailingDevice,
                         ::testing::Values(testing::Fault::OutOfDeviceMemory, testing::Fault::DeviceLost),
                         [](const auto& fault) {
                           return fault.param == testing::Fault::DeviceLost ? "DeviceLost" : "OutOfDeviceMemory";
                         });

// The n-th call of one function.
TEST_F(RunFailure, LostDeviceNamesTheCommands) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 4);
  add_dispatch(plan, add_shader(plan, "first", increment_comp), {x});
  for (int i = 0; i < 9; ++i) add_dispatch(plan, add_shader(plan, "second", increment_comp), {x});
  const vk::DevicePlan device_plan = must(vk::plan_device(snapshot(), needs_of(plan)));
  std::vector<std::string> messages;
  for (std::uint64_t n = 1;; ++n) {
    testing::VulkanFaults faults(n, testing::Fault::DeviceLost);
    const Result<Report> report = make_device(device_plan, {.hook = faults.hook()}).and_then([&] {
      return launch::run(plan, VulkanExecutor(device()), {}, log());
    });
    drop_device();
    if (!faults.happened()) break;
    if (!report && !report.error().at(0).notes.empty() &&
        report.error()[0].notes[0].message.starts_with("the device had")) {
      EXPECT_EQ(report.error()[0].path, "/first");
      ASSERT_EQ(report.error()[0].notes.size(), 9u);
      EXPECT_EQ(report.error()[0].notes[0].message, "the device had to execute `first` (/first)");
      EXPECT_EQ(report.error()[0].notes[1].message, "the device had to execute `second` (/second)");
      EXPECT_EQ(report.error()[0].notes[8].message, "and 2 more");
      messages.push_back(faults.function());
    }
  }
  EXPECT_THAT(messages, ::testing::Contains(::testing::StartsWith("vkQueueSubmit")));
}

}  // namespace
}  // namespace slipway::launch
