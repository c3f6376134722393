// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The containers that formats of other programs share: ZIP archives, `ar` archives and protocol buffers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace slipway::foreign {

bool is_zip(Bytes bytes);

// The names in a ZIP archive: those of its central directory, or without one that of its first member. At most a
// thousand.
std::vector<std::string_view> zip_names(Bytes bytes);

// Whether an `ar` archive has the files of a recipe for an NPU among its first thousand members: an xclbin, a recipe or
// a profile. `ar` archives of Intel GPU kernels and static libraries do not.
bool is_recipe_archive(Bytes bytes);

// A field of the outermost message of a protocol buffer.
struct ProtoField {
  std::uint64_t number = 0;
  bool is_message = false;  // length-delimited: a message, a text or an array
  std::uint64_t value = 0;  // of a varint
  Bytes contents;           // of a length-delimited field
};

// Empty if the bytes are not a protocol buffer. At most the first 4096 fields.
std::vector<ProtoField> proto_fields(Bytes bytes);

}  // namespace slipway::foreign
