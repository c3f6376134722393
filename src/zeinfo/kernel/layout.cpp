// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/kernel/layout.hpp"

#include <algorithm>
#include <functional>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "zeinfo/kernel/arg_facts.hpp"
#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {

namespace {

template <class T>
std::uint64_t end_of(const List<T>& arguments) {
  std::uint64_t end = 0;
  for (const T& argument : arguments) {
    const auto offset = static_cast<std::uint64_t>(std::max(argument.offset, 0));
    end = std::max(end, offset + static_cast<std::uint64_t>(std::max(argument.size, 0)));
  }
  return end;
}

// The payload size has 16 bits; arguments beyond that are not drawn, and a rule reports them.
template <class T>
bool is_drawable(const T& argument) {
  return argument.offset >= 0 && argument.size >= 0 && std::int64_t{argument.offset} + argument.size <= 65535;
}

std::string describe(const PayloadArgument& argument) {
  const std::string type(name_of_value(argument.arg_type));
  switch (argument.arg_type) {
    case ArgType::arg_bypointer:
      return formatted("{} {}", name_of_value(argument.addrmode), name_of_value(argument.addrspace));
    case ArgType::arg_byvalue:
      if (argument.source_offset < 0) return "value";
      return formatted("value bytes {}..{}", argument.source_offset,
                       std::int64_t{argument.source_offset} + argument.size);
    default:
      return type.empty() ? "(unknown)" : type;
  }
}

// Sorts ranges by address and adds the holes between them; overlapping bytes get a separate range.
std::vector<PayloadRange> arranged(std::vector<PayloadRange> ranges, std::uint32_t size) {
  std::ranges::stable_sort(ranges, {}, [](const PayloadRange& one) { return std::pair(one.offset, one.size); });
  std::vector<PayloadRange> out;
  std::uint32_t end = 0;
  for (PayloadRange& range : ranges) {
    if (range.offset > end) {
      out.push_back({.kind = PayloadRange::Kind::Hole, .offset = end, .size = range.offset - end, .what = "(hole)"});
    } else if (range.offset < end) {
      const std::uint32_t shared = std::min(end, range.offset + range.size) - range.offset;
      out.push_back({.kind = PayloadRange::Kind::Overlap, .offset = range.offset, .size = shared, .what = "(overlap)"});
    }
    end = std::max(end, range.offset + range.size);
    out.push_back(std::move(range));
  }
  if (end < size)
    out.push_back({.kind = PayloadRange::Kind::Hole, .offset = end, .size = size - end, .what = "(hole)"});
  return out;
}

// The kernel's entry of kernels_misc_info; null if absent.
const KernelMiscInfo* misc_info(const Document& document, const Kernel& kernel) {
  const std::span<const KernelMiscInfo> infos = document.kernels_misc_info.span();
  // Compilers write both lists in the same order, except for the pseudo-kernel, which has no entry. This avoids a
  // search per kernel in texts with thousands of kernels.
  const std::less<const Kernel*> before;
  const Kernel* const first = document.kernels.begin();
  if (!before(&kernel, first) && before(&kernel, document.kernels.end())) {
    const auto index = static_cast<std::size_t>(&kernel - first);
    if (index < infos.size() && infos[index].name == kernel.name) return &infos[index];
    if (index > 0 && index - 1 < infos.size() && infos[index - 1].name == kernel.name) return &infos[index - 1];
  }
  const auto found = std::ranges::find(infos, kernel.name, &KernelMiscInfo::name);
  return found == infos.end() ? nullptr : &*found;
}

}  // namespace

std::uint64_t cross_thread_size(const Kernel& kernel) { return round_up(end_of(kernel.payload_arguments), 32); }
std::uint64_t per_thread_size(const Kernel& kernel) { return end_of(kernel.per_thread_payload_arguments); }

std::uint32_t natural_alignment(const PayloadArgument& argument) {
  if (argument.arg_type == ArgType::arg_byvalue) {
    const bool wide = argument.size == 8 || argument.size == 16 || argument.size == 32 || argument.size == 64;
    return wide ? 8 : 4;
  }
  const bool address = facts_of(argument.arg_type).address ||
                       (argument.arg_type == ArgType::arg_bypointer && argument.addrmode == AddrMode::stateless);
  return address && argument.size == 8 ? 8 : 4;
}

const ArgInfo* arg_info(const Document& document, const Kernel& kernel, std::int32_t index) {
  const KernelMiscInfo* info = misc_info(document, kernel);
  if (!info) return nullptr;
  const auto found = std::ranges::find(info->args_info.span(), index, &ArgInfo::index);
  return found == info->args_info.span().end() ? nullptr : &*found;
}

