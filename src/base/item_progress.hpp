// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many of several items are done, reported to the caller that waits for all of them.
//
//   ItemCount compiled(kernels.size(), options.progress);
//   parallel_for(kernels.size(), [&](std::size_t i) {
//     compile(kernels[i]);
//     compiled.add();
//   });
//   compiled.finish();
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>

namespace slipway {

// An exception that it throws ends the work and leaves the call that does the work.
using ItemProgress = std::function<void(std::size_t done, std::size_t total)>;

class ItemCount {
 public:
  // Reports that nothing is done, if there are items. `report` must live longer.
  ItemCount(std::size_t total, const ItemProgress& report) : report_(report), total_(total) {
    if (report_ && total_ != 0) report_(0, total_);
  }
  ItemCount(const ItemCount&) = delete;
  ItemCount& operator=(const ItemCount&) = delete;

  // An item is done. For any thread, but only the one that made the object reports, so that a report may be late and
  // counts may be skipped. What is reported grows.
  void add() {
    const std::size_t done = done_.fetch_add(1) + 1;
    if (report_ && std::this_thread::get_id() == owner_) report(done);
  }
  // All items are done. In the thread that made the object.
  void finish() {
    if (report_ && reported_ != total_) report(total_);
  }

 private:
  void report(std::size_t done) {
    reported_ = done;
    report_(done, total_);
  }

  const ItemProgress& report_;
  const std::size_t total_;
  const std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<std::size_t> done_ = 0;
  std::size_t reported_ = 0;
};

}  // namespace slipway
