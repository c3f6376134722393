// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/archive.hpp"

#include "base/ar.hpp"

namespace slipway::zebin {

std::string_view Member::device() const {
  const std::string_view text = name;
  return text.starts_with("64.") || text.starts_with("32.") ? text.substr(3) : std::string_view();
}

bool is_archive(Bytes bytes) { return is_ar(bytes); }

std::vector<Member> read_archive(Bytes bytes, ContainerDiagnostics& diagnostics) {
  ArArchive archive = read_ar(bytes);
  if (archive.fault)
    diagnostics.error(DiagnosticKind::ArchiveTruncated, archive.fault->range, std::move(archive.fault->message));
  std::vector<Member> members;
  for (ArMember& member : archive.members) members.push_back({std::move(member.name), member.offset, member.bytes});
  return members;
}

}  // namespace slipway::zebin
