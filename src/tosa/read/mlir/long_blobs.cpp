// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long constants of MLIR bytecode ("MLIR Bytecode Format", and the encoding of the dialect `builtin`).
#include <algorithm>
#include <bit>

#include "base/mlir_bytecode.hpp"
#include "tosa/read/mlir/long_literals.hpp"

namespace slipway::tosa {
namespace {

constexpr std::uint64_t kDenseResource = 16, kDense = 18;  // kinds of attributes of the dialect `builtin`
constexpr std::uint8_t kBlob = 0, kAlignmentByte = 0xcb, kAlignedSection = 0x80;

using Id = MlirSectionId;

void put(ByteWriter& to, std::uint64_t value) { write_mlir_number(to, value); }

// An attribute or type: its bytes in the section, and the dialect that encodes it.
struct Entry {
  std::uint64_t dialect = 0;
  Bytes bytes;
  bool custom = false;  // not as text
};

class BytecodeShortener {
 public:
  BytecodeShortener(Bytes bytes, const MlirBytecode& file, std::size_t min_size)
      : bytes_(bytes), file_(file), min_size_(min_size) {}

  std::optional<ShortenedText> run() {
    const std::vector<std::string_view> dialects = dialects_of(file_);
    builtin_ = static_cast<std::uint64_t>(std::ranges::find(dialects, "builtin") - dialects.begin());
    strings_ = strings_of(file_).size();
    if (builtin_ == dialects.size() || strings_ == 0) return std::nullopt;
    if (!attributes() || !resources() || made_.literals.empty()) return std::nullopt;
    return write();
  }

 private:
  std::size_t offset_of(Bytes part) const { return static_cast<std::size_t>(part.data() - bytes_.data()); }
  std::size_t add_literal(Bytes blob) {
    made_.literals.push_back({offset_of(blob), offset_of(blob) + blob.size()});
    return made_.literals.size() - 1;
  }

  // Reads the table of attributes and types, and writes both sections again, with resources for long constants.
  bool attributes() {
    ByteReader table(file_.section(Id::AttributeTypeOffset)), data(file_.section(Id::AttributeType));
    const std::uint64_t attributes = read_mlir_number(table), types = read_mlir_number(table);
    put(attribute_table_, attributes);
    put(attribute_table_, types);
    for (std::uint64_t done = 0; done < attributes + types;) {
      const std::uint64_t dialect = read_mlir_number(table), count = read_mlir_number(table);
      if (table.failed() || count == 0) return false;
      put(attribute_table_, dialect);
      put(attribute_table_, count);
      for (std::uint64_t i = 0; i < count; ++i, ++done) {
        const std::uint64_t size = read_mlir_number(table);
        Entry entry{dialect, data.take(size >> 1), (size & 1) != 0};
        if (table.failed() || data.failed()) return false;
        const ByteWriter short_form = done < attributes ? shortened(entry) : ByteWriter();
        const Bytes kept = short_form.size() != 0 ? short_form.bytes() : entry.bytes;
        put(attribute_table_, std::uint64_t{kept.size()} << 1 | (size & 1));
        attributes_.append(kept);
      }
    }
    return table.remaining() == 0 && data.remaining() == 0;
  }

  // The attribute with a resource instead of its elements; empty for any other.
  ByteWriter shortened(const Entry& entry) {
    ByteWriter made;
    if (!entry.custom || entry.dialect != builtin_ || entry.bytes.size() < min_size_) return made;
    ByteReader from(entry.bytes);
    if (read_mlir_number(from) != kDense) return made;
    const std::uint64_t type = read_mlir_number(from);
    const std::uint64_t size = read_mlir_number(from);
    const Bytes blob = from.take(size);
    if (from.failed() || from.remaining() != 0 || size < min_size_) return made;
    new_resources_.push_back(add_literal(blob));
    put(made, kDenseResource);
    put(made, type);
    put(made, known_resources() + new_resources_.size() - 1);
    return made;
  }

  // The count of resources of dialects in the file, which attributes refer to by number.
  std::uint64_t known_resources() {
    if (known_resources_) return *known_resources_;
    std::uint64_t known = 0;
    ByteReader table(file_.section(Id::ResourceOffset));
    for (std::uint64_t groups = table.remaining() == 0 ? 0 : read_mlir_number(table); groups != 0; --groups) {
      read_mlir_number(table);
      skip_entries(table);
    }
    while (table.remaining() != 0 && !table.failed()) {
      read_mlir_number(table);
      known += skip_entries(table);
    }
    known_resources_ = known;
    return known;
  }
  static std::uint64_t skip_entries(ByteReader& table) {
    const std::uint64_t count = read_mlir_number(table);
    for (std::uint64_t i = 0; i < count && !table.failed(); ++i) {
      read_mlir_number(table);
      read_mlir_number(table);
      table.take(1);
    }
    return count;
  }

