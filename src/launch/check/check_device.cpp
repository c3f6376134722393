// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/check/check_device.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/format.hpp"
#include "launch/plan/accesses.hpp"
#include "launch/plan/image_info.hpp"
#include "launch/plan/locate.hpp"
#include "launch/plan/specialization.hpp"
#include "vk/image_plan.hpp"
#include "vk/tensor_info.hpp"

namespace slipway::launch {
namespace {

constexpr std::array kAxes = {'x', 'y', 'z'};

bool has_custom_border(const vk::SamplerInfo& sampler) {
  return vk::uses_border(sampler) && (sampler.border_color == vk::BorderColor::FLOAT_CUSTOM_EXT ||
                                      sampler.border_color == vk::BorderColor::INT_CUSTOM_EXT);
}

class DeviceCheck {
 public:
  DeviceCheck(const Plan& plan, const vk::Snapshot& snapshot)
      : plan_(plan), snapshot_(snapshot), limits_(snapshot.limits) {}

  Diagnostics check(const vk::Needs& needs) {
    check_needs(needs);
    for (const Resource& resource : plan_.resources) check_resource(resource);
    check_memory();
    for (const Shader& shader : plan_.shaders) check_shader(shader);
    for (const Step& step : plan_.steps) check_step(step);
    return std::move(diagnostics_);
  }

 private:
  void lacks(const Origin& origin, std::string message) {
    diagnostics_.error(DiagnosticKind::DeviceLacks, origin.location(), std::move(message))
        .at(origin.path(), origin.uid());
  }

  // "... 70000 ..., but the device allows 65535 (maxComputeWorkGroupCount[0])"
  void check_limit(const Origin& origin, std::uint64_t value, std::uint64_t limit, std::string_view limit_name,
                   std::string_view what) {
    if (value > limit) lacks(origin, formatted("{}, but the device allows {} ({})", what, limit, limit_name));
  }

  // Capabilities are reported at the shaders that declare them.
  void check_needs(vk::Needs needs) {
    needs.capabilities.clear();
    if (const std::optional<vk::DevicePlan> device = diagnostics_.take(vk::plan_device(snapshot_, needs)))
      device_ = *device;
  }

  // --- resources ----------------------------------------------------------------------------------------------------

  void check_resource(const Resource& resource) {
    if (const auto* image = std::get_if<Image>(&resource.kind)) {
      Result<vk::ImagePlan> planned = vk::plan_image(snapshot_, image_info(resource, *image, device_));
      if (!planned) diagnostics_.add(located(std::move(planned.error()), resource.origin));
    } else {
      const std::uint64_t size = std::get<Buffer>(resource.kind).size;
      check_limit(resource.origin, size, limits_.max_buffer_size, "maxBufferSize",
                  formatted("buffer `{}` has {} bytes", resource.name, size));
    }
  }

  // What surely does not fit. Images count without padding, and members of a memory group once.
  void check_memory() {
    const std::vector<MemoryRange> ranges = memory_ranges(plan_);
    std::map<std::size_t, std::uint64_t> domains;
    for (const MemoryRange& range : ranges) domains[range.domain] = std::max(domains[range.domain], range.end);
    Size total = 0;
    for (const auto& [domain, size] : domains) total = checked_add(total, size);
    const std::uint64_t available = snapshot_.device_memory();
    if (ranges.empty() || total.value_or(~0ull) <= available) return;
    const auto largest =
        std::ranges::max_element(ranges, {}, [](const MemoryRange& range) { return range.end - range.begin; });
    const Resource& resource = plan_.resources[static_cast<std::size_t>(largest - ranges.begin())];
    lacks(resource.origin, formatted("all resources together need {} bytes, but the device has {} bytes of memory; "
                                     "the largest is `{}` with {} bytes",
                                     total ? std::to_string(*total) : "more than 2^64", available, resource.name,
                                     largest->end - largest->begin));
  }

  // --- shaders ------------------------------------------------------------------------------------------------------

