// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/image.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/checked.hpp"
#include "base/format.hpp"

namespace slipway::zebin {
namespace {

constexpr std::string_view kMetrics = ".note.intelgt.metrics";
constexpr std::size_t kMetricsRoom = 64;
constexpr std::uint16_t kReservedIndices = 0xff00;

bool holds_relocations(std::uint32_t type) { return type == kRel || type == kRela; }

// The space after the metrics, up to the next part: compilers since 1.50 do not include it in the size
// (docs/spec/zeinfo.md#elf-container).
std::vector<std::byte> space_after(const Elf& elf, const Section& section) {
  if (section.name != kMetrics || section.size >= kMetricsRoom) return {};
  const std::uint64_t begin = section.offset + section.size;
  std::uint64_t end =
      std::min<std::uint64_t>(elf.file.size(), elf.header.shoff > begin ? elf.header.shoff : elf.file.size());
  for (const Section& other : elf.sections) {
    if (other.offset >= begin && &other != &section && other.type != kNull) end = std::min(end, other.offset);
  }
  if (end <= begin || end > elf.file.size()) return {};
  const Bytes bytes = elf.file.subspan(begin, end - begin);
  return {bytes.begin(), bytes.end()};
}

// --- writing ---------------------------------------------------------------------------------------------------------

// Names in the order of their first use, each once. The empty name of a symbol has its own entry, as the compiler
// writes it; that of the first section and symbol is the NUL at the start of every table.
class StringTable {
 public:
  std::uint32_t add(std::string_view text) {
    const auto [at, fresh] = offsets_.try_emplace(std::string(text), static_cast<std::uint32_t>(bytes_.size()));
    if (fresh) bytes_.append(text).append(1, '\0');
    return at->second;
  }
  Bytes bytes() const { return bytes_of(bytes_); }

 private:
  std::string bytes_ = std::string(1, '\0');
  std::unordered_map<std::string, std::uint32_t> offsets_;
};

// Writes fields of both classes.
class FieldWriter {
 public:
  explicit FieldWriter(bool wide) : wide_(wide) {}
  FieldWriter& u8(std::uint64_t v) { return put(static_cast<std::uint8_t>(v)); }
  FieldWriter& u16(std::uint64_t v) { return put(static_cast<std::uint16_t>(v)); }
  FieldWriter& u32(std::uint64_t v) { return put(static_cast<std::uint32_t>(v)); }
  FieldWriter& word(std::uint64_t v) { return wide_ ? put(v) : u32(v); }
  std::vector<std::byte> release() { return out_.release(); }

 private:
  template <class T>
  FieldWriter& put(T value) {
    out_.write(value);
    return *this;
  }
  ByteWriter out_;
  bool wide_;
};

class Writer {
 public:
  explicit Writer(const Image& image) : image_(image), wide_(image.header.wide) {
    for (std::uint32_t i = 0; i < image.parts.size(); ++i) index_[image.parts[i].id] = i;
    for (std::uint32_t i = 0; i < image.symbols.size(); ++i) symbol_index_[image.symbols[i].id] = i;
  }

  std::vector<std::byte> write() {
    StringTable& names = tables_[image_.names];
    for (const Image::Part& part : image_.parts) name_offsets_.push_back(part.name.empty() ? 0 : names.add(part.name));
    const std::vector<std::byte> symbols = symbol_bytes();  // fills the tables

    std::vector<std::byte> out(image_.header.size());
    std::vector<std::uint64_t> offsets, sizes;
    for (const Image::Part& part : image_.parts) {
      const std::vector<std::byte> made = made_bytes(part, symbols);
      const bool is_made = part.id == image_.symbol_table || holds_relocations(part.type) || tables_.contains(part.id);
      const std::vector<std::byte>& bytes = is_made && part.type != kNull ? made : part.bytes;
      if (part.type != kNull) align(out);
      offsets.push_back(out.size());
      sizes.push_back(part.type == kNobits ? part.size : bytes.size());
      out.insert(out.end(), bytes.begin(), bytes.end());
      out.insert(out.end(), part.bytes_after.begin(), part.bytes_after.end());
    }
    align(out);
    const std::uint64_t table_at = out.size();
    for (std::size_t i = 0; i < image_.parts.size(); ++i) append(out, section_header(i, offsets[i], sizes[i]));
    const std::vector<std::byte> header = header_bytes(table_at);
    std::ranges::copy(header, out.begin());
    return out;
  }

