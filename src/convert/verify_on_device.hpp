// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--verify` of models with shaders on a device (docs/spec/converter.md#verification). The caller runs files: this
// module knows no device.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "convert/convert.hpp"
#include "convert/verify.hpp"

namespace slipway::convert {

// A VGF file to run; it is the same object in every run of the file.
struct FileToRun {
  std::string name;  // in messages
  std::vector<std::byte> bytes;
};
// Runs a file; returns its outputs, whose types are given, without those that cannot be read back.
using DeviceRunner = std::function<Result<std::vector<std::optional<reference::Tensor>>>(
    const std::shared_ptr<const FileToRun>& file, std::span<const reference::Tensor> inputs,
    std::span<const tosa::TensorType> outputs)>;

// Runs each shader operator of a model as a file of its own, and the converted file as a whole, and compares the
// results. `settings`: how shaders are converted. Without shaders there are no runs.
VerifyReport verify_on_device(const tosa::Model& original, const tosa::Model& prepared, const vgf::File& file,
                              Bytes bytes, const ConvertOptions& settings, const VerifyOptions& options,
                              const DeviceRunner& run, Diagnostics& diagnostics);

}  // namespace slipway::convert
