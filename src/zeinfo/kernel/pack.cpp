// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/kernel/pack.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "zeinfo/kernel/arg_facts.hpp"
#include "zeinfo/kernel/layout.hpp"
#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {
namespace {

using Address = std::optional<std::uint64_t>;
using Three = std::array<std::uint32_t, 3>;

class Packer {
 public:
  Packer(const Kernel& kernel, const LaunchValues& values) : kernel_(kernel), values_(values) {}

  Result<CrossThreadData> run() {
    const std::string_view invalid = kernel_.user_attributes.invalid_kernel;
    if (!invalid.empty()) {
      return fail(DiagnosticKind::InvalidKernel, SourceLocation::nowhere(),
                  formatted("kernel `{}` must not run: {}", kernel_.name, invalid));
    }
    const std::uint64_t size = cross_thread_size(kernel_);
    if (size > 65535) {
      return fail(DiagnosticKind::ArgRange, SourceLocation::nowhere(),
                  formatted("{} bytes of cross-thread data do not fit in 16 bits", size));
    }
    data_.bytes.resize(size);
    const auto inline_size = static_cast<std::uint64_t>(std::max(kernel_.execution_env.inline_data_payload_size, 0));
    data_.inline_bytes = static_cast<std::uint32_t>(std::min(inline_size, size));
    place_locals();
    for (const PayloadArgument& argument : kernel_.payload_arguments) write(argument);
    if (!failure_.empty()) return fail(std::move(failure_));
    return std::move(data_);
  }

 private:
  void error(DiagnosticKind kind, std::string message) {
    failure_.push_back({.kind = kind, .message = std::move(message)});
  }
  bool misplaced(const PayloadArgument& argument) {
    if (argument.offset >= 0 && argument.size >= 0) return false;
    error(DiagnosticKind::ArgNegative,
          formatted("`{}` at {}, {} bytes", name_of_value(argument.arg_type), argument.offset, argument.size));
    return true;
  }

  void put(const PayloadArgument& argument, const void* from, std::size_t size) {
    size = std::min(size, static_cast<std::size_t>(argument.size));
    if (size != 0) std::memcpy(data_.bytes.data() + argument.offset, from, size);
  }
  void open(const PayloadArgument& argument) {
    if (argument.size == 0) return;
    data_.open.push_back({static_cast<std::uint32_t>(argument.offset), static_cast<std::uint32_t>(argument.size),
                          argument.arg_type, argument.arg_index});
  }
  // Numbers of a width other than 32 bits are zero-extended.
  void number(const PayloadArgument& argument, std::uint64_t value) { put(argument, &value, sizeof value); }
  void three(const PayloadArgument& argument, const Three& value) { put(argument, value.data(), sizeof value); }
  void address(const PayloadArgument& argument, const Address& value) {
    if (!value) return open(argument);
    if (argument.size < 8 && argument.size > 0 && *value >> (8 * argument.size) != 0) {
      return error(DiagnosticKind::AddressRange, formatted("address 0x{:x} does not fit in the {} bytes of `{}`",
                                                           *value, argument.size, name_of_value(argument.arg_type)));
    }
    number(argument, *value);
  }

  const ArgValue* value_of(std::int32_t index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= values_.args.size()) return nullptr;
    const ArgValue& value = values_.args[static_cast<std::size_t>(index)];
    return std::holds_alternative<std::monostate>(value) ? nullptr : &value;
  }
  // The value of a kernel argument, which must be present and of this kind.
  template <class T>
  const T* explicit_value(const PayloadArgument& argument, std::string_view kind) {
    const ArgValue* value = value_of(argument.arg_index);
    if (!value) {
      error(DiagnosticKind::MissingArgument,
            formatted("kernel argument {} has no value; it is {}", argument.arg_index, kind));
      return nullptr;
    }
    const T* right = std::get_if<T>(value);
    if (!right) error(DiagnosticKind::ArgumentKind, formatted("kernel argument {} is {}", argument.arg_index, kind));
    return right;
  }
  // Properties of a kernel argument (sizes, formats, ...): left open if its value is not of the kind.
  template <class T>
  const T* related(const PayloadArgument& argument) {
    const ArgValue* value = value_of(argument.arg_index);
    const T* right = value ? std::get_if<T>(value) : nullptr;
    if (!right) open(argument);
    return right;
  }

