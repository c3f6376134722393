// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Archives of arrays as numpy.savez and numpy.savez_compressed write them: ZIP files whose members are .npy files,
// compressed with deflate or not.
//
//   Result<std::vector<NpzMember>> members = parse_npz(mapped.bytes(), "golden.npz");
//   parse_npy((*members)[0].npy, ...);       // its header
//   read_elements((*members)[0], array.payload, "golden.npz");  // before its elements are used
//
// A small archive may have very large arrays. So compressed members are mapped memory of zeros, of which only the
// header is made first: an array that does not fit costs nothing.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "base/system/zeroed_memory.hpp"

namespace slipway::tensor {

struct CompressedMember {
  Bytes compressed;
  ZeroedMemory memory;
  bool complete = false;  // otherwise only the header is there, and zeros after it
};

struct NpzMember {
  std::string name;                                      // without `.npy`
  Bytes npy;                                             // of the archive, or of `inflated`
  Span range = {};                                       // in the archive
  std::uint32_t checksum = 0;                            // of `npy`, as the archive says
  std::shared_ptr<CompressedMember> inflated = nullptr;  // of a member that is compressed
};

// Whether the bytes begin like a ZIP file.
bool is_npz(Bytes file);

// `name` is the name of the file in messages. Errors, at bytes of the file: file-format, file-truncated, unsupported
// (an encrypted member or one with another compression, an archive of several files).
Result<std::vector<NpzMember>> parse_npz(Bytes file, const std::string& name);

// Makes the bytes of a member, which is of the archive `name`, up to the end of `elements`, which are in `member.npy`,
// and checks them, if nothing follows them. The archive must still be there. Not for several threads at once. Errors:
// file-format.
Result<> read_elements(const NpzMember& member, Bytes elements, const std::string& name);

// An archive of .npy files, compressed where that makes them smaller. Errors: unsupported (4 GiB or more, too many
// arrays, a very long name).
Result<std::vector<std::byte>> write_npz(std::span<const NpzMember> members);

}  // namespace slipway::tensor
