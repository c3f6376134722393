// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway check` and `slipway inspect` on ExecuTorch programs. The other verbs open the models in them.
#include "cli/model/verbs.hpp"
#include "cli/model/vgf_verbs.hpp"
#include "convert/convert.hpp"
#include "convert/read_model.hpp"
#include "executorch/describe.hpp"
#include "vgf/vgf.hpp"

namespace slipway::cli {
namespace {

void check_models(const executorch::Program& program, Diagnostics& diagnostics) {
  const std::vector<executorch::ProgramModel> models = executorch::models_of(program);
  for (const executorch::ProgramModel& each : models) {
    if (vgf::is_vgf(each.bytes)) {
      check_vgf(each.bytes, each.name, diagnostics);
    } else if (auto model = convert::read_model(each.bytes, each.name, {}, diagnostics)) {
      convert::convert(*model, {}, diagnostics);
    }
  }
  if (models.empty())
    diagnostics.warning(DiagnosticKind::Unsupported, SourceLocation::in_file(program.name),
                        "the program has no VGF or TOSA model; only its tables are checked");
}

}  // namespace

bool is_program_file(const Content& content) { return executorch::is_program(content.bytes); }

int check_program_file(const Arguments& arguments) {
  ReportStyle style;
  std::vector<std::string> files;
  CommandLine line("slipway check", "Finds every error in ExecuTorch programs and in the models that they delegate.",
                   "slipway check net.pte");
  line.add_report_options(style);
  line.add_option("files", files, "programs; `-` is standard input").required();
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& path : files) {
    const auto content = diagnostics.take(ContentOf::read(path));
    if (!content) continue;
    if (const auto program =
            executorch::read_program(content->content().bytes, path == "-" ? "<stdin>" : path, diagnostics))
      check_models(*program, diagnostics);
  }
  diagnostics.enforce_rules();
  return report(diagnostics, style, stdout);
}

int inspect_program_file(const Arguments& arguments) {
  ReportStyle style;
  std::string path, output = "-";
  CommandLine line("slipway inspect", "Shows what an ExecuTorch program delegates, and what it does not.",
                   "slipway inspect net.pte");
  line.add_report_options(style);
  line.add_option("file", path, "a program; `-` is standard input").required();
  line.add_option("-o,--output", output, "the file to write to; `-` is standard output");
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  const auto content = diagnostics.take(ContentOf::read(path));
  const auto program =
      content ? executorch::read_program(content->content().bytes, path == "-" ? "<stdin>" : path, diagnostics)
              : std::nullopt;
  if (program) {
    const std::string text = style.json ? executorch::program_json(*program) : executorch::describe(*program);
    if (const Result<> written = write_file(output, text); !written) diagnostics.add(written.error());
  }
  return report(diagnostics, style);
}

}  // namespace slipway::cli
