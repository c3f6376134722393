// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Level consistency: rules that all known real kernels satisfy (docs/spec/zeinfo.md#check-rules). One function per
// family of rules; arguments of one index are collected first.

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/format.hpp"
#include "zeinfo/check/rules.hpp"
#include "zeinfo/kernel/arg_facts.hpp"
#include "zeinfo/kernel/layout.hpp"
#include "zeinfo/kernel/occupancy.hpp"

namespace slipway::zeinfo {
namespace {

constexpr std::int64_t kLastPayloadByte = 65504;  // the last that fits in 16 bits when rounded up to 32

// The combined facts of the payload arguments of one kernel argument.
struct Index {
  const PayloadArgument* first = nullptr;
  std::uint32_t by_value = 0;
  bool by_pointer = false;
  bool whole_value = false;  // has a by-value argument without source_offset
  bool stateful = false;     // a stateful buffer or image
  AddrSpace space = AddrSpace::unset;
  std::uint32_t entries = 0;  // of the binding table
};

class KernelRules {
 public:
  explicit KernelRules(RuleContext& context) : context_(context) {
    if (context.target.source != Target::Source::None) return;
    if (context.document.kernels.empty()) return;
    context_.report_span(Severity::Note, DiagnosticKind::TargetUnknown, {0, 0},
                         "the device is not known: rules on registers, threads and local memory are skipped; "
                         "--product names it");
  }

  void check(const Kernel& kernel) {
    kernel_ = &kernel;
    gather();
    arguments();
    indices();
    binding_table();
    per_thread();
    environment();
    buffers();
    sizes();
  }

 private:
  using K = PayloadArgumentKey;
  using E = ExecutionEnvKey;
  static constexpr Severity kError = Severity::Error;
  static constexpr Severity kWarning = Severity::Warning;
  static constexpr Severity kNote = Severity::Note;

  const ExecutionEnv& env() const { return kernel_->execution_env; }
  std::string_view type_name(const PayloadArgument& argument) const { return name_of_value(argument.arg_type); }

  // --- collecting ---

  // Indices are dense in real kernels; indices beyond the number of arguments are kept in a map.
  Index& index(std::int32_t number) {
    if (static_cast<std::size_t>(number) < indices_.size()) return indices_[static_cast<std::size_t>(number)];
    return far_[number];
  }
  const Index* find_index(std::int32_t number) const {
    if (number < 0) return nullptr;
    if (static_cast<std::size_t>(number) < indices_.size()) {
      const Index& found = indices_[static_cast<std::size_t>(number)];
      return found.first ? &found : nullptr;
    }
    const auto found = far_.find(number);
    return found == far_.end() ? nullptr : &found->second;
  }

  void gather() {
    indices_.assign(kernel_->payload_arguments.size(), {});
    if (!far_.empty()) far_.clear();
    used_ = 0;
    last_index_ = -1;
    bool sorted = true;
    std::int64_t end = 0;
    for (const PayloadArgument& argument : kernel_->payload_arguments) {
      if (argument.size > 0) {
        sorted &= argument.offset >= end;
        end = std::int64_t{argument.offset} + argument.size;
        used_ = std::max(used_, end);
      }
      const bool is_value = argument.arg_type == ArgType::arg_byvalue;
      if (argument.arg_index < 0 || (!is_value && argument.arg_type != ArgType::arg_bypointer)) continue;
      last_index_ = std::max(last_index_, argument.arg_index);
      Index& one = index(argument.arg_index);
      if (!one.first) one.first = &argument;
      if (is_value) {
        ++one.by_value;
        one.whole_value |= argument.source_offset < 0;
      } else {
        one.by_pointer = true;
        one.stateful |= argument.addrmode == AddrMode::stateful && argument.addrspace != AddrSpace::sampler &&
                        argument.addrspace != AddrSpace::local;
      }
    }
    if (!sorted) overlaps();
  }

