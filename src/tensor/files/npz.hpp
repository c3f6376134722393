// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Archives of arrays as numpy.savez and numpy.savez_compressed write them: ZIP files whose members are .npy files,
// compressed with deflate or not.
//
//   Result<std::vector<NpzMember>> members = parse_npz(mapped.bytes(), "golden.npz");
//   parse_npy((*members)[0].npy, ...);
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"

namespace slipway::tensor {

struct NpzMember {
  std::string name;                                                  // without `.npy`
  Bytes npy;                                                         // of the archive, or of `inflated`
  std::shared_ptr<const std::vector<std::byte>> inflated = nullptr;  // of a member that was compressed
};

// Whether the bytes begin like a ZIP file.
bool is_npz(Bytes file);

// `name` is the name of the file in messages. Errors, at bytes of the file: file-format, file-truncated, unsupported
// (an encrypted member or one with another compression, an archive of several files).
Result<std::vector<NpzMember>> parse_npz(Bytes file, const std::string& name);

// An archive of .npy files, compressed where that makes them smaller. Errors: unsupported (4 GiB or more, too many
// arrays, a very long name).
Result<std::vector<std::byte>> write_npz(std::span<const NpzMember> members);

}  // namespace slipway::tensor
