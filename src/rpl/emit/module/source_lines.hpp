// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Debug lines: every source has an OpString, and statements have an OpLine that refers to it. Without the option
// `debug_lines` there are no sources, and no caller asks for lines.
#pragma once

#include <vector>

#include "rpl/emit/module/emission.hpp"

namespace slipway::rpl::emit {

class SourceLines {
 public:
  explicit SourceLines(Emission& emission) : emission_(emission) {}
  void begin_module();
  // The line at which a range begins.
  void add_line(Range at, WordBuffer& code) const;

 private:
  Emission& emission_;
  std::vector<Id> files_;  // by source
};

}  // namespace slipway::rpl::emit
