// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/rpl/outputs.hpp"

#include <set>

#include "cli/terminal.hpp"

namespace slipway::cli {

void add_variant_files(const Path& directory, const rpl::Program& program, const rpl::Variants& variants,
                       std::vector<CompiledFile>& outputs) {
  const auto path = [&](const std::string& file) { return (directory / file).string(); };
  for (const rpl::VariantModule& module : variants.modules) outputs.push_back({path(module.file), "", module.words});
  std::set<std::string_view> files;
  for (const rpl::VariantClass& of : variants.classes) {
    // Classes may differ only in values that the output does not use; then they share a file.
    if (files.insert(of.file).second) outputs.push_back({path(of.file), of.metadata, {}});
  }
  outputs.push_back({path("variants.json"), rpl::variants_json(program, variants), {}});
}

void add_pack(const std::string& path, rpl_c::PackWriter& writer, std::vector<CompiledFile>& outputs,
              Diagnostics& diagnostics) {
  if (auto words = diagnostics.take(writer.take())) outputs.push_back({path, "", std::move(*words)});
}

void write_outputs(const std::vector<CompiledFile>& outputs, Diagnostics& diagnostics) {
  std::vector<OutputFile> files;
  for (const CompiledFile& output : outputs) {
    if (output.text.empty() && !output.words.empty() && !allows_binary(output.path, diagnostics)) return;
  }
  for (const CompiledFile& output : outputs) {
    if (output.path == "-") continue;
    std::optional<OutputFile> file = diagnostics.take(OutputFile::create(output.path));
    if (!file) return;
    if (const Result<> written = file->write(output.bytes()); !written) return diagnostics.add(written.error());
    files.push_back(std::move(*file));
  }
  for (OutputFile& file : files) {
    if (const Result<> named = file.commit(); !named) return diagnostics.add(named.error());
  }
  for (const CompiledFile& output : outputs) {
    if (output.path == "-") print(text_of(output.bytes()));
  }
}

}  // namespace slipway::cli
