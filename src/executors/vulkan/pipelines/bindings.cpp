// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/pipelines/bindings.hpp"

#include <algorithm>

#include "gpu/device/device.hpp"
#include "gpu/memory/sampler.hpp"
#include "launch/plan/accesses.hpp"
#include "launch/plan/image_info.hpp"
#include "launch/plan/locate.hpp"
#include "tensor/format.hpp"
#include "vk/image_plan.hpp"
#include "vk/view_shape.hpp"

namespace slipway::launch {
namespace {

bool has_integers(vk::Format format) {
  const tensor::FormatInfo* info = tensor::find_format(format);
  return info && (info->numeric == tensor::NumericFormat::Uint || info->numeric == tensor::NumericFormat::Sint);
}

}  // namespace

gpu::Rendering StepBindings::rendering(std::size_t step, const Draw& draw) const {
  const OfStep& of = steps_[step];
  return {.extent = draw.extent, .colors = of.colors, .depth_stencil = of.depth_stencil ? &*of.depth_stencil : nullptr};
}

class Binder {
 public:
  Binder(const Plan& plan, const gpu::Device& device, const Resources& resources, const Pipelines& pipelines)
      : plan_(plan), device_(device), resources_(resources), pipelines_(pipelines), layouts_(plan) {}

  Result<StepBindings> bind() {
    bound_.steps_.resize(plan_.steps.size());
    Result<> done;
    for (std::size_t i = 0; i < plan_.steps.size() && done; ++i) {
      const Step& step = plan_.steps[i];
      if (const auto* barriers = std::get_if<Barriers>(&step.action)) {
        for (const Barrier& barrier : barriers->barriers) layouts_.apply(plan_, barrier);
      } else if (is_command(step)) {
        done = describe_sets(i).and_then([&] { return describe_attachments(i); });
      }
    }
    return done.and_then([&] { return make_sets(); }).transform([&] { return std::move(bound_); });
  }

 private:
  // Where a described set goes when it is made.
  struct Wanted {
    std::size_t step = 0;
    std::uint32_t index = 0;
  };

  Result<> describe_sets(std::size_t step) {
    std::map<std::uint32_t, std::vector<gpu::DescriptorWrite>> writes;
    for (const Binding& binding : descriptors_of(plan_.steps[step])) {
      Result<gpu::DescriptorWrite> write = describe(binding);
      if (!write) return fail(located(std::move(write.error()), binding.origin));
      writes[binding.set].push_back(*write);
    }
    for (auto& [index, of_set] : writes) {
      infos_.push_back({.layout = &pipelines_.of_step(step).layout(), .set = index, .writes = std::move(of_set)});
      wanted_.push_back({step, index});
    }
    return {};
  }

  Result<gpu::DescriptorWrite> describe(const Binding& binding) {
    gpu::DescriptorWrite write{.binding = binding.binding, .element = binding.element};
    if (std::holds_alternative<Buffer>(plan_.resources[binding.resource].kind)) {
      write.buffer = &resources_.buffer(binding.resource);
      write.offset = binding.offset;
      write.size = binding.size;
      if (binding.type == vk::DescriptorType::TENSOR_ARM) write.tensor = &write.buffer->tensors()[binding.tensor];
      if (binding.texels != vk::Format::UNDEFINED) {
        Result<gpu::Owned<VkBufferView_T>> view =
            gpu::create_texel_view(device_, *write.buffer, binding.texels, binding.offset, binding.size);
        if (!view) return fail(std::move(view.error()));
        write.texels = view->get();
        bound_.texels_.push_back(std::move(*view));
      }
      return write;
    }
    using enum vk::DescriptorType;
    if (binding.type == SAMPLER || binding.type == COMBINED_IMAGE_SAMPLER) {
      const Result<VkSampler_T*> sampler = sampler_of(binding.resource);
      if (!sampler) return fail(sampler.error());
      write.sampler = *sampler;
    }
    if (binding.type == SAMPLER) return write;
    const Levels levels = levels_of(plan_, binding);
    const Result<VkImageView_T*> view = view_of(binding.resource, levels, binding.view);
    if (!view) return fail(view.error());
    write.view = *view;
    write.layout = executed_layout(layouts_.at(binding.resource, levels.first));
    return write;
  }

