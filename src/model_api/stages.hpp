// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages of a public call, reported to its ProgressCallback.
#pragma once

#include <string_view>
#include <utility>

#include "base/diagnostic.hpp"
#include "slipway/progress.hpp"

namespace slipway::model {

// Thrown by Stages::begin, caught by the public function.
struct Stopped {
  std::string_view stage;
};

class Stages {
 public:
  Stages(const ProgressCallback& callback, unsigned count) : callback_(callback), count_(count) {}

  void begin(std::string_view stage) {
    const Progress progress{.stage = stage, .index = index_++, .count = count_};
    if (callback_ && !callback_(progress)) throw Stopped{stage};
  }
  // Before the first stage, when the form of the input is known.
  void set_count(unsigned count) { count_ = count; }

 private:
  const ProgressCallback& callback_;
  unsigned index_ = 0;
  unsigned count_;
};

// The failure of a call that its caller stopped.
Failure stopped_failure(const Stopped& stopped);

// The stage that begins when a pass of the conversion has ended (convert::ConvertOptions::observe).
std::string_view stage_after(std::string_view pass);
// Of reading and converting: `read`, `narrow`, `simplify`, `encode`.
inline constexpr unsigned kConversionStages = 4;

}  // namespace slipway::model
