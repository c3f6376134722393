// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/kernel/occupancy.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/format.hpp"

namespace slipway::zeinfo {
namespace {

constexpr std::uint64_t kMaxItemsBeforeXe2 = 1024;  // of a work group; the compute runtime refuses more

constexpr std::uint32_t kCoreXeHpc = 3080;
constexpr std::uint32_t kXe2 = 3081;
constexpr std::uint32_t kXe3 = 7680;
constexpr std::uint32_t kCoreXe3P = 8960;
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

// The maximum number of hardware threads of one work group; empty before Xe2, where no rule is known.
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

std::optional<std::uint64_t> allocated_slm(std::uint64_t bytes, const Device& device) {
  static constexpr int kPowers[] = {1, 2, 4, 8, 16, 32, 64};
  static constexpr int kXeHpc[] = {1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128};
  static constexpr int kXe3P[] = {1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 320, 384};
  const std::span<const int> sizes = device.core >= kCoreXe3P    ? std::span<const int>(kXe3P)
                                     : device.core >= kCoreXeHpc ? std::span<const int>(kXeHpc)
                                                                 : std::span<const int>(kPowers);
  if (bytes == 0) return 0;
  for (const int size : sizes) {
    const auto allocated = static_cast<std::uint64_t>(size) * 1024;
    if (size <= device.slm_kib && allocated >= bytes) return allocated;
  }
  return std::nullopt;
}

std::optional<WorkGroup> required_work_group(const Kernel& kernel) {
  const Int3& required = kernel.execution_env.required_work_group_size;
  WorkGroup size{};
  for (std::size_t d = 0; d < 3; ++d) size[d] = static_cast<std::uint32_t>(std::max(required[d], 0));
  return required && size != WorkGroup{} ? std::optional(size) : std::nullopt;
}

std::expected<KernelOccupancy, std::string> occupancy(const Kernel& kernel, const Target& target,
                                                      const OccupancyQuestion& question) {
  const ExecutionEnv& env = kernel.execution_env;
  const WorkGroup size = required_work_group(kernel).value_or(question.local_size);
  const auto impossible = [&](std::string why) {
    return std::unexpected(formatted("a work group of {}x{}x{} cannot run: {}", size[0], size[1], size[2], why));
  };
  const auto threads = threads_per_eu(env, target);
  if (!threads || !target.device) return std::unexpected("the device is not known; give --product");
  const Size items = checked_product(std::span<const std::uint32_t>(size));
  if (!items || *items == 0) return impossible("it has no items, or more than can be counted");
  if (target.device->core < kXe2 && *items > kMaxItemsBeforeXe2)
    return impossible(formatted("the runtime allows {} at most {} items", target.device->name(), kMaxItemsBeforeXe2));
  if (env.simd_size <= 0) return impossible(formatted("the kernel has {} lanes", env.simd_size));
  KernelOccupancy result{.local_size = size};
  result.eus = question.eus > 0 ? question.eus : target.device->eus;
  result.threads_per_eu = *threads;
  result.threads_per_group = divide_up(*items, static_cast<std::uint64_t>(env.simd_size));
  const std::uint64_t all = static_cast<std::uint64_t>(*threads) * static_cast<std::uint64_t>(result.eus);
  const std::uint64_t most =
      std::min(all, static_cast<std::uint64_t>(threads_per_group_limit(env, target).value_or(INT32_MAX)));
  if (result.threads_per_group > most)
    return impossible(formatted("it needs {} hardware threads; there are at most {}", result.threads_per_group, most));
  result.groups = all / result.threads_per_group;
  result.limited_by = "threads";
  const auto limit = [&](std::uint64_t groups, std::string_view what) {
    if (groups >= result.groups) return;
    result.groups = groups;
    result.limited_by = what;
  };
  if (env.barrier_count > 0) limit(32u / static_cast<std::uint32_t>(env.barrier_count), "barriers");
  const Size slm = checked_add(static_cast<std::uint64_t>(std::max(env.slm_size, 0)), question.local_memory);
  const auto allocated = slm ? allocated_slm(*slm, *target.device) : std::nullopt;
  if (!allocated) return impossible(formatted("it needs more local memory than {} KiB", target.device->slm_kib));
  if (*allocated > 0) {
    result.local_memory_bytes = *allocated;
    limit(static_cast<std::uint64_t>(target.device->slm_kib) * 1024 / *allocated, "slm");
  }
  return result;
}

}  // namespace slipway::zeinfo