  void check_shader(const Shader& shader) {
    check_limit(shader.origin, shader.push_constant_size, limits_.max_push_constants_size, "maxPushConstantsSize",
                formatted("shader `{}` has {} bytes of push constants", shader.name, shader.push_constant_size));
    if (!shader.reflection) return;
    for (const std::string& capability : shader.reflection->capabilities) {
      const std::string missing = vk::missing_for_capability(snapshot_, capability);
      if (!missing.empty()) lacks(shader.origin, formatted("shader `{}`: {}", shader.name, missing));
    }
    if (const spirv::EntryPoint* entry = shader.reflection->find(shader.entry, shader.stage))
      check_workgroup(shader, *entry);
  }

  void check_workgroup(const Shader& shader, const spirv::EntryPoint& entry) {
    check_limit(shader.origin, entry.shared_memory, limits_.max_compute_shared_memory_size,
                "maxComputeSharedMemorySize",
                formatted("shader `{}` has {} bytes of shared memory", shader.name, entry.shared_memory));
    const auto sizes = workgroup_size(shader);
    if (!sizes) return;
    if (const std::string problem = empty_workgroup(shader); !problem.empty()) {
      diagnostics_.error(DiagnosticKind::OutOfRange, shader.origin.location(), problem)
          .at(shader.origin.path(), shader.origin.uid());
    }
    Size invocations = 1;
    for (std::size_t i = 0; i < kAxes.size(); ++i) {
      const std::uint32_t size = (*sizes)[i];
      invocations = checked_multiply(invocations, size);
      check_limit(shader.origin, size, limits_.max_compute_workgroup_size[i],
                  formatted("maxComputeWorkGroupSize[{}]", i),
                  formatted("shader `{}` has a workgroup size of {} in {}", shader.name, size, kAxes[i]));
    }
    check_limit(shader.origin, invocations.value_or(~0ull), limits_.max_compute_workgroup_invocations,
                "maxComputeWorkGroupInvocations",
                formatted("shader `{}` has {} invocations in a workgroup", shader.name, invocations.value_or(~0ull)));
  }

  // --- steps --------------------------------------------------------------------------------------------------------

  void check_step(const Step& step) {
    for (const Binding& binding : descriptors_of(step)) check_binding(step, binding);
    if (const auto* dispatch = std::get_if<Dispatch>(&step.action)) check_dispatch(step, *dispatch);
    if (const auto* draw = get_boxed_if<Draw>(step.action)) check_draw(step, *draw);
  }

  void check_binding(const Step& step, const Binding& binding) {
    if (binding.set >= limits_.max_bound_descriptor_sets) {
      lacks(binding.origin,
            formatted("`{}` binds descriptor set {}, but the device allows {} sets (maxBoundDescriptorSets)", step.name,
                      binding.set, limits_.max_bound_descriptor_sets));
    }
    const Resource& resource = plan_.resources[binding.resource];
    const auto* buffer = std::get_if<Buffer>(&resource.kind);
    if (!buffer) return;
    if (binding.type == vk::DescriptorType::TENSOR_ARM) {
      const std::string missing = vk::missing_for_tensor(snapshot_, buffer->tensors[binding.tensor]);
      if (!missing.empty())
        lacks(binding.origin,
              formatted("`{}` binds `{}`, and the device does not have {}", step.name, resource.name, missing));
    }
    if (binding.texels != vk::Format::UNDEFINED) return check_texels(step, binding, *buffer);
    if (binding.type == vk::DescriptorType::STORAGE_BUFFER) {
      check_limit(
          binding.origin, buffer->size, limits_.max_storage_buffer_range, "maxStorageBufferRange",
          formatted("`{}` binds the {} bytes of `{}` as storage buffer", step.name, buffer->size, resource.name));
    } else if (binding.type == vk::DescriptorType::UNIFORM_BUFFER) {
      check_limit(
          binding.origin, buffer->size, limits_.max_uniform_buffer_range, "maxUniformBufferRange",
          formatted("`{}` binds the {} bytes of `{}` as uniform buffer", step.name, buffer->size, resource.name));
    }
  }

