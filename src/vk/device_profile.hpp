// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that have less than the one that is there, to see what a run does on them: a profile lowers what a snapshot
// reports, and everything is decided from snapshots. The environment variable SLIPWAY_DEVICE_PROFILE names one
// (docs/running.md).
//
// A profile does not change how the driver runs a shader: subgroups keep their true size. Kernels of graphs do not
// depend on it, unless they use cooperative matrices or are made for CPUs; a device with a profile has neither.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/diagnostic.hpp"
#include "vk/snapshot.hpp"

namespace slipway::vk {

struct DeviceProfile {
  std::string_view name;
  std::string_view description;
  // Limits are at most these, and alignments at least.
  std::uint32_t subgroup_size, shared_memory, invocations;
  std::array<std::uint32_t, 3> workgroup_size;
  std::uint32_t push_constants, descriptor_sets, storage_buffers;  // the latter of a stage
  std::uint32_t storage_buffer_range, uniform_buffer_range, buffer_alignment;
  std::span<const std::string_view> without_features, without_extensions;
};

std::span<const DeviceProfile> device_profiles();
const DeviceProfile* find_profile(std::string_view name);  // null for an unknown name

// The profile that the environment names; null where the variable is not set or empty. Errors: usage (an unknown name).
Result<const DeviceProfile*> chosen_profile();

// The same device as if it had no more than the profile. A CPU counts as an integrated GPU, and the name ends with that
// of the profile, so that results measured on one are not taken for those of the other. A profile that was applied
// before changes nothing.
Snapshot with_profile(Snapshot snapshot, const DeviceProfile& profile);

}  // namespace slipway::vk
