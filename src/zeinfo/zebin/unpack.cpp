// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/unpack.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "base/system/paths/confined_file.hpp"
#include "base/text/base64.hpp"
#include "json/record.hpp"
#include "zeinfo/zebin/image.hpp"

namespace slipway::zebin {
namespace {

std::string file_name_of(const Section& section) {
  std::string name = formatted("{:03}-{}", section.index, section.name);
  for (char& c : name) {
    const bool plain =
        (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (!plain) c = '_';
  }
  return name.substr(0, 200);  // kernel names may have thousands of characters, file names may not
}

bool has_file(const Section& s) { return s.in_file && s.type != kNull && s.type != kNobits; }

// The ranges that are not covered by the header, the section table or a section.
std::vector<Span> gaps_of(const Elf& elf) {
  std::vector<Span> covered = {{0, elf.header.size()}};
  covered.push_back({elf.header.shoff, elf.header.shoff + elf.sections.size() * elf.header.section_header_size()});
  for (const Section& s : elf.sections) {
    if (has_file(s)) covered.push_back(s.span());
  }
  std::ranges::sort(covered, {}, &Span::begin);
  std::vector<Span> gaps;
  std::uint64_t at = 0;
  for (const Span& span : covered) {
    if (span.begin > at && span.begin != span.end)
      gaps.push_back({at, std::min<std::uint64_t>(span.begin, elf.file.size())});
    if (span.begin != span.end) at = std::max(at, span.end);
  }
  if (at < elf.file.size()) gaps.push_back({at, elf.file.size()});
  return gaps;
}

// --- the manifest --------------------------------------------------------------------------------------------------

using json::Decoder;
using json::Value;

struct HeaderRecord {
  std::uint64_t bits = 64;
  std::string ident;
  std::uint64_t type = 0, machine = 0, version = 0, entry = 0, phoff = 0, shoff = 0, flags = 0, ehsize = 0,
                phentsize = 0, phnum = 0, shentsize = 0, shnum = 0, shstrndx = 0;
  Value at;
};
struct SectionRecord {
  std::uint64_t index = 0;
  std::string name;
  std::uint64_t name_offset = 0, type = 0, flags = 0, address = 0, offset = 0, size = 0, link = 0, info = 0,
                alignment = 0, entry_size = 0;
  std::optional<std::string> file;
  Value at;
};
struct GapRecord {
  std::uint64_t offset = 0;
  std::string bytes;
  Value at;
};
struct Manifest {
  int format = 0;
  std::uint64_t size = 0;
  HeaderRecord header;
  std::vector<SectionRecord> sections;
  std::vector<GapRecord> gaps;
};

// Unsigned numbers of a given width in bits.
template <std::uint64_t bits>
json::Integer unsigned_number() {
  return {.min = 0, .max = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (bits % 64)) - 1};
}

const json::Record<HeaderRecord>& header_record() {
  using H = HeaderRecord;
  const auto u16 = unsigned_number<16>(), u32 = unsigned_number<32>(), u64 = unsigned_number<64>();
  static const auto record = json::Record<H>("elf_header", "the ELF header", &H::at)
                                 .required("class", &H::bits, u16, "32 or 64")
                                 .required("ident", &H::ident, json::Text{}, "the 16 bytes of e_ident in base64")
                                 .required("type", &H::type, u16, "e_type")
                                 .required("machine", &H::machine, u16, "e_machine")
                                 .required("version", &H::version, u32, "e_version")
                                 .required("entry", &H::entry, u64, "e_entry")
                                 .required("phoff", &H::phoff, u64, "e_phoff")
                                 .required("shoff", &H::shoff, u64, "e_shoff: where the section headers are")
                                 .required("flags", &H::flags, u32, "e_flags")
                                 .required("ehsize", &H::ehsize, u16, "e_ehsize")
                                 .required("phentsize", &H::phentsize, u16, "e_phentsize")
                                 .required("phnum", &H::phnum, u16, "e_phnum")
                                 .required("shentsize", &H::shentsize, u16, "e_shentsize")
                                 .required("shnum", &H::shnum, u16, "e_shnum")
                                 .required("shstrndx", &H::shstrndx, u16, "e_shstrndx: the section with the names");
  return record;
}

const json::Record<SectionRecord>& section_record() {
  using S = SectionRecord;
  const auto u32 = unsigned_number<32>(), u64 = unsigned_number<64>();
  static const auto record =
      json::Record<S>("section", "one section header", &S::at)
          .required("index", &S::index, u32, "its place in the table")
          .required("name", &S::name, json::Text{}, "its name; another one renames it")
          .required("name_offset", &S::name_offset, u32, "where the name is in the string table")
          .required("type", &S::type, u32, "sh_type")
          .required("flags", &S::flags, u64, "sh_flags")
          .required("addr", &S::address, u64, "sh_addr")
          .required("offset", &S::offset, u64, "sh_offset")
          .required("size", &S::size, u64, "sh_size")
          .required("link", &S::link, u32, "sh_link")
          .required("info", &S::info, u32, "sh_info")
          .required("addralign", &S::alignment, u64, "sh_addralign")
          .required("entsize", &S::entry_size, u64, "sh_entsize")
          .optional("file", &S::file, json::kNotEmpty, "the file with its bytes; absent: it has none");
  return record;
}

const json::Record<GapRecord>& gap_record() {
  static const auto record =
      json::Record<GapRecord>("gap", "bytes that no section or table covers", &GapRecord::at)
          .required("offset", &GapRecord::offset, unsigned_number<64>(), "where they are in the file")
          .required("bytes", &GapRecord::bytes, json::Text{}, "the bytes in base64");
  return record;
}

const json::Record<Manifest>& manifest_record() {
  static constexpr json::Word<int> kFormat[] = {{"zebin", 0}};
  static const auto record =
      json::Record<Manifest>("zebin", "a zebin that was unpacked into a directory")
          .required("format", &Manifest::format, json::Words<int>(kFormat), "identifies the format")
          .required("size", &Manifest::size, unsigned_number<64>(), "the size of the file in bytes")
          .required("header", &Manifest::header, json::Nested(header_record()), "the ELF header")
          .required("sections", &Manifest::sections, json::List{json::Nested(section_record()), 0, 0xffff},
                    "the section headers")
          .required("gaps", &Manifest::gaps, json::List{json::Nested(gap_record())},
                    "bytes that no section or table covers");
  return record;
}

Manifest manifest_of(const Elf& elf) {
  const ElfHeader& h = elf.header;
  Manifest manifest{.size = elf.file.size(),
                    .header = {.bits = h.wide ? 64u : 32u,
                               .ident = to_base64(std::as_bytes(std::span(h.ident))),
                               .type = h.type,
                               .machine = h.machine,
                               .version = h.version,
                               .entry = h.entry,
                               .phoff = h.phoff,
                               .shoff = h.shoff,
                               .flags = h.flags,
                               .ehsize = h.ehsize,
                               .phentsize = h.phentsize,
                               .phnum = h.phnum,
                               .shentsize = h.shentsize,
                               .shnum = h.shnum,
                               .shstrndx = h.shstrndx,
                               .at = {}}};
  for (const Section& s : elf.sections) {
    manifest.sections.push_back({.index = s.index,
                                 .name = printable(s.name),
                                 .name_offset = s.name_offset,
                                 .type = s.type,
                                 .flags = s.flags,
                                 .address = s.address,
                                 .offset = s.offset,
                                 .size = s.size,
                                 .link = s.link,
                                 .info = s.info,
                                 .alignment = s.alignment,
                                 .entry_size = s.entry_size,
                                 .file = has_file(s) ? std::optional(file_name_of(s)) : std::nullopt,
                                 .at = {}});
  }
  for (const Span& gap : gaps_of(elf)) {
    manifest.gaps.push_back(
        {.offset = gap.begin, .bytes = to_base64(elf.file.subspan(gap.begin, gap.end - gap.begin)), .at = {}});
  }
  return manifest;
}

// --- packing ---------------------------------------------------------------------------------------------------------

class Packer {
 public:
  Packer(const SourcePtr& source, Manifest manifest) : source_(source), manifest_(std::move(manifest)) {}

