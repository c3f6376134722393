// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KTX2 textures: 1D, 2D and 3D, with layers, faces and mip levels, of every format that DDS files have and more
// (docs/spec/scenario.md#ktx2-files). Read: without supercompression, and with zlib. Written: one level, without.
//
//   Result<Ktx2View> texture = parse_ktx2(mapped.bytes(), "a.ktx2", levels_used);
//   Result<> made = read_ktx2_level(*texture, "a.ktx2", 0, device);
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "tensor/format.hpp"

namespace slipway::tensor {

struct Ktx2Level {
  Bytes bytes;               // as they are in the file
  std::uint64_t offset = 0;  // in the file
  std::uint64_t size = 0;    // in the device layout: all layers and faces, each of `level_bytes`
};

struct Ktx2View {
  const FormatInfo* format = nullptr;
  std::array<std::uint32_t, 3> extent{};  // height is 1 for 1D textures, depth for 1D and 2D textures
  std::uint32_t layers = 1;               // layers times faces; 1 for 3D textures
  std::uint32_t level_count = 1;          // of the file
  bool deflated = false;                  // supercompressed with zlib
  std::vector<Ktx2Level> levels;          // the first min(level_count, levels_used), the largest one first
};

inline constexpr Span kKtx2FormatAt{12, 16};  // of vkFormat

// All errors are reported together, at byte ranges of the file. Only the levels that are used must be complete.
Result<Ktx2View> parse_ktx2(Bytes file, const std::string& name, std::uint32_t levels_used = 32);

// `to` has the size of the level. Errors: damaged compressed bytes.
Result<> read_ktx2_level(const Ktx2View& texture, const std::string& name, std::size_t index, MutableBytes to);

// Whether KTX2 files with texels of a format are read and written: not formats of extensions, and no stencil.
bool has_ktx2_form(const FormatInfo& format);

// The bytes before the texels of one level, in the device layout. `format` has a form; `layers` is 1 if the depth is
// not.
std::vector<std::byte> ktx2_header(const FormatInfo& format, std::array<std::uint32_t, 3> extent, std::uint32_t layers);

// Inside this module. The data format descriptor of a format: Khronos Data Format Specification 1.3, basic descriptor
// block, with its total size in front.
std::vector<std::byte> data_format_descriptor(const FormatInfo& format);
// Reports what differs between a descriptor, `bytes` at `offset` of the file, and that of the format.
void check_data_format(Bytes bytes, std::uint64_t offset, const FormatInfo& format, bool supercompressed,
                       const std::string& name, Diagnostics& diagnostics);

}  // namespace slipway::tensor
