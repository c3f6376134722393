// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any text: formatting never crashes, its result stays as it is and keeps the tokens; the tree prints.
#include <cstdlib>

#include "rpl/print/format.hpp"
#include "rpl/print/print_ast.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  const SourcePtr source = make_source("fuzz.rpl", std::string(reinterpret_cast<const char*>(data), size));
  Diagnostics diagnostics;
  rpl::print_ast(rpl::parse(source, diagnostics));
  const Result<std::string> once = rpl::format_source(source);
  if (!once) {
    for (const Diagnostic& problem : once.error()) {
      if (problem.kind == DiagnosticKind::RplInternal) std::abort();  // it would have changed the program
    }
    return 0;
  }
  const Result<std::string> twice = rpl::format_source(make_source("again.rpl", *once));
  if (!twice || *twice != *once) std::abort();
  return 0;
}
