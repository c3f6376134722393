// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contents of resources after a run, as packed bytes: a buffer as it is, an image as the texels of its level 0.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/bytes.hpp"
#include "launch/plan/plan.hpp"

namespace slipway::launch {

// Must not outlive the prepared plan, whose memory it may show; the next iteration changes that.
class Readback {
 public:
  Bytes bytes(ResourceIndex index) const { return bytes_.at(index); }
  // Shows memory of the resource.
  void show(ResourceIndex index, Bytes bytes) { bytes_[index] = bytes; }
  // Memory for a copy of the resource.
  MutableBytes copy_of(ResourceIndex index, std::uint64_t size);
  // Copies what is not a copy, before the resources change.
  void detach();

 private:
  std::map<ResourceIndex, Bytes> bytes_;
  std::vector<std::unique_ptr<std::byte[]>> copies_;
};

}  // namespace slipway::launch
