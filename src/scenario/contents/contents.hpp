// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contents of a resource before the first command, or expected after the last: from a file or from values in the
// scenario (docs/spec/scenario.md#data-files, docs/spec/scenario.md#additive-keys).
//
// Files are mapped and their headers are checked against the resource. The payload is read from the mapping only when
// the contents are written to memory. Every mismatch is reported at its bytes of the file, with a note at the location
// where the scenario names the file.
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "scenario/contents/contents_input.hpp"

namespace slipway::scenario {

std::optional<launch::Contents> buffer_contents(const ContentsInput& input, std::uint64_t size,
                                                Diagnostics& diagnostics);

// For tensors and graph constants, whose format must be one that `tensor::tensor_element_type` accepts. For tensors
// only, another shape of equal size in bytes is accepted with a warning.
enum class ShapeRule { Exact, SameBytes };
std::optional<launch::Contents> array_contents(const ContentsInput& input, vk::Format format,
                                               const tensor::Shape& shape, ShapeRule rule, Diagnostics& diagnostics);

// A file may determine the format of its image; each level is in the device layout of `format`.
struct ImageContents {
  vk::Format format = vk::Format::UNDEFINED;  // as `tensor::created_as`
  std::vector<launch::Contents> levels;
};
std::optional<ImageContents> image_contents(const ContentsInput& input, const Image& image, Diagnostics& diagnostics);

// For raw data of any size. `fill` and `random` produce one element, since raw data have no size of their own.
std::optional<launch::Contents> raw_data_contents(const ContentsInput& input, Diagnostics& diagnostics);

// Returns all bytes.
Result<std::vector<std::byte>> read_contents(const launch::Contents& contents);

}  // namespace slipway::scenario
