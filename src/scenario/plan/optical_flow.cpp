// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `dispatch_optical_flow` by block matching, as the motion engine does it (docs/spec/scenario.md#optical-flow,
// docs/spec/vgf.md#motion-engine-instructions).
//
// Every cell of the output grid has a block of the template image. The search covers rings around the hint, or around
// zero displacement, for the displacement at which the search image differs least from the block: by the sum of
// absolute differences of the luma of each pixel, in 256 steps. Pixels outside an image are black.
#include <algorithm>

#include "base/format.hpp"
#include "scenario/plan/planning.hpp"
#include "shader/cache.hpp"
#include "spirv/module.hpp"

namespace slipway::scenario {
namespace {

constexpr std::string_view kShader = R"(#version 460
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const int kGrid = 1;    // pixels of a cell
layout(constant_id = 1) const int kBlock = 8;   // pixels compared, per side
layout(constant_id = 2) const int kRadius = 8;  // rings
layout(set = 0, binding = 0) uniform sampler2D search;
layout(set = 0, binding = 1) uniform sampler2D pattern;
layout(set = 0, binding = 2, rg16f) writeonly uniform image2D flow;
#ifdef HINT
layout(set = 0, binding = 3) uniform sampler2D hint;
#endif
#ifdef COST
layout(set = 0, binding = 4, r16ui) writeonly uniform uimage2D cost;
#endif

int luma(vec4 color) {
#ifdef ONE_COMPONENT
  float value = color.r;
#else
  float value = dot(color.rgb, vec3(0.299, 0.587, 0.114));
#endif
  return int(clamp(value, 0.0, 1.0) * 255.0 + 0.5);
}

int searched(ivec2 at) {
  ivec2 size = textureSize(search, 0);
  if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, size))) return 0;
  return luma(texelFetch(search, at, 0));
}

int wanted(ivec2 at) {
  ivec2 size = textureSize(pattern, 0);
  if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, size))) return 0;
  return luma(texelFetch(pattern, at, 0));
}

ivec2 corner;
int least = 0x7fffffff;
ivec2 best = ivec2(0);

void look(ivec2 by) {
  int sum = 0;
  for (int y = 0; y < kBlock; ++y) {
    for (int x = 0; x < kBlock; ++x) sum += abs(searched(corner + ivec2(x, y) + by) - wanted(corner + ivec2(x, y)));
    if (sum >= least) return;
  }
  least = sum;
  best = by;
}

void main() {
  ivec2 cell = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(cell, imageSize(flow)))) return;
  corner = cell * kGrid - (kBlock - kGrid) / 2;
  ivec2 center = ivec2(0);
#ifdef HINT
  center = ivec2(roundEven(texelFetch(hint, cell, 0).xy));
#endif
  look(center);
  for (int ring = 1; ring <= kRadius; ++ring) {
    for (int i = -ring; i < ring; ++i) look(center + ivec2(i, ring));
    for (int i = -ring; i < ring; ++i) look(center + ivec2(ring, -i));
    for (int i = -ring; i < ring; ++i) look(center + ivec2(-i, -ring));
    for (int i = -ring; i < ring; ++i) look(center + ivec2(-ring, i));
  }
  imageStore(flow, cell, vec4(best, 0, 0));
#ifdef COST
  imageStore(cost, cell, uvec4(min(least, 65535)));
#endif
}
)";

constexpr std::uint32_t kLocalSize = 8;
constexpr std::uint32_t kMinBlock = 8;  // pixels per side; smaller blocks match too many similar positions

// The search radius grows with the performance level.
std::uint32_t radius_of(const DispatchOpticalFlow& command) {
  std::uint32_t radius = 8;
  if (command.performance_level == FlowPerformance::Fast) radius = 4;
  if (command.performance_level == FlowPerformance::Slow) radius = 16;
  // Movements of twice the mean are common.
  constexpr std::uint32_t kMaxRadius = 64;
  return std::max(radius, std::min(2 * std::min(command.mean_flow_l1_norm_hint, kMaxRadius), kMaxRadius));
}

launch::Specialization constant(std::uint32_t id, std::uint32_t value) {
  launch::Specialization made{.id = id, .bytes = std::vector<std::byte>(sizeof value)};
  store(made.bytes.data(), value);
  return made;
}

class OpticalFlowPlanner {
 public:
  OpticalFlowPlanner(Planning& planning, const DispatchOpticalFlow& command) : planning_(planning), command_(command) {}