  void overlaps() {
    by_offset_.clear();
    for (const PayloadArgument& argument : kernel_->payload_arguments) {
      if (argument.size > 0) by_offset_.push_back(&argument);
    }
    std::ranges::stable_sort(by_offset_, {}, &PayloadArgument::offset);
    const PayloadArgument* before = nullptr;  // the one with the largest end so far
    for (const PayloadArgument* argument : by_offset_) {
      if (before && argument->offset < std::int64_t{before->offset} + before->size) {
        context_.report(kError, DiagnosticKind::ArgOverlap, *argument, K::offset, [&] {
          return formatted("`{}` at {}+{} shares bytes with `{}` at {}+{}", type_name(*argument), argument->offset,
                           argument->size, type_name(*before), before->offset, before->size);
        });
      }
      if (!before || std::int64_t{argument->offset} + argument->size > std::int64_t{before->offset} + before->size) {
        before = argument;
      }
    }
  }

  // --- each argument ---

  void index_and_inline_data(const PayloadArgument& argument, const ArgFacts& facts) {
    if (facts.needs_index && argument.arg_index < 0) {
      context_.report(kError, DiagnosticKind::ArgIndexMissing, argument, K::arg_index, [&] {
        return formatted("`{}` requires arg_index, the index of its kernel argument", type_name(argument));
      });
    }
    if (argument.arg_type == ArgType::scratch_pointer || argument.arg_type == ArgType::indirect_data_pointer) {
      if (std::int64_t{argument.offset} + argument.size > env().inline_data_payload_size) {
        context_.report(kError, DiagnosticKind::InlinePointer, argument, K::offset, [&] {
          return formatted("`{}` must end inside the {} bytes of inline data", type_name(argument),
                           env().inline_data_payload_size);
        });
      }
    }
  }

  void arguments() {
    bool bindless_buffer = false;
    bool stateful_buffer = false;
    bool bindless_image = false;
    bool stateful_image = false;
    const PayloadArgument* furthest = nullptr;
    for (const PayloadArgument& argument : kernel_->payload_arguments) {
      const ArgFacts facts = facts_of(argument.arg_type);
      if (argument.offset < 0 || argument.size < 0) {
        context_.report(kError, DiagnosticKind::ArgNegative, argument, argument.offset < 0 ? K::offset : K::size, [&] {
          return formatted("`{}` at {}, {} bytes", type_name(argument), argument.offset, argument.size);
        });
      } else if (argument.arg_type != ArgType::unset) {
        if (facts.per_thread) {
          context_.report(kError, DiagnosticKind::PayloadType, argument, K::arg_type, [&] {
            return formatted("`{}` belongs to per_thread_payload_arguments", type_name(argument));
          });
        } else if (!size_fits(argument)) {
          context_.report(kError, DiagnosticKind::ArgSize, argument, K::size,
                          [&] { return formatted("`{}` does not have {} bytes", type_name(argument), argument.size); });
        } else if (argument.size > 0 && argument.offset % static_cast<std::int32_t>(natural_alignment(argument)) != 0) {
          context_.report(kWarning, DiagnosticKind::ArgAlignment, argument, K::offset, [&] {
            return formatted("`{}` of {} bytes at {}; it is aligned to {} elsewhere", type_name(argument),
                             argument.size, argument.offset, natural_alignment(argument));
          });
        }
        if (std::int64_t{argument.offset} + argument.size > kLastPayloadByte) furthest = &argument;
      }
      index_and_inline_data(argument, facts);
      if (argument.arg_type != ArgType::arg_bypointer) continue;
      pointer(argument);
      const bool image = argument.addrspace == AddrSpace::image;
      const bool buffer = argument.addrspace == AddrSpace::global || argument.addrspace == AddrSpace::constant;
      bindless_buffer |= buffer && argument.addrmode == AddrMode::bindless;
      stateful_buffer |= buffer && argument.addrmode == AddrMode::stateful;
      bindless_image |= image && argument.addrmode == AddrMode::bindless;
      stateful_image |= image && argument.addrmode == AddrMode::stateful;
    }
    if (furthest) {
      context_.report(kError, DiagnosticKind::ArgRange, *furthest, K::offset, [&] {
        return formatted("the payload ends at {}; the last end that fits is {}",
                         std::int64_t{furthest->offset} + furthest->size, kLastPayloadByte);
      });
    }
    if ((bindless_buffer && stateful_buffer) || (bindless_image && stateful_image)) {
      context_.report(kWarning, DiagnosticKind::MixedBindless, *kernel_, KernelKey::name, [&] {
        return formatted("{} are both bindless and stateful here",
                         bindless_buffer && stateful_buffer ? "buffers" : "images");
      });
    }
  }

