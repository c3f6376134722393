// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/rpl/create_pipeline.hpp"

#include "base/format.hpp"
#include "executors/open.hpp"
#include "scenario/rpl/create_pipeline.hpp"

namespace slipway::cli {

void add_creation_options(CommandLine& line, CreationOptions& options) {
  const Option wanted = line.add_flag("--create-pipeline", options.wanted,
                                      "create the pipeline on a device and list the created objects");
  line.add_option("--device", options.device, "the device: index, part of its name, or UUID").needs(wanted);
}

std::optional<std::string> create_pipeline(const rpl::Metadata& metadata, std::span<const spirv::Words> modules,
                                           const std::string& name, const std::string& selector,
                                           Diagnostics& diagnostics) {
  const std::shared_ptr<launch::Executor> executor = executors::open_executor({.selector = selector});
  const auto info = diagnostics.take(executor->info());
  if (!info) return std::nullopt;
  return diagnostics.take(
      scenario::create_pipeline(*executor, metadata, modules, name).transform([&](std::string text) {
        return formatted("pipeline of {} on {}\n{}", name, info->name, text);
      }));
}

std::optional<std::vector<spirv::Words>> read_code(const rpl::Metadata& metadata, const Path& directory,
                                                   Diagnostics& diagnostics) {
  std::vector<spirv::Words> modules;
  for (const rpl::MetadataCode& code : metadata.code) {
    const Path path = directory / code.file;
    const auto file = diagnostics.take(map_file(path));
    if (!file) return std::nullopt;
    const auto module = diagnostics.take(spirv::read_module(file->bytes(), path.string()));
    if (!module) return std::nullopt;
    if (module->words().size() != code.words) {
      diagnostics.error(
          DiagnosticKind::FileMismatch, SourceLocation::in_file(path.string()),
          formatted("{} has {} words, but the metadata require {}", path.string(), module->words().size(), code.words));
      return std::nullopt;
    }
    modules.emplace_back(module->words().begin(), module->words().end());
  }
  return modules;
}

}  // namespace slipway::cli