  void run() {
    const FlowBindings& given = command_.bindings;
    launch::Dispatch dispatch;
    bool good = bind(dispatch, 0, given.search_image, false);
    good &= bind(dispatch, 1, given.template_image, false);
    good &= bind(dispatch, 2, given.output_image, true);
    if (given.hint_motion_vectors) {
      macros_.push_back({"HINT", "1"});
      good &= bind(dispatch, 3, *given.hint_motion_vectors, false);
    }
    if (given.output_cost) {
      macros_.push_back({"COST", "1"});
      good &= bind(dispatch, 4, *given.output_cost, true);
    }
    if (!good) return;
    const auto index = shader();
    if (!index) return;
    dispatch.shader = *index;
    const auto grid = static_cast<std::uint32_t>(command_.grid_size);
    const auto groups = [&](std::uint32_t pixels) {
      const std::uint32_t cells = (pixels + grid - 1) / grid;
      return (cells + kLocalSize - 1) / kLocalSize;
    };
    dispatch.groups = {groups(command_.width), groups(command_.height), 1};
    launch::Plan& plan = planning_.plan;
    plan.graphs.push_back({.name = "dispatch_optical_flow",
                           .first_step = plan.steps.size(),
                           .step_count = 1,
                           .operators = {"OPTICAL_FLOW"},
                           .session_size = 0,
                           .session_memory = std::nullopt});
    plan.steps.push_back({.name = "dispatch_optical_flow",
                          .action = std::move(dispatch),
                          .barrier_after = command_.implicit_barrier,
                          .origin = origin_of(command_.at)});
  }

 private:
  // False for an image that has errors, which are already reported.
  bool bind(launch::Dispatch& dispatch, std::uint32_t number, const Binding& binding, bool written) {
    const auto found = planning_.resources.find(binding.resource.uid);
    if (found == planning_.resources.end()) return false;
    auto& image = std::get<launch::Image>(planning_.plan.resources[found->second].kind);
    (written ? image.storage : image.sampled) = true;
    if (number == 0 && image.format == vk::Format::R8_UNORM) macros_.push_back({"ONE_COMPONENT", "1"});
    dispatch.bindings.push_back(
        {.set = 0,
         .binding = number,
         .type = written ? vk::DescriptorType::STORAGE_IMAGE : vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
         .resource = found->second,
         .level = binding.lod,
         .reads = !written,
         .writes = written,
         .origin = {binding.at.location(), binding.at.pointer(), binding.resource.uid}});
    return true;
  }

  std::optional<launch::ShaderIndex> shader() {
    const auto grid = static_cast<std::uint32_t>(command_.grid_size);
    const std::uint32_t radius = radius_of(command_);
    std::string key = formatted("dispatch_optical_flow {} {}", grid, radius);
    for (const shader::Macro& macro : macros_) key += " " + macro.name;
    if (const auto known = planning_.shaders.find(key); known != planning_.shaders.end()) return known->second;
    const SourcePtr source = make_source("dispatch_optical_flow", std::string(kShader));
    const auto compiled = planning_.diagnostics.take(
        shader::compile_cached(planning_.options.cache, source, shader::Language::Glsl, {.macros = macros_}));
    if (!compiled) return std::nullopt;
    const auto module = planning_.diagnostics.take(spirv::read_module(spirv::Words(compiled->words), source->name()));
    auto reflection = module ? planning_.diagnostics.take(spirv::reflect(*module)) : std::nullopt;
    if (!reflection) return std::nullopt;
    const launch::Shader made{
        .name = "dispatch_optical_flow",
        .spirv = std::make_shared<const spirv::Words>(compiled->words),
        .reflection = std::make_shared<const spirv::Reflection>(std::move(*reflection)),
        .entry = "main",
        .stage = spirv::Stage::Compute,
        .specializations = {constant(0, grid), constant(1, std::max(grid, kMinBlock)), constant(2, radius)},
        .push_constant_size = 0,
        .origin = origin_of(command_.at)};
    return shader_in_plan(planning_, key, made);
  }

  Planning& planning_;
  const DispatchOpticalFlow& command_;
  std::vector<shader::Macro> macros_;
};

}  // namespace

void plan_optical_flow(Planning& planning, const DispatchOpticalFlow& command) {
  OpticalFlowPlanner(planning, command).run();
}

}  // namespace slipway::scenario
