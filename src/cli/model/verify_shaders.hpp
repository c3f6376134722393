// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--verify` of models with shaders on a device.
#pragma once

#include "convert/convert.hpp"
#include "convert/verify.hpp"

namespace slipway::cli {

// Runs each shader operator as a model of its own, and the file as a whole, and compares the results. Prints what was
// verified and what was not. `settings`: how shaders are converted.
void verify_on_device(const tosa::Model& original, const tosa::Model& prepared, const vgf::File& file, Bytes bytes,
                      const convert::ConvertOptions& settings, const convert::VerifyOptions& verify,
                      const std::string& device, Diagnostics& diagnostics);

}  // namespace slipway::cli
