// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `ar` archives: the common form of members, with long names as GNU and BSD write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/text/source.hpp"

namespace slipway {

struct ArMember {
  std::string name;          // without the slash after it
  std::uint64_t offset = 0;  // of its bytes in the archive
  Bytes bytes;
};

struct ArArchive {
  struct Fault {
    Span range;  // in the archive
    std::string message;
  };
  std::vector<ArMember> members;  // up to the fault; without the table of long names
  std::optional<Fault> fault;     // where the archive is truncated or malformed
};

bool is_ar(Bytes bytes);
// The archive begins as `is_ar` says.
ArArchive read_ar(Bytes bytes);

// An archive is this, then its members; the bytes of each follow what `ar_member` returns.
inline constexpr std::string_view kArMagic = "!<arch>\n";
// The header of a member. `padding` is written after its bytes.
struct ArHeader {
  std::string before;
  std::string_view padding;
};
ArHeader ar_member(std::string_view name, std::uint64_t size);

}  // namespace slipway
