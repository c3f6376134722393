// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan/model_storage.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "tensor/format.hpp"

namespace slipway::model {
namespace {

// The value of a field, or a default where it is missing; empty if it is not one of the first `count` values of the
// Vulkan enumeration.
template <class E>
std::optional<E> known(const vgf::File& file, const vgf::Resource& resource, E value, std::uint32_t count, E absent,
                       std::string_view what, Diagnostics& diagnostics) {
  const auto raw = static_cast<std::uint32_t>(value);
  if (raw == vgf::kUnset) return absent;
  if (raw < count) return value;
  diagnostics.error(DiagnosticKind::Unsupported, file.location(resource.range),
                    formatted("Unsupported VGF sampler {}: {}", what, vk::name_of(value)));
  return std::nullopt;
}

Size bytes_of(const vgf::Resource& resource, tensor::ShapeView shape) {
  vgf::Resource known = resource;
  known.shape.assign(shape.begin(), shape.end());
  return vgf::byte_count(known);
}

bool is_buffer(const launch::Resource& resource) { return std::holds_alternative<launch::Buffer>(resource.kind); }

// The sampler of a resource of a model.
std::optional<launch::Sampler> sampler_of(const vgf::File& file, const vgf::Resource& resource,
                                          Diagnostics& diagnostics) {
  launch::Sampler sampler;
  if (!resource.sampler) return sampler;
  const vgf::Sampler& from = *resource.sampler;
  const auto filter = [&](vk::Filter value) {
    return known(file, resource, value, 2, vk::Filter::NEAREST, "filter", diagnostics);
  };
  const auto mode = [&](vk::AddressMode value) {
    return known(file, resource, value, 4, vk::AddressMode::CLAMP_TO_EDGE, "address mode", diagnostics);
  };
  const auto min = filter(from.min_filter), mag = filter(from.mag_filter);
  const auto u = mode(from.address_mode_u), v = mode(from.address_mode_v);
  const auto border = known(file, resource, from.border_color, 6, vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
                            "border color", diagnostics);
  if (!min || !mag || !u || !v || !border) return std::nullopt;
  sampler.min_filter = *min;
  sampler.mag_filter = *mag;
  sampler.address_mode = *u;
  if (*v != *u) sampler.address_mode_v = *v;
  sampler.border_color = *border;
  return sampler;
}

// Width, height and 1 of a resource of the shape [H, W, C] or [1, H, W, C].
std::optional<std::array<std::uint32_t, 3>> image_extent(const vgf::File& file, std::uint32_t index,
                                                         tensor::ShapeView shape, Diagnostics& diagnostics) {
  const vgf::Resource& resource = file.resources[index];
  const tensor::FormatInfo* format = tensor::find_format(resource.format);
  constexpr std::int64_t kMax = 1 << 24;
  const bool batched = shape.size() == 4 && shape[0] == 1;
  const tensor::ShapeView of = batched ? shape.subspan(1) : shape;
  if (of.size() != 3 || of[0] > kMax || of[1] > kMax || (format && of[2] != format->components)) {
    diagnostics.error(
        DiagnosticKind::ShapeMismatch, file.location(resource.range),
        formatted("VGF image resources must have shape [H, W, C] or [1, H, W, C]{}, but resource {} has {}",
                  format ? formatted(" with C = {} for {}", format->components, vk::name_of(resource.format)) : "",
                  index, tensor::shape_text(shape)));
    return std::nullopt;
  }
  return std::array{static_cast<std::uint32_t>(of[1]), static_cast<std::uint32_t>(of[0]), 1u};
}

}  // namespace

std::optional<launch::Image> planned_image(const vgf::File& file, std::uint32_t index, tensor::ShapeView shape,
                                           const vgf::Resource& sampled, Diagnostics& diagnostics) {
  const vgf::Resource& resource = file.resources[index];
  const auto extent = image_extent(file, index, shape, diagnostics);
  const auto sampler = sampler_of(file, sampled, diagnostics);
  if (!extent || !sampler) return std::nullopt;
  return launch::Image{.format = resource.format,
                       .extent = *extent,
                       .sampled = resource.descriptor_type == vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
                       .storage = resource.descriptor_type == vk::DescriptorType::STORAGE_IMAGE,
                       .tiling = std::nullopt,
                       .sampler = *sampler};
}

// Whether a resource of the plan can be used for one of the model without conversion.
bool ModelStorage::fits(const launch::Resource& planned, std::uint32_t index) const {
  const vgf::Resource& resource = file_.resources[index];
  const auto* image = std::get_if<launch::Image>(&planned.kind);
  if (!image) return !is_image(resource);
  if (!is_image(resource) || image->format != resource.format) return false;
  if (!resource.sampler) return true;
  Diagnostics dropped;
  return sampler_of(file_, resource, dropped) == image->sampler;
}

std::optional<launch::Resource> ModelStorage::make(std::uint32_t index, Diagnostics& diagnostics) const {
  const vgf::Resource& resource = file_.resources[index];
  launch::Resource made{.name = formatted("{} resource {}", name_, index),
                        .kind = launch::Buffer{},
                        .initial = {},
                        .outputs = {},
                        .sharing = std::nullopt,
                        .origin = origin_,
                        .load_counter = {}};
  if (!is_image(resource)) {
    const Size size = bytes_of(resource, shapes_[index]);
    if (!size) {
      diagnostics.error(DiagnosticKind::OutOfRange, file_.location(resource.range),
                        formatted("resource {} with the shape {} has more bytes than 64 bits can count", index,
                                  tensor::shape_text(shapes_[index])));
      return std::nullopt;
    }
    made.kind = launch::Buffer{.size = *size};
    return made;
  }
  // One image serves all views of its format: with the sampler that the first of them asks for.
  const vgf::Resource* sampled = &resource;
  for (std::size_t i = 0; i < file_.resources.size() && !sampled->sampler; ++i) {
    if (storage_[i] == storage_[index] && file_.resources[i].format == resource.format) sampled = &file_.resources[i];
  }
  const auto image = planned_image(file_, index, shapes_[index], *sampled, diagnostics);
  if (!image) return std::nullopt;
  made.kind = *image;
  return made;
}

bool ModelStorage::share(launch::Plan& plan, launch::ResourceIndex a, launch::ResourceIndex b, std::uint32_t index,
                         Diagnostics& diagnostics) const {
  launch::Resource &first = plan.resources[a], &second = plan.resources[b];
  const std::uint32_t group = file_.resources[index].alias_group.value_or(storage_[index]);
  if (first.sharing && second.sharing && first.sharing->group != second.sharing->group) {
    diagnostics.error(DiagnosticKind::ConflictingKeys, first.origin.location(),
                      formatted("Resource already belongs to a different group: `{}` and `{}` are of alias group {} "
                                "of the model, and have memory groups of their own",
                                first.name, second.name, group));
    return false;
  }
  // The name is unique among the models of the plan.
  launch::Sharing sharing{formatted("{} alias group {} of {}", name_, group, a), 0};
  if (first.sharing) sharing = *first.sharing;
  if (second.sharing) sharing = *second.sharing;
  first.sharing = second.sharing = sharing;
  if (is_buffer(first) == is_buffer(second)) return true;
  // A tensor or a buffer that views the texels of an image. One of another size is taken as a single row.
  const launch::ResourceIndex image = is_buffer(first) ? b : a;
  auto& buffer = std::get<launch::Buffer>((is_buffer(first) ? first : second).kind);
  const auto& texels = std::get<launch::Image>(plan.resources[image].kind);
  const tensor::FormatInfo* format = tensor::find_format(texels.format);
  const Size bytes = checked_multiply(checked_multiply(texels.extent[0], texels.extent[1]),
                                      format ? std::uint64_t{format->texel_bytes} : 0);
  const std::uint64_t rows = bytes == buffer.size ? texels.extent[1] : 1;
  buffer.tensor = true;
  buffer.rows = launch::TexelRows{.image = image, .count = rows, .bytes = buffer.size / rows};
  return true;
}

void ModelStorage::bind(launch::Plan& plan, std::map<std::uint32_t, launch::ResourceIndex> bound,
                        Diagnostics& diagnostics) {
  bound_ = std::move(bound);
  std::map<std::uint32_t, launch::ResourceIndex> first;  // by storage
  for (const auto& [index, planned] : bound_) {
    const launch::ResourceIndex other = first.try_emplace(storage_[index], planned).first->second;
    if (other != planned) share(plan, other, planned, index, diagnostics);
  }
}

std::optional<launch::ResourceIndex> ModelStorage::at(launch::Plan& plan, std::uint32_t index,
                                                      Diagnostics& diagnostics) {
  const std::vector<std::uint32_t>& members = members_.at(storage_[index]);
  // Steps that use a tensor must know whether it views an image, so the images of its storage come first.
  if (!is_image(file_.resources[index])) {
    for (const std::uint32_t other : members) {
      if (is_image(file_.resources[other]) && !at(plan, other, diagnostics)) return std::nullopt;
    }
  }
  if (const auto bound = bound_.find(index); bound != bound_.end()) return bound->second;
  // The resource that is bound to another member of its storage decides which memory it uses.
  std::optional<launch::ResourceIndex> bound;
  for (const std::uint32_t other : members) {
    const auto found = bound_.find(other);
    if (found == bound_.end()) continue;
    if (fits(plan.resources[found->second], index)) return found->second;
    bound = found->second;
  }
  const auto key = std::pair(index, bound);
  if (const auto known = made_.find(key); known != made_.end()) return known->second;
  std::optional<launch::ResourceIndex> partner = bound;
  for (const std::uint32_t other : members) {
    const auto found = made_.find({other, bound});
    if (found == made_.end()) continue;
    const launch::ResourceIndex planned = found->second;
    if (fits(plan.resources[planned], index)) return made_[key] = planned;
    if (!partner) partner = planned;
  }
  std::optional<launch::Resource> resource = make(index, diagnostics);
  if (!resource) return std::nullopt;
  plan.resources.push_back(std::move(*resource));
  const auto made = static_cast<launch::ResourceIndex>(plan.resources.size() - 1);
  if (partner && !share(plan, *partner, made, index, diagnostics)) return std::nullopt;
  return made_[key] = made;
}

}  // namespace slipway::model
