// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/pipelines/pipelines.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "base/item_progress.hpp"
#include "base/parallel.hpp"
#include "base/system/cache.hpp"
#include "base/system/crash_note.hpp"
#include "gpu/device/device.hpp"
#include "launch/plan/accesses.hpp"
#include "launch/plan/locate.hpp"

namespace slipway::launch {
namespace {

// --- specialization --------------------------------------------------------------------------------------------------

// Those of the plan, and those that follow from where the device puts rows.
std::vector<Specialization> specializations_of(const Plan& plan, const Shader& shader, const Resources& resources) {
  std::vector<Specialization> all = shader.specializations;
  for (const RowStride& stride : shader.row_strides) {
    const auto& buffer = std::get<Buffer>(plan.resources[stride.rows].kind);
    const auto bytes = static_cast<std::uint32_t>(resources.row_stride(*buffer.rows));
    const Bytes value = std::as_bytes(std::span(&bytes, 1));
    all.push_back({.id = stride.constant, .bytes = {value.begin(), value.end()}});
  }
  return all;
}

// --- keys ------------------------------------------------------------------------------------------------------------

// The code of each shader, hashed once.
class CodeKeys {
 public:
  explicit CodeKeys(const Plan& plan) : plan_(plan), keys_(plan.shaders.size()) {}

  const std::string& of(ShaderIndex index) {
    std::string& key = keys_[index];
    const Shader& shader = plan_.shaders[index];
    if (key.empty()) key = Cache::key({text_of(std::as_bytes(std::span(*shader.spirv))), shader.entry});
    return key;
  }

 private:
  const Plan& plan_;
  std::vector<std::string> keys_;
};

void append(ByteWriter& key, const Plan& plan, ShaderIndex index, CodeKeys& code, const Resources& resources) {
  const Shader& shader = plan.shaders[index];
  key.append(code.of(index));
  const std::vector<Specialization> specializations = specializations_of(plan, shader, resources);
  key.write<std::uint64_t>(specializations.size());
  for (const Specialization& constant : specializations) {
    key.write(constant.id).write<std::uint64_t>(constant.bytes.size()).append(constant.bytes);
  }
  key.write(shader.push_constant_size);
}

// A graph is compiled for its tensors and constants. Hashing the data of constants would be slow; the index of the
// shader identifies them, since no two graphs of a plan share a shader.
void append_graph(ByteWriter& key, const Plan& plan, std::span<const Binding> bindings, ShaderIndex shader,
                  const Resources& resources) {
  key.write(shader);
  for (const Binding& binding : bindings) {
    const auto& buffer = std::get<Buffer>(plan.resources[binding.resource].kind);
    const vk::TensorInfo& tensor = buffer.tensors[binding.tensor];
    key.write(tensor.format).write<std::uint64_t>(tensor.shape.size());
    for (const std::int64_t stride : gpu::tensor_strides(tensor, buffer.rows ? resources.row_stride(*buffer.rows) : 0))
      key.write(stride);
    for (const std::int64_t extent : tensor.shape) key.write(extent);
  }
}

std::string key_of(const Plan& plan, const Step& step, CodeKeys& code, const Resources& resources) {
  ByteWriter key;
  for (const Binding& binding : descriptors_of(step)) {
    key.write(binding.set).write(binding.binding).write(binding.type).write(binding.count);
  }
  if (const auto* dispatch = std::get_if<Dispatch>(&step.action)) {
    append(key, plan, dispatch->shader, code, resources);
    if (is_graph(plan, step)) append_graph(key, plan, dispatch->bindings, dispatch->shader, resources);
  } else {
    const auto& draw = get_boxed<Draw>(step.action);
    append(key, plan, draw.vertex_shader, code, resources);
    if (draw.fragment_shader) append(key, plan, *draw.fragment_shader, code, resources);
    const vk::AttachmentFormats formats = attachment_formats(plan, draw);
    for (const vk::Format format : formats.colors) key.write(format);
    key.write(formats.depth_stencil).append(vk::print_graphics_state(draw.state, ""));
  }
  return Cache::key({step.action.index() == 0 ? "compute" : "graphics", text_of(key.bytes())});
}

// --- making ----------------------------------------------------------------------------------------------------------

// A shader's specialization in the form of the driver.
struct Specialized {
  std::vector<gpu::SpecializationEntry> entries;
  std::vector<std::byte> data;

