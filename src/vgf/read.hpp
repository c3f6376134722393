// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a VGF file: versions 0.3 to 0.4, both magics, both forms of constants (docs/spec/vgf.md#file-layout,
// docs/spec/vgf.md#checks).
//
// Nothing in the file is trusted. Reading checks docs/spec/vgf.md#level-l: ranges, the structure of the FlatBuffers
// tables, every enumerant and every index from one section into another, so that users of a `File` need no range
// checks. `check.hpp` has the rules on the meaning of the parts.
#pragma once

#include "base/diagnostic.hpp"
#include "vgf/vgf.hpp"

namespace slipway::vgf {

// `name` is shown in messages. Warnings (an old version, unknown fields) go to `diagnostics`, as do the errors, which
// point at bytes of the file and keep the wording of docs/spec/vgf.md#vgf_dump: file-format, file-truncated,
// index-out-of-range, unknown-value. Empty after an error.
std::optional<File> read_vgf(Bytes bytes, std::string name, Diagnostics& diagnostics);

}  // namespace slipway::vgf