  // Writes the sections of resources again: short data for long ones, and declarations of the new ones at the end.
  bool resources() {
    ByteReader table(file_.section(Id::ResourceOffset)), data(file_.section(Id::Resource));
    const std::uint64_t groups = table.remaining() == 0 ? 0 : read_mlir_number(table);
    put(resource_table_, groups);
    for (std::uint64_t done = 0; done < groups || table.remaining() != 0; ++done) {
      put(resource_table_, read_mlir_number(table));  // a name, or a dialect
      const std::uint64_t count = read_mlir_number(table);
      put(resource_table_, count);
      for (std::uint64_t i = 0; i < count && !table.failed(); ++i) {
        put(resource_table_, read_mlir_number(table));  // its key
        const Bytes entry = data.take(read_mlir_number(table));
        const auto kind = table.read<std::uint8_t>();
        const std::size_t before = resources_.size();
        if (!resource(entry, kind)) return false;
        put(resource_table_, resources_.size() - before);
        resource_table_.write(kind);
      }
      if (table.failed() || data.failed()) return false;
    }
    if (new_resources_.empty()) return true;
    put(resource_table_, builtin_);
    put(resource_table_, new_resources_.size());
    for (std::size_t i = 0; i < new_resources_.size(); ++i) {
      put(resource_table_, strings_ + i);
      put(resource_table_, 0);
      resource_table_.write(kBlob);
    }
    return true;
  }

  bool resource(Bytes entry, std::uint8_t kind) {
    if (kind != kBlob || entry.empty()) {
      resources_.append(entry);
      return true;
    }
    ByteReader from(entry);
    const std::uint64_t alignment = read_mlir_number(from), size = read_mlir_number(from);
    if (!std::has_single_bit(alignment) || from.failed() || size > from.remaining()) return false;
    const Bytes blob = entry.last(size);  // after its padding
    if (blob.size() < min_size_) {
      blob_entry(alignment, blob);
    } else {
      const std::string data = placeholder_data(add_literal(blob));
      blob_entry(1, bytes_of(data));
    }
    return true;
  }
  void blob_entry(std::uint64_t alignment, Bytes blob) {
    put(resources_, alignment);
    put(resources_, blob.size());
    align(resources_, alignment);
    resources_.append(blob);
    resource_alignment_ = std::max(resource_alignment_, alignment);
  }

  static void align(ByteWriter& to, std::uint64_t alignment) {
    while (to.size() % alignment != 0) to.write(kAlignmentByte);
  }

  Bytes with_new_strings(ByteWriter& made) {
    const Bytes section = file_.section(Id::String);
    ByteReader from(section);
    read_mlir_number(from);
    put(made, strings_ + new_resources_.size());
    for (std::size_t i = new_resources_.size(); i-- > 0;) put(made, placeholder_key(new_resources_[i]).size() + 1);
    made.append(section.subspan(from.offset()));
    for (const std::size_t literal : new_resources_) made.append(placeholder_key(literal)).write('\0');
    return made.bytes();
  }

  static void section(ByteWriter& to, Id id, Bytes contents, std::uint64_t alignment) {
    to.write(static_cast<std::uint8_t>(static_cast<std::uint8_t>(id) | (alignment > 1 ? kAlignedSection : 0)));
    put(to, contents.size());
    if (alignment > 1) {
      put(to, alignment);
      align(to, alignment);
    }
    to.append(contents);
  }

  std::optional<ShortenedText> write() {
    ByteWriter out, strings;
    out.append(file_.head);
    bool has_resources = false;
    const auto write_resources = [&] {
      section(out, Id::Resource, resources_.bytes(), resource_alignment_);
      section(out, Id::ResourceOffset, resource_table_.bytes(), 1);
      has_resources = true;
    };
    for (const MlirSection& each : file_.sections) {
      switch (each.id) {
        case Id::String:
          section(out, each.id, with_new_strings(strings), 1);
          break;
        case Id::AttributeType:
          section(out, each.id, attributes_.bytes(), each.alignment);
          break;
        case Id::AttributeTypeOffset:
          section(out, each.id, attribute_table_.bytes(), 1);
          break;
        case Id::Resource:
          write_resources();
          break;
        case Id::ResourceOffset:
          break;
        default:
          section(out, each.id, each.contents, each.alignment);
      }
    }
    if (!has_resources) write_resources();
    made_.text = slipway::text_of(out.bytes());
    return std::move(made_);
  }

  Bytes bytes_;
  const MlirBytecode& file_;
  const std::size_t min_size_;
  ShortenedText made_;
  std::uint64_t builtin_ = 0, strings_ = 0;
  std::optional<std::uint64_t> known_resources_;
  std::vector<std::size_t> new_resources_;  // their literals
  ByteWriter attributes_, attribute_table_, resources_, resource_table_;
  std::uint64_t resource_alignment_ = 1;
};

}  // namespace

std::optional<ShortenedText> shorten_bytecode(Bytes bytes, std::size_t min_size) {
  const auto file = read_mlir_bytecode(bytes);
  return file && file->is_whole ? BytecodeShortener(bytes, *file, min_size).run() : std::nullopt;
}

}  // namespace slipway::tosa