  Specialized(const Plan& plan, const Shader& shader, const Resources& resources) {
    for (const Specialization& constant : specializations_of(plan, shader, resources)) {
      entries.push_back(
          {constant.id, static_cast<std::uint32_t>(data.size()), static_cast<std::uint32_t>(constant.bytes.size())});
      data.insert(data.end(), constant.bytes.begin(), constant.bytes.end());
    }
  }
};

gpu::ShaderInfo shader_info(const Shader& shader, const Specialized& specialized) {
  return {.words = *shader.spirv,
          .entry = shader.entry,
          .specialization = specialized.entries,
          .specialization_data = specialized.data};
}

vk::PipelineLayoutInfo layout_info(const Plan& plan, const Step& step) {
  vk::PipelineLayoutInfo info;
  vk::ShaderStages stages = is_graph(plan, step) ? vk::shader_stage::kAll : vk::shader_stage::kCompute;
  if (const auto* dispatch = std::get_if<Dispatch>(&step.action)) {
    info.push_constants_size = plan.shaders[dispatch->shader].push_constant_size;
  } else {
    // One range for both stages, as large as the larger asks for (docs/spec/scenario.md#shaders).
    const auto& draw = get_boxed<Draw>(step.action);
    info.push_constants_size = plan.shaders[draw.vertex_shader].push_constant_size;
    if (draw.fragment_shader) {
      info.push_constants_size =
          std::max(info.push_constants_size, plan.shaders[*draw.fragment_shader].push_constant_size);
    }
    stages = vk::shader_stage::kVertex | vk::shader_stage::kFragment;
  }
  info.push_constants_stages = stages;
  info.name = step.name;
  for (const Binding& binding : descriptors_of(step)) {
    if (info.sets.size() <= binding.set) info.sets.resize(binding.set + 1);
    auto& set = info.sets[binding.set];
    const auto known = std::ranges::find(set, binding.binding, &vk::DescriptorBinding::binding);
    if (known == set.end()) {
      set.push_back({binding.binding, binding.type, stages, binding.count, binding.count - 1});
    } else if (known->unbound > 0) {
      --known->unbound;
    }
  }
  return info;
}

const Shader& naming_shader(const Plan& plan, const Step& step) {
  if (const auto* dispatch = std::get_if<Dispatch>(&step.action)) return plan.shaders[dispatch->shader];
  const auto& draw = get_boxed<Draw>(step.action);
  return plan.shaders[draw.fragment_shader.value_or(draw.vertex_shader)];
}

Result<gpu::Pipeline> create_graph_pipeline(const gpu::Device& device, const Resources& resources, const Shader& shader,
                                            const Dispatch& dispatch, const gpu::PipelineLayout& layout,
                                            gpu::PipelineOptions options) {
  std::vector<gpu::GraphTensor> tensors;
  for (const Binding& binding : dispatch.bindings) {
    tensors.push_back({binding.set, binding.binding, &resources.buffer(binding.resource).tensors()[binding.tensor]});
  }
  std::vector<gpu::GraphConstant> constants;
  for (const GraphConstant& constant : shader.graph_constants)
    constants.push_back({constant.id, constant.tensor, constant.data.data()});
  return gpu::create_graph_pipeline(device, {.graph = {.words = *shader.spirv, .entry = shader.entry},
                                             .layout = &layout,
                                             .tensors = tensors,
                                             .constants = constants,
                                             .options = std::move(options)});
}

Result<gpu::Pipeline> create_pipeline(const Plan& plan, const gpu::Device& device, const Resources& resources,
                                      const Step& step, const gpu::PipelineLayout& layout,
                                      gpu::PipelineOptions options) {
  options.name = naming_shader(plan, step).name;
  const std::string text = reports_crashes() ? formatted("the driver compiled shader `{}`", options.name) : "";
  const CrashNote note(text);
  if (const auto* dispatch = std::get_if<Dispatch>(&step.action)) {
    const Shader& shader = plan.shaders[dispatch->shader];
    if (shader.stage == spirv::Stage::Graph)
      return create_graph_pipeline(device, resources, shader, *dispatch, layout, std::move(options));
    const Specialized specialized(plan, shader, resources);
    return gpu::create_compute_pipeline(
        device, {.shader = shader_info(shader, specialized), .layout = &layout, .options = std::move(options)});
  }
  const auto& draw = get_boxed<Draw>(step.action);
  const Shader& vertex = plan.shaders[draw.vertex_shader];
  const Specialized vertex_specialized(plan, vertex, resources);
  vk::AttachmentFormats formats = attachment_formats(plan, draw);
  gpu::GraphicsPipelineInfo info{.vertex = shader_info(vertex, vertex_specialized),
                                 .layout = &layout,
                                 .state = draw.state,
                                 .color_formats = std::move(formats.colors),
                                 .depth_stencil_format = formats.depth_stencil,
                                 .options = std::move(options)};
  std::optional<Specialized> fragment_specialized;
  if (draw.fragment_shader) {
    const Shader& fragment = plan.shaders[*draw.fragment_shader];
    info.fragment = shader_info(fragment, fragment_specialized.emplace(plan, fragment, resources));
  }
  return gpu::create_graphics_pipeline(device, info);
}

std::string counter_name(const Plan& plan, const Step& step) {
  const bool compute = std::holds_alternative<Dispatch>(step.action);
  return (compute ? "Create Pipeline: " : "Create Graphics Pipeline: ") + naming_shader(plan, step).name;
}

}  // namespace

PipelinePlan plan_pipelines(const Plan& plan, const Resources& resources) {
  PipelinePlan wanted;
  wanted.by_step.resize(plan.steps.size());
  std::map<std::string, std::size_t> known;
  CodeKeys code(plan);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    if (!is_command(step)) continue;
    const auto [at, added] = known.try_emplace(key_of(plan, step, code, resources), wanted.requests.size());
    if (added) wanted.requests.push_back({i, at->first});
    wanted.by_step[i] = at->second;
  }
  return wanted;
}

