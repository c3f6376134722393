// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/resources/resources.hpp"

#include <map>
#include <set>
#include <span>

#include "executors/vulkan/resources/vulkan_buffer.hpp"
#include "gpu/device/device.hpp"
#include "gpu/memory/shared_memory.hpp"
#include "launch/plan/image_info.hpp"
#include "launch/plan/locate.hpp"
#include "vk/image_plan.hpp"

namespace slipway::launch {
namespace {

gpu::BufferInfo buffer_info(const Resource& resource, const Buffer& buffer) {
  return {.size = buffer.size,
          .uniform = buffer.uniform,
          .vertices = buffer.vertices,
          .indices = buffer.indices,
          .texels = buffer.texels,
          .name = resource.name,
          .tensors = buffer.tensors};
}

// Problems of a memory group name the member that they are about.
const Origin& origin_in_group(const Plan& plan, std::span<const ResourceIndex> members, const Diagnostic& problem) {
  for (const ResourceIndex member : members) {
    const Resource& resource = plan.resources[member];
    if (resource.name == problem.uid) return resource.origin;
  }
  return plan.resources[members.front()].origin;
}

}  // namespace

class PlanResources {
 public:
  PlanResources(const Plan& plan, const gpu::Device& device, std::span<const ExternalBuffer* const> external)
      : plan_(plan), device_(device) {
    made_.indices_.resize(plan.resources.size());
    made_.external_.resize(plan.resources.size());
    for (std::size_t i = 0; i < plan.resources.size(); ++i) {
      const auto* buffer = std::get_if<Buffer>(&plan.resources[i].kind);
      if (buffer && buffer->external)
        made_.external_[i] = &static_cast<const VulkanBuffer*>(external[*buffer->external])->buffer();
    }
  }

  Result<Resources> make() {
    std::map<std::string_view, std::vector<ResourceIndex>> groups;
    for (ResourceIndex i = 0; i < plan_.resources.size(); ++i) {
      const Resource& resource = plan_.resources[i];
      if (made_.external_[i]) continue;
      if (resource.sharing)
        groups[resource.sharing->group].push_back(i);
      else if (is_buffer(i))
        keep(i, gpu::create_buffer(device_, buffer_info_of(i)));
      else
        keep(i, gpu::create_image(device_, image_info_of(i)));
    }
    for (const auto& [group, members] : groups) make_group(members);
    if (problems_.has_errors()) return fail(problems_.release());
    return std::move(made_);
  }

 private:
  bool is_buffer(ResourceIndex i) const { return std::holds_alternative<Buffer>(plan_.resources[i].kind); }
  gpu::BufferInfo buffer_info_of(ResourceIndex i) const {
    return buffer_info(plan_.resources[i], std::get<Buffer>(plan_.resources[i].kind));
  }
  vk::ImageInfo image_info_of(ResourceIndex i) const {
    return image_info(plan_.resources[i], std::get<Image>(plan_.resources[i].kind), device_.plan());
  }

  template <class T>
  void keep(ResourceIndex i, Result<T> created) {
    if (created)
      made_.add(i, std::move(*created));
    else
      problems_.add(located(std::move(created.error()), plan_.resources[i].origin));
  }

  // Images of the group that tensors see, and that are not linear.
  std::set<ResourceIndex> shadowed(std::span<const ResourceIndex> members) const {
    std::set<ResourceIndex> images;
    for (const ResourceIndex i : members) {
      const auto* buffer = std::get_if<Buffer>(&plan_.resources[i].kind);
      if (!buffer || !buffer->rows) continue;
      const Result<vk::ImagePlan> planned = vk::plan_image(device_.snapshot(), image_info_of(buffer->rows->image));
      if (planned && planned->tiling == vk::Tiling::Optimal) images.insert(buffer->rows->image);
    }
    return images;
  }

  // Makes an image that has memory of its own, and the buffer that represents it in the memory of the group.
  void make_shadowed(ResourceIndex i, std::vector<gpu::SharedBuffer>& buffers) {
    vk::ImageInfo info = image_info_of(i);
    info.tiling = vk::Tiling::Optimal;
    info.shares_memory = false;
    Result<gpu::Image> image = gpu::create_image(device_, info);
    const std::uint64_t size = image ? image->packed_size(0) : 1;
    buffers.push_back(
        {.info = {.size = size, .name = info.name}, .offset = plan_.resources[i].sharing->offset, .kind = "Image"});
    keep(i, std::move(image));
  }

  gpu::SharedBuffer shared_buffer(ResourceIndex i, const std::map<ResourceIndex, std::size_t>& images) const {
    const auto& buffer = std::get<Buffer>(plan_.resources[i].kind);
    gpu::SharedBuffer shared{.info = buffer_info_of(i),
                             .offset = plan_.resources[i].sharing->offset,
                             .kind = buffer.tensor ? "Tensor" : "Buffer"};
    const auto image = buffer.rows ? images.find(buffer.rows->image) : images.end();
    if (image != images.end()) shared.rows = {image->second, buffer.rows->count, buffer.rows->bytes};
    return shared;
  }

  void make_group(std::span<const ResourceIndex> members) {
    const std::set<ResourceIndex> with_shadow = shadowed(members);
    std::vector<gpu::SharedBuffer> buffers;
    std::vector<gpu::SharedImage> images;
    std::map<ResourceIndex, std::size_t> shared_images;  // their indices among `images`
    for (const ResourceIndex i : members) {
      if (is_buffer(i)) continue;
      if (with_shadow.contains(i)) {
        make_shadowed(i, buffers);
      } else {
        shared_images.emplace(i, images.size());
        images.push_back({image_info_of(i), plan_.resources[i].sharing->offset});
      }
    }
    for (const ResourceIndex i : members) {
      if (is_buffer(i)) buffers.push_back(shared_buffer(i, shared_images));
    }
    Result<gpu::SharedMemory> shared = gpu::create_shared_memory(device_, buffers, images);
    if (!shared) {
      for (Diagnostic& problem : shared.error()) {
        const Origin& origin = origin_in_group(plan_, members, problem);
        problems_.add(located(std::move(problem), origin));
      }
      return;
    }
    auto buffer = shared->buffers.begin();
    auto image = shared->images.begin();
    for (const ResourceIndex i : with_shadow) made_.shadows_.emplace(i, std::move(*buffer++));
    for (const ResourceIndex i : members) {
      if (is_buffer(i))
        made_.add(i, std::move(*buffer++));
      else if (!with_shadow.contains(i))
        made_.add(i, std::move(*image++));
    }
  }

  const Plan& plan_;
  const gpu::Device& device_;
  Resources made_;
  Diagnostics problems_;
};

void Resources::add(ResourceIndex index, gpu::Buffer buffer) {
  indices_[index] = buffers_.size();
  buffers_.push_back(std::move(buffer));
}

void Resources::add(ResourceIndex index, gpu::Image image) {
  indices_[index] = images_.size();
  images_.push_back(std::move(image));
}

std::uint64_t Resources::row_stride(const TexelRows& rows) const {
  const gpu::Image& seen = image(rows.image);
  return seen.tiling() == vk::Tiling::Linear ? seen.linear_layout().row_pitch : rows.bytes;
}

Result<Resources> create_resources(const Plan& plan, const gpu::Device& device,
                                   std::span<const ExternalBuffer* const> external) {
  return PlanResources(plan, device, external).make();
}

}  // namespace slipway::launch