  // Local memory in the order of the indices: each argument after the previous one, aligned.
  void place_locals() {
    const std::uint64_t own = static_cast<std::uint64_t>(std::max(kernel_.execution_env.slm_size, 0));
    std::vector<const PayloadArgument*> locals;
    for (const PayloadArgument& argument : kernel_.payload_arguments) {
      if (argument.arg_type == ArgType::arg_bypointer && is_slm(argument.addrmode)) locals.push_back(&argument);
    }
    std::ranges::stable_sort(locals, {}, &PayloadArgument::arg_index);
    const bool after_slm_size = kernel_.execution_env.slm_alloc_mode == 1;
    std::uint64_t end = after_slm_size ? own : 0;
    for (const PayloadArgument* argument : locals) {
      if (misplaced(*argument)) continue;
      const auto* value = explicit_value<LocalMemory>(*argument, "local memory");
      if (!value) continue;
      const auto alignment = static_cast<std::uint64_t>(std::max(argument->slm_alignment, 1));
      end = round_up(end, alignment);
      if (value->size > 0xffffffff || end > 0xffffffff - value->size) {
        error(DiagnosticKind::ArgumentSize, formatted("{} bytes of local memory pass 4 GiB", value->size));
        return;
      }
      const auto offset = static_cast<std::uint32_t>(end);
      put(*argument, &offset, sizeof offset);
      end += value->size;
    }
    const std::uint64_t total = locals.empty() ? own : (after_slm_size ? 0 : own) + round_up(end, 1024);
    data_.slm_total = static_cast<std::uint32_t>(std::min<std::uint64_t>(total, 0xffffffff));
  }

  void by_value(const PayloadArgument& argument) {
    const auto* value = explicit_value<ByValue>(argument, "given by value");
    if (!value) return;
    const auto first = static_cast<std::uint64_t>(std::max(argument.source_offset, 0));
    const std::uint64_t wanted = first + static_cast<std::uint64_t>(argument.size);
    if (value->bytes.size() < wanted) {
      return error(DiagnosticKind::ArgumentSize, formatted("kernel argument {} has {} bytes and needs {}",
                                                           argument.arg_index, value->bytes.size(), wanted));
    }
    put(argument, value->bytes.data() + first, static_cast<std::size_t>(argument.size));
  }

  void pointer(const PayloadArgument& argument) {
    if (is_slm(argument.addrmode)) return;  // placed
    switch (argument.addrspace) {
      case AddrSpace::image:
        if (const auto* image = explicit_value<ImageValue>(argument, "an image")) address(argument, image->heap_offset);
        return;
      case AddrSpace::sampler:
        if (const auto* sampler = explicit_value<SamplerValue>(argument, "a sampler"))
          address(argument, sampler->heap_offset);
        return;
      default:
        if (const auto* buffer = explicit_value<BufferValue>(argument, "a buffer")) {
          address(argument, argument.addrmode == AddrMode::stateless ? buffer->address : buffer->heap_offset);
        }
    }
  }

  void of_buffer(const PayloadArgument& argument) {
    if (argument.arg_type == ArgType::buffer_size) {
      const ArgValue* value = value_of(argument.arg_index);
      const auto* local = value ? std::get_if<LocalMemory>(value) : nullptr;
      if (local) return number(argument, local->size);
    }
    const auto* buffer = related<BufferValue>(argument);
    if (!buffer) return;
    if (argument.arg_type == ArgType::buffer_address) return address(argument, buffer->address);
    if (argument.arg_type == ArgType::buffer_size)
      return buffer->size ? number(argument, *buffer->size) : open(argument);
    if (!buffer->address) return open(argument);
    const std::uint64_t distance = *buffer->address - buffer->surface_base.value_or(*buffer->address);
    if (distance > 0xffffffff) {
      return error(
          DiagnosticKind::AddressRange,
          formatted("the surface base of kernel argument {} is not a base of its address", argument.arg_index));
    }
    number(argument, distance);
  }

