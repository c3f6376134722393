// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts models of TOSA operators and shader operators to VGF files.
//
//   auto converted = slipway::convert_model_file("net.tosa");
//   write("net.vgf", converted->file);
//
// C++17. The functions may be called from several threads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "slipway/bytes.hpp"
#include "slipway/problem.hpp"
#include "slipway/progress.hpp"

namespace slipway {

// How the SPIR-V of shader operators and the file that is made are checked: completely; the magic number of binaries
// that are known to be stubs; not at all.
enum class ShaderCheck { Full, Magic, Off };

struct ConvertOptions {
  std::string entry;                  // the function of an MLIR module; empty: all
  bool require_static_shape = false;  // an open dimension is an error
  bool fold = true;                   // simplify the graph: operators that change nothing, chains on constants
  // Names of inputs and outputs of a `.tosa` file: those of its tensors, or `tosa_deserialized_input_0:0`, ...
  bool tensor_names = false;
  ShaderCheck shader_check = ShaderCheck::Full;
  ProgressCallback progress;  // `read`, `narrow`, `simplify`, `encode`, `check`
};

struct ConvertedModel {
  std::vector<std::byte> file;   // VGF
  std::string requirements;      // JSON of schema/conversion_report.schema.json: what a device needs to run it
  std::vector<Problem> remarks;  // warnings and notes
};

// A TOSA FlatBuffers file, or MLIR as text or bytecode; the form is detected from the contents. Messages call it
// `name`. Errors: those of reading and converting, and of the check of the result.
SLIPWAY_API Outcome<ConvertedModel> convert_model(ByteView model, std::string_view name,
                                                  const ConvertOptions& options = {});
SLIPWAY_API Outcome<ConvertedModel> convert_model_file(const std::filesystem::path& file,
                                                       const ConvertOptions& options = {});

}  // namespace slipway
