// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway inspect` on SPIR-V modules.

#include "base/files.hpp"
#include "base/format.hpp"
#include "cli/rpl/verbs.hpp"
#include "spirv/reflect.hpp"
#include "spirv/tools.hpp"

namespace slipway::cli {

bool is_spirv(const Content& content) {
  return content.starts_with("\x03\x02\x23\x07") || content.starts_with("\x07\x23\x02\x03");  // either byte order
}

int inspect_spirv(const Arguments& arguments) {
  ReportStyle style;
  std::vector<std::string> files;
  bool assembly = false;
  CommandLine line("slipway inspect spirv", "Shows the entry points, bindings and push constants of a SPIR-V module.",
                   "slipway inspect out.spv");
  line.add_report_options(style);
  line.add_option("files", files, "modules").required();
  line.add_flag("--asm", assembly, "print the whole module as assembly");
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  Diagnostics diagnostics;
  std::string text;
  for (const std::string& file : files) {
    const auto mapped = diagnostics.take(map_file(file));
    if (!mapped) continue;
    const auto module = diagnostics.take(spirv::read_module(mapped->bytes(), file));
    if (!module) continue;
    if (files.size() > 1) text += formatted("{}:\n", file);
    if (assembly) {
      text += diagnostics.take(spirv::disassemble(module->words(), file, {.header = true})).value_or("");
    } else if (const auto reflection = diagnostics.take(spirv::reflect(*module))) {
      text += spirv::print_reflection(*reflection);
    }
  }
  const int status = report(diagnostics, style);
  print(text);
  return status;
}

}  // namespace slipway::cli
