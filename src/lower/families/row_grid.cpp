// How rows are spread over the invocations of a workgroup.
#include <algorithm>
#include <bit>

#include "lower/families/rows.hpp"

namespace slipway::lower {

std::int64_t Rows::count() const {
  std::int64_t all = 1;
  for (const std::int64_t extent : reduced()) all *= extent;
  return all;
}

std::int64_t Rows::inner() const {
  std::int64_t neighbours = 1;
  for (std::size_t d = axis + 1; d < shape.size(); ++d) neighbours *= shape[d];
  return neighbours;
}

tensor::Shape Rows::reduced() const {
  tensor::Shape result = shape;
  result[axis] = 1;
  return result;
}

bool Rows::is_reduced(const tensor::Shape& of) const {
  tensor::Shape without = shape;
  without.erase(without.begin() + static_cast<std::ptrdiff_t>(axis));
  return of == reduced() || of == without;
}

namespace {

std::int64_t power_of_two_to(std::int64_t most) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)));
}

constexpr std::int64_t kMaxSteps = 16;     // of values in registers
constexpr std::int64_t kMaxShares = 1024;  // for which the memory of a workgroup is always enough
constexpr std::int64_t kFullGroup = 128;   // invocations that hide each other's waiting
constexpr std::int64_t kFewGroups = 256;   // workgroups that a GPU runs at the same time anyway
constexpr std::int64_t kBusy = 1 << 18;    // invocations that it does

// Elements of a row are neighbours: so are the invocations that share it. Few rows are over the soonest with few steps
// for each invocation; of many the more are on their way at once the fewer invocations each has.
RowGrid along_rows(const Rows& rows, const DeviceFacts& device) {
  constexpr std::int64_t kFewSteps = 4;
  const std::int64_t most = std::min<std::int64_t>(kMaxShares, device.most_invocations);
  RowGrid grid;
  grid.shares = power_of_two_to(std::clamp<std::int64_t>(rows.length() / kFewSteps, 1, most));
  const std::int64_t subgroup = device.subgroup_size;
  while (grid.shares > subgroup && rows.count() * grid.shares > kBusy && 2 * rows.length() <= grid.shares * kMaxSteps)
    grid.shares /= 2;
  // Several short rows make a workgroup, but rather of a subgroup than fewer workgroups than there is room for.
  const auto may_double = [&](std::int64_t invocations, std::int64_t groups) {
    return grid.rows * grid.shares < invocations && rows.count() > grid.rows * groups;
  };
  while (may_double(subgroup, 1) || may_double(std::min(kFullGroup, most), kFewGroups)) grid.rows *= 2;
  return grid;
}

// Elements of neighbouring rows are neighbours: so are the invocations of these rows, at least as many as one access to
// memory is for.
RowGrid across_rows(const Rows& rows, const DeviceFacts& device) {
  constexpr std::int64_t kMinNeighbours = 8, kNeighbours = 32, kUsualShares = 8;
  const std::int64_t most = std::min<std::int64_t>(kMaxShares, device.most_invocations);
  RowGrid grid;
  const auto has_more = [&](std::int64_t groups) { return rows.count() > grid.rows * groups; };
  while ((grid.rows < kMinNeighbours && has_more(1)) || (grid.rows < kNeighbours && has_more(kFewGroups)))
    grid.rows *= 2;
  const auto wants_more = [&] {
    const bool idle = grid.shares < kUsualShares && rows.count() * grid.shares < kBusy;
    return idle || rows.length() > grid.shares * kMaxSteps;
  };
  while (2 * grid.shares <= rows.length() && 2 * grid.shares * grid.rows <= most && wants_more()) grid.shares *= 2;
  while (grid.rows * grid.shares < std::min(kFullGroup, most) && has_more(kFewGroups)) grid.rows *= 2;
  return grid;
}

}  // namespace

std::optional<RowGrid> row_grid(const Rows& rows, const DeviceFacts& device) {
  if (!device.addresses || rows.length() < 2) return std::nullopt;
  if (device.lanes && (rows.inner() != 1 || rows.length() < device.lanes)) return std::nullopt;
  RowGrid grid = device.lanes        ? RowGrid{.shares = device.lanes}
                 : rows.inner() == 1 ? along_rows(rows, device)
                                     : across_rows(rows, device);
  grid.steps = (rows.length() + grid.shares - 1) / grid.shares;
  grid.in_registers = grid.steps <= kMaxSteps;
  return grid;
}

}  // namespace slipway::lower
