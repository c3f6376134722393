// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a control-code ELF, table by table (docs/spec/recipe.md#control-code-elf-files).
#include <algorithm>
#include <charconv>
#include <optional>

#include "base/elf.hpp"
#include "base/format.hpp"
#include "recipe/control_code/elf32.hpp"
#include "recipe/control_code/mangled.hpp"

namespace slipway::recipe::control_code {
namespace {

constexpr std::uint32_t kNoteUid = 4, kNoteConfiguration = 6;
// Far more than any design has; limits the time of the linear searches.
constexpr std::size_t kMaxKernels = 4096;
// Section indices from here on have special meanings (absolute, common) and refer to no section.
constexpr std::uint16_t kReservedSections = 0xff00;

// The contents of the note of a type in a section: {u32 name size, u32 size, u32 type, name, contents}, name "XRT".
// Empty if the section has another form or size.
Bytes note_of_size(Elf32& elf, const ControlSection& section, std::uint32_t type, std::size_t size) {
  const Bytes bytes = elf.contents(section);
  constexpr std::size_t kHead = 16;
  const bool ok = bytes.size() >= kHead + size && load<std::uint32_t>(&bytes[0]) == 4 &&
                  load<std::uint32_t>(&bytes[4]) == size && load<std::uint32_t>(&bytes[8]) == type &&
                  text_of(bytes.subspan(12, 3)) == "XRT";
  return ok ? bytes.subspan(kHead, size) : Bytes();
}

Bytes note(Elf32& elf, const ControlSection& section, std::uint32_t type, std::size_t size) {
  if (const Bytes bytes = note_of_size(elf, section, type, size); !bytes.empty()) return bytes;
  elf.diagnostics().error(
      DiagnosticKind::FileFormat, elf.location_of(section),
      formatted("section {} is not a note of XRT of type {} with {} bytes", section.name, type, size));
  return {};
}

// 16 bytes, or as older assemblers wrote them: 32 hexadecimal digits.
std::optional<Uuid> read_uid(Elf32& elf, const ControlSection& section) {
  if (const Bytes bytes = note_of_size(elf, section, kNoteUid, sizeof(Uuid)); !bytes.empty())
    return load<Uuid>(bytes.data());
  const std::string_view digits = text_of(note_of_size(elf, section, kNoteUid, 2 * sizeof(Uuid)));
  Uuid uid{};
  bool ok = !digits.empty();
  for (std::size_t i = 0; ok && i < sizeof(Uuid); ++i) {
    std::uint8_t byte = 0;
    const char* const begin = digits.data() + 2 * i;
    const auto [end, failed] = std::from_chars(begin, begin + 2, byte, 16);
    ok = failed == std::errc() && end == begin + 2;
    uid[i] = byte;
  }
  if (ok) return uid;
  // Only queries for the identifier need it.
  elf.diagnostics().rule(DiagnosticKind::FileFormat, elf.location_of(section),
                         formatted("section {} is not a note of XRT of type {} with {} bytes or {} hexadecimal digits",
                                   section.name, kNoteUid, sizeof(Uuid), 2 * sizeof(Uuid)));
  return std::nullopt;
}

void read_notes(Elf32& elf, ControlCode& file) {
  if (const ControlSection* section = elf.find(".note.xrt.UID")) file.uid = read_uid(elf, *section);
  if (const ControlSection* section = elf.find(".note.xrt.configuration")) {
    file.full = true;
    if (const Bytes bytes = note(elf, *section, kNoteConfiguration, 4); !bytes.empty()) {
      file.partition_columns = load<std::uint32_t>(bytes.data());
    }
  }
}

// The members of a group: section indices after 32 bits of flags. `budget` is the number of members still allowed,
// which a file of this size cannot exceed if its groups are disjoint.
std::vector<std::uint32_t> read_members(Elf32& elf, const ControlSection& group, std::size_t& budget) {
  const Bytes bytes = elf.contents(group);
  std::vector<std::uint32_t> members;
  for (std::size_t at = 4; at + 4 <= bytes.size() && budget != 0; at += 4, --budget) {
    const auto index = load<std::uint32_t>(&bytes[at]);
    if (!elf.section_at(index, group.name)) break;
    members.push_back(index);
  }
  return members;
}

void check_preemption(Elf32& elf, const ControlSection& group, const std::vector<std::uint32_t>& members) {
  const auto has = [&](std::string_view beginning) {
    return std::ranges::any_of(members, [&](std::uint32_t i) { return elf.sections()[i].name.starts_with(beginning); });
  };
  if (has(".preempt_save") == has(".preempt_restore")) return;
  elf.diagnostics().error(
      DiagnosticKind::FileFormat, elf.location_of(group),
      formatted("{} has unpaired preempt sections: save without restore, or restore without save", group.name));
}

// A group is an instance of a kernel: its `info` is an OBJECT symbol named as the instance, whose section field holds
// the index of the kernel's FUNC symbol.
void read_group(Elf32& elf, const ControlSection& group, std::size_t& budget, ControlCode& file) {
  const ControlSection* symbols = elf.section_at(group.link, group.name);
  if (!symbols) return;
  const std::optional<ElfSymbol> object = elf.symbol(*symbols, group.info, group.name);
  const std::optional<ElfSymbol> function =
      object ? elf.symbol(*symbols, object->section, formatted("the instance of {}", group.name)) : std::nullopt;
  if (!function) return;
  if (object->type() != STT_OBJECT || function->type() != STT_FUNC) {
    elf.diagnostics().error(DiagnosticKind::FileFormat, elf.location_of(*symbols),
                            formatted("{} must name an OBJECT symbol, and that a FUNC symbol, but their types are "
                                      "{} and {}",
                                      group.name, object->type(), function->type()));
    return;
  }
  const std::string mangled = elf.symbol_name(*symbols, *function);
  std::optional<KernelSignature> signature = demangle(mangled);
  if (!signature) {
    elf.diagnostics().error(
        DiagnosticKind::FileFormat, elf.location_of(*symbols),
        formatted("kernel symbol `{}` of {} is not the mangled name of a function with pointer parameters", mangled,
                  group.name));
    return;
  }
  auto kernel = std::ranges::find(file.kernels, signature->name, &ControlKernel::name);
  if (kernel == file.kernels.end()) {
    if (file.kernels.size() == kMaxKernels) {
      elf.diagnostics().error(DiagnosticKind::OutOfRange, elf.location_of(group),
                              formatted("there are more than {} kernels", kMaxKernels));
      return;
    }
    file.kernels.push_back(
        {.name = std::move(signature->name), .arguments = std::move(signature->arguments), .instances = {}});
    kernel = file.kernels.end() - 1;
  }
  Instance instance{.name = elf.symbol_name(*symbols, *object), .group_section = group.index, .members = {}};
  instance.members = read_members(elf, group, budget);
  check_preemption(elf, group, instance.members);
  kernel->instances.push_back(std::move(instance));
}

void read_patches(Elf32& elf, const ControlSection& table, std::size_t& budget, ControlCode& file) {
  const ControlSection* symbols = elf.section_at(table.link, table.name);
  if (!symbols) return;
  const Bytes bytes = elf.contents(table);
  const bool scheme_in_addend = file.abi_version == 0x01;
  for (std::size_t at = 0; budget != 0; ++at, --budget) {
    const std::optional<ElfRelocation> raw = elf_relocation(bytes, false, true, at);
    if (!raw) return;
    const std::optional<ElfSymbol> symbol = elf.symbol(*symbols, raw->symbol, table.name);
    if (!symbol) return;
    const ControlSection* target =
        symbol->section < kReservedSections ? elf.section_at(symbol->section, table.name) : nullptr;
    if (!target) return;
    if (raw->offset >= target->size) {
      elf.diagnostics().error(DiagnosticKind::IndexOutOfRange, elf.location_of(table),
                              formatted("{} patches byte {} of section {}, which has {} bytes", table.name, raw->offset,
                                        target->name, target->size));
      return;
    }
    const auto addend = static_cast<std::uint32_t>(*raw->addend);
    file.patches.push_back({.symbol = elf.symbol_name(*symbols, *symbol),
                            .section = symbol->section,
                            .offset = static_cast<std::uint32_t>(raw->offset),
                            .scheme = scheme_in_addend ? addend & 15 : raw->type,
                            .addend = scheme_in_addend ? addend >> 4 : addend,
                            .symbol_size = static_cast<std::uint32_t>(symbol->size)});
  }
}

}  // namespace

bool is_control_code(Bytes bytes) {
  if (bytes.size() < 20 || !is_elf(bytes) || std::to_integer<int>(bytes[4]) != 1) return false;
  return !platform_name(std::to_integer<std::uint8_t>(bytes[7])).empty() && load<std::uint16_t>(&bytes[18]) == 1;
}

std::optional<ControlCode> read_control_code(Bytes bytes, std::string_view name, Diagnostics& diagnostics) {
  std::optional<Elf32> elf = Elf32::read(bytes, name, diagnostics);
  if (!elf) return std::nullopt;
  ControlCode file{.size = bytes.size(), .os_abi = elf->header().os_abi(), .abi_version = elf->header().abi_version()};
  if (platform_name(file.os_abi).empty()) {
    diagnostics.error(DiagnosticKind::FileFormat, SourceLocation::in_bytes(std::string(name), {7, 8}),
                      formatted("this ELF file is for platform {}, which is not a known NPU", file.os_abi));
    return std::nullopt;
  }
  file.sections.assign(elf->sections().begin() + 1, elf->sections().end());
  read_notes(*elf, file);
  std::size_t members = bytes.size() / 4, patches = bytes.size() / elf->header().relocation_size(true);
  for (const ControlSection& section : elf->sections()) {
    if (section.type == SHT_GROUP) {
      file.grouped = true;
      read_group(*elf, section, members, file);
    } else if (section.type == SHT_RELA) {
      read_patches(*elf, section, patches, file);
    }
  }
  if (!file.grouped) {
    std::vector<std::uint32_t> all;
    for (const ControlSection& section : file.sections) all.push_back(section.index);
    if (!all.empty()) check_preemption(*elf, elf->sections()[all.front()], all);
  }
  return file;
}

}  // namespace slipway::recipe::control_code
