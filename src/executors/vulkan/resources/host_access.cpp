// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/resources/host_access.hpp"

#include <algorithm>

#include "gpu/device/device.hpp"

namespace slipway::launch {
namespace {

class HostAccessBuilder {
 public:
  HostAccessBuilder(const Plan& plan, const gpu::Device& device, const PrepareOptions& options)
      : device_(device), made_(std::make_unique<HostAccess>()) {
    made_->plan = plan;
    made_->external = {options.external.begin(), options.external.end()};
  }

  Result<> add(std::span<const ResourceIndex> resources, bool inputs) {
    std::vector<MutableBytes>& memory = inputs ? made_->inputs : made_->outputs;
    for (const ResourceIndex resource : resources) {
      const auto same = std::ranges::find(resources.first(memory.size()), resource);
      if (const auto at = static_cast<std::size_t>(same - resources.begin()); at < memory.size()) {
        memory.push_back(memory[at]);
        continue;
      }
      SLIPWAY_TRY(const ResourceIndex host,
                  add_buffer(resource, inputs ? gpu::BufferLocation::Upload : gpu::BufferLocation::Readback));
      memory.push_back(made_->buffers.back().bytes());
      if (inputs)
        made_->before.push_back(copy(host, resource));
      else
        made_->after.push_back(copy(resource, host));
    }
    return {};
  }

  std::unique_ptr<HostAccess> finish() {
    if (!made_->before.empty()) made_->before.back().barrier_after = true;
    return std::move(made_);
  }

 private:
  Result<ResourceIndex> add_buffer(ResourceIndex of, gpu::BufferLocation location) {
    std::vector<Resource>& resources = made_->plan.resources;
    const std::uint64_t size = std::get<Buffer>(resources[of].kind).size;
    SLIPWAY_TRY(gpu::Buffer buffer,
                gpu::create_buffer(device_, {.size = size, .location = location, .name = resources[of].name}));
    std::ranges::fill(buffer.mapped(), std::byte{});
    resources.push_back({.name = resources[of].name + " of the host",
                         .kind = Buffer{.size = size, .external = static_cast<std::uint32_t>(made_->external.size())},
                         .initial = {},
                         .outputs = {},
                         .sharing = std::nullopt,
                         .origin = resources[of].origin,
                         .load_counter = {}});
    made_->external.push_back(&made_->buffers.emplace_back(std::move(buffer)));
    return static_cast<ResourceIndex>(resources.size() - 1);
  }

  Step copy(ResourceIndex from, ResourceIndex to) const {
    const Resource& resource = made_->plan.resources[to];
    return {.name = "copy " + resource.name,
            .action = Copy{.from = from, .to = to, .size = std::get<Buffer>(resource.kind).size},
            .origin = resource.origin};
  }

  const gpu::Device& device_;
  std::unique_ptr<HostAccess> made_;
};

}  // namespace

Result<std::unique_ptr<HostAccess>> make_host_access(const Plan& plan, const gpu::Device& device,
                                                     const PrepareOptions& options) {
  HostAccessBuilder builder(plan, device, options);
  SLIPWAY_TRY_VOID(builder.add(options.host_inputs, true));
  SLIPWAY_TRY_VOID(builder.add(options.host_outputs, false));
  return builder.finish();
}

}  // namespace slipway::launch
