#include "launch/bindings.hpp"

#include <algorithm>

#include "launch/accesses.hpp"
#include "launch/image_info.hpp"
#include "launch/locate.hpp"

namespace slipway::launch {

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
      } else if (!std::holds_alternative<Boundary>(step.action)) {
        done = describe_sets(i).and_then([&] { return describe_attachments(i); });
      }
    }
    return done.and_then([&] { return make_sets(); }).transform([&] { return std::move(bound_); });
  }

 private:
  // Where a described set goes when it is made.
  struct Wanted {
    std::size_t step = 0;
    std::uint32_t number = 0;
  };

  Result<> describe_sets(std::size_t step) {
    std::map<std::uint32_t, std::vector<gpu::DescriptorWrite>> writes;
    for (const Binding& binding : bindings_of(plan_.steps[step])) {
      Result<gpu::DescriptorWrite> write = describe(binding);
      if (!write) return fail(located(std::move(write.error()), binding.origin));
      writes[binding.set].push_back(*write);
    }
    for (auto& [number, of_set] : writes) {
      infos_.push_back({.layout = &pipelines_.of_step(step).layout(), .set = number, .writes = std::move(of_set)});
      wanted_.push_back({step, number});
    }
    return {};
  }

  Result<gpu::DescriptorWrite> describe(const Binding& binding) {
    gpu::DescriptorWrite write{.binding = binding.binding};
    if (std::holds_alternative<Buffer>(plan_.resources[binding.resource].kind)) {
      write.buffer = &resources_.buffer(binding.resource);
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
    const Result<VkImageView_T*> view = view_of(binding.resource, levels);
    if (!view) return fail(view.error());
    write.view = *view;
    write.layout = executed_layout(layouts_.at(binding.resource, levels.first));
    return write;
  }

  Result<> describe_attachments(std::size_t step) {
    const auto* draw = std::get_if<DrawFullscreen>(&plan_.steps[step].action);
    if (!draw) return {};
    for (const Attachment& attachment : draw->color_attachments) {
      Result<VkImageView_T*> view = view_of(attachment.image, {attachment.level, 1});
      if (!view) return fail(located(std::move(view.error()), attachment.origin));
      bound_.steps_[step].attachments.push_back(
          {.view = *view, .layout = executed_layout(layouts_.at(attachment.image, attachment.level))});
    }
    return {};
  }

  Result<VkImageView_T*> view_of(ResourceIndex image, const Levels& levels) {
    const auto [at, added] = bound_.views_.try_emplace({image, levels.first, levels.count});
    if (added) {
      Result<gpu::Owned<VkImageView_T>> view =
          gpu::create_image_view(device_, resources_.image(image), levels.first, levels.count);
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
      bound_.steps_[wanted_[i].step].sets.push_back({wanted_[i].number, (*sets)[i]});
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
