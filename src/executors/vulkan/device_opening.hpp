// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens the device on a thread of its own, while the input is still being read and shaders compiled.
//
//   DeviceOpening opening({.selector = "llvmpipe"});
//   ... read, check, plan ...
//   Result<gpu::Device*> device = opening.get(needs);
//
// The device is made with everything switched on that the driver supports, so that nearly every plan can use it; only
// when one needs something else it is made again.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/device/instance.hpp"

namespace slipway::launch {

struct OpenDeviceOptions {
  std::string selector;  // index, UUID or part of the name; empty: the best (docs/spec/scenario.md#decision-23)
  // What is known before there is a plan.
  bool timestamps = false;
  bool robustness = false;
  // On a CPU, where an access outside a buffer would end the process, and the checks cost nothing that can be measured.
  bool robustness_on_cpus = false;
  std::uint32_t queues = 1;  // at most; more than one: work that only computes
  std::vector<std::string> disabled_extensions;
  vk::InstanceOptions instance;
  gpu::DeviceOptions device;
};

class DeviceOpening {
 public:
  explicit DeviceOpening(OpenDeviceOptions options);
  ~DeviceOpening();
  DeviceOpening(const DeviceOpening&) = delete;

  // Waits for the thread; errors are those of `get`. A process may call `exit` from here on without destroying this:
  // the thread would use the driver while `exit` destroys it.
  void join() const;
  // Waits until the driver has been asked, but not for the device. Errors: no-device. The snapshot has no extensions
  // that the options disable.
  Result<std::shared_ptr<const vk::Snapshot>> snapshot();
  // Waits for the device and makes sure that it has what is needed; may be called for several plans, one after the
  // other. What was made from the device before must be gone, unless `current` keeps it: the device may be made again,
  // and is when it is lost. Errors: no-device, device-lacks, device-failed.
  Result<gpu::Device*> get(vk::Needs needs);
  // The device that `get` returned last. What is made from it may stay while it is made again, as long as this pointer
  // does. Null before the first `get`.
  std::shared_ptr<gpu::Device> current() const { return opened_ && *opened_ ? (**opened_).device : nullptr; }

 private:
  struct Opened {
    std::size_t index = 0;                // of the snapshot
    std::shared_ptr<gpu::Device> device;  // null when it could not be made without knowing the needs
  };
  Result<Opened> open();
  Result<Opened*> wait();
  // A new instance, since a lost device may have taken resources that devices of one instance share. The process keeps
  // the old one.
  Result<> replace_instance(Opened& opened);
  void add_known(vk::Needs& needs) const;

  OpenDeviceOptions options_;
  // Written by the thread before it keeps its promise.
  std::optional<gpu::Instance> instance_;
  std::shared_ptr<const vk::Snapshot> snapshot_;  // without the extensions that the options disable
  using Asked = Result<std::shared_ptr<const vk::Snapshot>>;
  std::promise<Asked> asking_;
  std::optional<Asked> asked_;
  std::future<Result<Opened>> opening_;
  std::optional<Result<Opened>> opened_;
};

}  // namespace slipway::launch
