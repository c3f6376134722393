// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: recipes from text, an in-process back end with one kernel, which adds, and a fixture with a Vulkan device.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "executors/vulkan/device_opening.hpp"
#include "executors/vulkan/executor.hpp"
#include "model/graph_target.hpp"
#include "recipe/backends/plan/backend.hpp"
#include "recipe/cpu/host_buffer.hpp"
#include "recipe/session.hpp"
#include "testing/cpu_libraries.hpp"
#include "testing/validation.hpp"

namespace slipway::recipe {

// Binding 0 is read, binding 1 is written: y[i] = x[i] + step for count words.
inline constexpr std::string_view kAddStep = R"(#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform P { uint count; uint step; } p;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < p.count) y[i] = x[i] + p.step;
}
)";

// Device memory that the host sees only through sync.
class ToyBuffer final : public buffer_storage {
 public:
  explicit ToyBuffer(std::size_t size) : host(size), device(size) {}
  std::size_t size() const noexcept override { return host.size(); }
  void* host_address() const override { return const_cast<std::byte*>(host.data()); }
  std::uint64_t device_address() const override { return reinterpret_cast<std::uintptr_t>(device.data()); }
  void sync(sync_direction direction, std::size_t size, std::size_t offset) override {
    if (direction == sync_direction::to_device)
      std::memcpy(device.data() + offset, host.data() + offset, size);
    else
      std::memcpy(host.data() + offset, device.data() + offset, size);
  }
  std::vector<std::byte> host, device;
};

// Runs `y = x + step` on words, at once when a list is submitted.
class ToyBackend final : public Backend {
 public:
  explicit ToyBackend(BackendKind kind = BackendKind::Vulkan) : kind_(kind) {}
  BackendKind kind() const override { return kind_; }
  BackendInfo describe() const override { return {"toy", "1"}; }
  Result<KernelPtr> load_kernel(const KernelPlan&, const ContextPlan*) override {
    return std::make_shared<const LoadedKernel>();
  }
  Result<BufferPtr> create_buffer(const BufferOptions& request) override {
    return std::make_shared<ToyBuffer>(request.size);
  }
  bool can_use(const buffer_storage& buffer) const override {
    return dynamic_cast<const ToyBuffer*>(&buffer) != nullptr;
  }
  Result<ListPtr> make_list(std::span<const KernelRun> runs, const ListOptions&) override {
    ++lists_made;
    return std::make_unique<List>(*this, std::vector<KernelRun>(runs.begin(), runs.end()));
  }

  int lists_made = 0, submissions = 0;
  bool fails = false, hangs = false;

 private:
  struct List final : KernelList {
    List(ToyBackend& of, std::vector<KernelRun> with) : backend(of), runs(std::move(with)) {}
    Result<> submit() override {
      ++backend.submissions;
      if (backend.fails) return fail(DiagnosticKind::DeviceFailed, {}, "the toy is broken");
      for (const KernelRun& run : runs) {
        const auto words = [](const BufferArgument& argument) {
          auto& buffer = static_cast<ToyBuffer&>(*argument.buffer);
          return std::span(reinterpret_cast<std::uint32_t*>(buffer.device.data() + argument.offset), argument.size / 4);
        };
        const auto x = words(run.buffers.at(0)), y = words(run.buffers.at(1));
        const auto step = load<std::uint32_t>(run.scalars.at(1).bytes.data());
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] + step;
      }
      return {};
    }
    Result<bool> wait(std::optional<std::chrono::nanoseconds> limit, bool) override {
      return !(backend.hangs && limit);
    }
    ToyBackend& backend;
    std::vector<KernelRun> runs;
  };
  BackendKind kind_;
};

// A recipe from text with files in memory, loaded and opened; any error ends the test.
class Opened {
 public:
  Opened(std::string recipe, OpenOptions options, std::string profile = "", ArtifactMap files = {},
         model::GraphChoices graphs = {}, bool emulates = true) {
    files.emplace("add.comp", std::vector<char>(kAddStep.begin(), kAddStep.end()));
    SessionOptions request{
        .recipe = make_source("<recipe>", std::move(recipe)),
        .profile = profile.empty() ? nullptr : make_source("<profile>", std::move(profile)),
        .artifacts = Artifacts::in_memory(std::make_shared<const ArtifactMap>(std::move(files))),
        .plan = {.graphs = std::make_shared<model::GraphChoices>(std::move(graphs)), .emulates = emulates}};
    Diagnostics diagnostics;
    session = Session::load(request, diagnostics);
    if (session.plan()) {
      options.runner.libraries = {.roots = {testing::cpu_libraries()}};
      if (session.open(std::move(options), diagnostics)) session.prepare(diagnostics);
    }
    problems = format_diagnostics(diagnostics.all(), {.sources = false});
  }
  Runner& runner() { return session.runner(); }