  void pointer(const PayloadArgument& argument) {
    if (argument.addrmode == AddrMode::unset) {
      context_.report(kError, DiagnosticKind::AddrmodeMissing, argument, K::addrmode,
                      [] { return "a pointer argument requires addrmode"; });
    }
    if (argument.addrspace == AddrSpace::unset || argument.access_type == AccessType::unset) {
      context_.report(kWarning, DiagnosticKind::AddrspaceMissing, argument, K::addrspace, [&] {
        return formatted("a pointer argument without {}",
                         argument.addrspace == AddrSpace::unset ? "addrspace" : "access_type");
      });
    }
    if (is_image_or_sampler(argument.addrspace) && argument.addrmode != AddrMode::stateful &&
        argument.addrmode != AddrMode::bindless && argument.addrmode != AddrMode::unset) {
      context_.report(kError, DiagnosticKind::ImageAddrmode, argument, K::addrmode, [&] {
        return formatted("an {} is stateful or bindless, not {}",
                         argument.addrspace == AddrSpace::image ? "image" : "sampler",
                         name_of_value(argument.addrmode));
      });
    }
    if (argument.addrspace == AddrSpace::local && context_.level >= 14) {
      const std::int32_t alignment = argument.slm_alignment;
      if (alignment < 1 || alignment > 128 || !std::has_single_bit(static_cast<std::uint32_t>(alignment))) {
        context_.report(kWarning, DiagnosticKind::SlmAlignment, argument, K::slm_alignment, [&] {
          return formatted("local memory aligned to {}; it is a power of two from 1 to 128", alignment);
        });
      }
    }
  }

  // --- arguments of one index ---

  void indices() {
    bool pieces = false;
    bool gap = last_index_ >= static_cast<std::int64_t>(indices_.size());
    for (std::int32_t i = 0; i <= last_index_ && !gap; ++i) gap = !indices_[static_cast<std::size_t>(i)].first;
    if (gap) {
      // The compiler leaves out arguments that a kernel does not use.
      context_.report(kNote, DiagnosticKind::ArgIndexGap, *kernel_, KernelKey::payload_arguments, [&] {
        std::int32_t missing = 0;
        while (find_index(missing)) ++missing;
        return formatted("argument {} is described, and argument {} is not", last_index_, missing);
      });
    }
    for (const PayloadArgument& argument : kernel_->payload_arguments) {
      if (argument.arg_index < 0) continue;
      const bool is_value = argument.arg_type == ArgType::arg_byvalue;
      if (!is_value && argument.arg_type != ArgType::arg_bypointer) continue;
      Index& one = index(argument.arg_index);
      const bool first = one.first == &argument;
      if (first && one.by_value && one.by_pointer) {
        context_.report(kError, DiagnosticKind::ArgKindConflict, argument, K::arg_index,
                        [&] { return formatted("argument {} is both by value and by pointer", argument.arg_index); });
      }
      if (!is_value && argument.addrspace != AddrSpace::unset) {
        if (one.space == AddrSpace::unset) one.space = argument.addrspace;
        if (one.space != argument.addrspace) {
          context_.report(kError, DiagnosticKind::ArgKindConflict, argument, K::addrspace, [&] {
            return formatted("argument {} is both {} and {}", argument.arg_index, name_of_value(one.space),
                             name_of_value(argument.addrspace));
          });
        }
      }
      if (one.by_value < 2) continue;
      pieces = true;
      if (is_value && argument.source_offset < 0) {
        context_.report(kError, DiagnosticKind::ByvalueElements, argument, K::arg_index, [&] {
          return formatted("argument {} has {} pieces, but this one has no source_offset", argument.arg_index,
                           one.by_value);
        });
      }
    }
    if (pieces) element_ranges();
  }