  void check_texels(const Step& step, const Binding& binding, const Buffer& buffer) {
    const bool storage = binding.type == vk::DescriptorType::STORAGE_TEXEL_BUFFER;
    const std::string& name = plan_.resources[binding.resource].name;
    const std::string_view use = storage ? "storage texel buffer" : "uniform texel buffer";
    const std::uint64_t needed =
        storage ? vk::format_feature::kStorageTexelBuffer : vk::format_feature::kUniformTexelBuffer;
    if ((snapshot_.format_features(binding.texels).buffer & needed) == 0) {
      lacks(binding.origin, formatted("`{}` binds `{}` as {} of {}, which the device does not have", step.name, name,
                                      use, vk::name_of(binding.texels)));
    }
    const auto texel = vk::texel_block(binding.texels);
    const auto limit = snapshot_.limits_by_name.find("maxTexelBufferElements");
    if (!texel || limit == snapshot_.limits_by_name.end()) return;
    const std::uint64_t texels = (binding.size ? binding.size : buffer.size) / texel->bytes;
    check_limit(binding.origin, texels, static_cast<std::uint64_t>(limit->second), "maxTexelBufferElements",
                formatted("`{}` binds the {} texels of `{}` as {}", step.name, texels, name, use));
  }

  void check_dispatch(const Step& step, const Dispatch& dispatch) {
    for (std::size_t i = 0; i < kAxes.size(); ++i) {
      check_limit(step.origin, dispatch.groups[i], limits_.max_compute_workgroup_count[i],
                  formatted("maxComputeWorkGroupCount[{}]", i),
                  formatted("`{}` dispatches {} workgroups in {}", step.name, dispatch.groups[i], kAxes[i]));
    }
  }

  void check_draw(const Step& step, const Draw& draw) {
    check_limit(step.origin, draw.extent[0], limits_.max_framebuffer_width, "maxFramebufferWidth",
                formatted("`{}` renders {} pixels in x", step.name, draw.extent[0]));
    check_limit(step.origin, draw.extent[1], limits_.max_framebuffer_height, "maxFramebufferHeight",
                formatted("`{}` renders {} pixels in y", step.name, draw.extent[1]));
    const vk::AttachmentFormats formats = attachment_formats(plan_, draw);
    for (const std::string& missing : vk::missing_for_state(snapshot_, snapshot_.features, draw.state, formats)) {
      lacks(step.origin, formatted("`{}`: {}", step.name, missing));
    }
  }

  const Plan& plan_;
  const vk::Snapshot& snapshot_;
  const vk::Limits& limits_;
  vk::DevicePlan device_;
  Diagnostics diagnostics_;
};

}  // namespace

vk::Needs needs_of(const Plan& plan) {
  vk::Needs needs;
  for (const Resource& resource : plan.resources) {
    if (const auto* buffer = std::get_if<Buffer>(&resource.kind)) needs.tensors |= !buffer->tensors.empty();
    const auto* image = std::get_if<Image>(&resource.kind);
    if (!image) continue;
    needs.blit |= !resource.initial.empty() && resource.initial.size() < image->mips;
    needs.custom_border_colors |= image->sampled && has_custom_border(sampler_info(resource, *image));
  }
  for (const Shader& shader : plan.shaders) {
    if (!shader.reflection) continue;
    if (shader.stage == spirv::Stage::Graph) {
      needs.data_graph = true;
      needs.graph_instruction_sets.insert_range(shader.reflection->instruction_sets);
    }
    needs.capabilities.insert(shader.reflection->capabilities.begin(), shader.reflection->capabilities.end());
  }
  for (const Step& step : plan.steps) {
    if (const auto* draw = get_boxed_if<Draw>(step.action)) {
      needs.graphics = true;
      // The indices are unknown before the draw reads them; robust access keeps wrong ones from reading elsewhere.
      if (draw->indices) needs.features.insert("robustBufferAccess");
    }
    needs.frame_boundary |= std::holds_alternative<Boundary>(step.action);
  }
  return needs;
}

Diagnostics check_device(const Plan& plan, const vk::Needs& needs, const vk::Snapshot& snapshot) {
  return DeviceCheck(plan, snapshot).check(needs);
}

}  // namespace slipway::launch