  Result<Packed> pack(const std::function<Result<std::vector<std::byte>>(const std::string&)>& file_of) {
    if (Result<> loaded = load(file_of); !loaded) return fail(std::move(loaded.error()));
    Packed packed;
    if (std::ranges::equal(sizes_, manifest_.sections, {}, {}, &SectionRecord::size)) {
      Result<std::vector<std::byte>> bytes = as_it_was();
      if (!bytes) return fail(std::move(bytes.error()));
      packed.bytes = std::move(*bytes);
    } else {
      packed.bytes = one_after_the_other();
      packed.has_new_layout = true;
    }
    return finish(std::move(packed));
  }

 private:
  Result<> load(const std::function<Result<std::vector<std::byte>>(const std::string&)>& file_of) {
    const HeaderRecord& h = manifest_.header;
    const auto ident = from_base64(h.ident);
    if ((h.bits != 32 && h.bits != 64) || !ident || ident->size() != 16) {
      return fail(
          json::problem(h.at, DiagnosticKind::OutOfRange, "a header needs class 32 or 64 and 16 bytes of `ident`"));
    }
    wide_ = h.bits == 64;
    ident_ = *ident;
    for (const SectionRecord& s : manifest_.sections) {
      std::vector<std::byte> bytes;
      if (s.file) {
        Result<std::vector<std::byte>> read = file_of(*s.file);
        if (!read)
          return fail(std::move(read.error()), formatted("named by section {} `{}`", s.index, s.name), s.at.location());
        bytes = std::move(*read);
      }
      sizes_.push_back(s.file ? bytes.size() : s.size);
      files_.push_back(std::move(bytes));
    }
    for (const GapRecord& gap : manifest_.gaps) {
      std::optional<std::vector<std::byte>> bytes = from_base64(gap.bytes);
      if (!bytes) return fail(json::problem(gap.at["bytes"], DiagnosticKind::OutOfRange, "not base64"));
      gaps_.push_back(std::move(*bytes));
    }
    return {};
  }

