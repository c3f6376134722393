// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/reduction/reduction_grid.hpp"

#include <algorithm>
#include <bit>

namespace slipway::lower {

std::int64_t ReductionAxis::count() const {
  std::int64_t all = 1;
  for (const std::int64_t extent : reduced()) all *= extent;
  return all;
}

std::int64_t ReductionAxis::inner() const {
  std::int64_t neighbours = 1;
  for (std::size_t d = axis + 1; d < shape.size(); ++d) neighbours *= shape[d];
  return neighbours;
}

tensor::Shape ReductionAxis::reduced() const {
  tensor::Shape result = shape;
  result[axis] = 1;
  return result;
}

bool ReductionAxis::is_reduced(const tensor::Shape& of) const {
  tensor::Shape without = shape;
  without.erase(without.begin() + static_cast<std::ptrdiff_t>(axis));
  return of == reduced() || of == without;
}

namespace {

std::int64_t power_of_two_up_to(std::int64_t max) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(max)));
}

constexpr std::int64_t kMaxSteps = 16;      // of values in registers
constexpr std::int64_t kMaxThreads = 1024;  // for which shared memory is always sufficient
constexpr std::int64_t kFullGroup = 128;    // invocations that hide each other's memory latency

// Workgroups that a GPU runs at the same time.
std::int64_t few_groups(const DeviceFacts& device) { return 2 * std::int64_t{device.multiprocessors}; }

// The elements of a row are neighbours, and so are the invocations that share it. Few rows finish soonest with few
// steps for each invocation; of many rows, more are in flight the fewer invocations each has.
ReductionGrid along_rows(const ReductionAxis& axis, const DeviceFacts& device) {
  constexpr std::int64_t kFewSteps = 4;
  const std::int64_t max_threads = std::min<std::int64_t>(kMaxThreads, device.max_invocations);
  ReductionGrid grid;
  grid.threads_per_row = power_of_two_up_to(std::clamp<std::int64_t>(axis.length() / kFewSteps, 1, max_threads));
  const std::int64_t subgroup = device.subgroup_size;
  while (grid.threads_per_row > subgroup && axis.count() * grid.threads_per_row > device.invocations_in_flight() &&
         2 * axis.length() <= grid.threads_per_row * kMaxSteps)
    grid.threads_per_row /= 2;
  // Several short rows make a workgroup: always up to a subgroup, and further only while enough workgroups are left.
  const auto may_double = [&](std::int64_t invocations, std::int64_t groups) {
    return grid.rows_per_group * grid.threads_per_row < invocations && axis.count() > grid.rows_per_group * groups;
  };
  while (may_double(subgroup, 1) || may_double(std::min(kFullGroup, max_threads), few_groups(device)))
    grid.rows_per_group *= 2;
  return grid;
}

// Elements of neighbouring rows are neighbours, and so are the invocations of these rows: at least as many as one
// memory access serves.
ReductionGrid across_rows(const ReductionAxis& axis, const DeviceFacts& device) {
  constexpr std::int64_t kMinNeighbours = 8, kNeighbours = 32, kUsualThreads = 8;
  const std::int64_t max_threads = std::min<std::int64_t>(kMaxThreads, device.max_invocations);
  ReductionGrid grid;
  const auto has_more = [&](std::int64_t groups) { return axis.count() > grid.rows_per_group * groups; };
  while ((grid.rows_per_group < kMinNeighbours && has_more(1)) ||
         (grid.rows_per_group < kNeighbours && has_more(few_groups(device))))
    grid.rows_per_group *= 2;
  const auto wants_more = [&] {
    const bool idle =
        grid.threads_per_row < kUsualThreads && axis.count() * grid.threads_per_row < device.invocations_in_flight();
    return idle || axis.length() > grid.threads_per_row * kMaxSteps;
  };
  while (2 * grid.threads_per_row <= axis.length() && 2 * grid.threads_per_row * grid.rows_per_group <= max_threads &&
         wants_more())
    grid.threads_per_row *= 2;
  while (grid.rows_per_group * grid.threads_per_row < std::min(kFullGroup, max_threads) && has_more(few_groups(device)))
    grid.rows_per_group *= 2;
  return grid;
}

}  // namespace

std::optional<ReductionGrid> plan_reduction_grid(const ReductionAxis& axis, const DeviceFacts& device) {
  if (!device.addresses || axis.length() < 2) return std::nullopt;
  if (device.lanes && (axis.inner() != 1 || axis.length() < device.lanes)) return std::nullopt;
  ReductionGrid grid = device.lanes        ? ReductionGrid{.threads_per_row = device.lanes}
                       : axis.inner() == 1 ? along_rows(axis, device)
                                           : across_rows(axis, device);
  grid.steps = (axis.length() + grid.threads_per_row - 1) / grid.threads_per_row;
  grid.in_registers = grid.steps <= kMaxSteps;
  return grid;
}

}  // namespace slipway::lower
