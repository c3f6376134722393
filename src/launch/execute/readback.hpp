// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads resources back from the device.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "base/bytes.hpp"
#include "gpu/device/device.hpp"
#include "launch/execute/resources.hpp"
#include "launch/plan/plan.hpp"

namespace slipway::launch {

// The bytes of some resources: a buffer's, or level 0 of an image without padding. Memory that the host reads well is
// not copied, so this must not outlive the resources.
class Readback {
 public:
  Readback() = default;
  // Of resources in the memory of the host.
  explicit Readback(std::map<ResourceIndex, Bytes> bytes) : bytes_(std::move(bytes)) {}
  Bytes bytes(ResourceIndex index) const { return bytes_.at(index); }
  // Copies what is not a copy, before the resources change.
  void detach();

 private:
  friend Result<Readback> read_back(const Plan&, const gpu::Device&, const Resources&, const std::set<ResourceIndex>&);
  std::map<ResourceIndex, Bytes> bytes_;
  std::vector<std::unique_ptr<std::byte[]>> copies_;
};

// All in one batch. What was submitted before must have ended.
Result<Readback> read_back(const Plan& plan, const gpu::Device& device, const Resources& resources,
                           const std::set<ResourceIndex>& wanted);

}  // namespace slipway::launch
