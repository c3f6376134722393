// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zebins inside other files: executables, shared libraries, objects, archives of them and offload bundles, which embed
// the kernels of one or several devices (docs/spec/zeinfo.md#files-that-embed-zebins).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace slipway::zebin {

struct CarvedZebin {
  std::uint64_t offset = 0;  // in the file
  Bytes bytes;               // from its ELF header to the end of its last section or table
  std::string member;        // its name, if it is a member of a fat archive: "64.dg2"
};

// Whether the ELF header is that of a zebin: by Intel's machine or types.
bool has_zebin_header(Bytes bytes);

// Whether the file begins like an offload bundle of clang or an offload binary of LLVM: the code of several devices,
// outside of a program.
bool is_offload_bundle(Bytes bytes);

// Whether the file is a program, a library or an object for a CPU (ELF or PE), an archive of such objects, or an
// offload bundle.
bool is_host_file(Bytes bytes);

// The zebins inside of a file, in the order of the file. A zebin whose section table goes past the end of the file is
// not found, and neither is one that is compressed. The time is linear in the size of the file.
std::vector<CarvedZebin> carve_zebins(Bytes file);

}  // namespace slipway::zebin
