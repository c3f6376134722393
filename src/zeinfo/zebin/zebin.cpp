// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/zebin.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/format.hpp"
#include "zeinfo/check/runtime.hpp"

namespace slipway::zebin {
namespace {

using zeinfo::Release;

constexpr std::uint32_t kFamilyNote = 1, kCoreNote = 2, kMetadataNote = 3, kVersionNote = 4, kProductNote = 6;
constexpr std::string_view kOwner = "IntelGT";
constexpr std::string_view kText = ".text.";

constexpr auto kNotes = std::to_array<NoteInfo>({
    {1, "product family", 4, Release{2129}},
    {2, "gfx core", 4, Release{2129}},
    {3, "target metadata", 4, Release{2129}},
    {4, "zebin version", 0, Release{2234}},
    {5, "vISA ABI version", 4, Release{2326}},
    {6, "product config", 4, Release{2326}},
    {7, "indirect access detection version", 4, Release{2405}},
    {8, "indirect access buffer major version", 4, Release{2531}},
});

// Target metadata (docs/spec/zeinfo.md#elf-container): bit 15 is set if the machine is a gfx core.
constexpr std::uint32_t kMachineIsCore = 1u << 15;

zeinfo::Target target_of(const Elf& elf) {
  const ElfHeader& h = elf.header;
  if (h.machine == kIntelMachine || !elf.notes.empty()) {
    return zeinfo::Target::of_notes(note_number(elf, kFamilyNote), note_number(elf, kCoreNote),
                                    note_number(elf, kMetadataNote), note_number(elf, kProductNote));
  }
  if (h.flags & kMachineIsCore) return zeinfo::Target::of_notes({}, h.machine, h.flags, {});
  return zeinfo::Target::of_notes(h.machine, {}, h.flags, {});
}

std::string_view text_value(const Note& note) {
  const std::string_view text = text_of(note.value);
  return text.substr(0, text.find('\0'));
}

Span span_of(const Section& section) { return {section.header_at, section.header_at + 4}; }

void check_unique(const Elf& elf, ContainerDiagnostics& diagnostics) {
  static constexpr auto kUnique =
      std::to_array<std::string_view>({".ze_info", ".symtab", ".spv", ".pisa", ".note.intelgt.compat", ".data.const",
                                       ".data.global", ".data.global_const", ".data.const.string", ".bss.const",
                                       ".bss.global", ".misc.specConstantsIds", ".misc.specConstantsValues"});
  std::map<std::string_view, std::size_t> counts;
  for (const Section& section : elf.sections) {
    if (!std::ranges::contains(kUnique, section.name)) continue;
    if (++counts[section.name] > 1) {
      diagnostics.error(DiagnosticKind::SectionUnique, span_of(section),
                        formatted("section {} is a second `{}`; the first is used", section.index, section.name));
    }
  }
}

void check_spec_constants(const Elf& elf, ContainerDiagnostics& diagnostics) {
  const Section* ids = elf.find(".misc.specConstantsIds");
  const Section* values = elf.find(".misc.specConstantsValues");
  if (!ids && !values) return;
  const auto bad = [&](std::string message) {
    diagnostics.error(DiagnosticKind::SpecConstants, span_of(ids ? *ids : *values), std::move(message));
  };
  if (!ids || !values) return bad(formatted("`{}` is present without its counterpart", (ids ? ids : values)->name));
  if (ids->bytes.size() % 4 != 0 || values->bytes.size() % 8 != 0 ||
      ids->bytes.size() / 4 != values->bytes.size() / 8) {
    bad(formatted("{} bytes of ids and {} bytes of values; an id has 4 and a value 8", ids->bytes.size(),
                  values->bytes.size()));
  }
}

void check_notes(const Elf& elf, ContainerDiagnostics& diagnostics) {
  for (const Note& note : elf.notes) {
    const auto warn = [&](DiagnosticKind kind, std::string message) {
      diagnostics.warning(kind, {note.at, note.at + 12}, std::move(message));
    };
    if (note.owner != kOwner) {
      warn(DiagnosticKind::NoteOwner,
           formatted("a note of owner `{}`; the runtime reads those of `{}`", note.owner, kOwner));
      continue;
    }
    const NoteInfo* info = note_info(note.type);
    if (!info) {
      warn(DiagnosticKind::NoteUnknown, formatted("a note of unknown type {}", note.type));
    } else if (info->size != 0 && note.value.size() != static_cast<std::size_t>(info->size)) {
      warn(DiagnosticKind::NoteSize,
           formatted("note {} ({}) has {} bytes instead of {}", note.type, info->name, note.value.size(), info->size));
    } else if (info->size == 0 && !text_of(note.value).ends_with('\0')) {
      warn(DiagnosticKind::NoteVersion, formatted("note {} ({}) has no NUL at its end", note.type, info->name));
    } else if (info->type == kVersionNote && !zeinfo::parse_version(text_value(note))) {
      warn(DiagnosticKind::NoteVersion, formatted("`{}` is not MAJOR.MINOR", text_value(note)));
    }
  }
}

// Names of PROGBITS sections that the runtime accepts; an entry with a final dot is a prefix.
constexpr auto kProgbitsNames = std::to_array<std::string_view>(
    {".text.", ".data.const", ".data.global", ".data.global_const", ".data.const.string", ".debug_", ".text"});

// Whether an entry of the table matches a section name, as a prefix if it ends with a dot.
bool is_named(std::string_view word, std::string_view name) {
  return word.ends_with('.') || word.ends_with('_') ? name.starts_with(word) : name == word;
}

bool known_name(std::string_view name, std::span<const std::string_view> known) {
  return std::ranges::any_of(known, [&](std::string_view word) { return is_named(word, name); });
}

}  // namespace

std::string_view Zebin::generator() const {
  if (!target.metadata) return {};
  switch (*target.metadata >> 21 & 7) {
    case 1:
      return "igc";
    case 2:
      return "ngen";
    default:
      return {};
  }
}

std::optional<Zebin> read_zebin(Bytes file, ContainerDiagnostics& diagnostics) {
  std::optional<Elf> elf = read_elf(file, diagnostics);
  if (!elf) return std::nullopt;
  Zebin zebin;
  zebin.elf = std::move(*elf);
  const Elf& e = zebin.elf;
  zebin.ze_info = e.find_type(kZeInfo);
  if (!zebin.ze_info) zebin.ze_info = e.find(".ze_info");
  if (zebin.ze_info && !zebin.ze_info->in_file) zebin.ze_info = nullptr;
  zebin.reassembled = e.header.type == kOldZebin && !e.notes.empty();
  zebin.target = target_of(e);
  for (const Note& note : e.notes) {
    if (note.type == kVersionNote) zebin.target.container_version = zeinfo::parse_version(text_value(note));
  }
  zebin.target.code.emplace();
  zebin.target.has_ze_info = zebin.ze_info != nullptr;
  for (const Section& section : e.sections) {
    if (section.type == kProgbits && std::string_view(section.name).starts_with(kText)) {
      zebin.target.code->push_back({std::string_view(section.name).substr(kText.size()), section.size});
    }
  }
  std::ranges::stable_sort(*zebin.target.code, {}, &zeinfo::CodeSection::name);
  zebin.target.code_sorted = true;
  zebin.target.address_bytes = e.header.wide ? 8 : 4;
  zebin.target.has_spirv = e.find(".spv") != nullptr;
  return zebin;
}

void check_container(const Zebin& zebin, ContainerDiagnostics& diagnostics) {
  const Elf& elf = zebin.elf;
  if (elf.header.machine != kIntelMachine && elf.notes.empty() && !zebin.target.device && !zebin.target.core &&
      zeinfo::name_of_family(elf.header.machine).empty()) {
    diagnostics.warning(
        DiagnosticKind::MachineUnknown, {18, 20},
        formatted("machine {} is not a known product family; rules that depend on the device are skipped",
                  elf.header.machine));
  }
  if (zebin.reassembled) {
    diagnostics.remark(DiagnosticKind::Reassembled, {16, 18},
                       "an old file type with notes: the file was put together again from its sections");
  }
  check_unique(elf, diagnostics);
  check_spec_constants(elf, diagnostics);
  check_notes(elf, diagnostics);
}

void check_container_for(const Zebin& zebin, Release release, ContainerDiagnostics& diagnostics) {
  const Elf& elf = zebin.elf;
  const auto known = [&](zeinfo::ContainerFeature::Kind kind, std::uint32_t number,
                         std::string_view name) -> std::optional<Release> {
    for (const zeinfo::ContainerFeature& feature : zeinfo::container_features()) {
      if (feature.kind == kind && (name.empty() ? feature.number == number : is_named(feature.name, name)))
        return feature.since;
    }
    return std::nullopt;
  };
  using Kind = zeinfo::ContainerFeature::Kind;
  const auto refuse = [&](Span span, std::string message) {
    diagnostics.error(DiagnosticKind::RuntimeRefuses, span, std::move(message));
  };
  const std::string at = formatted("runtime {}", text_of(release));
  if (const auto since = known(Kind::ElfType, elf.header.type, {}); since && release < *since) {
    refuse({16, 18},
           formatted("{} does not know files of type {:#x}, which came with {}", at, elf.header.type, text_of(*since)));
  }
  for (const Section& section : elf.sections) {
    if (section.type == kNull) continue;
    if (const auto since = known(Kind::SectionType, section.type, {}); since && release < *since) {
      refuse(span_of(section), formatted("{} does not know section type {} of `{}`, which came with {}", at,
                                         section_type_name(section.type), section.name, text_of(*since)));
    } else if (!since && section_type_name(section.type).empty()) {
      refuse(
          span_of(section),
          formatted("section `{}` is of unknown type {:#x}; the runtime says: Unhandled ELF section header type : {}",
                    section.name, section.type, section.type));
    } else if (const auto name_since = known(Kind::SectionName, 0, section.name); name_since && release < *name_since) {
      refuse(span_of(section),
             formatted("{} does not know section `{}`, which came with {}", at, section.name, text_of(*name_since)));
    } else if (section.type == kProgbits && !known_name(section.name, kProgbitsNames)) {
      refuse(span_of(section), formatted("the runtime says: Unhandled SHT_PROGBITS section : {}", section.name));
    } else if (section.type == kNote && section.name != ".note.intelgt.compat") {
      diagnostics.warning(DiagnosticKind::RuntimeWarns, span_of(section),
                          formatted("the runtime says: Unhandled SHT_NOTE section : {}", section.name));
    }
  }
  for (const Note& note : elf.notes) {
    const auto since = known(Kind::NoteType, note.type, {});
    if (!since || release < *since) {
      diagnostics.warning(
          DiagnosticKind::RuntimeWarns, {note.at, note.at + 12},
          formatted("{} does not know notes of type {} and warns: Unrecognized IntelGTNote type", at, note.type));
    }
  }
}

const NoteInfo* note_info(std::uint32_t type) {
  const auto found = std::ranges::find(kNotes, type, &NoteInfo::type);
  return found == kNotes.end() ? nullptr : found;
}

std::string note_text(const Note& note) {
  const NoteInfo* info = note_info(note.type);
  if (info && info->size == 0) return std::string(text_value(note));
  if (note.value.size() != 4) return formatted("{} bytes", note.value.size());
  const auto number = load<std::uint32_t>(note.value.data());
  if (note.type == kProductNote) return text_of(zeinfo::ProductConfig::decode(number));
  if (note.type == kFamilyNote) {
    std::string_view name = zeinfo::name_of_family(number);
    if (const zeinfo::Device* device = zeinfo::find_device_of_family(number); device && name.empty())
      name = device->name();
    return name.empty() ? formatted("{}", number) : formatted("{} ({})", number, name);
  }
  return note.type == kMetadataNote ? formatted("{:#x}", number) : formatted("{}", number);
}

std::optional<std::uint32_t> note_number(const Elf& elf, std::uint32_t type) {
  for (const Note& note : elf.notes) {
    if (note.type == type && note.owner == kOwner && note.value.size() == 4)
      return load<std::uint32_t>(note.value.data());
  }
  return std::nullopt;
}

std::optional<SpirvPart> spirv_of(const Elf& elf) {
  const Section* module = elf.find(".spv");
  if (!module || !module->in_file) return std::nullopt;
  SpirvPart part{.module = module->bytes};
  const Section* ids = elf.find(".misc.specConstantsIds");
  const Section* values = elf.find(".misc.specConstantsValues");
  if (!ids || !values || ids->bytes.size() / 4 != values->bytes.size() / 8) return part;
  ByteReader id(ids->bytes), value(values->bytes);
  for (std::size_t i = 0; i < ids->bytes.size() / 4; ++i) {
    part.constants.push_back({id.read<std::uint32_t>(), value.read<std::uint64_t>()});
  }
  return part;
}

}  // namespace slipway::zebin
