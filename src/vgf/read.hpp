// Reads a VGF file: versions 0.3 to 0.4, both magics, both forms of constants (VGF page 3.1 to 3.5, 4).
//
// Nothing in the file is trusted. What reading checks is level L of page 4: ranges, the structure of the FlatBuffers
// tables, every enumerant and every index from one section into another, so that a `File` can be walked without another
// look. `check.hpp` has the rules about what the parts mean.
#pragma once

#include "base/diagnostic.hpp"
#include "vgf/vgf.hpp"

namespace slipway::vgf {

// `name` is shown in messages. Warnings (an old version, unknown fields) go to `diagnostics`, as do the errors, which
// point at bytes of the file and keep the wording of page 5.1: file-format, file-truncated, index-out-of-range,
// unknown-value. Empty after an error.
std::optional<File> read_vgf(Bytes bytes, std::string name, Diagnostics& diagnostics);

}  // namespace slipway::vgf