 private:
  static void append(std::vector<std::byte>& out, const std::vector<std::byte>& bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  void align(std::vector<std::byte>& out) const { out.resize(round_up(out.size(), image_.header.alignment())); }

  std::uint32_t index_of(std::uint32_t id) const {
    const auto found = index_.find(id);
    return found == index_.end() ? 0 : found->second;
  }

  std::vector<std::byte> symbol_bytes() {
    const auto table = std::ranges::find(image_.parts, image_.symbol_table, &Image::Part::id);
    if (image_.symbol_table == 0 || table == image_.parts.end()) return {};
    StringTable& names = tables_[table->link];
    FieldWriter out(wide_);
    for (const Image::Symbol& s : image_.symbols) {
      const std::uint32_t name = s.id == 0 && s.name.empty() ? 0 : names.add(s.name);
      const std::uint32_t section = s.section >= kReservedIndices ? s.section : index_of(s.section);
      if (wide_) {
        out.u32(name).u8(s.info).u8(s.other).u16(section).word(s.value).word(s.size);
      } else {
        out.u32(name).word(s.value).word(s.size).u8(s.info).u8(s.other).u16(section);
      }
    }
    return out.release();
  }

  std::vector<std::byte> relocation_bytes(std::uint32_t section) const {
    FieldWriter out(wide_);
    for (const Image::Relocation& r : image_.relocations) {
      if (r.section != section) continue;
      const auto symbol = symbol_index_.find(r.symbol);
      const std::uint64_t index = symbol == symbol_index_.end() ? 0 : symbol->second;
      out.word(r.offset).word(wide_ ? index << 32 | r.type : index << 8 | (r.type & 0xff));
      if (r.addend) out.word(static_cast<std::uint64_t>(*r.addend));
    }
    return out.release();
  }

  std::vector<std::byte> made_bytes(const Image::Part& part, const std::vector<std::byte>& symbols) const {
    if (part.id == image_.symbol_table) return symbols;
    if (holds_relocations(part.type)) return relocation_bytes(part.id);
    if (const auto table = tables_.find(part.id); table != tables_.end()) {
      const Bytes bytes = table->second.bytes();
      return {bytes.begin(), bytes.end()};
    }
    return {};
  }

  std::uint32_t symbol_table_info() const {
    if (!image_.counts_locals) return static_cast<std::uint32_t>(image_.symbols.size());
    const auto locals = std::ranges::count_if(image_.symbols, [](const Image::Symbol& s) { return s.info >> 4 == 0; });
    return static_cast<std::uint32_t>(locals);  // the empty symbol is one of them
  }

  std::vector<std::byte> section_header(std::size_t i, std::uint64_t offset, std::uint64_t size) const {
    const Image::Part& part = image_.parts[i];
    const bool linked = part.type == kSymtab || holds_relocations(part.type);
    std::uint32_t info = part.info;
    if (part.id == image_.symbol_table && part.type == kSymtab) info = symbol_table_info();
    if (holds_relocations(part.type)) info = index_of(part.info);
    if (part.type == kGtpinInfo) {
      const auto symbol = symbol_index_.find(part.info);
      info = symbol == symbol_index_.end() ? 0 : symbol->second;
    }
    FieldWriter out(wide_);
    out.u32(name_offsets_[i]).u32(part.type).word(part.flags).word(part.address).word(offset).word(size);
    out.u32(linked ? index_of(part.link) : part.link).u32(info).word(part.alignment).word(part.entry_size);
    return out.release();
  }

  std::vector<std::byte> header_bytes(std::uint64_t table_at) const {
    const ElfHeader& h = image_.header;
    FieldWriter out(wide_);
    for (const std::uint8_t byte : h.ident) out.u8(byte);
    out.u16(h.type).u16(h.machine).u32(h.version).word(h.entry).word(h.phoff).word(table_at).u32(h.flags);
    out.u16(h.ehsize).u16(h.phentsize).u16(h.phnum).u16(h.section_header_size());
    out.u16(image_.parts.size()).u16(index_of(image_.names));
    return out.release();
  }

  const Image& image_;
  bool wide_;
  std::unordered_map<std::uint32_t, std::uint32_t> index_, symbol_index_;
  std::map<std::uint32_t, StringTable> tables_;  // by the id of their part
  std::vector<std::uint32_t> name_offsets_;
};

// --- edits -----------------------------------------------------------------------------------------------------------

bool is_relocation_of(const Image::Part& part, std::uint32_t id) {
  return holds_relocations(part.type) && part.info == id;
}

void remove_parts(Image& image, const std::vector<std::uint32_t>& ids) {
  const auto gone = [&](std::uint32_t id) { return std::ranges::contains(ids, id); };
  // Removes symbols that only removed relocations used, and those in removed parts. Kernels, entries and globals are
  // kept.
  std::vector<std::uint32_t> used_before, used_after;
  for (const Image::Relocation& r : image.relocations) (gone(r.section) ? used_before : used_after).push_back(r.symbol);
  std::ranges::sort(used_before);
  std::ranges::sort(used_after);
  const auto is_unused = [&](const Image::Symbol& s) {
    if (s.id == 0 || std::ranges::binary_search(used_after, s.id)) return false;
    const bool in_removed = s.section != 0 && gone(s.section);
    const bool is_debug = s.info >> 4 == 0 && (s.info & 0xf) != 2 && s.name != "_entry";
    return in_removed || (is_debug && std::ranges::binary_search(used_before, s.id));
  };
  std::erase_if(image.symbols, is_unused);
  std::erase_if(image.relocations, [&](const Image::Relocation& r) { return gone(r.section); });
  std::erase_if(image.parts, [&](const Image::Part& part) { return gone(part.id); });
}

std::uint32_t fresh_id(const Image& image) { return std::ranges::max(image.parts, {}, &Image::Part::id).id + 1; }

// A file without sections has neither the empty one nor names.
void add_names(Image& image) {
  if (image.parts.empty()) image.parts.emplace_back();
  if (image.names != 0) return;
  image.names = fresh_id(image);
  image.parts.push_back({.id = image.names, .name = ".strtab", .type = kStrtab});
}

}  // namespace

Image::Part* Image::find(std::string_view name) {
  const auto found = std::ranges::find_if(parts, [&](const Part& p) { return p.type != kNull && p.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

Image::Part* Image::find(std::uint32_t id) {
  const auto found = std::ranges::find(parts, id, &Part::id);
  return found == parts.end() ? nullptr : &*found;
}

std::optional<Image> image_of(const Zebin& zebin, ContainerDiagnostics& diagnostics) {
  const Elf& elf = zebin.elf;
  if (diagnostics.errors() != 0) {
    diagnostics.error(DiagnosticKind::FileFormat, {0, 4}, "a file with errors in its container cannot be written anew");
    return std::nullopt;
  }
  if (std::ranges::count(elf.sections, kSymtab, &Section::type) > 1) {
    diagnostics.error(DiagnosticKind::FileFormat, {0, 4}, "a file with two symbol tables cannot be written anew");
    return std::nullopt;
  }
  Image image{.header = elf.header, .names = elf.header.shstrndx};
  for (const Section& s : elf.sections) {
    image.parts.push_back({.id = s.index,
                           .name = s.name,
                           .type = s.type,
                           .flags = s.flags,
                           .address = s.address,
                           .link = s.link,
                           .info = s.info,
                           .alignment = s.alignment,
                           .entry_size = s.entry_size,
                           .bytes = {s.bytes.begin(), s.bytes.end()},
                           .size = s.size,
                           .bytes_after = space_after(elf, s)});
    if (s.type != kSymtab) continue;
    image.symbol_table = s.index;
    image.counts_locals = s.info != elf.symbols.size() ||
                          std::ranges::all_of(elf.symbols, [](const Symbol& symbol) { return symbol.binding() == 0; });
  }
  for (const Symbol& s : elf.symbols) {
    image.symbols.push_back({s.index, std::string(s.name), s.info, s.other, s.section, s.value, s.size});
  }
  for (const Relocation& r : elf.relocations)
    image.relocations.push_back({r.section, r.offset, r.symbol, r.type, r.addend});
  return image;
}

std::vector<std::byte> write_image(const Image& image) { return Writer(image).write(); }

std::optional<StripChoice> parse_strip(std::string_view text) {
  StripChoice choice;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    bool* const flag = word == "ir"        ? &choice.ir
                       : word == "debug"   ? &choice.debug
                       : word == "asm"     ? &choice.assembly
                       : word == "metrics" ? &choice.metrics
                       : word == "options" ? &choice.options
                                           : nullptr;
    if (!flag) return std::nullopt;
    *flag = true;
  }
  return choice;
}

std::vector<std::string> strip(Image& image, const StripChoice& choice) {
  const auto goes = [&](const Image::Part& part) {
    const std::string_view name = part.name;
    return (choice.ir && (name == ".spv" || name == ".pisa" || name.starts_with(".misc.specConstants"))) ||
           (choice.debug && name.starts_with(".debug_")) ||
           (choice.assembly && (name == ".visaasm" || name.starts_with(".visaasm."))) ||
           (choice.metrics && name == kMetrics) || (choice.options && name == ".misc.buildOptions");
  };
  std::vector<std::uint32_t> ids;
  std::vector<std::string> names;
  for (const Image::Part& part : image.parts) {
    // The string table may have any name.
    if (part.id == 0 || part.id == image.names || !goes(part)) continue;
    ids.push_back(part.id);
    names.push_back(part.name);
    for (const Image::Part& other : image.parts) {
      if (is_relocation_of(other, part.id)) {
        ids.push_back(other.id);
        names.push_back(other.name);
      }
    }
  }
  remove_parts(image, ids);
  return names;
}

void replace_ze_info(Image& image, std::string_view text) {
  const Bytes bytes = bytes_of(text);
  const std::vector<std::byte> copy(bytes.begin(), bytes.end());
  auto part = std::ranges::find(image.parts, kZeInfo, &Image::Part::type);
  if (part == image.parts.end()) part = std::ranges::find(image.parts, ".ze_info", &Image::Part::name);
  if (part != image.parts.end()) {
    part->bytes = copy;
    return;
  }
  add_names(image);
  const auto before = std::ranges::find_if(
      image.parts, [&](const Image::Part& p) { return p.name == ".note.intelgt.compat" || p.type == kStrtab; });
  image.parts.insert(before, {.id = fresh_id(image), .name = ".ze_info", .type = kZeInfo, .bytes = copy});
}

void set_version_note(Image& image, zeinfo::Version version) {
  Image::Part* const part = image.find(".note.intelgt.compat");
  if (!part) return;
  constexpr std::size_t kHead = 12;
  ByteWriter out;
  ByteReader in(part->bytes);
  while (in.remaining() > kHead) {
    const std::size_t begin = in.offset();
    const auto owner_size = in.read<std::uint32_t>(), value_size = in.read<std::uint32_t>(),
               type = in.read<std::uint32_t>();
    const Bytes owner = in.take(round_up(std::uint64_t{owner_size}, 4));
    const Bytes value = in.take(std::min<std::uint64_t>(round_up(std::uint64_t{value_size}, 4), in.remaining()));
    if (in.failed()) break;
    if (type != 4) {
      out.append(Bytes(part->bytes).subspan(begin, in.offset() - begin));
      continue;
    }
    if (version.is_pre()) continue;  // such files have no version number
    const std::string text = text_of(version);
    out.write(owner_size).write(static_cast<std::uint32_t>(text.size() + 1)).write(type).append(owner).append(text);
    out.pad_to(round_up(out.size() + 1, 4));
    static_cast<void>(value);
  }
  part->bytes = out.release();
}

Result<> rename_kernel(Image& image, std::string_view from, std::string_view to) {
  const std::string old_code = formatted(".text.{}", from), new_code = formatted(".text.{}", to);
  const Image::Part* const code = image.find(old_code);
  if (!code) return fail(DiagnosticKind::UnknownReference, {}, formatted("there is no section `{}`", old_code));
  if (from == to) return {};
  if (image.find(new_code))
    return fail(DiagnosticKind::DuplicateName, {}, formatted("a section `{}` already exists", new_code));
  const std::uint32_t id = code->id;
  for (Image::Symbol& symbol : image.symbols) {
    if (symbol.section == id && symbol.name == from) symbol.name = to;
  }
  for (Image::Part& part : image.parts) {
    for (const std::string_view prefix : {".text.", ".rel.text.", ".rela.text.", ".gtpin_info.", ".visaasm."}) {
      if (part.name == formatted("{}{}", prefix, from)) part.name = formatted("{}{}", prefix, to);
    }
  }
  return {};
}

std::vector<std::string> newer_than(const Image& image, zeinfo::Version version) {
  // docs/spec/zeinfo.md#version-history
  struct Since {
    std::uint32_t number;
    std::string_view name;
    int level;
  };
  static constexpr auto kNoteLevels =
      std::to_array<Since>({{4, "", 16}, {5, "", 32}, {6, "", 33}, {7, "", 38}, {8, "", 58}});
  static constexpr auto kSectionLevels = std::to_array<Since>(
      {{0, ".text", 45}, {0, ".misc.specConstantsIds", 68}, {0, ".misc.specConstantsValues", 68}, {0, ".pisa", 71}});
  std::vector<std::string> found;
  for (const Image::Part& part : image.parts) {
    for (const Since& since : kSectionLevels) {
      if (part.name == since.name && version.level() < since.level)
        found.push_back(formatted("section `{}`", part.name));
    }
    if (part.name != ".note.intelgt.compat") continue;
    ByteReader in(part.bytes);
    while (in.remaining() > 0) {
      const auto owner_size = in.read<std::uint32_t>(), value_size = in.read<std::uint32_t>(),
                 type = in.read<std::uint32_t>();
      in.take(round_up(std::uint64_t{owner_size}, 4));
      in.take(std::min<std::uint64_t>(round_up(std::uint64_t{value_size}, 4), in.remaining()));
      if (in.failed()) break;
      for (const Since& since : kNoteLevels) {
        if (type == since.number && version.level() < since.level) found.push_back(formatted("note {}", type));
      }
    }
  }
  return found;
}

}  // namespace slipway::zebin