  std::size_t header_size() const { return wide_ ? 64 : 52; }
  std::size_t section_header_size() const { return wide_ ? 64 : 40; }
  std::size_t table_size() const { return manifest_.sections.size() * section_header_size(); }

  void field(ByteWriter& out, std::uint64_t value) const {
    if (wide_) {
      out.write(value);
    } else {
      out.write(static_cast<std::uint32_t>(value));
    }
  }

  std::vector<std::byte> header(std::uint64_t table_at) const {
    const HeaderRecord& h = manifest_.header;
    ByteWriter out;
    out.append(Bytes(ident_));
    out.write(static_cast<std::uint16_t>(h.type))
        .write(static_cast<std::uint16_t>(h.machine))
        .write(static_cast<std::uint32_t>(h.version));
    field(out, h.entry);
    field(out, h.phoff);
    field(out, table_at);
    out.write(static_cast<std::uint32_t>(h.flags));
    for (const std::uint64_t half : {h.ehsize, h.phentsize, h.phnum, h.shentsize, h.shnum, h.shstrndx}) {
      out.write(static_cast<std::uint16_t>(half));
    }
    return out.release();
  }

  std::vector<std::byte> table(const std::vector<std::uint64_t>& offsets) const {
    ByteWriter out;
    for (std::size_t i = 0; i < manifest_.sections.size(); ++i) {
      const SectionRecord& s = manifest_.sections[i];
      out.write(static_cast<std::uint32_t>(s.name_offset)).write(static_cast<std::uint32_t>(s.type));
      for (const std::uint64_t value : {s.flags, s.address, offsets[i], sizes_[i]}) field(out, value);
      out.write(static_cast<std::uint32_t>(s.link)).write(static_cast<std::uint32_t>(s.info));
      field(out, s.alignment);
      field(out, s.entry_size);
    }
    return out.release();
  }

