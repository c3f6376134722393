// How many threads and work groups run at once (ZE Info page, 3.7).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "zeinfo/model.hpp"
#include "zeinfo/target.hpp"

namespace slipway::zeinfo {

// Hardware threads an EU holds with so many registers each: by eu_thread_count, else derived from the device; empty if
// neither is known.
std::optional<int> threads_per_eu(const ExecutionEnv& env, const Target& target);
// Derived from the device alone.
std::optional<int> derived_threads_per_eu(int grf_count, const Target& target);
// The most hardware threads of one work group; empty before Xe2, where no rule is known.
std::optional<int> threads_per_group_limit(const ExecutionEnv& env, const Target& target);

struct Occupancy {
  int threads_per_eu = 0;
  std::uint64_t threads_per_group = 0;    // hardware threads that one work group takes
  std::optional<int> group_thread_limit;  // of the device; exceeded: cannot run
  std::uint32_t slm_bytes = 0;            // of one group, rounded up
  // Work groups at once on a subslice of `eus` EUs, by each limit; the least counts.
  std::uint64_t groups_by_threads = 0;
  std::optional<std::uint64_t> groups_by_barriers;  // empty: no limit
  std::optional<std::uint64_t> groups_by_slm;
  std::uint64_t groups = 0;
  std::string_view limited_by;  // "threads", "barriers", "slm"
};
// `eus`: of a subslice, which the notes do not say.
std::optional<Occupancy> occupancy(const Kernel& kernel, const Target& target, std::array<std::uint32_t, 3> local_size,
                                   int eus);

}  // namespace slipway::zeinfo
