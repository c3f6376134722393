// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/inspect/inspect.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "zeinfo/kernel/compare.hpp"
#include "zeinfo/kernel/occupancy.hpp"
#include "zeinfo/schema.hpp"
#include "zeinfo/zebin/inspect/inspect_texts.hpp"

namespace slipway::zebin {

using zeinfo::ArgType;
using zeinfo::Kernel;
using zeinfo::PayloadArgument;

// The surface of an argument without space in the payload.
std::optional<std::int32_t> binding_of(const Kernel& kernel, std::int32_t index) {
  for (const zeinfo::BindingTableIndex& entry : kernel.binding_table_indices) {
    if (entry.arg_index == index) return entry.bti_value;
  }
  return std::nullopt;
}

bool is_explicit(const PayloadArgument& argument) { return argument.arg_index >= 0; }

std::string type_text(std::uint32_t type) {
  const std::string_view name = section_type_name(type);
  return name.empty() ? formatted("{:#x}", type) : std::string(name);
}

std::string section_name(const Elf& elf, std::uint32_t index) {
  return index < elf.sections.size() ? printable(elf.sections[index].name) : formatted("#{}", index);
}

std::string relocation_type_text(std::uint32_t type) {
  const std::string_view name = relocation_type_name(type);
  return name.empty() ? std::to_string(type) : std::string(name);
}

std::string symbol_name(const Elf& elf, std::uint32_t index) {
  return index < elf.symbols.size() ? printable(elf.symbols[index].name) : formatted("#{}", index);
}

namespace {

// Columns as wide as their widest cell; the last is not padded.
class Table {
 public:
  explicit Table(std::string indent) : indent_(std::move(indent)) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], std::min<std::size_t>(display_width(row[i]), 48));
    }
    std::string out;
    for (const auto& row : rows_) {
      out += indent_;
      for (std::size_t i = 0; i < row.size(); ++i) {
        out += row[i];
        if (i + 1 == row.size()) break;
        const std::size_t width = display_width(row[i]);
        out.append(std::max(widths[i], width) - width + 2, ' ');
      }
      while (out.ends_with(' ')) out.pop_back();
      out += '\n';
    }
    return out;
  }

 private:
  std::string indent_;
  std::vector<std::vector<std::string>> rows_;
};

std::string head_line(const Input& input) {
  std::string text = input.name + ": ";
  const bool is_zebin = input.kind == InputKind::Zebin;
  text += is_zebin ? "zebin" : input.kind == InputKind::Json ? "ZE Info as JSON," : "ZE Info";
  if (input.has_document || input.target.container_version) {
    text += formatted(" {}", input.has_document ? text_of(input.version()) : text_of(*input.target.container_version));
  }
  const zeinfo::Target& target = input.target;
  std::vector<std::string> facts;
  if (target.config) facts.push_back(text_of(*target.config));
  if (target.grf_bytes) facts.push_back(formatted("{}-byte registers", *target.grf_bytes));
  std::string device = target.device ? std::string(target.device->name()) : "";
  if (device.empty() && target.family) device = zeinfo::name_of_family(*target.family);
  if (!device.empty() || !facts.empty()) {
    text += formatted(" for {}", device.empty() ? "an unknown device" : device);
    for (std::size_t i = 0; i < facts.size(); ++i) text += (i == 0 ? " (" : ", ") + facts[i];
    if (!facts.empty()) text += ")";
  }
  if (input.zebin && !input.zebin->generator().empty()) text += formatted(", generator {}", input.zebin->generator());
  const std::size_t kernels = input.kernel_count();
  text += formatted(", {} kernel{}{}", kernels, kernels == 1 ? "" : "s",
                    input.has_functions() ? ", functions and globals" : "");
  return text + formatted(", {} bytes\n", input.size);
}

std::string registers_text(double registers) {
  return registers == std::floor(registers) ? formatted("{:.0f}", registers) : formatted("{:.1f}", registers);
}

// "x y z": the dimensions whose local ids a thread receives.
std::string dimensions_text(const Kernel& kernel, const zeinfo::Target& target) {
  for (const zeinfo::PerThreadPayloadArgument& argument : kernel.per_thread_payload_arguments) {
    std::int64_t channel = 2;
    if (argument.arg_type == ArgType::local_id) {
      const std::int64_t register_bytes = target.grf_bytes.value_or(32);
      channel = (2 * std::max<std::int64_t>(kernel.execution_env.simd_size, 16) + register_bytes - 1) / register_bytes *
                register_bytes;
    } else if (argument.arg_type != ArgType::packed_local_ids) {
      continue;
    }
    const std::int64_t count = argument.size / channel;
    return count >= 3 ? " (x y z)" : count == 2 ? " (x y)" : count == 1 ? " (x)" : "";
  }
  return "";
}