  void element_ranges() {
    by_offset_.clear();
    for (const PayloadArgument& argument : kernel_->payload_arguments) {
      if (argument.arg_type == ArgType::arg_byvalue && argument.source_offset >= 0 && argument.arg_index >= 0) {
        by_offset_.push_back(&argument);
      }
    }
    std::ranges::stable_sort(by_offset_, {},
                             [](const PayloadArgument* one) { return std::pair(one->arg_index, one->source_offset); });
    // Before 1.51 sizes were rounded up to 4: a piece may be up to three bytes shorter than its size.
    const std::int64_t rounding = context_.level < 51 ? 3 : 0;
    for (std::size_t i = 1; i < by_offset_.size(); ++i) {
      const PayloadArgument& before = *by_offset_[i - 1];
      const PayloadArgument& argument = *by_offset_[i];
      const std::int64_t size = std::max<std::int64_t>(before.size - rounding, std::min(before.size, 1));
      if (before.arg_index != argument.arg_index || argument.source_offset >= before.source_offset + size) {
        continue;
      }
      context_.report(kError, DiagnosticKind::ByvalueElements, argument, K::source_offset, [&] {
        return formatted("bytes {}+{} of argument {} appear twice", argument.source_offset, argument.size,
                         argument.arg_index);
      });
    }
  }

  // --- the binding table ---

  void binding_table() {
    std::array<std::uint64_t, 4> taken = {};
    std::int32_t highest = -1;
    const auto take = [&](std::int32_t value) {
      std::uint64_t& word = taken[static_cast<std::size_t>(value) / 64];
      const std::uint64_t bit = std::uint64_t{1} << (value % 64);
      const bool was = word & bit;
      word |= bit;
      highest = std::max(highest, value);
      return was;
    };
    for (const BindingTableIndex& entry : kernel_->binding_table_indices) {
      const Index* one = find_index(entry.arg_index);
      if (!one || !one->stateful) {
        context_.report(kWarning, DiagnosticKind::BtiDangling, entry, BindingTableIndexKey::arg_index,
                        [&] { return formatted("argument {} is not a stateful buffer or image", entry.arg_index); });
        continue;
      }
      ++index(entry.arg_index).entries;
      if (entry.bti_value < 0 || entry.bti_value > 254) {
        context_.report(kError, DiagnosticKind::BtiRange, entry, BindingTableIndexKey::bti_value,
                        [&] { return formatted("binding table index {}; it is 0 to 254", entry.bti_value); });
      } else if (take(entry.bti_value)) {
        context_.report(kError, DiagnosticKind::BtiDuplicate, entry, BindingTableIndexKey::bti_value,
                        [&] { return formatted("binding table index {} is used twice", entry.bti_value); });
      }
    }
    for (const PayloadArgument& argument : kernel_->payload_arguments) {
      if (argument.bti_value >= 0 && argument.bti_value <= 254) take(argument.bti_value);
      if (argument.arg_type != ArgType::arg_bypointer || argument.addrmode != AddrMode::stateful ||
          argument.addrspace == AddrSpace::sampler || argument.addrspace == AddrSpace::local ||
          argument.arg_index < 0) {
        continue;
      }
      const std::uint32_t entries = index(argument.arg_index).entries;
      if (entries == 1) continue;
      context_.report(kError, DiagnosticKind::BtiMissing, argument, K::arg_index, [&] {
        return formatted("stateful argument {} has {} binding table entries and needs one", argument.arg_index,
                         entries);
      });
    }
    for (std::int32_t i = 0; i < highest; ++i) {
      if (taken[static_cast<std::size_t>(i) / 64] >> (i % 64) & 1) continue;
      context_.report(kWarning, DiagnosticKind::BtiGap, *kernel_, KernelKey::binding_table_indices,
                      [&] { return formatted("binding table index {} is used, and {} is not", highest, i); });
      break;
    }
  }

