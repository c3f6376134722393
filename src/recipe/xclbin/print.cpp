// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/xclbin/print.hpp"

#include <chrono>

#include "base/format.hpp"
#include "recipe/printable.hpp"
#include "recipe/xclbin/names.hpp"

namespace slipway::recipe::xclbin {
namespace {

std::string version_text(const Xclbin& file) {
  return formatted("{}.{}.{}", file.version_major, file.version_minor, file.version_patch);
}

// Seconds since 1970 as date and time; the number itself after the year 9999.
std::string time_text(std::uint64_t seconds) {
  constexpr std::uint64_t kYear9999 = 253'402'300'799;
  if (seconds > kYear9999) return std::to_string(seconds);
  return formatted("{:%Y-%m-%d %H:%M:%S} UTC",
                   std::chrono::sys_seconds(std::chrono::seconds(static_cast<std::int64_t>(seconds))));
}

std::string list_text(const auto& values) {
  std::string text;
  for (const auto& value : values) text += formatted("{}{}", text.empty() ? "" : ", ", value);
  return text.empty() ? "none" : text;
}

// The name of an entry, or its index if there is no such entry.
template <class Entry>
std::string name_at(const std::vector<Entry>& entries, std::string Entry::* name, std::int32_t index) {
  const bool known = index >= 0 && static_cast<std::size_t>(index) < entries.size();
  return known ? printable(entries[static_cast<std::size_t>(index)].*name) : std::to_string(index);
}

void print_kernels(const Xclbin& file, std::string& text) {
  for (const XclbinKernel& kernel : file.kernels) {
    std::vector<std::string> instances;
    for (const std::string& instance : kernel.instances) instances.push_back(printable(instance));
    text += formatted("\nkernel {} ({}), instances: {}\n", printable(kernel.name), printable(kernel.type),
                      list_text(instances));
    for (const XclbinArgument& argument : kernel.arguments) {
      text += formatted("  {:>3}  {:<8}  {:>4} bytes at {:#04x}  {} {}\n", argument.index,
                        named(qualifier_name(argument.qualifier), argument.qualifier), argument.size, argument.offset,
                        printable(argument.type), printable(argument.name));
    }
  }
}

void print_layouts(const Xclbin& file, std::string& text) {
  if (!file.ip_layout.empty()) text += "\ncompute units\n";
  for (std::size_t i = 0; i < file.ip_layout.size(); ++i) {
    const Ip& ip = file.ip_layout[i];
    text += formatted("  {:>3}  {}  {}: {}\n", i, printable(ip.name), named(ip_type_name(ip.type), ip.type),
                      describe_properties(ip.type, ip.properties));
  }
  if (!file.memory.empty()) text += "\nmemory\n";
  for (std::size_t i = 0; i < file.memory.size(); ++i) {
    const Memory& memory = file.memory[i];
    text += formatted("  {:>3}  {:<16}  {:<8}  {:>10} KiB at {:#x}{}\n", i, printable(memory.tag),
                      named(memory_type_name(memory.type), memory.type), memory.size_kib, memory.base,
                      memory.used ? "" : ", unused");
  }
  if (!file.connectivity.empty()) text += "\nconnectivity (argument of a compute unit -> memory)\n";
  for (const Connection& connection : file.connectivity) {
    text +=
        formatted("  argument {} of {} -> {}\n", connection.argument, name_at(file.ip_layout, &Ip::name, connection.ip),
                  name_at(file.memory, &Memory::tag, connection.memory));
  }
}

void print_partition(const AiePartition& partition, std::string& text) {
  text += formatted("\nAIE partition{}{}\n", partition.name.empty() ? "" : " ", printable(partition.name));
  text += formatted("  columns                {} wide, starting at {}\n", partition.column_width,
                    list_text(partition.start_columns));
  text += formatted("  operations per cycle   {}\n", partition.operations_per_cycle);
  text += formatted("  fingerprints           inference {}, pre/post {}\n", partition.inference_fingerprint,
                    partition.pre_post_fingerprint);
  if (!partition.kernel_commit_id.empty()) {
    text += formatted("  kernel commit id       {}\n", printable(partition.kernel_commit_id));
  }
  for (const Pdi& pdi : partition.pdis) {
    text += formatted("  PDI {}, {} bytes\n", uuid_text(pdi.uuid), pdi.image_size);
    for (const CdoGroup& group : pdi.cdo_groups) {
      std::string kernels, before;
      for (const std::uint64_t id : group.kernel_ids) kernels += formatted(" {:#x}", id);
      for (const std::uint32_t id : group.pre_groups) before += formatted(" {:#x}", id);
      text += formatted("    CDO group {} ({}), PDI id {:#x}, kernel ids{}{}{}\n", printable(group.name),
                        named(cdo_type_name(group.type), group.type), group.pdi_id, kernels.empty() ? " none" : kernels,
                        before.empty() ? "" : ", after", before);
    }
  }
}

}  // namespace

std::string print_xclbin(const Xclbin& file) {
  std::string text = formatted("xclbin, {} bytes\n", file.size);
  const auto line = [&](std::string_view key, std::string value) { text += formatted("  {:<16} {}\n", key, value); };
  line("uuid", uuid_text(file.uuid));
  if (file.interface_uuid != Uuid{}) line("interface uuid", uuid_text(file.interface_uuid));
  line("made", formatted("{} by version {}", time_text(file.timestamp), version_text(file)));
  line("mode", named(mode_name(file.mode), file.mode));
  if (file.action_mask != 0) {
    line("actions", formatted("{:#x}{}{}", file.action_mask, file.action_mask & 1 ? ", load AIE" : "",
                              file.action_mask & 2 ? ", load PDI" : ""));
  }
  if (!file.platform.empty()) line("platform", printable(file.platform));
  line("signature", file.signature_length < 0 ? "none" : formatted("{} bytes", file.signature_length));

  text += "\nsections\n";
  for (const XclbinSection& section : file.sections) {
    text += formatted("  {:<20}  {:>10} bytes at {:#08x}{}{}\n", named(section_kind_name(section.kind), section.kind),
                      section.size, section.offset, section.name.empty() ? "" : "  ", printable(section.name));
  }
  print_kernels(file, text);
  print_layouts(file, text);
  if (file.partition) print_partition(*file.partition, text);
  return text;
}

}  // namespace slipway::recipe::xclbin
