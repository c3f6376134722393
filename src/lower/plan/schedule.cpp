// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/plan/schedule.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace slipway::lower {
namespace {

// The first stages in which a buffer may be read and written.
struct FirstStages {
  std::uint32_t read_from = 0, written_from = 0;
};

}  // namespace

void schedule(std::vector<ProgramDispatch>& dispatches, std::size_t buffers, bool one_by_one) {
  std::vector<FirstStages> uses(buffers);
  std::uint32_t next = 0;
  for (ProgramDispatch& dispatch : dispatches) {
    if (one_by_one) {
      dispatch.stage = next++;
      continue;
    }
    const std::span read = std::span(dispatch.buffers).first(dispatch.buffers.size() - 1);
    FirstStages& written = uses[dispatch.buffers.back()];
    std::uint32_t stage = written.written_from;
    for (const std::uint32_t buffer : read) stage = std::max(stage, uses[buffer].read_from);
    dispatch.stage = stage;
    for (const std::uint32_t buffer : read) uses[buffer].written_from = std::max(uses[buffer].written_from, stage + 1);
    written = {stage + 1, stage + 1};
  }
  std::ranges::stable_sort(dispatches, {}, &ProgramDispatch::stage);
}

std::string print_schedule(std::span<const ProgramDispatch> dispatches) {
  std::string text;
  for (const ProgramDispatch& dispatch : dispatches) {
    text += formatted("stage {}: kernel {}", dispatch.stage, dispatch.kernel);
    for (std::size_t i = 0; i + 1 < dispatch.buffers.size(); ++i)
      text += formatted("{}{}", i == 0 ? " reads " : ", ", dispatch.buffers[i]);
    text += formatted(" writes {}\n", dispatch.buffers.back());
  }
  return text;
}

}  // namespace slipway::lower
