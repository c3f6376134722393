// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Vulkan instance: the loader, opened when the program runs, and what it finds.
//
// A program starts also on a machine without a loader or a driver: there create_instance() fails with no-device.
#pragma once

#include <memory>
#include <vector>

#include "base/diagnostic.hpp"
#include "vk/instance_options.hpp"
#include "vk/snapshot.hpp"

namespace slipway::gpu {

struct InstanceCore;

class Instance {
 public:
  // In the loader's order; devices below Vulkan 1.3 are among them (plan_device refuses them).
  const std::vector<vk::Snapshot>& snapshots() const;
  // Shared with the devices made from it, which keep it alive.
  const std::shared_ptr<const InstanceCore>& core() const { return core_; }

 private:
  friend Result<Instance> create_instance_of_drivers(const vk::InstanceOptions& options);
  explicit Instance(std::shared_ptr<const InstanceCore> core) : core_(std::move(core)) {}
  std::shared_ptr<const InstanceCore> core_;
};

// Of the drivers of the machine, or of those that VK_DRIVER_FILES names.
Result<Instance> create_instance_of_drivers(const vk::InstanceOptions& options);
// The same; where no driver has a device, of the driver that the package of the program has (vk::kSoftwareDriver).
Result<Instance> create_instance(const vk::InstanceOptions& options = {});

// Whether the layer is installed that `validation` and `shader_prints` need.
bool has_validation_layer();

}  // namespace slipway::gpu
