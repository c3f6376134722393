// A zebin as a directory and back, byte for byte.
//
// `zebin.json` holds the header, the section headers, and the bytes that no section or table covers; each section with
// bytes has a file `NNN-name`. Packing an unedited directory gives the input back: odd offsets, sections that share
// bytes, and a section table in the middle included. If the size of a file changed, everything is laid out anew
// (image.hpp).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "json/document.hpp"
#include "zeinfo/zebin/zebin.hpp"

namespace slipway::zebin {

inline constexpr std::string_view kManifestName = "zebin.json";

struct UnpackedFile {
  std::string name;
  std::vector<std::byte> bytes;
};

// The files of the directory, the manifest first. Any file that the ELF reader takes, with errors or without: what
// cannot be a section's bytes is in the gaps. Errors: file-format when the sections share so many bytes that the
// directory would be many times the file.
Result<std::vector<UnpackedFile>> unpack(const Elf& elf);

struct Packed {
  std::vector<std::byte> bytes;
  bool laid_out_anew = false;
};
// `file_of` gives the bytes of a file of the directory. Errors: those of records and of files, base64 or numbers out of
// range (out-of-range), section-alias: sections that shared bytes differ now; file-format: a changed file that has no
// new layout.
Result<Packed> pack(const SourcePtr& manifest,
                    const std::function<Result<std::vector<std::byte>>(const std::string&)>& file_of);

// The JSON Schema of the manifest.
std::string manifest_schema();

// From and to disk.
Result<> unpack_to(const Elf& elf, const Path& directory);
Result<Packed> pack_from(const Path& directory);

}  // namespace slipway::zebin