  Result<> describe_attachments(std::size_t step) {
    const auto* draw = get_boxed_if<Draw>(plan_.steps[step].action);
    if (!draw) return {};
    Result<> done;
    for (const Attachment& attachment : draw->color_attachments) {
      done = describe(step, attachment);
      if (!done) return fail(located(std::move(done.error()), attachment.origin));
    }
    if (!draw->depth_attachment) return {};
    done = describe(step, *draw->depth_attachment);
    if (!done) return fail(located(std::move(done.error()), draw->depth_attachment->origin));
    return {};
  }

  Result<> describe(std::size_t step, const Attachment& attachment) {
    gpu::ColorAttachment made{.layout = layout_at(attachment.image, attachment.level),
                              .load = attachment.load,
                              .clear = {attachment.clear},
                              .integers = has_integers(std::get<Image>(plan_.resources[attachment.image].kind).format)};
    return view_for(attachment.image, attachment.level, made.view)
        .and_then([&] { return describe(attachment.resolve, made.resolve, made.resolve_layout); })
        .transform([&] { bound_.steps_[step].colors.push_back(made); });
  }

  Result<> describe(std::size_t step, const DepthAttachment& attachment) {
    const vk::Format format = std::get<Image>(plan_.resources[attachment.image].kind).format;
    gpu::DepthStencilAttachment made{.depth = vk::has_depth(format),
                                     .stencil = vk::has_stencil(format),
                                     .layout = layout_at(attachment.image, 0),
                                     .depth_load = attachment.depth_load,
                                     .stencil_load = attachment.stencil_load,
                                     .clear_depth = attachment.clear_depth,
                                     .clear_stencil = attachment.clear_stencil};
    return view_for(attachment.image, 0, made.view)
        .and_then([&] { return describe(attachment.resolve, made.resolve, made.resolve_layout); })
        .transform([&] { bound_.steps_[step].depth_stencil = made; });
  }

  Result<> describe(const std::optional<Resolve>& resolve, VkImageView_T*& view, vk::Layout& layout) {
    if (!resolve) return {};
    layout = layout_at(resolve->image, resolve->level);
    return view_for(resolve->image, resolve->level, view);
  }

  vk::Layout layout_at(ResourceIndex image, std::uint32_t level) const {
    return executed_layout(layouts_.at(image, level));
  }

  // The view of a level for rendering.
  Result<> view_for(ResourceIndex image, std::uint32_t level, VkImageView_T*& view) {
    const auto [at, added] = bound_.attachment_views_.try_emplace({image, level, 1, vk::ViewShape::Plain});
    if (added) {
      auto made = gpu::create_attachment_view(device_, resources_.image(image), level);
      if (!made) return fail(std::move(made.error()));
      at->second = std::move(*made);
    }
    view = at->second.get();
    return {};
  }

  Result<VkImageView_T*> view_of(ResourceIndex image, const Levels& levels, vk::ViewShape shape) {
    const auto [at, added] = bound_.views_.try_emplace({image, levels.first, levels.count, shape});
    if (added) {
      Result<gpu::Owned<VkImageView_T>> view =
          gpu::create_image_view(device_, resources_.image(image), levels.first, levels.count, shape);
      if (!view) return fail(std::move(view.error()));
      at->second = std::move(*view);
    }
    return at->second.get();
  }

  Result<VkSampler_T*> sampler_of(ResourceIndex image) {
    const auto [at, added] = bound_.samplers_.try_emplace(image);
    if (added) {
      const Resource& resource = plan_.resources[image];
      Result<gpu::Owned<VkSampler_T>> sampler =
          gpu::create_sampler(device_, sampler_info(resource, std::get<Image>(resource.kind)));
      if (!sampler) return fail(located(std::move(sampler.error()), resource.origin));
      at->second = std::move(*sampler);
    }
    return at->second.get();
  }

  Result<> make_sets() {
    if (infos_.empty()) return {};
    Result<gpu::DescriptorSets> sets = gpu::create_descriptor_sets(device_, infos_);
    if (!sets) return fail(std::move(sets.error()));
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      bound_.steps_[wanted_[i].step].sets.push_back({wanted_[i].index, (*sets)[i]});
    }
    bound_.sets_ = std::move(*sets);
    return {};
  }

  const Plan& plan_;
  const gpu::Device& device_;
  const Resources& resources_;
  const Pipelines& pipelines_;
  ImageLayouts layouts_;
  std::vector<gpu::DescriptorSetInfo> infos_;
  std::vector<Wanted> wanted_;
  StepBindings bound_;
};

Result<StepBindings> bind_steps(const Plan& plan, const gpu::Device& device, const Resources& resources,
                                const Pipelines& pipelines) {
  return Binder(plan, device, resources, pipelines).bind();
}

}  // namespace slipway::launch