PayloadLayout layout_of(const Document& document, const Kernel& kernel, const Target& target) {
  PayloadLayout layout;
  layout.kernel = kernel.name;
  layout.grf_bytes = target.grf_bytes;
  const KernelMiscInfo* info = misc_info(document, kernel);
  std::vector<PayloadRange> ranges;
  for (std::uint32_t i = 0; i < kernel.payload_arguments.size(); ++i) {
    const PayloadArgument& argument = kernel.payload_arguments[i];
    if (!is_drawable(argument)) continue;
    PayloadRange range{.offset = static_cast<std::uint32_t>(argument.offset),
                       .size = static_cast<std::uint32_t>(argument.size),
                       .type = argument.arg_type,
                       .argument = i,
                       .arg_index = argument.arg_index,
                       .what = describe(argument)};
    if (info && argument.arg_index >= 0) {
      const auto found = std::ranges::find(info->args_info.span(), argument.arg_index, &ArgInfo::index);
      if (found != info->args_info.span().end()) range.owner = found->name;
    }
    if (range.size == 0) {
      layout.elsewhere.push_back(std::move(range));
      continue;
    }
    range.misaligned = range.offset % natural_alignment(argument) != 0;
    layout.used = std::max(layout.used, range.offset + range.size);
    ranges.push_back(std::move(range));
  }
  layout.cross_thread_size = static_cast<std::uint32_t>(round_up(layout.used, 32));
  layout.cross_thread = arranged(std::move(ranges), layout.cross_thread_size);
  layout.inline_size = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(kernel.execution_env.inline_data_payload_size, 0, layout.cross_thread_size));

  ranges.clear();
  for (std::uint32_t i = 0; i < kernel.per_thread_payload_arguments.size(); ++i) {
    const PerThreadPayloadArgument& argument = kernel.per_thread_payload_arguments[i];
    if (!is_drawable(argument) || argument.size == 0) continue;
    ranges.push_back({.offset = static_cast<std::uint32_t>(argument.offset),
                      .size = static_cast<std::uint32_t>(argument.size),
                      .type = argument.arg_type,
                      .argument = i,
                      .what = std::string(name_of_value(argument.arg_type))});
    layout.per_thread_size = std::max(layout.per_thread_size, ranges.back().offset + ranges.back().size);
    const std::int32_t simd = kernel.execution_env.simd_size;
    if (argument.arg_type == ArgType::local_id && target.grf_bytes && (simd == 8 || simd == 16 || simd == 32) &&
        local_id_size_fits(argument.size, simd, *target.grf_bytes))
      layout.local_id_bytes = static_cast<std::uint32_t>(local_id_channel_size(simd, *target.grf_bytes));
  }
  layout.per_thread = arranged(std::move(ranges), layout.per_thread_size);
  return layout;
}

namespace {

std::string line_of(const PayloadRange& range) {
  std::string out = formatted("  {:>5} +{:<4} {}", range.offset, range.size, range.what);
  if (range.arg_index >= 0) out += formatted(", argument {}", range.arg_index);
  if (!range.owner.empty()) out += formatted(" `{}`", range.owner);
  if (range.misaligned) out += " (misaligned)";
  return out + "\n";
}

}  // namespace

std::string print(const PayloadLayout& layout) {
  std::string out = formatted("kernel `{}`: {} bytes of cross-thread data, {} of them inline; {} bytes a thread\n",
                              layout.kernel, layout.cross_thread_size, layout.inline_size, layout.per_thread_size);
  const auto grf = static_cast<std::uint32_t>(layout.grf_bytes.value_or(0));
  std::uint32_t next_register = 0;
  bool inline_marked = layout.inline_size == 0;
  for (const PayloadRange& range : layout.cross_thread) {
    if (!inline_marked && range.offset >= layout.inline_size) {
      out += "  ---- end of inline data\n";
      inline_marked = true;
    }
    if (grf && range.offset >= next_register) {
      out += formatted("  register {}\n", range.offset / grf);
      next_register = (range.offset / grf + 1) * grf;
    }
    out += line_of(range);
  }
  if (!layout.per_thread.empty()) {
    out += "  each thread\n";
    for (const PayloadRange& range : layout.per_thread) out += line_of(range);
  }
  if (!layout.elsewhere.empty()) {
    out += "  without space in the payload\n";
    for (const PayloadRange& range : layout.elsewhere) out += line_of(range);
  }
  return out;
}

}  // namespace slipway::zeinfo
