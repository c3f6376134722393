// `slipway inspect --create-pipeline`, for programs and for metadata.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "base/files.hpp"
#include "cli/command_line.hpp"
#include "rpl/metadata.hpp"
#include "spirv/module.hpp"

namespace slipway::cli {

struct CreationOptions {
  bool wanted = false;
  std::string device;  // as --device of every verb
};
void add_creation_options(CommandLine& line, CreationOptions& options);

// Makes the pipeline on the device that `selector` names and tells each object that was created. Nothing when there
// were errors: a device that lacks something is one.
std::optional<std::string> create_pipeline(const rpl::Metadata& metadata, std::span<const spirv::Words> modules,
                                           const std::string& name, const std::string& selector,
                                           Diagnostics& diagnostics);

// The code that metadata name, from the directory that they are in. Errors: files that are not there, are no SPIR-V, or
// are of another length than the metadata say.
std::optional<std::vector<spirv::Words>> read_code(const rpl::Metadata& metadata, const Path& directory,
                                                   Diagnostics& diagnostics);

}  // namespace slipway::cli
