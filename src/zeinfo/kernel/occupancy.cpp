// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/kernel/occupancy.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace slipway::zeinfo {
namespace {

constexpr std::uint32_t kXe2 = 3081;
constexpr std::uint32_t kXe3 = 7680;
constexpr std::uint32_t kFamilyNvlP = 1360;
constexpr std::uint32_t kFamilyCri = 1380;

// Rows in ascending order of their bound: the first that applies is used; the last has no bound.
struct Row {
  int registers;
  int threads;
};
int look_up(std::span<const Row> rows, int registers) {
  for (const Row& row : rows) {
    if (registers <= row.registers) return row.threads;
  }
  return rows.back().threads;
}

}  // namespace

std::optional<int> derived_threads_per_eu(int grf_count, const Target& target) {
  if (!target.device) return std::nullopt;
  if (target.device->core < kXe3) return grf_count == 256 ? 4 : target.device->threads_per_eu;
  // cri: the compiler writes 8, and 4 for 256 and 512.
  if (target.device->family == kFamilyCri) return grf_count == 256 || grf_count == 512 ? 4 : 8;
  static constexpr Row kXe3Rows[] = {{96, 10}, {128, 8}, {160, 6}, {192, 5}, {256, 4}, {1 << 30, 1}};
  static constexpr Row kNvlPRows[] = {{96, 10}, {128, 8}, {160, 6}, {192, 5},
                                      {256, 4}, {320, 3}, {448, 2}, {1 << 30, 1}};
  const bool nvl_p = target.device->family == kFamilyNvlP && target.config != ProductConfig{35, 10, 0};
  return look_up(nvl_p ? std::span<const Row>(kNvlPRows) : std::span<const Row>(kXe3Rows), grf_count);
}

std::optional<int> threads_per_eu(const ExecutionEnv& env, const Target& target) {
  if (env.eu_thread_count > 0) return env.eu_thread_count;
  return derived_threads_per_eu(env.grf_count, target);
}

std::optional<int> threads_per_group_limit(const ExecutionEnv& env, const Target& target) {
  if (!target.device || target.device->core < kXe2) return std::nullopt;
  const int grf = env.grf_count;
  const int simd = env.simd_size;
  if (target.device->core < kXe3) return simd == 1 || (simd == 16 && grf < 256) ? 64 : 32;
  if (target.device->family == kFamilyCri) {
    if (grf == 512) return 32;
    if ((simd == 1 || simd == 16) && (grf == 160 || grf == 192)) return 64;
  } else if (grf == 512) {
    return 16;
  }
  if (grf == 256 || simd == 32) return 32;
  if (grf == 192) return 40;
  if (grf == 160) return 48;
  return 64;
}

std::optional<Occupancy> occupancy(const Kernel& kernel, const Target& target, std::array<std::uint32_t, 3> local_size,
                                   int eus) {
  const ExecutionEnv& env = kernel.execution_env;
  const auto threads = threads_per_eu(env, target);
  const Size items = checked_product(std::span<const std::uint32_t>(local_size));
  if (!threads || eus <= 0 || env.simd_size <= 0 || !items || *items == 0) return std::nullopt;
  Occupancy result;
  result.threads_per_eu = *threads;
  result.threads_per_group = divide_up(*items, static_cast<std::uint64_t>(env.simd_size));
  result.group_thread_limit = threads_per_group_limit(env, target);
  result.groups_by_threads =
      static_cast<std::uint64_t>(*threads) * static_cast<std::uint64_t>(eus) / result.threads_per_group;
  result.groups = result.groups_by_threads;
  result.limited_by = "threads";
  const auto limit = [&](std::optional<std::uint64_t>& slot, std::uint64_t groups, std::string_view what) {
    slot = groups;
    if (groups < result.groups) {
      result.groups = groups;
      result.limited_by = what;
    }
  };
  if (env.barrier_count > 0)
    limit(result.groups_by_barriers, 32u / static_cast<std::uint32_t>(env.barrier_count), "barriers");
  if (env.slm_size > 0 && target.device) {
    result.slm_bytes = static_cast<std::uint32_t>(round_up(static_cast<std::uint64_t>(env.slm_size), 1024));
    limit(result.groups_by_slm, static_cast<std::uint64_t>(target.device->slm_kib) * 1024 / result.slm_bytes, "slm");
  }
  return result;
}

}  // namespace slipway::zeinfo
