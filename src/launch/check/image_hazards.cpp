// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/check/image_hazards.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "launch/check/coverage.hpp"
#include "launch/check/hazard_warning.hpp"

namespace slipway::launch {

ImageHazards::ImageHazards(const Plan& plan, std::span<const MemoryRange> ranges, Diagnostics& diagnostics)
    : plan_(plan), ranges_(ranges), diagnostics_(diagnostics), layouts_(plan), dropped_(plan.resources.size()) {
  for (std::size_t i = 0; i < plan.resources.size(); ++i) {
    if (const auto* image = std::get_if<Image>(&plan.resources[i].kind)) dropped_[i].resize(image->mips);
  }
}

void ImageHazards::see(const Step& step, std::span<const Access> accesses) {
  for (const Access& access : accesses) check_contents(step, access);
  check_layouts(step);
}

void ImageHazards::see(const Barrier& barrier) {
  if (barrier.kind != Barrier::Kind::Image) return;
  check_barrier(barrier);
  layouts_.apply(plan_, barrier);
}

Diagnostic& ImageHazards::warn(const Origin& origin, std::string message) {
  return warn_of_hazard(diagnostics_, origin, std::move(message));
}

void ImageHazards::check_barrier(const Barrier& barrier) {
  const Levels levels = levels_of(plan_, barrier);
  if (levels.count != barrier.level_count || levels.count == 0) {
    warn(barrier.origin,
         formatted("barrier `{}` covers {} mip levels from level {} of `{}`, which has {}", barrier.name,
                   barrier.level_count, barrier.base_level, name_of_resource(barrier.resource),
                   std::get<Image>(plan_.resources[barrier.resource].kind).mips))
        .note(formatted("`{}` is made here", name_of_resource(barrier.resource)),
              plan_.resources[barrier.resource].origin.location());
  }
  if (barrier.new_layout == vk::Layout::Undefined) {
    warn(barrier.origin, formatted("barrier `{}` changes `{}` to {}, which no image can be put into; its layout stays",
                                   barrier.name, name_of_resource(barrier.resource), name_of(barrier.new_layout)));
  }
  if (barrier.old_layout != vk::Layout::Undefined) return check_old_layout(barrier, levels);
  std::fill_n(dropped_[barrier.resource].begin() + levels.first, levels.count, &barrier);
  any_dropped_ = true;
}

void ImageHazards::check_old_layout(const Barrier& barrier, const Levels& levels) {
  for (std::uint32_t level = levels.first; level < levels.first + levels.count; ++level) {
    const vk::Layout tracked = layouts_.at(barrier.resource, level);
    if (tracked == barrier.old_layout) continue;
    Diagnostic& warning =
        warn(barrier.origin,
             formatted("barrier `{}` takes level {} of `{}` to be in {}, but it is in {}", barrier.name, level,
                       name_of_resource(barrier.resource), name_of(barrier.old_layout), name_of(tracked)));
    note_layout(warning, barrier.resource, level);
    return;
  }
}

void ImageHazards::note_layout(Diagnostic& warning, ResourceIndex image, std::uint32_t level) const {
  if (const Barrier* setter = layouts_.set_by(image, level)) {
    warning.note(formatted("barrier `{}` put it there", setter->name), setter->origin.location());
  } else {
    warning.note("images begin in VK_IMAGE_LAYOUT_GENERAL", plan_.resources[image].origin.location());
  }
}

void ImageHazards::check_layouts(const Step& step) {
  for (const Binding& binding : bindings_of(step)) {
    if (!std::holds_alternative<Image>(plan_.resources[binding.resource].kind)) continue;
    check_layout(step, binding.resource, levels_of(plan_, binding), binding.origin,
                 [&](vk::Layout layout) { return layout_allowed(binding.type, layout); });
  }
  const auto* draw = get_boxed_if<Draw>(step.action);
  if (!draw) return;
  const auto for_colors = [](vk::Layout layout) {
    return layout == vk::Layout::General || layout == vk::Layout::ColorAttachment;
  };
  const auto for_depth = [](vk::Layout layout) { return layout == vk::Layout::General; };
  const auto check = [&](const auto& attachment, std::uint32_t attached, const auto& allowed) {
    check_layout(step, attachment.image, {attached, 1}, attachment.origin, allowed);
    if (!attachment.resolve) return;
    check_layout(step, attachment.resolve->image, {attachment.resolve->level, 1}, attachment.origin, allowed);
  };
  for (const Attachment& attachment : draw->color_attachments) check(attachment, attachment.level, for_colors);
  if (draw->depth_attachment) check(*draw->depth_attachment, 0, for_depth);
}

template <class Allowed>
void ImageHazards::check_layout(const Step& step, ResourceIndex image, const Levels& levels, const Origin& origin,
                                Allowed allowed) {
  for (std::uint32_t level = levels.first; level < levels.first + levels.count; ++level) {
    const vk::Layout layout = layouts_.at(image, level);
    if (allowed(layout)) continue;
    Diagnostic& warning = warn(origin, formatted("`{}` uses level {} of `{}` while it is in {}", step.name, level,
                                                 name_of_resource(image), name_of(layout)));
    note_layout(warning, image, level);
    return;
  }
}

// UNDEFINED as the old layout allows a device to forget what is in the image.
void ImageHazards::check_contents(const Step& step, const Access& access) {
  if (!any_dropped_) return;
  if (access.reads) {
    warn_if_dropped(access.resource, access.levels, *access.origin, formatted("`{}` reads", step.name));
  }
  if (!access.writes) return;
  for (ResourceIndex i = 0; i < dropped_.size(); ++i) {
    const Access other{.resource = i, .levels = {0, static_cast<std::uint32_t>(dropped_[i].size())}};
    if (i == access.resource) {
      std::fill_n(dropped_[i].begin() + access.levels.first,
                  std::min<std::size_t>(access.levels.count, dropped_[i].size()), nullptr);
    } else if (Conflict conflict{access, other}; !dropped_[i].empty() && find_conflict(plan_, ranges_, conflict)) {
      std::ranges::fill(dropped_[i], nullptr);
    }
  }
}

void ImageHazards::see_results() {
  for (ResourceIndex i = 0; i < plan_.resources.size(); ++i) {
    if (!plan_.resources[i].outputs.empty()) warn_if_dropped(i, {0, 1}, plan_.resources[i].origin, "the run stores");
  }
  for (const Expectation& expectation : plan_.expectations) {
    warn_if_dropped(expectation.resource, {0, 1}, expectation.origin, "an expectation compares");
  }
  for (const Capture& capture : plan_.captures) {
    warn_if_dropped(capture.resource, {0, 1}, plan_.resources[capture.resource].origin, "the caller takes");
  }
}

void ImageHazards::warn_if_dropped(ResourceIndex image, const Levels& levels, const Origin& origin,
                                   std::string_view use) {
  const std::vector<const Barrier*>& dropped = dropped_[image];
  for (std::uint32_t level = levels.first; level < levels.first + levels.count && level < dropped.size(); ++level) {
    if (!dropped[level]) continue;
    warn(origin,
         formatted("{} level {} of `{}`, whose contents a barrier gave up", use, level, name_of_resource(image)))
        .note(formatted("barrier `{}` has the old layout {}", dropped[level]->name, name_of(vk::Layout::Undefined)),
              dropped[level]->origin.location());
    return;
  }
}

}  // namespace slipway::launch
