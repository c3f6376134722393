// Fat archives (`ar`): one zebin for each of several devices (ZE Info page, 3.7).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "zeinfo/zebin/problems.hpp"

namespace slipway::zebin {

struct Member {
  std::string name;      // "64.dg2", without the slash behind it
  std::uint64_t offset;  // of its bytes in the archive
  Bytes bytes;

  bool is_padding() const { return name.starts_with("pad_"); }
  // What the name says after its pointer width: "dg2", "12.55.8"; empty for members that are no device's.
  std::string_view device() const;
};

bool is_archive(Bytes bytes);

// All members, padding included. Errors: archive-truncated; the members before it are there.
std::vector<Member> read_archive(Bytes bytes, Problems& problems);

}  // namespace slipway::zebin
