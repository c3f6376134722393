// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AIE_PARTITION: the columns of an NPU that the design takes, and its images (docs/spec/recipe.md#xclbin-files).
//
// A malicious file can refer to one array many times, and so need far more memory than its size. The budget is the
// maximum of a valid file of this size.
#include <algorithm>

#include "recipe/xclbin/sections.hpp"

namespace slipway::recipe::xclbin {
namespace {

constexpr std::size_t kHeader = 184, kPdi = 96, kCdoGroup = 96;

struct PartitionReader {
  SectionReader& section;
  std::uint64_t budget;  // bytes of arrays still to be read

  // Entries of an array given by count and offset; empty if it is outside the section or exceeds the budget.
  Bytes entries(std::uint32_t count, std::uint32_t offset, std::size_t entry, std::string_view what) {
    if (count == 0) return {};
    const Bytes found = section.range(offset, count, entry, what);
    if (found.size() <= budget) {
      budget -= found.size();
      return found;
    }
    if (budget != 0) {
      section.diagnostics().error(DiagnosticKind::FileFormat,
                                  SourceLocation::in_bytes(std::string(section.file()),
                                                           {section.base(), section.base() + section.bytes().size()}),
                                  "the arrays of section AIE_PARTITION overlap");
    }
    budget = 0;
    return {};
  }
  template <class T>
  std::vector<T> list(const std::byte* count_and_offset, std::string_view what) {
    const Bytes found =
        entries(load<std::uint32_t>(count_and_offset), load<std::uint32_t>(count_and_offset + 4), sizeof(T), what);
    std::vector<T> values(found.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), found.data(), found.size());
    return values;
  }
  // Texts are taken from the budget as well.
  std::string text(std::uint32_t offset, std::string_view what) {
    if (budget == 0) return {};
    std::string found = section.text(offset, what);
    budget -= std::min<std::uint64_t>(budget, found.size());
    return found;
  }

  CdoGroup cdo_group(const std::byte* entry) {
    return {.name = text(load<std::uint32_t>(entry), "name of a CDO group"),
            .type = load<std::uint8_t>(entry + 4),
            .pdi_id = load<std::uint64_t>(entry + 8),
            .kernel_ids = list<std::uint64_t>(entry + 16, "kernel ids of a CDO group"),
            .pre_groups = list<std::uint32_t>(entry + 24, "preceding groups of a CDO group")};
  }

  Pdi pdi(const std::byte* entry) {
    Pdi found{.uuid = load<Uuid>(entry), .image_size = load<std::uint32_t>(entry + 16), .cdo_groups = {}};
    section.range(load<std::uint32_t>(entry + 20), found.image_size, 1, "image of a PDI");
    const Bytes groups =
        entries(load<std::uint32_t>(entry + 24), load<std::uint32_t>(entry + 28), kCdoGroup, "CDO groups of a PDI");
    for (std::size_t at = 0; at < groups.size(); at += kCdoGroup) found.cdo_groups.push_back(cdo_group(&groups[at]));
    return found;
  }
};

}  // namespace

AiePartition read_aie_partition(SectionReader section) {
  AiePartition partition;
  const Bytes header = section.range(0, 1, kHeader, "header");
  if (header.empty()) return partition;
  PartitionReader reader{section, section.bytes().size()};
  const std::byte* at = header.data();
  partition.schema_version = load<std::uint8_t>(at);
  partition.name = reader.text(load<std::uint32_t>(at + 4), "name");
  partition.operations_per_cycle = load<std::uint32_t>(at + 8);
  partition.inference_fingerprint = load<std::uint64_t>(at + 16);
  partition.pre_post_fingerprint = load<std::uint64_t>(at + 24);
  partition.column_width = load<std::uint16_t>(at + 32);
  partition.start_columns = reader.list<std::uint16_t>(at + 40, "start columns");
  partition.kernel_commit_id = reader.text(load<std::uint32_t>(at + 128), "kernel commit id");
  const Bytes pdis = reader.entries(load<std::uint32_t>(at + 120), load<std::uint32_t>(at + 124), kPdi, "PDIs");
  for (std::size_t i = 0; i < pdis.size(); i += kPdi) partition.pdis.push_back(reader.pdi(&pdis[i]));
  return partition;
}

}  // namespace slipway::recipe::xclbin