  void of_image(const PayloadArgument& argument) {
    const auto* image = related<ImageValue>(argument);
    if (!image) return;
    switch (argument.arg_type) {
      case ArgType::image_height:
        return number(argument, image->height);
      case ArgType::image_width:
        return number(argument, image->width);
      case ArgType::image_depth:
        return number(argument, image->depth);
      case ArgType::image_num_mip_levels:
        return number(argument, image->num_mip_levels);
      case ArgType::image_channel_data_type:
        return number(argument, image->channel_data_type);
      case ArgType::image_channel_order:
      case ArgType::image_srgb_channel_order:
        return number(argument, image->channel_order);
      case ArgType::image_array_size:
        return number(argument, image->array_size);
      case ArgType::image_num_samples:
        return number(argument, image->num_samples);
      case ArgType::flat_image_baseoffset:
        return address(argument, image->flat_base);
      case ArgType::flat_image_height:
        return number(argument, image->flat_height);
      case ArgType::flat_image_width:
        return number(argument, image->flat_width);
      default:
        return number(argument, image->flat_pitch);
    }
  }

  void of_sampler(const PayloadArgument& argument) {
    const auto* sampler = related<SamplerValue>(argument);
    if (!sampler) return;
    const bool border = sampler->addrmode == SamplerAddrMode::clamp_border;
    switch (argument.arg_type) {
      case ArgType::sampler_address:  // 0 none, 1 border, 2 edge, 3 repeat, 4 mirrored repeat: the order of the enum
        return number(argument, static_cast<std::uint64_t>(sampler->addrmode) -
                                    static_cast<std::uint64_t>(SamplerAddrMode::none));
      case ArgType::sampler_normalized:
        return number(argument, sampler->normalized ? 8 : 0);
      default:
        return number(argument, border && sampler->filtermode == SamplerFilterMode::nearest ? 0xffffffff : 0);
    }
  }

  void write(const PayloadArgument& argument) {
    if (misplaced(argument)) return;
    switch (facts_of(argument.arg_type).object) {
      case ArgObject::None:
        return of_launch(argument);
      case ArgObject::Buffer:
        return of_buffer(argument);
      case ArgObject::Image:
        return of_image(argument);
      case ArgObject::Sampler:
        return of_sampler(argument);
    }
  }

  // Long, because it has one case per argument type that belongs to no object.
  void of_launch(const PayloadArgument& argument) {
    const ImplicitValues& implicit = values_.implicit;
    switch (argument.arg_type) {
      case ArgType::arg_byvalue:
        return by_value(argument);
      case ArgType::arg_bypointer:
        return pointer(argument);
      case ArgType::local_size:
        return three(argument, values_.local_size);
      case ArgType::group_size:
      case ArgType::group_count:
        return three(argument, values_.groups);
      case ArgType::work_dimensions:
        return number(argument, values_.dimensions);
      case ArgType::global_size: {
        Three size{};
        for (std::size_t i = 0; i < 3; ++i) size[i] = values_.groups[i] * values_.local_size[i];
        return three(argument, values_.global_size.value_or(size));
      }
      case ArgType::enqueued_local_size:
        return three(argument, values_.enqueued_local_size);
      case ArgType::global_id_offset:
        return three(argument, values_.global_offset);
      case ArgType::private_base_stateless:
        return address(argument, implicit.private_base);
      case ArgType::printf_buffer:
        return address(argument, implicit.printf_buffer);
      case ArgType::implicit_arg_buffer:
        return address(argument, implicit.implicit_arg_buffer);
      case ArgType::sync_buffer:
        return address(argument, implicit.sync_buffer);
      case ArgType::rt_global_buffer:
        return address(argument, implicit.rt_global_buffer);
      case ArgType::assert_buffer:
        return address(argument, implicit.assert_buffer);
      case ArgType::indirect_data_pointer:
        return address(argument, implicit.indirect_data_pointer);
      case ArgType::scratch_pointer:
        return address(argument, implicit.scratch_pointer);
      case ArgType::const_base:
        return address(argument, implicit.const_base);
      case ArgType::global_base:
        return address(argument, implicit.global_base);
      case ArgType::region_group_barrier_buffer:
        return address(argument, implicit.region_group_barrier_buffer);
      case ArgType::region_group_size:
        return implicit.region_group_size ? three(argument, *implicit.region_group_size) : open(argument);
      case ArgType::region_group_dimension:
        return implicit.region_group_dimension ? number(argument, *implicit.region_group_dimension) : open(argument);
      case ArgType::region_group_wg_count:
        return implicit.region_group_wg_count ? number(argument, *implicit.region_group_wg_count) : open(argument);
      case ArgType::inline_sampler:
        // Sampler states have 16 bytes each.
        if (!implicit.inline_sampler_base || argument.sampler_index < 0) return open(argument);
        return number(argument,
                      *implicit.inline_sampler_base + 16 * static_cast<std::uint64_t>(argument.sampler_index));
      default:  // types that are obsolete or that no compiler writes: the value is unknown
        return open(argument);
    }
  }