std::string work_group_text(const Kernel& kernel) {
  const auto size = zeinfo::required_work_group(kernel);
  return size ? formatted("{}x{}x{}", (*size)[0], (*size)[1], (*size)[2]) : "any";
}

std::string arguments_text(const zeinfo::Document& document, const Kernel& kernel) {
  std::map<std::int32_t, std::vector<const PayloadArgument*>> by_index;
  std::string implicit;
  for (const PayloadArgument& argument : kernel.payload_arguments) {
    if (is_explicit(argument)) {
      by_index[argument.arg_index].push_back(&argument);
    } else {
      if (!implicit.empty()) implicit += ", ";
      implicit += where_text(kernel, argument);
    }
  }
  std::string text;
  if (!by_index.empty()) {
    Table table("  ");
    table.row({"arg", "name", "type", "where"});
    for (const auto& [index, arguments] : by_index) {
      const zeinfo::ArgInfo* const info = zeinfo::arg_info(document, kernel, index);
      std::string where, access;
      for (const bool pointers : {true, false}) {  // first pointers, then the other properties
        for (const PayloadArgument* argument : arguments) {
          if ((argument->arg_type == ArgType::arg_bypointer) != pointers) continue;
          if (!where.empty()) where += ", ";
          where += where_text(kernel, *argument);
          if (access.empty()) access = name_of_value(argument->access_type);
        }
      }
      if (!access.empty()) where += ", " + access;
      const std::string type = info ? printable(info->type_name.substr(0, info->type_name.find(';'))) : "";
      table.row({std::to_string(index), info ? printable(info->name) : "", type, where});
    }
    text += table.text();
  }
  if (!implicit.empty()) text += formatted("  implicit: {}\n", implicit);
  return text;
}

auto occupancy_of(const Kernel& kernel, const zeinfo::Target& target, const InspectOptions& options) {
  return zeinfo::occupancy(
      kernel, target, {.local_size = *options.occupancy_of, .eus = options.eus, .local_memory = options.local_memory});
}

std::string occupancy_text(const Kernel& kernel, const zeinfo::Target& target, const InspectOptions& options) {
  const auto o = occupancy_of(kernel, target, options);
  if (!o) return formatted("  occupancy: {}\n", o.error());
  const auto& size = o->local_size;
  return formatted("  occupancy with {}x{}x{}{} on {} EUs: {} work group{} of {} threads, limited by {}\n", size[0],
                   size[1], size[2], size == *options.occupancy_of ? "" : " (required)", o->eus, o->groups,
                   o->groups == 1 ? "" : "s", o->threads_per_group, o->limited_by);
}