  // Puts every byte at its previous offset. Sections may share bytes, whose values must agree.
  Result<std::vector<std::byte>> as_it_was() const {
    std::vector<std::uint64_t> offsets;
    std::uint64_t room = header_size() + table_size();
    for (const SectionRecord& s : manifest_.sections) offsets.push_back(s.offset);
    for (const auto& bytes : files_) room += bytes.size();
    for (const auto& bytes : gaps_) room += bytes.size();
    if (manifest_.size > room) {
      return fail(DiagnosticKind::OutOfRange, SourceLocation::in_file(source_->name()),
                  formatted("the file should have {} bytes, but sections and gaps have {}", manifest_.size, room));
    }
    std::vector<std::byte> out(manifest_.size);
    std::vector<bool> taken(manifest_.size);
    const auto put = [&](std::uint64_t at, Bytes bytes, const std::string& what,
                         const SourceLocation& location) -> Result<> {
      const Size end = checked_add(at, bytes.size());
      if (!end || *end > out.size()) {
        return fail(DiagnosticKind::OutOfRange, location,
                    formatted("{} goes past the end of the file, {:#x}", what, out.size()));
      }
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (taken[at + i] && out[at + i] != bytes[i]) {
          return fail(DiagnosticKind::SectionAlias, location,
                      formatted("{} shares the byte at {:#x} with something else, and they differ now", what, at + i));
        }
        out[at + i] = bytes[i];
        taken[at + i] = true;
      }
      return {};
    };
    const SourceLocation whole = SourceLocation::in_file(source_->name());
    Result<> ok = put(0, header(manifest_.header.shoff), "the header", manifest_.header.at.location());
    if (ok && table_size() != 0) ok = put(manifest_.header.shoff, table(offsets), "the section table", whole);
    for (std::size_t i = 0; i < files_.size() && ok; ++i) {
      const SectionRecord& s = manifest_.sections[i];
      if (s.file) ok = put(s.offset, files_[i], formatted("section {} `{}`", s.index, s.name), s.at.location());
    }
    for (std::size_t i = 0; i < gaps_.size() && ok; ++i) {
      ok = put(manifest_.gaps[i].offset, gaps_[i], "a gap", manifest_.gaps[i].at.location());
    }
    if (!ok) return fail(std::move(ok.error()));
    return out;
  }

  std::vector<std::byte> one_after_the_other() const {
    std::vector<std::byte> out(header_size());
    std::vector<std::uint64_t> offsets;
    const auto append = [&](Bytes bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); };
    for (std::size_t i = 0; i < files_.size(); ++i) {
      out.resize(round_up(out.size(), 8));
      offsets.push_back(out.size());
      append(files_[i]);
      // The metrics have reserved space after their size.
      const SectionRecord& s = manifest_.sections[i];
      for (std::size_t g = 0; s.name == ".note.intelgt.metrics" && g < gaps_.size(); ++g) {
        if (manifest_.gaps[g].offset == s.offset + s.size) append(gaps_[g]);
      }
    }
    out.resize(round_up(out.size(), 8));
    const std::uint64_t table_at = out.size();
    append(table(offsets));
    std::ranges::copy(header(table_at), out.begin());
    return out;
  }

