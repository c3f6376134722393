// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images from picture files: one function for each format, and checks that they share. Inside this directory only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "scenario/contents/contents.hpp"

namespace slipway::scenario {

std::optional<ImageContents> exr_image(const ContentsInput& input, const Image& image, Diagnostics& diagnostics);
std::optional<ImageContents> ktx2_image(const ContentsInput& input, const Image& image, Diagnostics& diagnostics);

// Reports a file whose format differs from the image's. Returns whether the file's format is taken.
bool report_format(vk::Format file_format, SourceLocation location, const ContentsInput& input, const Image& image,
                   Diagnostics& diagnostics);

// Whether a file has the extent and the layers of the image; an error otherwise.
bool has_extent(const std::array<std::uint32_t, 3>& extent, std::uint32_t layers, SourceLocation location,
                const ContentsInput& input, const Image& image, Diagnostics& diagnostics);

}  // namespace slipway::scenario
