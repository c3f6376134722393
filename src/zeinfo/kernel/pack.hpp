// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cross-thread data block of a launch, from the values of the arguments (docs/spec/zeinfo.md#packing).
//
// Values that the caller omits (an implicit address, a heap offset) stay zero and are listed in `open`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "zeinfo/model.hpp"
#include "zeinfo/target.hpp"

namespace slipway::zeinfo {

// A heap offset is written as it is given: the offset of the state in its heap, or on devices whose messages take a
// descriptor instead, the extended message descriptor of the offset.
struct ByValue {
  std::vector<std::byte> bytes;
};
struct BufferValue {
  std::optional<std::uint64_t> address;
  std::optional<std::uint64_t> surface_base;  // of the surface state; the address itself when absent
  std::optional<std::uint64_t> size;
  std::optional<std::uint64_t> heap_offset;  // of the surface state, for bindless access
};
struct ImageValue {
  std::optional<std::uint64_t> heap_offset;
  std::uint32_t width = 0, height = 0, depth = 0, array_size = 0, num_mip_levels = 0, num_samples = 0;
  std::uint32_t channel_data_type = 0, channel_order = 0;  // CL_* codes
  std::optional<std::uint64_t> flat_base;                  // of flat_image_*
  std::uint32_t flat_width = 0, flat_height = 0, flat_pitch = 0;
};
struct SamplerValue {
  std::optional<std::uint64_t> heap_offset;
  SamplerAddrMode addrmode = SamplerAddrMode::none;
  SamplerFilterMode filtermode = SamplerFilterMode::nearest;
  bool normalized = false;
};
struct LocalMemory {
  std::uint64_t size = 0;
};
// std::monostate: not given.
using ArgValue = std::variant<std::monostate, ByValue, BufferValue, ImageValue, SamplerValue, LocalMemory>;

struct ImplicitValues {
  std::optional<std::uint64_t> private_base, printf_buffer, implicit_arg_buffer, sync_buffer, rt_global_buffer,
      assert_buffer, indirect_data_pointer, scratch_pointer, const_base, global_base, region_group_barrier_buffer,
      inline_sampler_base;  // heap offset of sampler state 0, for inline_sampler
  std::optional<std::array<std::uint32_t, 3>> region_group_size;
  std::optional<std::uint32_t> region_group_dimension, region_group_wg_count;
};

struct LaunchValues {
  std::array<std::uint32_t, 3> groups = {1, 1, 1};
  std::array<std::uint32_t, 3> local_size = {1, 1, 1};
  std::array<std::uint32_t, 3> enqueued_local_size = {1, 1, 1};
  std::array<std::uint32_t, 3> global_offset = {0, 0, 0};
  // groups x local_size when absent; the last groups may be smaller
  std::optional<std::array<std::uint32_t, 3>> global_size;
  std::uint32_t dimensions = 1;
  std::vector<ArgValue> args;  // by arg_index
  ImplicitValues implicit;
};

// A range of bytes without a given value.
struct Patch {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  ArgType type = ArgType::unset;
  std::int32_t arg_index = -1;
  bool operator==(const Patch&) const = default;
};

struct CrossThreadData {
  std::vector<std::byte> bytes;
  std::uint32_t inline_bytes = 0;
  std::uint32_t slm_total = 0;
  std::vector<Patch> open;
};

// Errors: missing-argument, argument-size, argument-kind, address-range, invalid-kernel, arg-range, all without a
// location.
Result<CrossThreadData> pack_cross_thread(const Kernel& kernel, const Target& target, const LaunchValues& values);

// The local ids of each hardware thread of a work group, in thread order, in the kernel's walk order. Errors:
// local-id-size, needs-device, out-of-range (a work group of 0 or beyond 65535 items). The block of a thread has whole
// registers.
Result<std::vector<std::byte>> pack_local_ids(const Kernel& kernel, const Target& target,
                                              std::array<std::uint32_t, 3> local_size);

}  // namespace slipway::zeinfo
