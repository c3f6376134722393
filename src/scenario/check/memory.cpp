// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory: groups by `memory_group` and by `alias_target` (docs/spec/scenario.md#resources,
// docs/spec/scenario.md#tensors-and-memory-sharing).
#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "scenario/check/context.hpp"
#include "tensor/format.hpp"

namespace slipway::scenario {
namespace {

struct Member {
  const Resource* resource;
  std::uint64_t offset;
  json::Value at;  // its `memory_group` or `alias_target`; for the image of a private group the image
};
using Group = std::vector<Member>;

template <class T>
const T* as(const Member& member) {
  return std::get_if<T>(member.resource);
}

std::optional<tensor::ElementType> element_type(const Tensor& tensor) {
  if (!tensor.format.value) return std::nullopt;
  const auto type = tensor::tensor_element_type(*tensor.format.value, SourceLocation::nowhere());
  return type ? std::optional(*type) : std::nullopt;
}

const tensor::FormatInfo* format_info(const Image& image) {
  return image.format.value ? tensor::find_format(*image.format.value) : nullptr;
}

// The minimum size of a resource in bytes: rows of linear images may be longer.
Size min_bytes(const Resource& resource) {
  if (const auto* buffer = std::get_if<Buffer>(&resource)) return buffer->size;
  if (const auto* tensor = std::get_if<Tensor>(&resource)) {
    const auto type = element_type(*tensor);
    return type ? tensor::byte_count(tensor->dims, *type) : std::nullopt;
  }
  if (const auto* image = std::get_if<Image>(&resource)) {
    const tensor::FormatInfo* info = format_info(*image);
    return info ? tensor::level_bytes(*info, image->extent[0], image->extent[1], image->slices()) : std::nullopt;
  }
  return std::nullopt;
}

Size end_of(const Member& member) { return checked_add(member.offset, min_bytes(*member.resource)); }

const Contents* contents_of(const Resource& resource) {
  return std::visit(
      [](const auto& one) -> const Contents* {
        if constexpr (requires { one.contents; }) return &one.contents;
        return nullptr;
      },
      resource);
}

// Checks the `alias_target` of one tensor, which accesses the memory of an image. Returns the image.
const Image* check_alias(Context& context, const Tensor& tensor) {
  const AliasTarget& alias = *tensor.alias_target;
  for (const std::string_view key : {"mip_level", "array_layer"}) {
    if ((key == "mip_level" ? alias.mip_level : alias.array_layer) == 0) continue;
    context.error(alias.at[key], DiagnosticKind::OutOfRange,
                  formatted("`{}` of `alias_target` is {}, but only 0 is supported", key, alias.at[key].text()));
  }
  const Image* image = context.follow<Image>(alias.image);
  if (tensor.contents.given()) {
    context.error(alias.image.at, DiagnosticKind::ConflictingKeys,
                  formatted("Tensor cannot have src file and alias other resource: tensor `{}`", tensor.uid));
    return nullptr;
  }
  if (tensor.memory_group) {
    context
        .error(alias.at, DiagnosticKind::ConflictingKeys,
               formatted("`memory_group` and `alias_target` exclude each other in tensor `{}`", tensor.uid))
        .note("`memory_group` is here", tensor.memory_group->at.location());
    return nullptr;
  }
  if (image && image->layers > 1) {
    context
        .error(alias.image.at, DiagnosticKind::ConflictingKeys,
               formatted("an image that shares memory has one layer, but image `{}` has {}", image->uid, image->layers))
        .note("`layers` is here", image->at["layers"].location());
    return nullptr;
  }
  if (image && image->memory_group) {
    context
        .error(alias.image.at, DiagnosticKind::ConflictingKeys,
               formatted("Resource already belongs to a different group: image `{}`", image->uid))
        .note(formatted("it is in memory group `{}`; put the tensor there instead", image->memory_group->id),
              image->memory_group->at.location());
    return nullptr;
  }
  return image;
}

// The tiling of a member that states none: tensors are linear; an image is optimal if a tensor of the group states
// optimal, otherwise linear (docs/spec/scenario.md#tensors-and-memory-sharing).
vk::Tiling tiling_of(const Member& member, bool optimal_tensor) {
  if (const auto* tensor = as<Tensor>(member)) return tensor->tiling.value_or(vk::Tiling::Linear);
  return as<Image>(member)->tiling.value_or(optimal_tensor ? vk::Tiling::Optimal : vk::Tiling::Linear);
}

// The tiling that all images and tensors of a group share; empty if they differ.
std::optional<vk::Tiling> check_tiling(Context& context, const Group& group) {
  const bool optimal_tensor = std::ranges::any_of(group, [](const Member& member) {
    return as<Tensor>(member) && as<Tensor>(member)->tiling == vk::Tiling::Optimal;
  });
  const Member* first = nullptr;
  for (const Member& member : group) {
    if (as<Buffer>(member)) continue;
    if (!first) first = &member;
    if (tiling_of(member, optimal_tensor) == tiling_of(*first, optimal_tensor)) continue;
    const auto word = [&](const Member& one) {
      return tiling_of(one, optimal_tensor) == vk::Tiling::Optimal ? "OPTIMAL" : "LINEAR";
    };
    const json::Value object = object_of(*member.resource);
    context
        .error(object["tiling"] ? object["tiling"] : member.at, DiagnosticKind::ConflictingKeys,
               formatted("Aliased resources must have identical tiling. `{}` is {}, but `{}` is {}",
                         uid_of(*member.resource), word(member), uid_of(*first->resource), word(*first)))
        .note(formatted("`{}` is here", uid_of(*first->resource)), location_in(object_of(*first->resource), "tiling"));
    return std::nullopt;
  }
  return first ? std::optional(tiling_of(*first, optimal_tensor)) : std::nullopt;
}

// The innermost dimension of a tensor over a linear image runs over the components of a texel.
void check_view(Context& context, const Tensor& tensor, const Image& image) {
  const tensor::FormatInfo* info = format_info(image);
  const auto type = element_type(tensor);
  if (!info || !type || tensor.dims.size() < 2) return;  // rank 0 and 1: packed
  const json::Value dims = tensor.at["dims"];
  if (tensor.dims.size() > 4) {
    context.error(
        dims, DiagnosticKind::OutOfRange,
        formatted("tensor `{}` has rank {}, but one that sees an image has at most 4", tensor.uid, tensor.dims.size()));
    return;
  }
  if (tensor.dims.size() == 4 && tensor.dims[0] != 1) {
    context
        .error(dims[0], DiagnosticKind::OutOfRange,
               formatted("tensor `{}` has outermost dimension {}, but sees one image", tensor.uid, tensor.dims[0]))
        .note(formatted("image `{}` is here", image.uid), location_in(image.at, "dims"));
  }
  const std::int64_t innermost = tensor.dims.back();
  if (innermost != info->components) {
    context
        .error(dims[tensor.dims.size() - 1], DiagnosticKind::FileMismatch,
               formatted("Aliased tensor innermost dimension: {}, must match number of components of image: {}",
                         innermost, info->components))
        .note(formatted("image `{}` is here", image.uid), location_in(image.at, "format"));
  } else if (tensor::size_of(*type) * info->components != info->texel_bytes) {
    context
        .error(tensor.at["format"] ? tensor.at["format"] : tensor.at["data_type"], DiagnosticKind::FileMismatch,
               formatted("{} elements of {} bytes do not make up a texel of image `{}`, which has {} bytes",
                         info->components, tensor::size_of(*type), image.uid, info->texel_bytes))
        .note(formatted("image `{}` is here", image.uid), location_in(image.at, "format"));
  }
}

// Reports two members whose contents would overlap. Each member is compared with the preceding one in memory that has
// the largest end.
void check_contents(Context& context, const Group& group) {
  std::vector<const Member*> filled;
  for (const Member& member : group) {
    const Contents* contents = contents_of(*member.resource);
    if (contents && contents->given() && end_of(member)) filled.push_back(&member);
  }
  std::ranges::stable_sort(filled, {}, &Member::offset);
  const Member* before = nullptr;
  for (const Member* member : filled) {
    if (before && member->offset < *end_of(*before)) {
      context
          .error(member->at, DiagnosticKind::ConflictingKeys,
                 formatted("`{}` and `{}` share memory and both have contents: bytes {} to {} and {} to {}",
                           uid_of(*before->resource), uid_of(*member->resource), before->offset, *end_of(*before),
                           member->offset, *end_of(*member)))
          .note(formatted("`{}` is here", uid_of(*before->resource)), before->at.location());
    }
    if (!before || *end_of(*member) > *end_of(*before)) before = member;
  }
}

void check_group(Context& context, const Group& group) {
  if (group.size() < 2) return;
  for (const Member& member : group) {
    const auto* image = as<Image>(member);
    if (image && image->mips > 1) {
      context.error(image->at["mips"], DiagnosticKind::ConflictingKeys,
                    formatted("A mipped image cannot be aliased: image `{}`", image->uid));
    }
  }
  const auto tiling = check_tiling(context, group);
  check_contents(context, group);
  if (tiling != vk::Tiling::Linear) return;
  std::map<std::uint64_t, const Image*> images;  // by offset
  for (const Member& member : group) {
    if (const auto* image = as<Image>(member)) images.emplace(member.offset, image);
  }
  for (const Member& member : group) {
    const auto* tensor = as<Tensor>(member);
    const auto next = images.upper_bound(member.offset);
    // The image that contains it: the last one that begins at or before its offset.
    if (tensor && next != images.begin()) check_view(context, *tensor, *std::prev(next)->second);
  }
}

}  // namespace

void check_memory(Context& context) {
  std::map<std::string_view, Group> by_id, by_image;
  for (const Resource& resource : context.scenario.resources) {
    if (const auto* group = memory_group_of(resource); group && *group) {
      by_id[(*group)->id].push_back({&resource, (*group)->offset, (*group)->at});
    }
    const auto* tensor = std::get_if<Tensor>(&resource);
    if (!tensor || !tensor->aliases()) continue;
    if (const Image* image = check_alias(context, *tensor)) {
      Group& group = by_image[image->uid];
      if (group.empty()) group.push_back({context.scenario.find(image->uid), 0, image->at["uid"]});
      group.push_back({&resource, 0, tensor->alias_target->at});
    }
  }
  for (const auto& [id, group] : by_id) check_group(context, group);
  for (const auto& [uid, group] : by_image) check_group(context, group);
}

}  // namespace slipway::scenario
