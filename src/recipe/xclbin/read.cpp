// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "base/format.hpp"
#include "recipe/xclbin/names.hpp"
#include "recipe/xclbin/sections.hpp"

namespace slipway::recipe::xclbin {
namespace {

constexpr std::string_view kMagic("xclbin2\0", 8);
constexpr std::size_t kHeaderEnd = 456, kSectionHeader = 40, kMaxSections = 0x10000;
enum : std::uint32_t { kEmbeddedMetadata = 2, kMemTopology = 6, kConnectivity = 7, kIpLayout = 8, kAiePartition = 32 };

SourceLocation bytes_at(std::string_view file, std::uint64_t begin, std::uint64_t end) {
  return SourceLocation::in_bytes(std::string(file), {begin, end});
}

// The header of 456 bytes (docs/spec/recipe.md#xclbin-files); the section table follows it.
Xclbin read_header(Bytes bytes) {
  const std::byte* at = bytes.data();
  return {.size = bytes.size(),
          .length = load<std::uint64_t>(at + 304),
          .signature_length = load<std::int32_t>(at + 8),
          .unique_id = load<std::uint64_t>(at + 296),
          .timestamp = load<std::uint64_t>(at + 312),
          .version_major = load<std::uint8_t>(at + 330),
          .version_minor = load<std::uint8_t>(at + 331),
          .version_patch = load<std::uint16_t>(at + 328),
          .mode = load<std::uint16_t>(at + 332),
          .action_mask = load<std::uint16_t>(at + 334),
          .platform = field_text(bytes.subspan(352, 64)),
          .uuid = load<Uuid>(at + 416),
          .interface_uuid = load<Uuid>(at + 336)};
}

void read_contents(Xclbin& file, SectionReader section, std::uint32_t kind) {
  switch (kind) {
    case kEmbeddedMetadata:
      file.kernels = read_embedded_metadata(section);
      break;
    case kMemTopology:
      file.memory = read_mem_topology(section);
      break;
    case kConnectivity:
      file.connectivity = read_connectivity(section);
      break;
    case kIpLayout:
      file.ip_layout = read_ip_layout(section);
      break;
    case kAiePartition:
      file.partition = read_aie_partition(section);
      break;
    default:
      break;
  }
}

void check_connectivity(const Xclbin& file, std::string_view name, Diagnostics& diagnostics) {
  const auto out_of_range = [](std::int32_t index, std::size_t size) {
    return index < 0 || static_cast<std::size_t>(index) >= size;
  };
  for (const Connection& connection : file.connectivity) {
    const bool ip = out_of_range(connection.ip, file.ip_layout.size());
    if (!ip && !out_of_range(connection.memory, file.memory.size())) continue;
    diagnostics.error(
        DiagnosticKind::IndexOutOfRange, SourceLocation::in_file(std::string(name)),
        formatted("section CONNECTIVITY names {} {}, but there are {}", ip ? "IP" : "memory",
                  ip ? connection.ip : connection.memory, ip ? file.ip_layout.size() : file.memory.size()));
    return;  // one is enough; a malformed layout has been reported already
  }
}

}  // namespace

std::string uuid_text(const Uuid& uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += formatted("{:02x}", uuid[i]);
  }
  return text;
}

std::string Xclbin::kernel_list() const {
  std::string list;
  for (const XclbinKernel& kernel : kernels) list += formatted("{}`{}`", list.empty() ? "" : ", ", kernel.name);
  return list.empty() ? "no kernels" : list;
}

const XclbinKernel* Xclbin::find_kernel(std::string_view name) const {
  const auto found = std::ranges::find(kernels, name, &XclbinKernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

bool is_xclbin(Bytes bytes) { return text_of(bytes).starts_with(kMagic); }

std::optional<Xclbin> read_xclbin(Bytes bytes, std::string_view file, Diagnostics& diagnostics) {
  if (!is_xclbin(bytes)) {
    diagnostics.error(DiagnosticKind::FileFormat, bytes_at(file, 0, std::min<std::size_t>(bytes.size(), kMagic.size())),
                      "not an xclbin file: it does not begin with `xclbin2`");
    return std::nullopt;
  }
  if (bytes.size() < kHeaderEnd) {
    diagnostics.error(
        DiagnosticKind::FileTruncated, bytes_at(file, 0, bytes.size()),
        formatted("xclbin: buffer too small to contain header ({} of {} bytes)", bytes.size(), kHeaderEnd));
    return std::nullopt;
  }
  Xclbin xclbin = read_header(bytes);
  if (xclbin.length > bytes.size()) {
    diagnostics.error(
        DiagnosticKind::FileTruncated, bytes_at(file, 304, 312),
        formatted("the header says that the file has {} bytes, but it has {}", xclbin.length, bytes.size()));
  } else if (xclbin.length < bytes.size()) {
    diagnostics.warning(
        DiagnosticKind::TrailingData, bytes_at(file, xclbin.length, bytes.size()),
        formatted("the header says that the file has {} bytes, but it has {}", xclbin.length, bytes.size()));
  }
  const auto count = load<std::uint32_t>(bytes.data() + 448);
  if (count > kMaxSections || count > (bytes.size() - kHeaderEnd) / kSectionHeader) {
    diagnostics.error(count > kMaxSections ? DiagnosticKind::OutOfRange : DiagnosticKind::FileTruncated,
                      bytes_at(file, 448, 452),
                      formatted("the header says that there are {} sections, but {}", count,
                                count > kMaxSections ? formatted("the maximum is {}", kMaxSections)
                                                     : std::string("the file ends before their headers do")));
    return std::nullopt;
  }
  const Bytes contents = bytes.first(std::min<std::uint64_t>(xclbin.length, bytes.size()));
  std::uint64_t seen = 0;  // kinds that have been read, as bits
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = kHeaderEnd + i * kSectionHeader;
    XclbinSection& section = xclbin.sections.emplace_back(XclbinSection{.kind = load<std::uint32_t>(&bytes[at]),
                                                                        .name = field_text(bytes.subspan(at + 4, 16)),
                                                                        .offset = load<std::uint64_t>(&bytes[at + 24]),
                                                                        .size = load<std::uint64_t>(&bytes[at + 32])});
    const Size end = checked_add(section.offset, section.size);
    if (!end || *end > contents.size()) {
      diagnostics.error(DiagnosticKind::FileTruncated, bytes_at(file, at, at + kSectionHeader),
                        formatted("section {} ({}) has {} bytes from byte {} on, but the file ends at byte {}", i,
                                  named(section_kind_name(section.kind), section.kind), section.size, section.offset,
                                  contents.size()));
      continue;
    }
    const std::uint64_t kind_bit = section.kind < 64 ? std::uint64_t{1} << section.kind : 0;
    if ((seen & kind_bit) != 0) continue;  // only the first of a kind is used
    seen |= kind_bit;
    read_contents(xclbin, {contents.subspan(section.offset, section.size), file, section, diagnostics}, section.kind);
  }
  check_connectivity(xclbin, file, diagnostics);
  return xclbin;
}

}  // namespace slipway::recipe::xclbin
