// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests that run plans on a device, under the validation layer.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "executors/vulkan/executor.hpp"
#include "launch/check/check_device.hpp"
#include "launch/run.hpp"
#include "spirv/reflect/reflect.hpp"
#include "testing/gpu_fixture.hpp"
#include "testing/launch_plans.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway::launch {

using testing::must;

inline ShaderIndex add_shader(Plan& plan, std::string name, std::span<const std::uint32_t> words,
                              spirv::Stage stage = spirv::Stage::Compute) {
  Shader shader{.name = name,
                .spirv = std::make_shared<const std::vector<std::uint32_t>>(words.begin(), words.end()),
                .stage = stage,
                .origin = origin("/" + name)};
  shader.reflection = std::make_shared<const spirv::Reflection>(
      must(spirv::reflect(must(spirv::read_module(spirv::Words(*shader.spirv), name)))));
  const spirv::EntryPoint* entry = shader.reflection->find("main", stage);
  if (entry && entry->push_constants)
    shader.push_constant_size = static_cast<std::uint32_t>(entry->push_constants->size);
  plan.shaders.push_back(std::move(shader));
  return static_cast<ShaderIndex>(plan.shaders.size() - 1);
}

// A dispatch of a shader: set numbers, kinds and accesses come from the shader, resources in the order of its bindings.
inline Step& add_dispatch(Plan& plan, ShaderIndex shader, std::vector<ResourceIndex> resources,
                          std::array<std::uint32_t, 3> groups = {1, 1, 1}) {
  const Shader& of = plan.shaders[shader];
  Dispatch dispatch{
      .shader = shader, .groups = groups, .push_constants = std::vector<std::byte>(of.push_constant_size)};
  const std::vector<spirv::Binding>& declared = of.reflection->find(of.entry, of.stage)->bindings;
  for (std::size_t i = 0; i < resources.size(); ++i) {
    dispatch.bindings.push_back({.set = declared[i].set,
                                 .binding = declared[i].binding,
                                 .type = spirv::descriptor_type(declared[i].kind),
                                 .resource = resources[i],
                                 .reads = declared[i].reads,
                                 .writes = declared[i].writes,
                                 .origin = origin("/" + of.name + "/" + std::to_string(i))});
  }
  plan.steps.push_back({.name = of.name, .action = std::move(dispatch), .origin = origin("/" + of.name)});
  return plan.steps.back();
}

template <class T>
std::vector<std::byte> bytes_of(std::initializer_list<T> values) {
  const Bytes bytes = std::as_bytes(std::span(values.begin(), values.size()));
  return {bytes.begin(), bytes.end()};
}

// Stores a resource's bytes unchanged.
inline Output raw_output(Path path) {
  return {.path = std::move(path), .write = [](OutputFile& file, Bytes data) { return file.write(data); }};
}

template <class T>
std::vector<T> read_raw(const Path& path) {
  const MappedFile file = must(map_file(path));
  std::vector<T> values(file.bytes().size() / sizeof(T));
  std::memcpy(values.data(), file.bytes().data(), values.size() * sizeof(T));
  return values;
}

class LaunchTest : public testing::GpuTest {
 protected:
  Log log() {
    return Log([this](LogLevel level, std::string_view text) {
      constexpr std::array<std::string_view, 4> kNames = {"DEBUG", "INFO", "WARNING", "ERROR"};
      lines_.push_back(std::string(kNames[static_cast<std::size_t>(level)]) + ": " + std::string(text));
    });
  }

  const gpu::Device& device_for(const Plan& plan) {
    vk::Needs needs = needs_of(plan);
    needs.timestamps = true;
    EXPECT_TRUE(check_device(plan, needs, snapshot()).empty());
    return device(needs);
  }

  Result<Report> try_run(const Plan& plan, RunOptions options = {}) {
    return launch::run(plan, VulkanExecutor(device_for(plan)), std::move(options), log());
  }
  Report run_it(const Plan& plan, RunOptions options = {}) { return must(try_run(plan, std::move(options))); }

  // Log lines without the two that name the device.
  std::vector<std::string> lines() const {
    return {lines_.begin() + std::min<std::ptrdiff_t>(2, std::ssize(lines_)), lines_.end()};
  }

  testing::ScratchDirectory directory_;
  std::vector<std::string> lines_;
};

}  // namespace slipway::launch