  const Kernel& kernel_;
  const LaunchValues& values_;
  CrossThreadData data_;
  Failure failure_;
};

}  // namespace

Result<CrossThreadData> pack_cross_thread(const Kernel& kernel, const Target&, const LaunchValues& values) {
  return Packer(kernel, values).run();
}

Result<std::vector<std::byte>> pack_local_ids(const Kernel& kernel, const Target& target, Three local_size) {
  constexpr std::uint64_t kMaxItems = 65535;
  const Size items = checked_product(std::span<const std::uint32_t>(local_size));
  if (!items || *items == 0 || *items > kMaxItems) {
    return fail(DiagnosticKind::OutOfRange, SourceLocation::nowhere(),
                formatted("a work group of {} x {} x {}; it has 1 to {} items", local_size[0], local_size[1],
                          local_size[2], kMaxItems));
  }
  const auto found = std::ranges::find_if(kernel.per_thread_payload_arguments.span(), [](const auto& one) {
    return one.arg_type == ArgType::local_id || one.arg_type == ArgType::packed_local_ids;
  });
  if (found == kernel.per_thread_payload_arguments.span().end()) return std::vector<std::byte>();
  const std::int32_t simd = kernel.execution_env.simd_size;
  const bool packed = found->arg_type == ArgType::packed_local_ids;
  if (!target.grf_bytes) {
    return fail(DiagnosticKind::NeedsDevice, SourceLocation::nowhere(),
                "local ids fill whole registers, whose size depends on the device");
  }
  const bool fits =
      packed ? simd == 1 && (found->size == 2 || found->size == 4 || found->size == 6)
             : (simd == 8 || simd == 16 || simd == 32) && local_id_size_fits(found->size, simd, *target.grf_bytes);
  if (!fits) {
    return fail(DiagnosticKind::LocalIdSize, SourceLocation::nowhere(),
                formatted("local ids of {} bytes at SIMD {}", found->size, simd));
  }
  const auto channel =
      packed ? std::size_t{2} : static_cast<std::size_t>(local_id_channel_size(simd, *target.grf_bytes));
  // A thread reads whole registers.
  const auto thread_bytes =
      round_up(static_cast<std::size_t>(found->size), static_cast<std::size_t>(*target.grf_bytes));
  const std::size_t channels = static_cast<std::size_t>(found->size) / channel;
  const auto lanes = static_cast<std::uint64_t>(simd);

  // The order in which ids grow: walk[i] is the dimension of step i. 0, 1, 2 where the key is absent; with repetitions
  // the first two named dimensions come first.
  std::array<std::size_t, 3> walk = {0, 1, 2};
  const Int3& order = kernel.execution_env.work_group_walk_order_dimensions;
  if (order && order[0] == 1 && order[1] == 0) walk = {1, 0, 2};
  if (order && order[0] == 2 && order[1] == 1) walk = {2, 1, 0};

  std::vector<std::byte> out(divide_up(*items, lanes) * thread_bytes);
  std::array<std::uint16_t, 3> id = {};
  for (std::uint64_t item = 0; item < *items; ++item) {
    std::byte* thread = out.data() + item / lanes * thread_bytes;
    for (std::size_t c = 0; c < channels; ++c) store(thread + c * channel + item % lanes * 2, id[c]);
    for (const std::size_t dimension : walk) {
      if (++id[dimension] < local_size[dimension]) break;
      id[dimension] = 0;
    }
  }
  return out;
}

}  // namespace slipway::zeinfo