bool Pipelines::all_cached() const {
  return std::ranges::all_of(pipelines_, [](const auto& made) { return made->pipeline.cache_hit(); });
}

Result<Pipelines> create_pipelines(const Plan& plan, const gpu::Device& device, const Resources& resources,
                                   const PipelinePlan& wanted, const gpu::PipelineOptions& options,
                                   PerfCounters& counters, SharedPipelines* shared, const ItemProgress& progress) {
  struct Slot {
    std::shared_ptr<const LaidOutPipeline> known;
    std::unique_ptr<gpu::PipelineLayout> layout;
    std::optional<Result<gpu::Pipeline>> pipeline;
    PerfCounters counters;
  };
  std::vector<Slot> slots(wanted.requests.size());
  ItemCount ready(slots.size(), progress);
  const auto make = [&](std::size_t i) {
    const Step& step = plan.steps[wanted.requests[i].step];
    Slot& slot = slots[i];
    if (shared) {
      if (const auto known = shared->find(wanted.requests[i].key); known != shared->end()) slot.known = known->second;
    }
    if (slot.known) return;
    const ScopedTimer timer(slot.counters, CounterCategory::PipelineSetup, counter_name(plan, step));
    slot.pipeline.emplace(
        gpu::create_pipeline_layout(device, layout_info(plan, step)).and_then([&](gpu::PipelineLayout layout) {
          slot.layout = std::make_unique<gpu::PipelineLayout>(std::move(layout));
          return create_pipeline(plan, device, resources, step, *slot.layout, options);
        }));
  };
  parallel_for(slots.size(), [&](std::size_t i) {
    make(i);
    ready.add();
  });
  ready.finish();

  Pipelines pipelines;
  pipelines.by_step_ = wanted.by_step;
  Diagnostics problems;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots[i];
    std::ranges::move(slot.counters, std::back_inserter(counters));
    if (!slot.known && *slot.pipeline) {
      slot.known = std::make_shared<const LaidOutPipeline>(std::move(slot.layout), std::move(**slot.pipeline));
      if (shared) shared->emplace(wanted.requests[i].key, slot.known);
    }
    if (slot.known) {
      pipelines.pipelines_.push_back(std::move(slot.known));
    } else {
      problems.add(
          located(std::move(slot.pipeline->error()), naming_shader(plan, plan.steps[wanted.requests[i].step]).origin));
    }
  }
  if (problems.has_errors()) return fail(problems.release());
  return pipelines;
}

}  // namespace slipway::launch
