// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fat archives (`ar`): one zebin for each of several devices (docs/spec/zeinfo.md#elf-container).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "zeinfo/zebin/container_diagnostics.hpp"

namespace slipway::zebin {

struct Member {
  std::string name;      // "64.dg2", without the slash after it
  std::uint64_t offset;  // of its bytes in the archive
  Bytes bytes;

  bool is_padding() const { return name.starts_with("pad_"); }
  // The device part of the name, after its pointer width: "dg2", "12.55.8"; empty for members without a device.
  std::string_view device() const;
};

bool is_archive(Bytes bytes);

// All members, including padding. Errors: archive-truncated; the members before it are returned.
std::vector<Member> read_archive(Bytes bytes, ContainerDiagnostics& diagnostics);

}  // namespace slipway::zebin