  void bind(const std::string& name, const std::vector<std::uint32_t>& words) {
    BufferPtr buffer = *runner().create_buffer({.size = words.size() * 4, .name = name});
    std::ranges::copy(std::as_bytes(std::span(words)), static_cast<std::byte*>(buffer->host_address()));
    buffer->sync(sync_direction::to_device, buffer->size(), 0);
    const Result<> bound = runner().bind(name, {buffer, 0, buffer->size()});
    EXPECT_TRUE(bound) << (bound ? "" : bound.error().front().message);
  }
  std::vector<std::uint32_t> words(const std::string& name) {
    const Bytes bytes = *runner().map_buffer(name);
    std::vector<std::uint32_t> words(bytes.size() / 4);
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(words)).begin());
    return words;
  }
  // Executes and waits; returns the message of a failure with its kind.
  std::string run() {
    if (Result<> started = runner().execute(); !started) return text(started.error());
    const auto done = runner().wait();
    return done ? "ok" : text(done.error().diagnostics);
  }
  static std::string text(const Failure& failure) {
    return formatted("{} [{}]", failure.front().message, name_of(failure.front().kind));
  }

  Session session;
  std::string problems;
};

// Opens every back end as this one.
inline OpenOptions only(const BackendPtr& backend) {
  return {.runner = {.open_backend = [backend](BackendKind) { return backend; }}};
}

// Messages of the validation layer are failures.
class RecipeTest : public ::testing::Test {
 protected:
  // `queues` may exceed the queues of the driver: several then share one queue of the driver. 0: those that it has.
  BackendPtr on_vulkan(std::uint32_t queues = 0, bool validation = testing::with_validation()) {
    struct Opened {
      explicit Opened(launch::OpenDeviceOptions options) : opening(std::move(options)) {}
      launch::DeviceOpening opening;
      launch::VulkanExecutor executor{opening};
    };
    launch::OpenDeviceOptions options{.robustness = true, .queues = 4};
    options.device.queues = queues;
    options.instance.validation = validation;
    options.instance.on_message = [this](const vk::InstanceMessage& message) {
      const std::scoped_lock lock(mutex_);
      messages_ += message.id + ": " + message.text + "\n";
    };
    auto opened = std::make_shared<Opened>(std::move(options));
    Result<BackendPtr> backend =
        make_plan_backend(BackendKind::Vulkan, std::shared_ptr<launch::Executor>(opened, &opened->executor));
    if (!backend) throw std::runtime_error(backend.error().front().message);
    return std::move(*backend);
  }
  void TearDown() override { EXPECT_EQ(messages_, ""); }

 private:
  std::mutex mutex_;
  std::string messages_;
};

// {"name": "x", "type": "input", "size": 16}; without a size when it is 0.
inline std::string buffer_json(std::string_view name, std::string_view type, int size = 0) {
  return formatted(R"({{"name": "{}", "type": "{}"{}}})", name, type, size ? formatted(R"(, "size": {})", size) : "");
}

// A run of `add` on count words of x and y, with slices as JSON members (", \"offset\": 4").
inline std::string add_run(std::string_view x, std::string_view y, int count, int step, std::string_view x_slice = "",
                           std::string_view y_slice = "") {
  return formatted(
      R"({{"kernel": "add", "name": "{}_to_{}", "arguments": [{{"name": "{}", "argidx": 0{}}}, {{"name": "{}", "argidx": 1{}}}],
    "constants": [{{"value": {}, "argidx": 2}}, {{"value": {}, "argidx": 3}}]}})",
      x, y, x, x_slice, y, y_slice, count, step);
}
inline std::string cpu_run(std::string_view function, std::string_view arguments, std::string_view constants = "") {
  return formatted(R"({{"name": "{}", "where": "cpu", "arguments": [{}], "constants": [{}]}})", function, arguments,
                   constants);
}
inline std::string recipe_json(std::string_view buffers, std::string_view runs, std::string_view cpus = "") {
  return formatted(R"({{"header": {{"module": "add.comp"}}, "resources": {{"buffers": [{}],
    "kernels": [{{"name": "add", "grid": [4, 1, 1]}}], "cpus": [{}]}}, "execution": {{"runs": [{}]}}}})",
                   buffers, cpus, runs);
}
// Functions of the test library, by name.
inline std::string cpus_json(std::initializer_list<std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) {
    text += formatted(R"({}{{"name": "{}", "library_path": "arithmetic"}})", text.empty() ? "" : ", ", name);
  }
  return text;
}

}  // namespace slipway::recipe
