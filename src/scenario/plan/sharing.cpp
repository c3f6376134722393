// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resources that share memory: by `memory_group`, and by `alias_target`, which makes a private group of an image and
// the tensors that name it (docs/spec/scenario.md#tensors-and-memory-sharing). Tensors in a group with images access
// their texels.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "scenario/plan/planning.hpp"

namespace slipway::scenario {
namespace {

class Sharing {
 public:
  explicit Sharing(Planning& planning) : planning_(planning) {}

  void plan() {
    for (const Resource& resource : planning_.scenario.resources) {
      if (const auto* group = memory_group_of(resource); group && *group) {
        join(uid_of(resource), (*group)->id, (*group)->offset);
      }
    }
    for (const Resource& resource : planning_.scenario.resources) {
      const auto* tensor = std::get_if<Tensor>(&resource);
      if (!tensor || !tensor->aliases()) continue;
      const std::string group = private_group(tensor->alias_target->image.uid);
      join(tensor->alias_target->image.uid, group, 0);
      join(tensor->uid, group, 0);
    }
    for (auto& [name, group] : groups_) alias_images(group);
  }

 private:
  struct Member {
    launch::ResourceIndex index = 0;
    std::uint64_t offset = 0;
  };
  struct Group {
    std::vector<Member> members;
  };

  void join(const std::string& uid, const std::string& name, std::uint64_t offset) {
    const auto found = planning_.resources.find(uid);
    if (found == planning_.resources.end()) return;
    launch::Resource& resource = planning_.plan.resources[found->second];
    if (resource.sharing) return;  // an image that several tensors alias
    resource.sharing = launch::Sharing{.group = name, .offset = offset};
    groups_[name].members.push_back({found->second, offset});
  }

  // A group name that no `memory_group` uses.
  std::string private_group(const std::string& image) {
    const auto [known, fresh] = private_.try_emplace(image, "texels of " + image);
    const auto is_taken = [&](const Resource& resource) {
      const auto* group = memory_group_of(resource);
      return group && *group && (*group)->id == known->second;
    };
    while (fresh && std::ranges::any_of(planning_.scenario.resources, is_taken)) known->second += "'";
    return known->second;
  }

  void alias_images(const Group& group) {
    std::map<std::uint64_t, launch::ResourceIndex> images;  // by offset
    for (const auto& [index, offset] : group.members) {
      if (std::holds_alternative<launch::Image>(planning_.plan.resources[index].kind)) images.emplace(offset, index);
    }
    for (const auto& [index, offset] : group.members) {
      const auto tensor = planning_.tensors.find(index);
      if (tensor == planning_.tensors.end() || images.empty()) continue;
      // The image that contains it: the last one that begins at or before its offset.
      const auto next = images.upper_bound(offset);
      if (next != images.begin()) alias_image(index, tensor->second, std::prev(next)->second);
    }
  }

  void alias_image(launch::ResourceIndex index, const PlannedTensor& planned, launch::ResourceIndex image) {
    auto& seen = std::get<launch::Image>(planning_.plan.resources[image].kind);
    if (planned.tensor->tiling == vk::Tiling::Optimal) seen.tiling = vk::Tiling::Optimal;
    auto& buffer = std::get<launch::Buffer>(planning_.plan.resources[index].kind);
    const tensor::Shape& dims = planned.tensor->dims;
    // Ranks 3 and 4 have rows, others are packed: one row.
    const std::uint64_t count = dims.size() >= 3 ? static_cast<std::uint64_t>(dims[dims.size() - 3]) : 1;
    buffer.rows = launch::TexelRows{.image = image, .count = count, .bytes = buffer.size / count};
  }

  Planning& planning_;
  std::map<std::string, Group> groups_;
  std::map<std::string, std::string, std::less<>> private_;  // names of private groups by image
};

}  // namespace

void plan_sharing(Planning& planning) { Sharing(planning).plan(); }

}  // namespace slipway::scenario
