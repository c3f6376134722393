// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Occupancy: how many threads and work groups run at once (docs/spec/zeinfo.md#elf-container).
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "slipway/kernel_binary.hpp"
#include "zeinfo/model.hpp"
#include "zeinfo/target.hpp"

namespace slipway::zeinfo {

// The number of hardware threads of an EU with the kernel's register count: eu_thread_count, otherwise derived from the
// device; empty if neither is known.
std::optional<int> threads_per_eu(const ExecutionEnv& env, const Target& target);
// Derived from the device alone.
std::optional<int> derived_threads_per_eu(int grf_count, const Target& target);

using WorkGroup = std::array<std::uint32_t, 3>;

// `required_work_group_size`; empty where the kernel runs with any size.
std::optional<WorkGroup> required_work_group(const Kernel& kernel);

// The error says why such a work group cannot run, or what must be known.
std::expected<KernelOccupancy, std::string> occupancy(const Kernel& kernel, const Target& target,
                                                      const OccupancyQuestion& question);
// What the hardware allocates for bytes of shared local memory; empty for more than the device has.
std::optional<std::uint64_t> allocated_slm(std::uint64_t bytes, const Device& device);

}  // namespace slipway::zeinfo
