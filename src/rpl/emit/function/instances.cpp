// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/function/instances.hpp"

#include <algorithm>

#include "rpl/vectors.hpp"

namespace slipway::rpl::emit {

void FunctionInstances::begin_entry_point() {
  instances_.clear();
  images_.clear();
  assign_none(first_, emission_.program->functions.size());
}

Id FunctionInstances::find_or_add(std::uint32_t function, std::span<const ImageArgument> images) {
  std::uint32_t* link = &first_[function];
  while (*link != kNone) {
    FunctionInstance& known = instances_[*link];
    if (std::ranges::equal(images, std::span(images_).subspan(known.images, images.size()))) return known.id;
    link = &known.next;
  }
  *link = static_cast<std::uint32_t>(instances_.size());
  const Id id = emission_.out.new_id();
  instances_.push_back({.function = function, .id = id, .images = static_cast<std::uint32_t>(images_.size())});
  images_.insert(images_.end(), images.begin(), images.end());
  return id;
}

}  // namespace slipway::rpl::emit