  // --- the rest of a kernel ---

  void per_thread() {
    using P = PerThreadPayloadArgumentKey;
    for (const PerThreadPayloadArgument& argument : kernel_->per_thread_payload_arguments) {
      if (argument.arg_type == ArgType::unset) continue;
      if (!facts_of(argument.arg_type).per_thread) {
        context_.report(kError, DiagnosticKind::PayloadType, argument, P::arg_type, [&] {
          return formatted("`{}` belongs to payload_arguments", name_of_value(argument.arg_type));
        });
        continue;
      }
      if (argument.offset != 0) {
        context_.report(kError, DiagnosticKind::PayloadType, argument, P::offset,
                        [&] { return formatted("per-thread arguments start at 0, not {}", argument.offset); });
      }
      if (argument.arg_type == ArgType::packed_local_ids) {
        if (env().simd_size != 1 || (argument.size != 2 && argument.size != 4 && argument.size != 6)) {
          context_.report(kError, DiagnosticKind::PackedLocalIds, argument, P::size, [&] {
            return formatted("packed local ids of {} bytes at SIMD {}; they are 2, 4 or 6 bytes at SIMD 1",
                             argument.size, env().simd_size);
          });
        }
        continue;
      }
      if (!env().has(E::simd_size)) continue;
      const auto grf = context_.target.grf_bytes;
      const bool fits = grf ? local_id_size_fits(argument.size, env().simd_size, *grf)
                            : local_id_size_fits(argument.size, env().simd_size, 32) ||
                                  local_id_size_fits(argument.size, env().simd_size, 64);
      if (fits) continue;
      context_.report(kError, DiagnosticKind::LocalIdSize, argument, P::size, [&] {
        const std::int64_t channel = local_id_channel_size(env().simd_size, grf.value_or(32));
        return formatted("local ids of {} bytes; at SIMD {} they are {}, {} or {}", argument.size, env().simd_size,
                         channel, 2 * channel, 3 * channel);
      });
    }
  }

  void environment() {
    const Target& target = context_.target;
    const ExecutionEnv& e = env();
    if (target.device && e.has(E::grf_count) && !std::ranges::contains(target.device->grf_counts, e.grf_count)) {
      context_.report(kWarning, DiagnosticKind::GrfCount, e, E::grf_count, [&] {
        return formatted("{} does not have {} registers a thread", target.device->name(), e.grf_count);
      });
    }
    const auto derived = derived_threads_per_eu(e.grf_count, target);
    if (e.eu_thread_count != 0 && derived && e.eu_thread_count != *derived) {
      context_.report(kWarning, DiagnosticKind::EuThreadCount, e, E::eu_thread_count, [&] {
        return formatted("{} threads an EU; {} holds {} with {} registers each", e.eu_thread_count,
                         target.device->name(), *derived, e.grf_count);
      });
    }
    if (e.inline_data_payload_size != 0 && e.inline_data_payload_size != 32 &&
        !(e.inline_data_payload_size == 64 && target.grf_bytes.value_or(64) == 64)) {
      context_.report(kWarning, DiagnosticKind::InlineSize, e, E::inline_data_payload_size, [&] {
        return formatted("{} bytes of inline data; it is 0 or 32, or 64 with registers of 64 bytes",
                         e.inline_data_payload_size);
      });
    }
    if (e.barrier_count < 0 || e.barrier_count > 32) {
      context_.report(kError, DiagnosticKind::BarrierCount, e, E::barrier_count,
                      [&] { return formatted("{} barriers; 0 to 32 are possible", e.barrier_count); });
    }
    const std::int64_t slm = target.device ? std::int64_t{target.device->slm_kib} * 1024 : std::int64_t{1} << 31;
    if (e.slm_size < 0 || e.slm_size > slm) {
      context_.report(kWarning, DiagnosticKind::SlmSize, e, E::slm_size, [&] {
        return e.slm_size < 0
                   ? formatted("{} bytes of local memory", e.slm_size)
                   : formatted("{} bytes of local memory; {} has {}", e.slm_size, target.device->name(), slm);
      });
    }
    if (e.has(E::require_iab) && !e.require_iab && e.has_stack_calls) {
      context_.report(kWarning, DiagnosticKind::IabContradiction, e, E::require_iab,
                      [] { return "stack calls need the implicit arguments, which require_iab denies"; });
    }
    skip_offset(E::offset_to_skip_per_thread_data_load, e.offset_to_skip_per_thread_data_load);
    skip_offset(E::offset_to_skip_set_ffid_gp, e.offset_to_skip_set_ffid_gp);
  }

