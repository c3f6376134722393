// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deflate with zlib, of whole blocks of bytes: members of .npz archives, chunks of EXR files, levels of KTX2 files.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"

namespace slipway::tensor {

enum class DeflateForm : std::uint8_t {
  Raw,   // as in ZIP files
  Zlib,  // with a header and a checksum
};

// Exactly `size` bytes; nothing if `compressed` is not one complete stream of that many. Allocates nothing if the
// stream is too short to have them.
std::optional<std::vector<std::byte>> inflated(Bytes compressed, std::size_t size, DeflateForm form);

// Whether a stream of that many bytes can have `size`.
bool may_inflate_to(Bytes compressed, std::size_t size);
// The first bytes of a stream, as many as `to` has. `Whole`: the stream ends with the last of them.
enum class Inflation : std::uint8_t { Whole, Begun, Damaged };
Inflation inflate_into(MutableBytes to, Bytes compressed, DeflateForm form);

// Nothing if the result would not be smaller, or if there are 4 GiB or more.
std::optional<std::vector<std::byte>> deflated(Bytes bytes, DeflateForm form);

}  // namespace slipway::tensor
