// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway inspect` on programs of the Render Pipeline Language and on metadata of pipelines.

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/rpl/create_pipeline.hpp"
#include "cli/rpl/options.hpp"
#include "cli/rpl/verbs.hpp"
#include "rpl/metadata/metadata_json.hpp"
#include "rpl/metadata/print_metadata.hpp"

namespace slipway::cli {

int inspect_rpl(const Arguments& arguments) {
  RplOptions options;
  CommandLine line("slipway inspect rpl", "Shows the interface of a program of the Render Pipeline Language.",
                   "slipway inspect pass.rpl material.rpl --entry vertex=vertex_main --set wireframe=on");
  add_rpl_options(line, options);
  CreationOptions creation;
  add_creation_options(line, creation);
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  Diagnostics diagnostics;
  rpl::CompileTimes times;
  double parse_time = 0;
  std::optional<rpl::Compiled> made;
  std::optional<std::string> created;
  if (!options.variants.empty() && options.variants != "one") {
    diagnostics.error(DiagnosticKind::Usage, {}, "`inspect` shows one variant; `check` lists them all");
  } else if (std::optional<RplInput> input = load_rpl(options, diagnostics)) {
    parse_time = input->parse_time;
    input->compile.stem = Path(options.files.front()).stem().string();
    made = rpl::Compiler().compile(input->program, input->assignment, input->compile, diagnostics, &times);
    if (made && creation.wanted) {
      std::vector<spirv::Words> modules;
      for (const rpl::SpirvModule& module : made->modules) modules.push_back(module.words);
      created = create_pipeline(made->metadata, modules, input->compile.stem, creation.device, diagnostics);
    }
  }
  const int status = report_rpl(diagnostics, options, options.time ? &times : nullptr, parse_time);
  if (created) {
    print(*created);
  } else if (made && status == 0) {
    print(options.style.json ? metadata_text(made->metadata) : print_metadata(made->metadata));
  }
  return status;
}

int inspect_rpl_metadata(const Arguments& arguments) {
  ReportStyle style;
  std::vector<std::string> files;
  CommandLine line("slipway inspect rpl-metadata", "Shows the interface and the state of a pipeline.",
                   "slipway inspect out.json");
  line.add_report_options(style);
  line.add_option("files", files, "metadata, as `slipway compile` writes it").required();
  CreationOptions creation;
  add_creation_options(line, creation);
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  Diagnostics diagnostics;
  std::string text;
  for (const std::string& file : files) {
    const auto source = diagnostics.take(read_source(file, file == "-" ? "<stdin>" : file));
    if (!source) continue;
    const std::optional<rpl::Metadata> metadata = rpl::read_metadata(*source, diagnostics);
    if (!metadata) continue;
    if (creation.wanted) {
      const auto modules = read_code(*metadata, Path(file).parent_path(), diagnostics);
      const std::string name = Path(file).stem().string();
      text += modules ? create_pipeline(*metadata, *modules, name, creation.device, diagnostics).value_or("") : "";
      continue;
    }
    if (files.size() > 1 && !style.json) text += formatted("{}:\n", file);
    text += style.json ? metadata_text(*metadata) : print_metadata(*metadata);
    rpl::Metadata sealed = *metadata;
    rpl::seal(sealed);
    if (sealed.hashes == metadata->hashes) continue;
    diagnostics.warning(DiagnosticKind::FileMismatch, SourceLocation::in_file(file),
                        "the hashes do not match the contents: the file was edited");
  }
  const int status = report(diagnostics, style);
  print(text);
  return status;
}

}  // namespace slipway::cli
