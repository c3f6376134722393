#include "launch/hazards.hpp"

#include <algorithm>
#include <format>
#include <vector>

#include "launch/accesses.hpp"
#include "launch/coverage.hpp"
#include "launch/layouts.hpp"

namespace slipway::launch {
namespace {

// Walks the steps once. What is still open, that is not followed by a full barrier yet, is kept by memory domain.
class HazardCheck {
 public:
  explicit HazardCheck(const Plan& plan)
      : plan_(plan),
        ranges_(memory_ranges(plan)),
        open_(plan.resources.size()),
        layouts_(plan),
        dropped_(plan.resources.size()) {
    for (std::size_t i = 0; i < plan.resources.size(); ++i) {
      if (const auto* image = std::get_if<Image>(&plan.resources[i].kind)) dropped_[i].resize(image->mips);
    }
  }

  Diagnostics check() {
    for (const Step& step : plan_.steps) {
      if (const auto* barriers = std::get_if<Barriers>(&step.action)) {
        for (const Barrier& barrier : barriers->barriers) check_barrier(barrier);
      } else if (std::holds_alternative<Boundary>(step.action)) {
        close_all();
      } else {
        check_command(step);
        if (step.barrier_after) close_all();
      }
    }
    check_results();
    return std::move(diagnostics_);
  }

 private:
  struct Open {
    Access access;
    const Step* step = nullptr;
    std::size_t barriers_before = 0;  // how many of barriers_ came before it
  };

  const std::string& name_of_resource(ResourceIndex index) const { return plan_.resources[index].name; }

  Diagnostic& warn(const Origin& origin, std::string message) {
    return diagnostics_.warning(DiagnosticKind::Hazard, origin.place, "hazard: " + std::move(message))
        .at(origin.path, origin.uid);
  }

  void close_all() {
    for (std::vector<Open>& domain : open_) domain.clear();
    barriers_.clear();
  }

  void check_command(const Step& step) {
    const std::vector<Access> accesses = accesses_of(plan_, step);
    for (const Access& access : accesses) {
      check_pairs(step, access);
      check_contents(step, access);
    }
    check_layouts(step);
    for (const Access& access : accesses) remember(step, access);
  }

  void check_pairs(const Step& step, const Access& access) {
    const Step* reported = nullptr;  // one warning for two commands and a resource is enough
    for (const Open& open : open_[ranges_[access.resource].domain]) {
      Conflict conflict{open.access, access};
      if (open.step == reported || !find_conflict(plan_, ranges_, conflict)) continue;
      const Coverage coverage =
          find_coverage(plan_, ranges_, conflict, std::span(barriers_).subspan(open.barriers_before));
      if (coverage.covered) continue;
      report(open, step, access, coverage);
      reported = open.step;
    }
  }

  void report(const Open& open, const Step& step, const Access& access, const Coverage& coverage) {
    const bool first_writes = open.access.writes != 0;
    const bool second_reads = first_writes && access.reads != 0;
    const std::string_view then = second_reads ? "reads" : "writes";
    const std::string_view before = first_writes ? "wrote" : "read";
    const std::string& now_named = name_of_resource(access.resource);
    const std::string& before_named = name_of_resource(open.access.resource);
    const std::string_view with =
        coverage.nearest ? "and no barrier between them covers both" : "with no barrier between them";
    Diagnostic& warning =
        warn(*access.origin, access.resource == open.access.resource
                                 ? std::format("`{}` {} `{}` after `{}` {} it, {}", step.name, then, now_named,
                                               open.step->name, before, with)
                                 : std::format("`{}` {} `{}` after `{}` {} `{}` in the same memory, {}", step.name,
                                               then, now_named, open.step->name, before, before_named, with));
    warning.note(std::format("`{}` {} `{}` here", open.step->name, first_writes ? "writes" : "reads", before_named),
                 open.access.origin->place);
    if (coverage.nearest) {
      warning.note(std::format("barrier `{}` does not: {}", coverage.nearest->name, coverage.gap),
                   coverage.nearest->origin.place);
    }
  }

  // A write takes the place of what it covers: a later command that conflicts with that conflicts with the write as
  // well, and has to be ordered behind it.
  void remember(const Step& step, const Access& access) {
    std::vector<Open>& domain = open_[ranges_[access.resource].domain];
    if (access.writes) {
      std::erase_if(domain, [&](const Open& open) { return open.step != &step && covers(access, open.access); });
    }
    domain.push_back({access, &step, barriers_.size()});
  }

  bool covers(const Access& later, const Access& earlier) const {
    if (later.resource == earlier.resource) return later.levels.contains(earlier.levels);
    const MemoryRange& a = ranges_[later.resource];
    const MemoryRange& b = ranges_[earlier.resource];
    return a.begin <= b.begin && b.end <= a.end;
  }

  // --- layouts and contents of images -------------------------------------------------------------------------------

  void check_barrier(const Barrier& barrier) {
    if (barrier.kind == Barrier::Kind::Buffer) check_buffer_range(barrier);
    if (barrier.kind == Barrier::Kind::Image) check_image_barrier(barrier);
    layouts_.apply(plan_, barrier);
    barriers_.push_back(&barrier);
  }

  void check_buffer_range(const Barrier& barrier) {
    const std::uint64_t size = std::get<Buffer>(plan_.resources[barrier.resource].kind).size;
    if (barrier.offset <= size && barrier.size <= size - barrier.offset && barrier.size > 0) return;
    warn(barrier.origin,
         std::format("barrier `{}` covers {} bytes at offset {} of `{}`, which has {} bytes", barrier.name,
                     barrier.size, barrier.offset, name_of_resource(barrier.resource), size))
        .note(std::format("`{}` is made here", name_of_resource(barrier.resource)),
              plan_.resources[barrier.resource].origin.place);
  }

