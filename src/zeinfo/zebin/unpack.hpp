// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unpacks a zebin into a directory and packs it again, byte for byte.
//
// `zebin.json` holds the header, the section headers, and the bytes that no section or table covers; each section with
// bytes has a file `NNN-name`. Packing an unedited directory returns the input, including odd offsets, sections that
// share bytes, and a section table in the middle. If the size of a file changed, the whole file gets a new layout
// (image.hpp).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/files.hpp"
#include "json/document.hpp"
#include "zeinfo/zebin/zebin.hpp"

namespace slipway::zebin {

inline constexpr std::string_view kManifestName = "zebin.json";

struct UnpackedFile {
  std::string name;
  std::vector<std::byte> bytes;
};

// The files of the directory, the manifest first. Works for any file that the ELF reader accepts, with or without
// errors: bytes that are not a section's are stored as gaps. Errors: file-format when shared bytes would make the
// directory many times as large as the file.
Result<std::vector<UnpackedFile>> unpack(const Elf& elf);

struct Packed {
  std::vector<std::byte> bytes;
  bool has_new_layout = false;
};
// `file_of` returns the bytes of a file of the directory. Errors: those of records and of files, base64 or numbers out
// of range (out-of-range), section-alias: sections that shared bytes now differ; file-format: a changed file that
// cannot get a new layout.
Result<Packed> pack(const SourcePtr& manifest,
                    const std::function<Result<std::vector<std::byte>>(const std::string&)>& file_of);

// The JSON Schema of the manifest.
std::string manifest_schema();

// The same from and to disk.
Result<> unpack_to(const Elf& elf, const Path& directory);
Result<Packed> pack_from(const Path& directory);

}  // namespace slipway::zebin
