// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A logical device with its queues, one unless more are asked for, and its memory allocator.
//
//   Result<Instance> instance = create_instance();
//   Result<std::size_t> chosen = choose_device(instance->snapshots(), "");
//   Result<DevicePlan> plan = plan_device(instance->snapshots()[*chosen], needs);
//   Result<Device> device = create_device(*instance, *chosen, *plan);
//
// Everything made from a device must be destroyed before it, also when the device is lost. Creating objects and waiting
// are safe from several threads; submitting to one queue is for one thread at a time.
#pragma once

#include <functional>
#include <memory>

#include "base/diagnostic.hpp"
#include "gpu/device/handles.hpp"
#include "gpu/device/instance.hpp"
#include "vk/device_plan.hpp"

namespace slipway::gpu {

struct DeviceFunctions;  // the Vulkan functions of a device: device_functions.hpp, inside this module only

struct DeviceOptions {
  // May replace functions: tests inject failures here (testing/vulkan_faults.hpp).
  std::function<void(DeviceFunctions&)> hook;
  // False treats device memory as out of the host's reach, as it is on many cards: buffers are not mapped, transfers
  // are staged.
  bool map_device_memory = true;
  // For tests: how many queues to use, if not 0; those beyond what the driver has are aliases of its queues. Such
  // queues may be used from one thread at a time.
  std::uint32_t queues = 0;
};

class Device {
 public:
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;
  ~Device();

  const vk::Snapshot& snapshot() const;
  const vk::DevicePlan& plan() const;
  // Whether a submission was given up whose wait had timed out (submit.hpp). Then objects of the device are leaked
  // instead of destroyed, since drivers would wait for the work, and submitting or waiting fails.
  bool is_lost() const;
  // Whether names and labels go anywhere.
  bool has_debug_names() const;
  const DeviceCore& core() const { return *core_; }

 private:
  friend Result<Device> create_device(const Instance&, std::size_t, const vk::DevicePlan&, const DeviceOptions&);
  explicit Device(std::unique_ptr<DeviceCore> core);
  std::unique_ptr<DeviceCore> core_;
};

// `index` is that of the snapshot.
Result<Device> create_device(const Instance& instance, std::size_t index, const vk::DevicePlan& plan,
                             const DeviceOptions& options = {});

}  // namespace slipway::gpu