std::string indented(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    out += formatted("    {}", text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string kernel_text(const Input& input, const Kernel& kernel, const InspectOptions& options) {
  const zeinfo::KernelSummary s = summarize(kernel, input.version(), input.target);
  std::string text = formatted("kernel `{}`: simd {}, {} registers", printable(kernel.name), s.simd, s.grf);
  if (s.threads_per_eu) text += formatted(", {} threads/EU", *s.threads_per_eu);
  if (s.code_bytes) text += formatted(", {} bytes of code", *s.code_bytes);
  if (s.instructions) text += formatted(", {} instructions ({} sends)", *s.instructions, *s.sends);
  text += formatted("\n  spill {} B/thread ({} registers/lane), scratch {} B, private {} B, slm {} B, barriers {}\n",
                    s.spill_bytes, registers_text(s.spill_registers_per_lane), s.scratch_bytes, s.private_bytes,
                    s.slm_bytes, s.barriers);
  text += formatted("  cross-thread {} B ({} inline), per-thread {} B{}, work group {}\n", s.cross_thread_bytes,
                    s.inline_bytes, s.per_thread_bytes, dimensions_text(kernel, input.target), work_group_text(kernel));
  if (!kernel.user_attributes.invalid_kernel.empty()) {
    text += formatted("  must not run: {}\n", printable(kernel.user_attributes.invalid_kernel));
  }
  text += arguments_text(input.document, kernel);
  if (options.occupancy_of) text += occupancy_text(kernel, input.target, options);
  if (options.layout) text += print(layout_of(input.document, kernel, input.target));
  if (options.isa && s.isa) text += indented(*s.isa);
  return text;
}

std::string hex(std::uint64_t number) { return formatted("{:#x}", number); }

std::string sections_text(const Elf& elf) {
  Table table("  ");
  table.row({"section", "name", "type", "flags", "offset", "size", "link", "info"});
  for (const Section& s : elf.sections) {
    table.row({std::to_string(s.index), printable(s.name), type_text(s.type), section_flags_text(s.flags),
               hex(s.offset), hex(s.size), std::to_string(s.link), std::to_string(s.info)});
  }
  return table.text();
}

std::string symbols_text(const Elf& elf) {
  Table table("  ");
  table.row({"symbol", "name", "type", "binding", "section", "value", "size"});
  for (const Symbol& s : elf.symbols) {
    table.row({std::to_string(s.index), printable(s.name), std::string(symbol_type_name(s.type())),
               std::string(symbol_binding_name(s.binding())),
               s.section == 0 ? "undefined" : section_name(elf, s.section), hex(s.value), hex(s.size)});
  }
  return table.text();
}

std::string relocations_text(const Elf& elf) {
  Table table("  ");
  table.row({"relocations", "offset", "type", "symbol", "addend"});
  for (const Relocation& r : elf.relocations) {
    table.row({section_name(elf, r.section), hex(r.offset), relocation_type_text(r.type), symbol_name(elf, r.symbol),
               r.addend ? std::to_string(*r.addend) : ""});
  }
  return table.text();
}

std::string notes_text(const Elf& elf) {
  Table table("  ");
  table.row({"note", "name", "value"});
  for (const Note& note : elf.notes) {
    const NoteInfo* const info = note_info(note.type);
    table.row({std::to_string(note.type), std::string(info ? info->name : "unknown"), printable(note_text(note))});
  }
  return table.text();
}

}  // namespace

std::string where_text(const Kernel& kernel, const PayloadArgument& argument) {
  const auto at = [&](std::string_view what) { return formatted("{} @{}+{}", what, argument.offset, argument.size); };
  switch (argument.arg_type) {
    case ArgType::arg_byvalue:
      if (argument.has(PayloadArgument::Key::source_offset)) {
        return at(
            formatted("value[{}..{}]", argument.source_offset, std::int64_t{argument.source_offset} + argument.size));
      }
      return at("value");
    case ArgType::arg_bypointer: {
      const std::string mode(argument.addrmode == zeinfo::AddrMode::unset ? "pointer"
                                                                          : name_of_value(argument.addrmode));
      if (argument.addrmode == zeinfo::AddrMode::stateful) {
        if (argument.addrspace == zeinfo::AddrSpace::sampler)
          return formatted("{} sampler {}", mode, argument.sampler_index);
        const auto bti = binding_of(kernel, argument.arg_index);
        return bti ? formatted("{} bti {}", mode, *bti) : mode;
      }
      return at(mode);
    }
    case ArgType::buffer_offset:
      return at("offset");
    case ArgType::buffer_address:
      return at("address");
    case ArgType::buffer_size:
      return at("size");
    default:
      return at(name_of_value(argument.arg_type));
  }
}

std::vector<const Kernel*> chosen_kernels(const Input& input, const InspectOptions& options) {
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : input.document.kernels) {
    if (options.kernel.empty() ? !zeinfo::is_pseudo_kernel(kernel) : kernel.name == options.kernel)
      kernels.push_back(&kernel);
  }
  return kernels;
}

std::vector<std::string> occupancy_problems(const Input& input, const InspectOptions& options) {
  std::vector<std::string> problems;
  if (!options.occupancy_of) return problems;
  for (const Kernel* kernel : chosen_kernels(input, options)) {
    const auto result = occupancy_of(*kernel, input.target, options);
    if (!result) problems.push_back(formatted("kernel `{}`: {}", printable(kernel->name), result.error()));
  }
  return problems;
}

std::string print_input(const Input& input, const InspectOptions& options) {
  std::string text = head_line(input);
  for (const Kernel* kernel : chosen_kernels(input, options)) text += kernel_text(input, *kernel, options);
  if (!input.zebin) return text;
  const Elf& elf = input.zebin->elf;
  if (options.sections) text += sections_text(elf);
  if (options.symbols) text += symbols_text(elf);
  if (options.relocations) text += relocations_text(elf);
  if (options.notes) text += notes_text(elf);
  return text;
}

}  // namespace slipway::zebin
