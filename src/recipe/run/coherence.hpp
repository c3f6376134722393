// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bytes of the buffers of a runner are newer on the host or on the device, so that a buffer is synchronised only
// when the other side changed it (docs/spec/recipe.md#execution).
//
// What is not recorded is the same on both sides, or was changed by the application, which then calls
// `buffer_storage::sync` itself.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "recipe/run/outcome.hpp"

namespace slipway::recipe {

class Coherence {
 public:
  // Records that one side wrote a range.
  void wrote_host(const BufferRange& range);
  void wrote_device(const BufferRange& range);
  // Makes a range current on one side. Errors: device-failed.
  Result<> to_device(const BufferRange& range);
  Result<> to_host(const BufferRange& range);
  // Makes all of a range visible to the host, also what others than this runner may have written on the device.
  Result<> read(const BufferRange& range);

 private:
  struct Interval {
    std::uint64_t begin = 0, end = 0;  // bytes
  };
  using Intervals = std::vector<Interval>;  // disjoint
  struct Sides {
    Intervals host, device;  // newer there
  };
  static void add(Intervals& all, Interval one);
  static Intervals remove(Intervals& all, Interval one);              // returns what was removed
  Result<> sync(const BufferRange& range, sync_direction direction);  // `mutex_` is locked

  std::mutex mutex_;  // guards `sides_`
  std::map<const buffer_storage*, Sides> sides_;
};

}  // namespace slipway::recipe
