// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writers of result files: npy, DDS, PNG, OpenEXR and KTX2 (docs/spec/scenario.md#data-files).
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "scenario/model.hpp"
#include "tensor/files/dds.hpp"
#include "tensor/format.hpp"

namespace slipway::scenario {

launch::Output buffer_output(Path path, std::uint64_t size);
launch::Output tensor_output(Path path, tensor::ElementType type, tensor::Shape shape);
// Writes level 0 of an image. `format` is that of its texels. Errors are at `dst`: a file format that cannot store the
// image.
std::optional<launch::Output> image_output(Path path, const tensor::FormatInfo& format, const Image& image,
                                           tensor::DdsHeader dds, Diagnostics& diagnostics);

}  // namespace slipway::scenario
