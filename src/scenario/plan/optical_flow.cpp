// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `dispatch_optical_flow` by block matching (docs/spec/scenario.md#optical-flow).
#include "model/optical_flow/optical_flow.hpp"
#include "base/format.hpp"
#include "scenario/plan/planning.hpp"
#include "spirv/module.hpp"

namespace slipway::scenario {
namespace {

// The search radius grows with the performance level.
std::uint32_t radius_of(const DispatchOpticalFlow& command) {
  model::FlowSpeed speed = model::FlowSpeed::Medium;
  if (command.performance_level == FlowPerformance::Fast) speed = model::FlowSpeed::Fast;
  if (command.performance_level == FlowPerformance::Slow) speed = model::FlowSpeed::Slow;
  return model::flow_radius(speed, command.mean_flow_l1_norm_hint);
}

launch::Specialization constant(model::FlowConstant id, std::uint32_t value) {
  launch::Specialization made{.id = static_cast<std::uint32_t>(id), .bytes = std::vector<std::byte>(sizeof value)};
  store(made.bytes.data(), value);
  return made;
}

class OpticalFlowPlanner {
 public:
  OpticalFlowPlanner(Planning& planning, const DispatchOpticalFlow& command) : planning_(planning), command_(command) {}

  void run() {
    const FlowBindings& given = *command_.bindings;
    launch::Dispatch dispatch;
    bool ok = bind(dispatch, 0, given.search_image, false);
    ok &= bind(dispatch, 1, given.template_image, false);
    ok &= bind(dispatch, 2, given.output_image, true);
    if (given.hint_motion_vectors) ok &= bind(dispatch, 3, *given.hint_motion_vectors, false);
    if (given.output_cost) ok &= bind(dispatch, 4, *given.output_cost, true);
    if (!ok) return;
    const auto index = shader();
    if (!index) return;
    dispatch.shader = *index;
    const auto grid = static_cast<std::uint32_t>(command_.grid_size);
    dispatch.groups = {model::flow_groups(command_.width, grid), model::flow_groups(command_.height, grid), 1};
    dispatch.push_constants.resize(sizeof(std::uint32_t));
    store(dispatch.push_constants.data(), radius_of(command_));
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
    if (number == 0 && image.format == vk::Format::R8_UNORM) components_ = 1;
    dispatch.bindings.push_back(
        {.set = 0,
         .binding = number,
         .type = written ? vk::DescriptorType::STORAGE_IMAGE : vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
         .resource = found->second,
         .level = binding.lod,
         .reads = !written,
         .writes = written,
         .origin = launch::Origin::of_reference(binding.resource.at)});
    return true;
  }

  std::optional<launch::ShaderIndex> shader() {
    const auto grid = static_cast<std::uint32_t>(command_.grid_size);
    const bool hint = command_.bindings->hint_motion_vectors.has_value(),
               cost = command_.bindings->output_cost.has_value();
    const std::string key = formatted("dispatch_optical_flow {} {} {} {}", grid, components_, hint, cost);
    if (const auto known = planning_.shaders.find(key); known != planning_.shaders.end()) return known->second;
    const std::span<const std::uint32_t> code = model::optical_flow_shader(hint, cost);
    const spirv::Words words(code.begin(), code.end());
    const auto module = planning_.diagnostics.take(spirv::read_module(spirv::Words(words), "dispatch_optical_flow"));
    auto reflection = module ? planning_.diagnostics.take(spirv::reflect(*module)) : std::nullopt;
    if (!reflection) return std::nullopt;
    const launch::Shader made{.name = "dispatch_optical_flow",
                              .spirv = std::make_shared<const spirv::Words>(words),
                              .reflection = std::make_shared<const spirv::Reflection>(std::move(*reflection)),
                              .entry = "main",
                              .stage = spirv::Stage::Compute,
                              .specializations = {constant(model::FlowConstant::Grid, grid),
                                                  constant(model::FlowConstant::Block, model::flow_block(grid)),
                                                  constant(model::FlowConstant::Components, components_)},
                              .push_constant_size = sizeof(std::uint32_t),
                              .origin = origin_of(command_.at)};
    return shader_in_plan(planning_, key, made);
  }

  Planning& planning_;
  const DispatchOpticalFlow& command_;
  std::uint32_t components_ = 3;
};

}  // namespace

void plan_optical_flow(Planning& planning, const DispatchOpticalFlow& command) {
  OpticalFlowPlanner(planning, command).run();
}

}  // namespace slipway::scenario
