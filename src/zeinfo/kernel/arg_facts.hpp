// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The properties of every argument type: sizes, whether it belongs to a kernel argument, which payload it may be in
// (docs/spec/zeinfo.md#enumerations).
#pragma once

#include <cstdint>

#include "zeinfo/model.hpp"

namespace slipway::zeinfo {

enum class ArgSize : std::uint8_t {
  Vector,  // 4, 8 or 12: one number per dimension
  Four,
  Eight,
  Address,   // 8, or 4 with 32-bit addresses
  Base,      // an address, a bindless offset of 4 or 8, or only a bti_value
  Packed,    // 2, 4, 6
  LocalIds,  // one to three channels (local_id_channel_size)
  AnyValue,  // at least 1
  Pointer,   // by addrmode
  Buffer200,
};

// The object whose properties are the value of an argument.
enum class ArgObject : std::uint8_t { None, Buffer, Image, Sampler };

struct ArgFacts {
  ArgSize size = ArgSize::Four;
  bool needs_index = false;  // belongs to the kernel argument `arg_index`
  bool per_thread = false;   // only in the per-thread payload
  bool address = false;      // is an address
  ArgObject object = ArgObject::None;
};

// Long, because it has one case per type.
constexpr ArgFacts facts_of(ArgType type) {
  switch (type) {
    case ArgType::packed_local_ids:
      return {ArgSize::Packed, false, true};
    case ArgType::local_id:
      return {ArgSize::LocalIds, false, true};
    case ArgType::local_size:
    case ArgType::group_size:
    case ArgType::group_count:
    case ArgType::global_size:
    case ArgType::enqueued_local_size:
    case ArgType::global_id_offset:
    case ArgType::region_group_size:
      return {ArgSize::Vector};
    case ArgType::private_base_stateless:
    case ArgType::printf_buffer:
    case ArgType::implicit_arg_buffer:
    case ArgType::sync_buffer:
    case ArgType::rt_global_buffer:
    case ArgType::assert_buffer:
      return {ArgSize::Address, false, false, true};
    case ArgType::buffer_address:
      return {.size = ArgSize::Address, .needs_index = true, .address = true, .object = ArgObject::Buffer};
    case ArgType::buffer_size:
      return {.size = ArgSize::Eight, .needs_index = true, .object = ArgObject::Buffer};
    case ArgType::buffer_offset:
      return {.size = ArgSize::Four, .needs_index = true, .object = ArgObject::Buffer};
    case ArgType::flat_image_baseoffset:
      return {.size = ArgSize::Eight, .needs_index = true, .address = true, .object = ArgObject::Image};
    case ArgType::indirect_data_pointer:
    case ArgType::scratch_pointer:
    case ArgType::region_group_barrier_buffer:
      return {ArgSize::Eight, false, false, true};
    case ArgType::inline_sampler:
      return {ArgSize::Eight};
    case ArgType::const_base:
    case ArgType::global_base:
      return {ArgSize::Base, false, false, true};
    case ArgType::arg_byvalue:
      return {ArgSize::AnyValue, true};
    case ArgType::arg_bypointer:
      return {ArgSize::Pointer, true};
    case ArgType::implicit_local_id_buffer:
      return {ArgSize::Buffer200};
    case ArgType::image_height:
    case ArgType::image_width:
    case ArgType::image_depth:
    case ArgType::image_num_mip_levels:
    case ArgType::image_channel_data_type:
    case ArgType::image_channel_order:
    case ArgType::image_srgb_channel_order:
    case ArgType::image_array_size:
    case ArgType::image_num_samples:
    case ArgType::flat_image_height:
    case ArgType::flat_image_width:
    case ArgType::flat_image_pitch:
      return {.size = ArgSize::Four, .needs_index = true, .object = ArgObject::Image};
    case ArgType::sampler_address:
    case ArgType::sampler_normalized:
    case ArgType::sampler_snap_wa:
      return {.size = ArgSize::Four, .needs_index = true, .object = ArgObject::Sampler};
    case ArgType::work_dimensions:
    case ArgType::region_group_dimension:
    case ArgType::region_group_wg_count:
    case ArgType::vme_mb_block_type:
    case ArgType::vme_subpixel_mode:
    case ArgType::vme_sad_adjust_mode:
    case ArgType::vme_search_path_type:
    case ArgType::unset:
      return {ArgSize::Four};
  }
  return {};
}

constexpr bool is_image_or_sampler(AddrSpace space) { return space == AddrSpace::image || space == AddrSpace::sampler; }
constexpr bool is_slm(AddrMode mode) { return mode == AddrMode::slm || mode == AddrMode::shared_local_memory; }

// Whether a size is valid for the type; local ids are checked against the kernel instead.
constexpr bool size_fits(const PayloadArgument& argument) {
  const std::int32_t size = argument.size;
  switch (facts_of(argument.arg_type).size) {
    case ArgSize::Vector:
      return size == 4 || size == 8 || size == 12;
    case ArgSize::Four:
      return size == 4;
    case ArgSize::Eight:
      return size == 8;
    case ArgSize::Address:
      return size == 4 || size == 8;
    case ArgSize::Base:
      return size == 0 || size == 4 || size == 8;
    case ArgSize::Packed:
      return size == 2 || size == 4 || size == 6;
    case ArgSize::LocalIds:
      return true;
    case ArgSize::AnyValue:
      return size >= 1;
    case ArgSize::Buffer200:
      return size == 200;
    case ArgSize::Pointer:
      switch (argument.addrmode) {
        case AddrMode::stateful:
          return size == 0;
        case AddrMode::bindless:
          return size == 0 || size == 4 || size == 8;  // the compiler uses both for buffers
        case AddrMode::stateless:
        case AddrMode::slm:
        case AddrMode::shared_local_memory:
          return size == 4 || size == 8;
        case AddrMode::unset:
          return true;  // reported as addrmode-missing
      }
  }
  return true;
}

// Size in bytes of one dimension of local_id with registers of `grf_bytes`.
constexpr std::int64_t local_id_channel_size(std::int32_t simd, int grf_bytes) {
  const std::int64_t bytes = 2 * (simd > 16 ? std::int64_t{simd} : 16);
  return (bytes + grf_bytes - 1) / grf_bytes * grf_bytes;
}

constexpr bool local_id_size_fits(std::int32_t size, std::int32_t simd, int grf_bytes) {
  const std::int64_t channel = local_id_channel_size(simd, grf_bytes);
  return size == channel || size == 2 * channel || size == 3 * channel;
}

}  // namespace slipway::zeinfo
