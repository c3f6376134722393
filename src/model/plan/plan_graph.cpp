// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan/plan_graph.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "base/resident_memory.hpp"
#include "spirv/reflect.hpp"

namespace slipway::model {
namespace {

using launch::ResourceIndex;
using launch::ShaderIndex;

constexpr std::uint32_t kAddressSize = 8;  // bytes
constexpr std::uint32_t kLinks = 2;        // bindings of counters of a linked kernel

bool is_in(Bytes part, Bytes whole) {
  const std::less_equal<> before;
  return before(whole.data(), part.data()) && before(part.data() + part.size(), whole.data() + whole.size());
}

// Copies: the plan may outlive its other owners.
launch::Contents contents_of(const lower::ProgramBuffer& buffer, std::shared_ptr<const tosa::Graph> graph,
                             DataOwner owner) {
  const tosa::Constant& constant = graph->constants[buffer.index];
  return {buffer.size,
          [data = constant.data, splat = constant.splat, packing = buffer.packing, graph = std::move(graph),
           owner = std::move(owner)](MutableBytes to) -> Result<> {
            if (packing) {
              lower::pack(*packing, data, splat, to);
            } else {
              for (std::size_t at = 0; at < to.size(); at += data.size()) {
                std::ranges::copy(data, to.begin() + static_cast<std::ptrdiff_t>(at));
                if (!splat) break;
              }
            }
            // The device has a copy now; weights must not be in memory twice.
            if (is_in(data, owner.mapped)) release_mapped_pages(data);
            return {};
          }};
}

// Our own module is valid, and its declarations are known, but the launch engine checks bindings against the
// declarations of a module.
// In the push constants. Two numbers, as large as an address, come before the addresses of a linked kernel.
std::uint32_t address_at(const lower::ProgramKernel& kernel, std::uint32_t binding) {
  return (binding + (kernel.linked ? 1 : 0)) * kAddressSize;
}

std::uint32_t push_constant_size(const lower::ProgramKernel& kernel) {
  return kernel.addresses ? address_at(kernel, kernel.bindings) : 0;
}

launch::Shader shader_of(const lower::ProgramKernel& kernel, const std::string& name, const launch::Origin& origin) {
  const auto module = spirv::read_module(spirv::Words(*kernel.spirv), kernel.name);
  return {.name = formatted("{} {}", name, kernel.name),
          .spirv = kernel.spirv,
          .reflection = std::make_shared<const spirv::Reflection>(spirv::reflect(module.value()).value()),
          .entry = "main",
          .stage = spirv::Stage::Compute,
          .specializations = {},
          .push_constant_size = push_constant_size(kernel),
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
  for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
    const lower::ProgramBuffer& from = program_.buffers[i];
    if (from.kind == lower::BufferKind::Constant) {
      launch::Resource made = buffer(formatted("constant {}", from.index), from.size);
      made.initial.push_back(contents_of(from, graph_, owner));
      resources_.push_back(add(std::move(made)));
    } else if (from.kind == lower::BufferKind::Intermediate) {
      launch::Resource made = buffer(formatted("intermediate {}", i), from.size);
      made.sharing = launch::Sharing{arena, from.offset};
      resources_.push_back(add(std::move(made)));
    } else {
      resources_.push_back(0);
    }
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
  const auto resource = [&](std::uint32_t i) {
    const lower::ProgramBuffer& buffer = program_.buffers[i];
    if (buffer.kind == lower::BufferKind::Input) return resources.inputs[buffer.index];
    if (buffer.kind == lower::BufferKind::Output) return resources.outputs[buffer.index];
    return resources_[i];
  };
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
                              .push_constants = std::vector<std::byte>(push_constant_size(kernel))};
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
           .address_at = kernel.addresses ? std::optional(address_at(kernel, binding)) : std::nullopt,
           .reads = !is_link && (!is_result || kernel.by_words),
           .writes = is_result || exchanged,
           .origin = origin});
    }
    const tosa::Node* last = graph_->nodes.empty() || from.nodes.empty() ? nullptr : &graph_->nodes[from.nodes.back()];
    whole.operators.push_back(kernel.name);
    plan.steps.push_back({.name = last && !last->name.empty() ? last->name : plan.shaders[dispatch.shader].name,
                          .action = std::move(dispatch),
                          .barrier_after = !next || next->stage != from.stage,
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
