// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan/plan_graph.hpp"

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "base/system/resident_memory.hpp"
#include "lower/program_layout.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::model {
namespace {

using launch::ResourceIndex;
using launch::ShaderIndex;

constexpr std::uint32_t kLinks = 2;  // bindings of counters of a linked kernel

// Copies: the plan may outlive its other owners. Written as memory of the host, because it is most often that: a
// staging copy, or memory that the device shares with the host. (With a resizable BAR it is memory of the device.)
launch::Contents contents_of(const lower::ProgramBuffer& buffer, std::shared_ptr<const tosa::Graph> graph,
                             DataOwner owner) {
  return {buffer.size, [buffer, graph = std::move(graph), owner = std::move(owner)](MutableBytes to) -> Result<> {
            lower::write_constant(*graph, buffer, lower::ConstantMemory::Host, to);
            // The device has a copy now; weights must not be in memory twice.
            release_mapped_pages(graph->constants[buffer.index].data, owner.mapped);
            return {};
          }};
}

// Our own module is valid, and its declarations are known, but the launch engine checks bindings against the
// declarations of a module.
launch::Shader shader_of(const lower::ProgramKernel& kernel, const std::string& name, const launch::Origin& origin) {
  const auto module = spirv::read_module(spirv::Words(*kernel.spirv), kernel.name);
  return {.name = formatted("{} {}", name, kernel.name),
          .spirv = kernel.spirv,
          .reflection = std::make_shared<const spirv::Reflection>(spirv::reflect(module.value()).value()),
          .entry = "main",
          .stage = spirv::Stage::Compute,
          .specializations = {},
          .push_constant_size = lower::push_constant_size(kernel),
          .origin = origin};
}

}  // namespace

GraphInPlan::GraphInPlan(launch::Plan& plan, std::shared_ptr<const tosa::Graph> graph, lower::KernelProgram program,
                         const std::string& name, const launch::Origin& origin, DataOwner owner)
    : graph_(std::move(graph)), program_(std::move(program)) {
  const auto add = [&](launch::Resource resource) {
    plan.resources.push_back(std::move(resource));
    return static_cast<ResourceIndex>(plan.resources.size() - 1);
  };
  const auto buffer = [&](std::string_view what, std::uint64_t size) {
    return launch::Resource{.name = formatted("{} {}", name, what),
                            .kind = launch::Buffer{.size = std::max<std::uint64_t>(size, 1)},
                            .initial = {},
                            .outputs = {},
                            .sharing = std::nullopt,
                            .origin = origin,
                            .load_counter = formatted("Load Constants: {}", name)};
  };
  // The name is unique among the graphs of the plan.
  const std::string arena = formatted("{} arena {}", name, plan.resources.size());
  resources_.resize(program_.buffers.size());
  for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
    const lower::ProgramBuffer& from = program_.buffers[i];
    const bool is_constant = from.kind == lower::BufferKind::Constant;
    if (!is_constant && from.kind != lower::BufferKind::Intermediate) continue;
    const std::string what = is_constant ? formatted("constant {}", from.index) : formatted("intermediate {}", i);
    launch::Resource made = buffer(what, from.size);
    if (is_constant)
      made.initial.push_back(contents_of(from, graph_, owner));
    else
      made.sharing = launch::Sharing{arena, from.offset};
    resources_[i] = add(std::move(made));
  }
  if (program_.arena_size > 0) {
    launch::Resource made = buffer("session memory", program_.arena_size);
    made.sharing = launch::Sharing{arena, 0};
    session_ = add(std::move(made));
  }
  first_shader_ = static_cast<ShaderIndex>(plan.shaders.size());
  for (const lower::ProgramKernel& kernel : program_.kernels) plan.shaders.push_back(shader_of(kernel, name, origin));
}

void GraphInPlan::dispatch(launch::Plan& plan, const GraphResources& resources, const std::string& name,
                           const launch::Origin& origin) const {
  const lower::ProgramAddresses<ResourceIndex> resource{program_.buffers, resources.inputs, resources.outputs,
                                                        resources_};
  launch::GraphDispatch whole{.name = name,
                              .first_step = plan.steps.size(),
                              .step_count = program_.dispatches.size(),
                              .operators = {},
                              .session_size = program_.arena_size,
                              .session_memory = session_};
  for (std::size_t i = 0; i < program_.dispatches.size(); ++i) {
    const lower::ProgramDispatch& from = program_.dispatches[i];
    const lower::ProgramDispatch* next = i + 1 == program_.dispatches.size() ? nullptr : &program_.dispatches[i + 1];
    const lower::ProgramKernel& kernel = program_.kernels[from.kernel];
    constexpr std::uint64_t kWord = 4;
    launch::Dispatch dispatch{.shader = first_shader_ + from.kernel,
                              .groups = from.groups,
                              .bindings = {},
                              .push_constants = std::vector<std::byte>(lower::push_constant_size(kernel))};
    if (kernel.linked) {
      const std::array<std::uint32_t, 2> numbers = {from.link.workgroups, from.link.counts};
      std::ranges::copy(std::as_bytes(std::span(numbers)), dispatch.push_constants.begin());
    }
    for (std::uint32_t binding = 0; binding < from.buffers.size(); ++binding) {
      // Counters of stages order the dispatches, as barriers do: they are not data whose order is checked.
      const bool is_link = kernel.linked && binding < kLinks;
      const bool exchanged = !is_link && std::ranges::contains(kernel.exchanged, binding);
      const bool is_result = binding + 1 == from.buffers.size();
      dispatch.bindings.push_back(
          {.set = 0,
           .binding = binding,
           .type = vk::DescriptorType::STORAGE_BUFFER,
           .resource = resource(from.buffers[binding]),
           .level = std::nullopt,
           .offset = !is_link       ? 0
                     : binding == 0 ? from.link.waits_at
                                    : from.link.counts_at,
           .size = kernel.by_words ? round_up(program_.buffers[from.buffers[binding]].size, kWord) : 0,
           .address_at = kernel.addresses ? std::optional(lower::address_offset(kernel, binding)) : std::nullopt,
           .reads = !is_link && (!is_result || kernel.by_words),
           .writes = is_result || exchanged,
           .origin = origin});
    }
    const tosa::Node* last = graph_->nodes.empty() || from.nodes.empty() ? nullptr : &graph_->nodes[from.nodes.back()];
    whole.operators.push_back(kernel.name);
    plan.steps.push_back({.name = last && !last->name.empty() ? last->name : plan.shaders[dispatch.shader].name,
                          .action = std::move(dispatch),
                          .barrier_after = lower::ends_stage(program_, i),
                          .next_waits = next && next->link.workgroups > 0,
                          .origin = origin});
  }
  plan.graphs.push_back(std::move(whole));
}

void add_graph(launch::Plan& plan, const tosa::Graph& graph, const lower::KernelProgram& program,
               std::span<const ResourceIndex> inputs, std::span<const ResourceIndex> outputs, const std::string& name,
               const launch::Origin& origin) {
  const GraphInPlan kernels(plan, std::make_shared<const tosa::Graph>(graph), program, name, origin, {});
  kernels.dispatch(plan, {inputs, outputs}, name, origin);
}

}  // namespace slipway::model
