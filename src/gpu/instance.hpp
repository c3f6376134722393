// The Vulkan instance: the loader, opened when the program runs, and what it finds.
//
// A machine without a loader or a driver is no error of the program's start: create_instance() says no-device.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "gpu/snapshot.hpp"

namespace slipway::gpu {

// A message of a validation layer, the loader or the driver.
struct InstanceMessage {
  Severity severity = Severity::Note;
  std::string id;  // `VUID-...`, `SYNC-HAZARD-...`; may be empty
  std::string text;
};

struct InstanceOptions {
  // Debug names and labels (Device::has_debug_names).
  bool debug_names = false;
  // VK_LAYER_KHRONOS_validation with synchronisation validation.
  bool validation = false;
  // Gets what layers say, from any thread; called under a lock. Warnings and errors only.
  std::function<void(const InstanceMessage&)> on_message;
};

struct InstanceCore;

class Instance {
 public:
  // In the loader's order; devices below Vulkan 1.3 are among them (plan_device refuses them).
  const std::vector<Snapshot>& snapshots() const;
  // Shared with the devices made from it, which keep it alive.
  const std::shared_ptr<const InstanceCore>& core() const { return core_; }

 private:
  friend Result<Instance> create_instance(const InstanceOptions& options);
  explicit Instance(std::shared_ptr<const InstanceCore> core) : core_(std::move(core)) {}
  std::shared_ptr<const InstanceCore> core_;
};

Result<Instance> create_instance(const InstanceOptions& options = {});

}  // namespace slipway::gpu