  void skip_offset(E key, std::int32_t offset) {
    if (offset == 0) return;
    std::string what;
    const CodeSection* code = context_.target.find_code(kernel_->name);
    if (offset < 0 || offset % 64 != 0) {
      what = "it is a multiple of 64";
    } else if (code && static_cast<std::uint64_t>(offset) >= code->size) {
      what = formatted("the code has {} bytes", code->size);
    } else if (key == E::offset_to_skip_per_thread_data_load && kernel_->per_thread_payload_arguments.empty()) {
      what = "there are no per-thread arguments to skip";
    }
    if (what.empty()) return;
    context_.report(kWarning, DiagnosticKind::SkipOffset, env(), key,
                    [&] { return formatted("offset {}; {}", offset, what); });
  }

  void buffers() {
    using B = PerThreadMemoryBufferKey;
    bool slots[2] = {};
    bool global = false;
    std::int64_t private_size = 0;
    std::int64_t scratch = -1;
    const std::int64_t lanes = std::max(env().simd_size, 1);
    for (const PerThreadMemoryBuffer& buffer : kernel_->per_thread_memory_buffers) {
      const std::int64_t per_thread = buffer.size * (buffer.is_simt_thread ? lanes : 1);
      if (buffer.has(B::size) && (buffer.size <= 0 || per_thread >= std::int64_t{1} << 32)) {
        context_.report(kError, DiagnosticKind::MembufSize, buffer, B::size, [&] {
          return buffer.size <= 0 ? formatted("a buffer of {} bytes", buffer.size)
                                  : formatted("{} bytes for each of {} lanes pass 4 GiB", buffer.size, lanes);
        });
      }
      if (buffer.type == MemBufferType::global) {
        global = true;
        if (buffer.usage == MemBufferUsage::private_space) private_size += per_thread;
        if (buffer.usage != MemBufferUsage::private_space && buffer.usage != MemBufferUsage::unset) {
          context_.report(kError, DiagnosticKind::MembufUsage, buffer, B::usage, [&] {
            return formatted("a global buffer is private_space, not {}", name_of_value(buffer.usage));
          });
        }
      }
      if (buffer.type != MemBufferType::scratch) continue;
      scratch = std::max(scratch, std::int64_t{buffer.size});
      if (buffer.slot < 0 || buffer.slot > 1 || slots[buffer.slot]) {
        context_.report(kError, DiagnosticKind::MembufSlot, buffer, B::slot, [&] {
          return buffer.slot < 0 || buffer.slot > 1 ? formatted("scratch slot {}; the slots are 0 and 1", buffer.slot)
                                                    : formatted("scratch slot {} is taken", buffer.slot);
        });
      } else {
        slots[buffer.slot] = true;
      }
      if (buffer.size > 0 && !std::has_single_bit(static_cast<std::uint32_t>(buffer.size))) {
        context_.report(Severity::Note, DiagnosticKind::ScratchRounding, buffer, B::size, [&] {
          return formatted("{} bytes of scratch become {}: the next power of two", buffer.size,
                           std::bit_ceil(static_cast<std::uint32_t>(buffer.size)));
        });
      }
    }
    const ExecutionEnv& e = env();
    if (global && context_.level >= 39 && e.private_size != private_size) {
      context_.report(kWarning, DiagnosticKind::PrivateSize, e, E::private_size, [&] {
        return formatted("private_size {}; the private buffer has {} a thread", e.private_size, private_size);
      });
    }
    if (e.spill_size > 0 && scratch < e.spill_size) {
      context_.report(kWarning, DiagnosticKind::SpillScratch, e, E::spill_size, [&] {
        return scratch < 0 ? formatted("{} bytes of spills, but no scratch buffer", e.spill_size)
                           : formatted("{} bytes of spills and a scratch buffer of {}", e.spill_size, scratch);
      });
    }
    const bool has_base = std::ranges::contains(kernel_->payload_arguments.span(), ArgType::private_base_stateless,
                                                &PayloadArgument::arg_type);
    if (global && !has_base) {
      context_.report(kWarning, DiagnosticKind::PrivateBase, *kernel_, KernelKey::per_thread_memory_buffers,
                      [] { return "a private buffer without a private_base_stateless argument for its address"; });
    }
  }