  // New names and a new layout in the compiler's order are made through the image.
  Result<Packed> finish(Packed packed) const {
    Diagnostics diagnostics;
    ContainerDiagnostics problems(source_->name(), diagnostics);
    std::optional<Zebin> zebin = read_zebin(packed.bytes, problems);
    bool renamed = false;
    if (zebin && zebin->elf.sections.size() == manifest_.sections.size()) {
      for (std::size_t i = 0; i < manifest_.sections.size(); ++i) {
        renamed |= printable(zebin->elf.sections[i].name) != manifest_.sections[i].name;
      }
    }
    if (!renamed && !packed.has_new_layout) return packed;
    std::optional<Image> image = zebin ? image_of(*zebin, problems) : std::nullopt;
    if (!image)
      return fail(diagnostics.release(), "a section has another size or name, so everything is laid out anew");
    for (std::size_t i = 0; i < image->parts.size() && i < manifest_.sections.size(); ++i) {
      Image::Part& part = image->parts[i];
      if (printable(part.name) != manifest_.sections[i].name) part.name = manifest_.sections[i].name;
    }
    return Packed{.bytes = write_image(*image), .has_new_layout = true};
  }

  SourcePtr source_;
  Manifest manifest_;
  bool wide_ = true;
  std::vector<std::byte> ident_;
  std::vector<std::uint64_t> sizes_;  // current size of each section
  std::vector<std::vector<std::byte>> files_, gaps_;
};

}  // namespace

Result<std::vector<UnpackedFile>> unpack(const Elf& elf) {
  std::uint64_t total = 0;
  for (const Section& s : elf.sections) total += has_file(s) ? s.bytes.size() : 0;
  if (total > elf.file.size() * 4) {
    return fail(DiagnosticKind::FileFormat, {},
                formatted("the sections share their bytes: unpacked they would be {} bytes of a file of {}", total,
                          elf.file.size()));
  }
  const auto to_bytes = [](Bytes bytes) { return std::vector<std::byte>(bytes.begin(), bytes.end()); };
  std::vector<UnpackedFile> files = {
      {std::string(kManifestName), to_bytes(bytes_of(json::object_text(manifest_record(), manifest_of(elf))))}};
  for (const Section& s : elf.sections) {
    if (has_file(s)) files.push_back({file_name_of(s), to_bytes(s.bytes)});
  }
  return files;
}

Result<Packed> pack(const SourcePtr& manifest,
                    const std::function<Result<std::vector<std::byte>>(const std::string&)>& file_of) {
  const auto document = json::parse(manifest);
  if (!document) return fail(document.error());
  Diagnostics diagnostics;
  Decoder decoder(diagnostics, Severity::Error);
  std::optional<Manifest> read = decoder.read(manifest_record(), (*document)->root());
  if (!read || diagnostics.has_errors()) return fail(diagnostics.release());
  return Packer(manifest, std::move(*read)).pack(file_of);
}

std::string manifest_schema() { return json::schema_text("zebin.json", "", {&manifest_record().table()}); }

Result<> unpack_to(const Elf& elf, const Path& directory) {
  Result<std::vector<UnpackedFile>> files = unpack(elf);
  if (!files) return fail(std::move(files.error()));
  if (Result<> made = make_directories(directory); !made) return made;
  for (const UnpackedFile& file : *files) {
    SLIPWAY_TRY_VOID(write_file_below(directory, directory / file.name, Bytes(file.bytes)));
  }
  return {};
}

Result<Packed> pack_from(const Path& directory) {
  const Path manifest = directory / kManifestName;
  SLIPWAY_TRY(std::string text, read_text_below(directory, manifest));
  return pack(make_source(manifest.string(), std::move(text)),
              [&](const std::string& name) -> Result<std::vector<std::byte>> {
                Result<MappedFile> file = map_file_below(directory, directory / name);
                if (!file && file.error().at(0).kind == DiagnosticKind::PathOutside) {
                  return fail(DiagnosticKind::PathOutside, SourceLocation::in_file(name),
                              formatted("`{}` is not in the directory", name));
                }
                if (!file) return fail(std::move(file.error()));
                return std::vector<std::byte>(file->bytes().begin(), file->bytes().end());
              });
}

}  // namespace slipway::zebin
