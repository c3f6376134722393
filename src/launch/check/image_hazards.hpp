// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The other half of the hazard check: whether barriers agree with the layouts that images are in, whether images are
// used in layouts that allow it, and whether contents are used that a barrier gave up.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "launch/plan/accesses.hpp"
#include "launch/plan/layouts.hpp"

namespace slipway::launch {

// Sees the steps of a plan in order.
class ImageHazards {
 public:
  ImageHazards(const Plan& plan, std::span<const MemoryRange> ranges, Diagnostics& diagnostics);

  void see(const Step& step, std::span<const Access> accesses);
  void see(const Barrier& barrier);
  // What is stored, compared or taken after the last step.
  void see_results();

 private:
  void check_barrier(const Barrier& barrier);
  void check_old_layout(const Barrier& barrier, const Levels& levels);
  void check_layouts(const Step& step);
  template <class Allowed>
  void check_layout(const Step& step, ResourceIndex image, const Levels& levels, const Origin& origin, Allowed allowed);
  void note_layout(Diagnostic& warning, ResourceIndex image, std::uint32_t level) const;
  void check_contents(const Step& step, const Access& access);
  void warn_if_dropped(ResourceIndex image, const Levels& levels, const Origin& origin, std::string_view use);

  const std::string& name_of_resource(ResourceIndex index) const { return plan_.resources[index].name; }
  Diagnostic& warn(const Origin& origin, std::string message);

  const Plan& plan_;
  std::span<const MemoryRange> ranges_;
  Diagnostics& diagnostics_;
  ImageLayouts layouts_;
  std::vector<std::vector<const Barrier*>> dropped_;  // by image and level: who gave the contents up
  bool any_dropped_ = false;
};

}  // namespace slipway::launch
