// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Archives of arrays as numpy.savez writes them: ZIP files whose members are .npy files that are not compressed.
//
//   Result<std::vector<NpzMember>> members = parse_npz(mapped.bytes(), "golden.npz");
//   parse_npy((*members)[0].npy, ...);
#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"

namespace slipway::tensor {

struct NpzMember {
  std::string name;  // without `.npy`
  Bytes npy;         // of the archive
};

// Whether the bytes begin like a ZIP file.
bool is_npz(Bytes file);

// `name` is the name of the file in messages. Errors, at bytes of the file: file-format, file-truncated, unsupported
// (a compressed or encrypted member, an archive of several files).
Result<std::vector<NpzMember>> parse_npz(Bytes file, const std::string& name);

}  // namespace slipway::tensor
