// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway inspect --create-pipeline`, for programs and for metadata.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "base/system/files.hpp"
#include "cli/command_line.hpp"
#include "rpl/metadata/metadata.hpp"
#include "spirv/module.hpp"

namespace slipway::cli {

struct CreationOptions {
  bool wanted = false;
  std::string device;  // the value of --device
};
void add_creation_options(CommandLine& line, CreationOptions& options);

// Creates the pipeline on the device that `selector` names. Returns a text with a line for each object that was
// created, or nothing after an error, for example because the device lacks something.
std::optional<std::string> create_pipeline(const rpl::Metadata& metadata, std::span<const spirv::Words> modules,
                                           const std::string& name, const std::string& selector,
                                           Diagnostics& diagnostics);

// Reads the SPIR-V modules that the metadata name, relative to `directory`. Errors: a missing file, a file that is not
// a SPIR-V module, or one whose length differs from the metadata.
std::optional<std::vector<spirv::Words>> read_code(const rpl::Metadata& metadata, const Path& directory,
                                                   Diagnostics& diagnostics);

}  // namespace slipway::cli
