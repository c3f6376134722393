// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DirectDraw Surface files: 2D textures with mip levels (docs/spec/scenario.md#dds-files). The format is in a DX10
// header, or described as programs before Direct3D 10 do.
//
//   Result<DdsView> texture = parse_dds(mapped.bytes(), "a.dds", levels_used);
//   from_file_layout(*texture->format, texture->levels[0].bytes, device);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "tensor/format.hpp"

namespace slipway::tensor {

struct DdsLevel {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  Bytes bytes;  // file layout
};

struct DdsView {
  const FormatInfo* format = nullptr;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t level_count = 1;   // of the file
  std::uint32_t header_bytes = 0;  // before the payload
  std::vector<DdsLevel> levels;    // the first min(level_count, levels_used)
};

// All errors of the header are reported together, at byte ranges of the file. Only the levels that are used must be
// present; a file with one level must have exactly its bytes.
Result<DdsView> parse_dds(Bytes file, const std::string& name, std::uint32_t levels_used = 32);

// As `parse_dds`, without the levels: their bytes may be missing.
Result<DdsView> parse_dds_header(Bytes file, const std::string& name);

// Errors: "DDS image height does not match that in the scenario file: a vs b", and the same for the width.
Result<> check_dds_extent(const DdsView& texture, const std::string& name, std::uint64_t width, std::uint64_t height);

inline constexpr std::size_t kDdsHeaderBytes = 148;        // with a DX10 header
inline constexpr std::size_t kLegacyDdsHeaderBytes = 128;  // without

enum class DdsHeader : std::uint8_t { Dx10, Legacy };

// The bytes before the payload of one level, `to_file_layout(...)`. Errors, at `location`: a format without a DXGI
// code, or for a legacy header one that programs before Direct3D 10 do not have.
Result<std::vector<std::byte>> dds_header(const FormatInfo& format, std::uint32_t width, std::uint32_t height,
                                          const SourceLocation& location, DdsHeader kind = DdsHeader::Dx10);

}  // namespace slipway::tensor