  void check_image_barrier(const Barrier& barrier) {
    const Levels levels = levels_of(plan_, barrier);
    if (levels.count != barrier.level_count || levels.count == 0) {
      warn(barrier.origin,
           std::format("barrier `{}` covers {} mip levels from level {} of `{}`, which has {}", barrier.name,
                       barrier.level_count, barrier.base_level, name_of_resource(barrier.resource),
                       std::get<Image>(plan_.resources[barrier.resource].kind).mips))
          .note(std::format("`{}` is made here", name_of_resource(barrier.resource)),
                plan_.resources[barrier.resource].origin.place);
    }
    if (barrier.new_layout == vk::Layout::Undefined) {
      warn(barrier.origin,
           std::format("barrier `{}` changes `{}` to {}, which no image can be put into; its layout stays",
                       barrier.name, name_of_resource(barrier.resource), name_of(barrier.new_layout)));
    }
    check_old_layout(barrier, levels);
    for (std::uint32_t level = levels.first; level < levels.first + levels.count; ++level) {
      if (barrier.old_layout == vk::Layout::Undefined) dropped_[barrier.resource][level] = &barrier;
    }
  }

  void check_old_layout(const Barrier& barrier, const Levels& levels) {
    if (barrier.old_layout == vk::Layout::Undefined) return;
    for (std::uint32_t level = levels.first; level < levels.first + levels.count; ++level) {
      const vk::Layout tracked = layouts_.at(barrier.resource, level);
      if (tracked == barrier.old_layout) continue;
      Diagnostic& warning =
          warn(barrier.origin,
               std::format("barrier `{}` takes level {} of `{}` to be in {}, but it is in {}", barrier.name, level,
                           name_of_resource(barrier.resource), name_of(barrier.old_layout), name_of(tracked)));
      note_layout(warning, barrier.resource, level);
      return;
    }
  }

  void note_layout(Diagnostic& warning, ResourceIndex image, std::uint32_t level) const {
    if (const Barrier* setter = layouts_.set_by(image, level)) {
      warning.note(std::format("barrier `{}` put it there", setter->name), setter->origin.place);
    } else {
      warning.note("images begin in VK_IMAGE_LAYOUT_GENERAL", plan_.resources[image].origin.place);
    }
  }

  void check_layouts(const Step& step) {
    for (const Binding& binding : bindings_of(step)) {
      if (!std::holds_alternative<Image>(plan_.resources[binding.resource].kind)) continue;
      check_layout(step, binding.resource, levels_of(plan_, binding), binding.origin,
                   [&](vk::Layout layout) { return layout_allowed(binding.type, layout); });
    }
    if (const auto* draw = std::get_if<DrawFullscreen>(&step.action)) {
      for (const Attachment& attachment : draw->color_attachments) {
        check_layout(step, attachment.image, {attachment.level, 1}, attachment.origin, [](vk::Layout layout) {
          return layout == vk::Layout::General || layout == vk::Layout::ColorAttachment;
        });
      }
    }
  }

  template <class Allowed>
  void check_layout(const Step& step, ResourceIndex image, const Levels& levels, const Origin& origin,
                    Allowed allowed) {
    for (std::uint32_t level = levels.first; level < levels.first + levels.count; ++level) {
      const vk::Layout layout = layouts_.at(image, level);
      if (allowed(layout)) continue;
      Diagnostic& warning = warn(origin, std::format("`{}` uses level {} of `{}` while it is in {}", step.name, level,
                                                     name_of_resource(image), name_of(layout)));
      note_layout(warning, image, level);
      return;
    }
  }

  // UNDEFINED as the old layout allows a device to forget what is in the image.
  void check_contents(const Step& step, const Access& access) {
    if (access.reads) {
      warn_if_dropped(access.resource, access.levels, *access.origin, std::format("`{}` reads", step.name));
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

  void check_results() {
    for (ResourceIndex i = 0; i < plan_.resources.size(); ++i) {
      if (!plan_.resources[i].outputs.empty()) warn_if_dropped(i, {0, 1}, plan_.resources[i].origin, "the run stores");
    }
    for (const Expectation& expectation : plan_.expectations) {
      warn_if_dropped(expectation.resource, {0, 1}, expectation.origin, "an expectation compares");
    }
  }

  void warn_if_dropped(ResourceIndex image, const Levels& levels, const Origin& origin, std::string_view use) {
    const std::vector<const Barrier*>& dropped = dropped_[image];
    for (std::uint32_t level = levels.first; level < levels.first + levels.count && level < dropped.size(); ++level) {
      if (!dropped[level]) continue;
      warn(origin,
           std::format("{} level {} of `{}`, whose contents a barrier gave up", use, level, name_of_resource(image)))
          .note(std::format("barrier `{}` has the old layout {}", dropped[level]->name, name_of(vk::Layout::Undefined)),
                dropped[level]->origin.place);
      return;
    }
  }

  const Plan& plan_;
  std::vector<MemoryRange> ranges_;
  std::vector<std::vector<Open>> open_;   // by domain
  std::vector<const Barrier*> barriers_;  // since the last full barrier
  ImageLayouts layouts_;
  std::vector<std::vector<const Barrier*>> dropped_;  // by image and level: who gave the contents up
  Diagnostics diagnostics_;
};

}  // namespace

Diagnostics check_hazards(const Plan& plan) { return HazardCheck(plan).check(); }

}  // namespace slipway::launch
