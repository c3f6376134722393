// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/control_code/print.hpp"

#include "base/format.hpp"
#include "recipe/printable.hpp"

namespace slipway::recipe::control_code {
std::string abi_text(const ControlCode& file) {
  return formatted("{}.{}", file.abi_version >> 4, file.abi_version & 15);
}

std::string scheme_text(std::uint32_t scheme) {
  const std::string_view name = scheme_name(scheme);
  return name.empty() ? std::to_string(scheme) : std::string(name);
}

namespace {

std::string_view section_name(const ControlCode& file, std::uint32_t index) {
  return index == 0 || index > file.sections.size() ? std::string_view("?") : file.sections[index - 1].name;
}

std::string_view opcode_name(std::uint32_t opcode) {
  switch (opcode) {
    case 18:
      return "START_DPU";
    case 20:
      return "START_NPU";
    case 21:
      return "START_NPU with preemption";
    default:
      return "START_NPU with PDIs";
  }
}

void print_kernels(const ControlCode& file, std::string& text) {
  for (const ControlKernel& kernel : file.kernels) {
    std::string arguments;
    for (const std::string& type : kernel.arguments) {
      arguments += formatted("{}{}", arguments.empty() ? "" : ", ", type);
    }
    text += formatted("\nkernel {}({})\n", printable(kernel.name), arguments);
    for (const Instance& instance : kernel.instances) {
      text += formatted("  {}:{}  sections", printable(kernel.name), printable(instance.name));
      for (const std::uint32_t member : instance.members) {
        text += formatted(" {}", printable(section_name(file, member)));
      }
      text += '\n';
    }
  }
}

}  // namespace

std::string print_control_code(const ControlCode& file) {
  std::string text = formatted("{} ELF, {} bytes\n", file.full ? "configuration" : "control-code", file.size);
  const auto line = [&](std::string_view key, std::string value) { text += formatted("  {:<16} {}\n", key, value); };
  line("platform", formatted("{}, ABI {}", platform_name(file.os_abi), abi_text(file)));
  if (file.uid) line("uid", xclbin::uuid_text(*file.uid));
  if (file.partition_columns) line("columns", std::to_string(*file.partition_columns));
  line("command", formatted("{} ({})", opcode_name(command_opcode(file)), command_opcode(file)));

  text += "\nsections\n";
  for (const ControlSection& section : file.sections) {
    text += formatted("  {:>3}  {:<24}  {:>8} bytes at {:#06x}{}\n", section.index, printable(section.name),
                      section.size, section.offset, section.compressed() ? ", compressed" : "");
  }
  print_kernels(file, text);
  if (!file.patches.empty()) text += "\npatches (address of a symbol -> location in a section)\n";
  for (const ControlPatch& patch : file.patches) {
    text +=
        formatted("  {}{} + {} -> {} at {:#06x}, {}\n", patch.argument() ? "argument " : "", printable(patch.symbol),
                  patch.addend, printable(section_name(file, patch.section)), patch.offset, scheme_text(patch.scheme));
  }
  return text;
}

}  // namespace slipway::recipe::control_code
