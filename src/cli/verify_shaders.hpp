// `--verify` of models with shaders, on a device.
#pragma once

#include "convert/convert.hpp"
#include "convert/verify.hpp"

namespace slipway::cli {

// Each shader operator of the model runs as a model of its own, the file as a whole. Says on standard error what was
// verified, and what was not. `settings`: how shaders are converted.
void verify_on_device(const tosa::Model& original, const tosa::Model& prepared, const vgf::File& file, Bytes bytes,
                      const convert::ConvertOptions& settings, const convert::VerifyOptions& verify,
                      const std::string& device, Diagnostics& diagnostics);

}  // namespace slipway::cli
