// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway format`: formats programs of the Render Pipeline Language.

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/directories.hpp"
#include "cli/formats.hpp"
#include "cli/rpl/verbs.hpp"
#include "rpl/print/format.hpp"

namespace slipway::cli {

int format_verb(const Arguments& arguments) {
  ReportStyle style;
  std::vector<std::string> files;
  bool check = false, to_stdout = false;
  CommandLine line("slipway format",
                   "Formats programs of the Render Pipeline Language. Files are changed in place; standard input goes "
                   "to standard output.",
                   "slipway format material.rpl");
  line.add_report_options(style);
  line.add_option("files", files, "sources; `-` is standard input").required();
  line.add_flag("--check", check, "change nothing; the exit status is 1 if a file would change");
  line.add_flag("--stdout", to_stdout, "write to standard output");
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  Diagnostics diagnostics;
  refuse_directories(files, "format", is_rpl, diagnostics);
  if (diagnostics.has_errors()) return report(diagnostics, style);
  bool differs = false;
  for (const std::string& file : files) {
    const auto source = diagnostics.take(read_source(file, file == "-" ? "<stdin>" : file));
    if (!source) continue;
    Result<std::string> text = rpl::format_source(*source);
    if (!text) {
      // A file of another format is refused as such, and not for its first letter.
      const Result<ContentOf> read = ContentOf::read(file);
      std::optional<Diagnostic> other;
      if (read && !is_rpl(read->content()))
        other = other_format(file, "format", "programs of the Render Pipeline Language");
      if (other)
        diagnostics.add(*std::move(other));
      else
        diagnostics.add(std::move(text.error()));
      continue;
    }
    const bool same = *text == (*source)->text();
    if (check) {
      if (!same) print(formatted("{}: not formatted\n", file));
      differs = differs || !same;
    } else if (to_stdout || file == "-") {
      print(*text);
    } else if (!same) {
      if (const Result<> written = write_file(file, *text); !written) diagnostics.add(written.error());
    }
  }
  const int status = report(diagnostics, style);
  return status != 0 ? status : differs ? 1 : 0;
}

}  // namespace slipway::cli