  void sizes() {
    const UserAttributes& user = kernel_->user_attributes;
    const Int3& user_size = user.reqd_work_group_size;
    const Int3& size = env().required_work_group_size;
    const auto in_range = [](const Int3& three) {
      return std::ranges::all_of(three.values, [](std::int32_t one) { return one >= 0 && one <= 65535; });
    };
    if (size && !in_range(size)) {
      context_.report(kWarning, DiagnosticKind::WorkGroupSize, env(), E::required_work_group_size,
                      [] { return "sizes of a work group are 0 to 65535"; });
    }
    if (user_size && !in_range(user_size)) {
      context_.report(kWarning, DiagnosticKind::WorkGroupSize, user, UserAttributesKey::reqd_work_group_size,
                      [] { return "sizes of a work group are 0 to 65535"; });
    } else if (user_size && !std::ranges::equal(user_size.values, size.values)) {
      context_.report(kWarning, DiagnosticKind::WorkGroupSize, user, UserAttributesKey::reqd_work_group_size, [&] {
        return formatted("the user requires {} x {} x {}, and required_work_group_size is {} x {} x {}", user_size[0],
                         user_size[1], user_size[2], size[0], size[1], size[2]);
      });
    }
    const auto sub_group = [&](const auto& object, auto key, std::int32_t required) {
      if (required == 0 || required == env().simd_size) return;
      context_.report(kWarning, DiagnosticKind::SubGroupSize, object, key,
                      [&] { return formatted("sub-groups of {} at SIMD {}", required, env().simd_size); });
    };
    sub_group(env(), E::required_sub_group_size, env().required_sub_group_size);
    sub_group(user, UserAttributesKey::intel_reqd_sub_group_size, user.intel_reqd_sub_group_size);
  }

  RuleContext& context_;
  const Kernel* kernel_ = nullptr;
  std::vector<Index> indices_;
  std::unordered_map<std::int32_t, Index> far_;
  std::vector<const PayloadArgument*> by_offset_;
  std::int64_t used_ = 0;
  std::int32_t last_index_ = -1;
};

}  // namespace

void check_consistency(RuleContext& context) {
  KernelRules rules(context);
  for (const Kernel& kernel : context.document.kernels) rules.check(kernel);
}

}  // namespace slipway::zeinfo
