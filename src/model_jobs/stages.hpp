// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages of a public call, reported to its ProgressCallback.
#pragma once

#include <string_view>
#include <utility>

#include "base/diagnostic.hpp"
#include "base/item_progress.hpp"
#include "slipway/progress.hpp"

namespace slipway::model {

// Thrown by Stages, caught by the public function.
struct Stopped {
  std::string_view stage;
};

class Stages {
 public:
  Stages(const ProgressCallback& callback, unsigned count) : callback_(callback), count_(count) {}

  void begin(std::string_view stage) {
    at_ = {.stage = stage, .index = index_++, .count = count_};
    earlier_ = 0;
    report();
  }
  // Counts items of the stage that has begun. Each time that it is called with 0, further items begin: a model may have
  // several graphs. The object must stay where it is.
  ItemProgress items() {
    return [this](std::size_t done, std::size_t total) {
      if (done == 0) earlier_ = at_.total;
      at_.done = earlier_ + done;
      at_.total = earlier_ + total;
      report();
    };
  }
  // Before the first stage, when the form of the input is known.
  void set_count(unsigned count) { count_ = count; }

 private:
  void report() const {
    if (callback_ && !callback_(at_)) throw Stopped{at_.stage};
  }

  const ProgressCallback& callback_;
  unsigned index_ = 0;
  unsigned count_;
  Progress at_;
  std::size_t earlier_ = 0;  // items before those that are counted now
};

// The failure of a call that its caller stopped.
Failure stopped_failure(const Stopped& stopped);

// The stage that begins when a pass of the conversion has ended (convert::ConvertOptions::observe).
std::string_view stage_after(std::string_view pass);
// Of reading and converting: `read`, `narrow`, `simplify`, `encode`.
inline constexpr unsigned kConversionStages = 4;

}  // namespace slipway::model
