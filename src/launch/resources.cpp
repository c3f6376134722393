#include "launch/resources.hpp"

#include <map>

#include "gpu/shared_memory.hpp"
#include "launch/image_info.hpp"
#include "launch/locate.hpp"

namespace slipway::launch {
namespace {

gpu::BufferInfo buffer_info(const Resource& resource, const Buffer& buffer) {
  return {.size = buffer.size, .uniform = buffer.uniform, .name = resource.name};
}

}  // namespace

void Resources::add(ResourceIndex index, gpu::Buffer buffer) {
  places_[index] = buffers_.size();
  buffers_.push_back(std::move(buffer));
}

void Resources::add(ResourceIndex index, gpu::Image image) {
  places_[index] = images_.size();
  images_.push_back(std::move(image));
}

Result<Resources> create_resources(const Plan& plan, const gpu::Device& device) {
  Resources resources;
  Diagnostics problems;
  resources.places_.resize(plan.resources.size());
  std::map<std::string_view, std::vector<ResourceIndex>> groups;
  for (ResourceIndex i = 0; i < plan.resources.size(); ++i) {
    const Resource& resource = plan.resources[i];
    const auto keep = [&](auto created) {
      if (created)
        resources.add(i, std::move(*created));
      else
        problems.add(located(std::move(created.error()), resource.origin));
    };
    if (resource.sharing) {
      groups[resource.sharing->group].push_back(i);
    } else if (const auto* buffer = std::get_if<Buffer>(&resource.kind)) {
      keep(gpu::create_buffer(device, buffer_info(resource, *buffer)));
    } else {
      keep(gpu::create_image(device, image_info(resource, std::get<Image>(resource.kind), device.plan())));
    }
  }

  for (const auto& [group, members] : groups) {
    std::vector<gpu::SharedBuffer> buffers;
    std::vector<gpu::SharedImage> images;
    std::vector<ResourceIndex> buffer_indices, image_indices;
    for (const ResourceIndex i : members) {
      const Resource& resource = plan.resources[i];
      if (const auto* buffer = std::get_if<Buffer>(&resource.kind)) {
        buffers.push_back({buffer_info(resource, *buffer), resource.sharing->offset});
        buffer_indices.push_back(i);
      } else {
        const gpu::ImageInfo info = image_info(resource, std::get<Image>(resource.kind), device.plan());
        images.push_back({info, resource.sharing->offset});
        image_indices.push_back(i);
      }
    }
    Result<gpu::SharedMemory> shared = gpu::create_shared_memory(device, buffers, images);
    if (!shared) {
      problems.add(located(std::move(shared.error()), plan.resources[members.front()].origin));
      continue;
    }
    for (std::size_t k = 0; k < buffer_indices.size(); ++k)
      resources.add(buffer_indices[k], std::move(shared->buffers[k]));
    for (std::size_t k = 0; k < image_indices.size(); ++k)
      resources.add(image_indices[k], std::move(shared->images[k]));
  }
  if (problems.has_errors()) return fail(problems.release());
  return resources;
}

}  // namespace slipway::launch
