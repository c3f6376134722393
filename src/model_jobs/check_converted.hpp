// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of a converted file, before it is written or returned.
#pragma once

#include <string>

#include "convert/shaders/shader_code.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {

// Reads the file, which messages call `name`, and checks it as a model that is to run: completely with
// ShaderCheck::Full, otherwise only its structure. Rules of Slipway were reported where the model breaks them. Empty
// after an error, which has the note that the file is not written.
std::optional<vgf::File> check_converted(Bytes file, const std::string& name, convert::ShaderCheck check,
                                         Diagnostics& diagnostics);

}  // namespace slipway::model
